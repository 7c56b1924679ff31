#include <algorithm>
#include <cmath>

#include "identify/summary.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/validate/verdict.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// The fitted run whose motion a fresh one repeats; empty when there is none. A run that is not among these
// was fitted by an earlier study.
std::string repeated_fit(const RunValidation& run, const std::vector<RunValidation>& all) {
  for (const RunValidation& other : all)
    if (other.run == run.repeats && &other != &run) return other.fresh ? "" : other.run;
  return run.repeats;
}

// Any other run with the motion of this one, whichever of the two repeats the other.
std::string same_motion(const RunValidation& run, const std::vector<RunValidation>& all) {
  if (!run.repeats.empty()) return run.repeats;
  for (const RunValidation& other : all)
    if (other.repeats == run.run) return other.run;
  return "";
}

ForecastEvidence forecast_evidence(const ForecastSummary& summary) {
  ForecastEvidence out{summary.typical.expected, summary.typical.upper, "", {}};
  for (const JointForecast& joint : worst_joints(summary.typical, 1)) out.worst = joint.name;
  if (summary.feasible_typical) out.feasible = summary.feasible_typical->expected;
  return out;
}

double at_band(const ResidualSummary& residual) {
  return residual.band.value_or(residual.prepared);
}

// A residual of other rows below the cut-off, as it would be at the band: what the band adds is orthogonal to it.
double widened(double below, const ResidualSummary& residual) {
  if (!residual.band) return below;
  return std::sqrt(
      std::max(0.0, below * below + *residual.band * *residual.band - residual.prepared * residual.prepared));
}

HeldOutRun fresh_run(const RunValidation& run, std::string repeats) {
  HeldOutRun out{run.run, at_band(run.residual), std::move(repeats)};
  if (run.feasible) out.links = at_band(*run.feasible);
  if (run.residual.band) out.below_cutoff = run.residual.prepared;
  return out;
}

// Of the fitted rows, or of those of a validation.
bool has_band(const Result& result) {
  return result.residual.band ||
         std::any_of(result.validation.begin(), result.validation.end(),
                     [](const RunValidation& run) { return run.residual.band.has_value(); });
}

BandEvidence band_evidence(const Result& result) {
  BandEvidence out{result.preparation.cutoff.value_or(0), *result.preparation.band, result.residual.prepared};
  if (result.cross_validation) out.blocks = result.cross_validation->residual.prepared;
  return out;
}

}  // namespace

void waive_findings(const Study& study, std::vector<Finding>& findings) {
  for (Finding& finding : findings)
    finding.waived = std::find(study.waive.begin(), study.waive.end(), finding.code) != study.waive.end();
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return static_cast<int>(a.severity) > static_cast<int>(b.severity);
  });
}

void judge_result(const Study& study, Result& result) {
  waive_findings(study, result.findings);
  Evidence evidence;
  evidence.findings = result.findings;
  if (!result.residual.per_joint.empty()) evidence.fitted = at_band(result.residual);
  if (result.cross_validation)
    evidence.blocks = widened(result.cross_validation->residual.prepared, result.residual);
  for (const RunValidation& run : result.validation) {
    if (run.fresh) evidence.not_used.push_back(fresh_run(run, repeated_fit(run, result.validation)));
    if (run.left_out) {
      evidence.motions.push_back(
          {run.run, widened(run.left_out->prepared, run.residual), same_motion(run, result.validation)});
      if (run.residual.band) evidence.motions.back().below_cutoff = run.left_out->prepared;
    }
  }
  if (result.forecast) evidence.forecast = forecast_evidence(*result.forecast);
  if (result.preparation.band && has_band(result)) evidence.band = band_evidence(result);
  result.verdict = judge(evidence);
}

}  // namespace steelyard
