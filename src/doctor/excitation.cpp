#include "steelyard/doctor/excitation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "steelyard/fold/samples.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kPoorCondition = 500;  // of scaled columns: amplification of errors in some direction
constexpr double kUseless = 1e6;
constexpr double kUnknown = 1;  // relative standard deviation from which a value is unknown

// Number of the link or joint in a machine name, counted from 0.
int number_of(const std::string& column) {
  const std::size_t at = column.find_first_of("0123456789");
  return at == std::string::npos ? -1 : std::stoi(column.substr(at)) - 1;
}

}  // namespace

Excitation examine_excitation(const Robot& robot, const std::vector<CoarseRun>& runs,
                              const std::vector<std::string>& columns) {
  PlanOptions options;
  options.wanted = columns;
  const Plan plan = make_plan(robot, options);
  std::vector<Fold> folds;
  for (const Layout& layout : row_layouts(plan, robot)) folds.emplace_back(layout);
  for (const CoarseRun& run : runs) {
    std::vector<RowInput> inputs(plan.rows.size());
    for (std::size_t r = 0; r < inputs.size(); ++r)
      inputs[r].efforts = {run.effort.col(plan.rows[r].i).data()};
    fold_samples(plan, {run.q.data(), run.qd.data(), run.qdd.data(), run.size(), run.size()}, inputs, folds);
  }
  EstimateOptions weights;
  weights.weighting = Weighting::by_row;
  return {estimate(folds, weights)};
}

std::vector<Finding> excitation_findings(const Excitation& excitation, const Robot& robot) {
  const Estimate& estimate = excitation.estimate;
  std::map<int, int> unknown;  // by link
  int count = 0;
  for (std::size_t k = 0; k < estimate.columns.size(); ++k) {
    const double relative = estimate.relative_sigma[static_cast<Index>(k)];
    if (relative <= kUnknown) continue;  // not a number counts as unknown
    ++unknown[number_of(estimate.columns[k])];
    ++count;
  }
  const double condition = estimate.condition_scaled;
  if (condition <= kPoorCondition) return {};
  std::string links;
  for (const auto& [link, columns] : unknown)
    if (link >= 0 && link < robot.size())
      links += fmt::format("{}{} ({})", links.empty() ? "" : ", ",
                           robot.joints[static_cast<std::size_t>(link)].name, columns);
  const std::string size = std::isfinite(condition) ? fmt::format("{:.2g}", condition) : "infinite";
  Finding finding = make_finding(
      "poor-excitation", "",
      fmt::format(
          "scaled condition number {}; {} of {} parameters have a standard deviation above their value{}{}",
          size, count, estimate.columns.size(), links.empty() ? "" : ", by joint: ", links));
  if (!(condition <= kUseless)) finding.severity = Severity::error;
  return {finding};
}

}  // namespace steelyard
