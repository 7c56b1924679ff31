#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/summary.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/estimate/friction.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kLargeCondition = 1e4;     // of scaled columns
constexpr double kPoorRelativeSigma = 0.5;  // standard deviation over value
constexpr double kLargeResidual = 0.5;      // of one joint
constexpr double kGap = 2;                  // residual on held-out rows over that of the fit
// Raw samples may have accelerations with noise a hundred times the motion; beyond this the model is
// meaningless.
constexpr double kAbsurd = 1e3;
constexpr double kGrown = 1.5;  // rms of a joint on held-out rows over that of the fit
constexpr double kFewKept = 0.3;

std::string joined(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t k = 0; k < names.size() && k < kShown; ++k) text += (k ? ", " : "") + names[k];
  if (names.size() > kShown) text += fmt::format(" and {} more", names.size() - kShown);
  return text;
}

void report_columns(const Estimate& estimate, std::vector<Finding>& findings) {
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
                                    fmt::format("identifiable only together: {}", joined(dependent))));
  if (!zero.empty())
    findings.push_back(
        make_finding("zero-column", zero.front(), fmt::format("zero in all rows: {}", joined(zero))));
  if (!poor.empty())
    findings.push_back(
        make_finding("poorly-determined", "",
                     fmt::format("{} of {} with a standard deviation above half their value: {}", poor.size(),
                                 estimate.columns.size(), joined(poor))));
}

void report_signs(const Robot& robot, const Result& result, std::vector<Finding>& findings) {
  for (const DriveValues& drive : result.drives)
    for (const char* name : {"fv", "fc", "Ia"}) {
      const auto value = drive.values.find(name);
      if (value == drive.values.end() || value->second >= 0) continue;
      const int joint = robot.index_of(drive.joint);
      const auto base = std::find_if(result.base.begin(), result.base.end(), [&](const BaseValue& item) {
        return item.name == name + std::to_string(joint + 1);
      });
      // Within three standard deviations of zero it is only poorly determined.
      if (base != result.base.end() && base->sigma && -value->second < 3 * *base->sigma) continue;
      findings.push_back(
          make_finding("negative-parameter", drive.joint, fmt::format("{} = {:.4g}", name, value->second)));
    }
}

void report_absurd(const std::string& run, const ResidualSummary& residual, std::vector<Finding>& findings) {
  if (residual.raw && !(*residual.raw < kAbsurd))
    findings.push_back(
        make_finding("absurd-prediction", run,
                     fmt::format("the prediction errors of raw samples are {:.1g} times the effort itself",
                                 *residual.raw)));
}

// The joint whose rms has grown most from the fit to another run. A quieter motion has a larger share of the
// same noise; a model that is worse there has larger errors.
struct Growth {
  const JointResidual* fitted = nullptr;
  const JointResidual* found = nullptr;
  double ratio() const { return fitted && fitted->rms > 0 ? found->rms / fitted->rms : 0; }
};

Growth largest_growth(const ResidualSummary& fitted, const ResidualSummary& found) {
  Growth largest;
  for (std::size_t k = 0; k < std::min(fitted.per_joint.size(), found.per_joint.size()); ++k) {
    const Growth own{&fitted.per_joint[k], &found.per_joint[k]};
    if (own.ratio() > largest.ratio()) largest = own;
  }
  return largest;
}

void report_residuals(const Result& result, std::vector<Finding>& findings) {
  for (const JointResidual& joint : result.residual.per_joint)
    if (joint.prepared && *joint.prepared > kLargeResidual)
      findings.push_back(
          make_finding("large-residual", joint.name,
                       fmt::format("{:.0f} % of the prepared effort of this joint is unexplained",
                                   100 * *joint.prepared)));
  const double fitted = result.residual.prepared;
  if (result.cross_validation && result.cross_validation->residual.prepared > kGap * fitted)
    findings.push_back(
        make_finding("cross-validation-gap", "",
                     fmt::format("{:.2f} % on held-out blocks, {:.2f} % on fitted ones",
                                 100 * result.cross_validation->residual.prepared, 100 * fitted)));
  for (const RunValidation& run : result.validation) {
    if (!run.fresh || !(run.residual.prepared > kGap * fitted)) continue;
    const Growth growth = largest_growth(result.residual, run.residual);
    if (!(growth.ratio() > kGrown)) continue;
    findings.push_back(make_finding(
        "validation-gap", run.run,
        fmt::format(
            "{:.2f} % on this run, {:.2f} % on the fitted ones; {} has an rms of {:.3g}, fitted {:.3g}",
            100 * run.residual.prepared, 100 * fitted, growth.found->name, growth.found->rms,
            growth.fitted->rms)));
  }
}

}  // namespace

std::vector<Finding> model_findings(const Robot& robot, const Estimate& estimate, const Result& result) {
  std::vector<Finding> findings;
  if (estimate.status == EstimateStatus::too_few_rows)
    findings.push_back(
        make_finding("too-few-rows", "",
                     fmt::format("{} rows for {} parameters", estimate.rows, estimate.columns.size())));
  if (estimate.status == EstimateStatus::not_converged)
    findings.push_back(
        make_finding("not-converged", "",
                     fmt::format("weights have not converged after {} iterations", estimate.iterations)));
  report_columns(estimate, findings);
  if (std::isfinite(estimate.condition_scaled) && estimate.condition_scaled > kLargeCondition)
    findings.push_back(make_finding(
        "ill-conditioned", "", fmt::format("scaled condition number {:.3g}", estimate.condition_scaled)));
  report_signs(robot, result, findings);
  report_residuals(result, findings);
  report_absurd("", result.residual, findings);
  for (const RunValidation& run : result.validation)
    if (run.fresh) report_absurd(run.run, run.residual, findings);
  if (result.preparation.kept_share < kFewKept)
    findings.push_back(
        make_finding("few-rows-kept", "",
                     fmt::format("{:.0f} % of the rows are left", 100 * result.preparation.kept_share)));
  return findings;
}

}  // namespace steelyard
