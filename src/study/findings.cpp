#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/finding.hpp"
#include "steelyard/estimate/friction.hpp"
#include "study/summary.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr double kLargeCondition = 1e4;     // of scaled columns
constexpr double kPoorRelativeSigma = 0.5;  // deviation over value
constexpr double kLargeResidual = 0.5;      // of one joint
constexpr double kGap = 2;                  // residual on held-out rows over that of the fit
constexpr double kFewKept = 0.3;

std::string joined(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t k = 0; k < names.size() && k < kShown; ++k) text += (k ? ", " : "") + names[k];
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

void find_columns(const Estimate& estimate, std::vector<Finding>& findings) {
  std::vector<std::string> zero, dependent, poor;
  for (std::size_t k = 0; k < estimate.columns.size(); ++k) {
    const std::string& name = estimate.columns[k];
    if (is_tangent(name)) continue;  // zero at the minimum
    if (estimate.column_status[k] == ColumnStatus::zero) zero.push_back(name);
    if (estimate.column_status[k] == ColumnStatus::dependent) dependent.push_back(name);
    if (estimate.relative_sigma[static_cast<Index>(k)] > kPoorRelativeSigma &&
        estimate.column_status[k] == ColumnStatus::determined)
      poor.push_back(name);
  }
  if (!dependent.empty())
    findings.push_back(make_finding("rank-deficient", dependent.front(),
                                    fmt::format("known only together: {}", joined(dependent))));
  if (!zero.empty())
    findings.push_back(
        make_finding("zero-column", zero.front(), fmt::format("zero in all rows: {}", joined(zero))));
  if (!poor.empty())
    findings.push_back(make_finding("poorly-determined", "",
                                    fmt::format("{} of {} with a deviation above half their value: {}",
                                                poor.size(), estimate.columns.size(), joined(poor))));
}

void find_signs(const Robot& robot, const Result& result, std::vector<Finding>& findings) {
  for (const DriveValues& drive : result.drives)
    for (const char* name : {"fv", "fc", "Ia"}) {
      const auto value = drive.values.find(name);
      if (value == drive.values.end() || value->second >= 0) continue;
      const int joint = robot.index_of(drive.joint);
      const auto base = std::find_if(result.base.begin(), result.base.end(), [&](const BaseValue& item) {
        return item.name == name + std::to_string(joint + 1);
      });
      // Within three deviations of zero it is only badly known.
      if (base != result.base.end() && base->sigma && -value->second < 3 * *base->sigma) continue;
      findings.push_back(
          make_finding("negative-parameter", drive.joint, fmt::format("{} = {:.4g}", name, value->second)));
    }
}

void find_residuals(const Result& result, std::vector<Finding>& findings) {
  for (const JointResidual& joint : result.residual.per_joint)
    if (joint.prepared && *joint.prepared > kLargeResidual)
      findings.push_back(
          make_finding("large-residual", joint.name,
                       fmt::format("{:.0f} % of the prepared effort of this joint is not explained",
                                   100 * *joint.prepared)));
  const double fitted = result.residual.prepared;
  if (result.cross_validation && result.cross_validation->residual.prepared > kGap * fitted)
    findings.push_back(
        make_finding("cross-validation-gap", "",
                     fmt::format("{:.2f} % on blocks left out, {:.2f} % on those fitted",
                                 100 * result.cross_validation->residual.prepared, 100 * fitted)));
  for (const RunValidation& run : result.validation)
    if (run.fresh && run.residual.prepared > kGap * fitted)
      findings.push_back(make_finding("validation-gap", run.run,
                                      fmt::format("{:.2f} % on this run, {:.2f} % on those fitted",
                                                  100 * run.residual.prepared, 100 * fitted)));
}

}  // namespace

std::vector<Finding> find_all(const Robot& robot, const Estimate& estimate, const Result& result) {
  std::vector<Finding> findings;
  if (estimate.status == EstimateStatus::too_few_rows)
    findings.push_back(
        make_finding("too-few-rows", "",
                     fmt::format("{} rows for {} parameters", estimate.rows, estimate.columns.size())));
  if (estimate.status == EstimateStatus::not_converged)
    findings.push_back(make_finding(
        "not-converged", "", fmt::format("weights still changed after {} steps", estimate.iterations)));
  find_columns(estimate, findings);
  if (std::isfinite(estimate.condition_scaled) && estimate.condition_scaled > kLargeCondition)
    findings.push_back(make_finding("ill-conditioned", "",
                                    fmt::format("scaled condition {:.3g}", estimate.condition_scaled)));
  find_signs(robot, result, findings);
  find_residuals(result, findings);
  if (result.preparation.kept_share < kFewKept)
    findings.push_back(
        make_finding("few-rows-kept", "",
                     fmt::format("{:.0f} % of the rows are left", 100 * result.preparation.kept_share)));
  return findings;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
