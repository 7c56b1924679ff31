#include <algorithm>

#include "identify/summary.hpp"
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
  double largest = -1;
  for (const JointForecast& joint : summary.typical.per_joint)
    if (joint.expected.value_or(0) > largest) {
      largest = joint.expected.value_or(0);
      out.worst = joint.name;
    }
  if (summary.feasible_typical) out.feasible = summary.feasible_typical->expected;
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
  evidence.fitted = result.residual.prepared;
  if (result.cross_validation) evidence.blocks = result.cross_validation->residual.prepared;
  for (const RunValidation& run : result.validation) {
    if (run.fresh)
      evidence.not_used.push_back({run.run, run.residual.prepared, repeated_fit(run, result.validation)});
    if (run.left_out)
      evidence.motions.push_back({run.run, run.left_out->prepared, same_motion(run, result.validation)});
  }
  if (result.forecast) evidence.forecast = forecast_evidence(*result.forecast);
  result.verdict = judge(evidence);
}

}  // namespace steelyard
