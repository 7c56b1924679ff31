#include "doctor/unexplained.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "steelyard/log/run_file.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Of a loaded joint's effort, on the rows it was fitted to: an error, and a warning. In the public logs with
// a correct set-up loaded joints leave 11 % at most.
constexpr double kUnexplained = 0.5;
constexpr double kHardlyExplained = 0.2;
constexpr double kLoaded = 0.1;        // of the largest effort
constexpr double kNotPredicted = 0.6;  // of a joint's effort, on held-out rows

}  // namespace

bool is_loaded(const Trial& trial, Index joint) {
  const std::vector<LogJoint> joints = log_joints(trial.robot());
  const VectorXd& efforts = trial.efforts();
  double largest = 0;
  for (Index k = 0; k < efforts.size(); ++k)
    if (joints[static_cast<std::size_t>(k)].kind == joints[static_cast<std::size_t>(joint)].kind)
      largest = std::max(largest, efforts[k]);
  return efforts[joint] > kLoaded * largest;
}

Index worst_unexplained(const Trial& trial, const TrialFit& fit, bool too_poor) {
  Index worst = -1;
  for (Index j = 0; j < fit.relative_fitted.size(); ++j) {
    if (is_loaded(trial, j) && fit.relative_fitted[j] > (too_poor ? kUnexplained : kHardlyExplained) &&
        (worst < 0 || fit.relative_fitted[j] > fit.relative_fitted[worst]))
      worst = j;
  }
  return worst;
}

std::vector<Finding> unexplained_findings(const Trial& trial, const SetUpExamination& examination,
                                          const Robot& robot) {
  std::vector<Finding> findings;
  const std::vector<LogJoint> names = log_joints(robot);
  const TrialFit& given = examination.given;
  for (Index j = 0; j < given.relative.size(); ++j)
    if (!examination.beaten && given.relative[j] > kNotPredicted && trial.efforts()[j] > 0)
      findings.push_back(
          make_finding("joint-not-identifiable", names[static_cast<std::size_t>(j)].name,
                       fmt::format("{:.0f} % of its effort is unexplained on held-out rows ({:.0f} % on "
                                   "fitted rows)",
                                   100 * given.relative[j], 100 * given.relative_fitted[j])));
  const Index worst = worst_unexplained(trial, given, examination.too_poor);
  if (worst < 0 || examination.beaten) return findings;
  Finding& left = findings.emplace_back(
      make_finding("unexplained-effort", names[static_cast<std::size_t>(worst)].name,
                   fmt::format("{:.0f} % of its effort is unexplained even on the fitted rows, and no "
                               "single change of the set-up fixes it",
                               100 * given.relative_fitted[worst])));
  if (given.relative_fitted[worst] <= kUnexplained) {
    left.severity = Severity::warning;
    left.remedy = "check this joint's columns, its coupling to others and its friction; look at its residual";
  }
  return findings;
}

}  // namespace steelyard
