#include "identify/gain_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/finding.hpp"
#include "steelyard/gains/choice.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kLargestResidual = 0.3;  // of a joint's current
constexpr double kConspicuous = 0.1;      // the same when the other joints have far less
constexpr double kFarFromOthers = 4;

double median_of(const VectorXd& values) {
  std::vector<double> list(values.begin(), values.end());
  const auto middle = list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2);
  std::nth_element(list.begin(), middle, list.end());
  return *middle;
}

// Joints with a current that is poorly explained, or far worse than the others.
std::vector<Index> misfits(const VectorXd& residual) {
  std::vector<Index> found;
  const double apart = std::max(kConspicuous, kFarFromOthers * median_of(residual));
  for (Index j = 0; j < residual.size(); ++j)
    if (residual[j] > std::min(kLargestResidual, apart)) found.push_back(j);
  return found;
}

}  // namespace

void report_problems(const GainProblem& problem, const GainFit& fit, DriveGains& gains) {
  for (std::size_t j = 0; j < problem.gains.size(); ++j) {
    const auto at = static_cast<Index>(j);
    if (fit.status[j] == GainStatus::biased)
      gains.findings.push_back(make_finding(
          "gain-biased", problem.joints[j],
          fmt::format("errors of the currents take about {:.1f} % from the gain by {}",
                      100 * std::abs(fit.attenuation[at] / fit.values[at]), to_string(fit.method))));
    if (fit.status[j] != GainStatus::not_identifiable) continue;
    gains.findings.push_back(
        make_finding("gain-not-identifiable", problem.joints[j],
                     fmt::format("the standard deviation of the gain is {:.0f} % of its value",
                                 100 * fit.sigma[at] / std::abs(fit.values[at]))));
  }
  const VectorXd residual = current_residual(problem, fit).relative;
  for (const Index j : misfits(residual))
    gains.findings.push_back(
        make_finding("gain-misfit", problem.joints[static_cast<std::size_t>(j)],
                     fmt::format("{:.0f} % of the current is unexplained, {:.0f} % for the median joint",
                                 100 * residual[j], 100 * median_of(residual))));
}

void report_drift(const GainProblem& problem, const GainOptions& options, DriveGains& gains) {
  if (problem.runs.size() < 2) return;
  const GainFit plain = fit_gains(problem, GainMethod::prediction_error, options);
  for (const GainDrift& drift : gain_drift(problem, plain, options)) {
    if (!drift.significant) continue;
    gains.summary.drift.push_back({drift.run, drift.joint, drift.change, drift.sigma});
    gains.findings.push_back(
        make_finding("gain-drift", drift.joint,
                     fmt::format("in the run '{}' the same torque takes {:+.1f} % current, ± {:.1f}",
                                 drift.run, 100 * drift.change, 100 * drift.sigma)));
  }
}

}  // namespace steelyard
