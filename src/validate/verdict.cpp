#include "steelyard/validate/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace steelyard::inline STEELYARD_ABI {
namespace {

struct Test {
  double residual = 0;
  std::string words;          // "on run 'x', a motion that was not fitted"
  bool other_motion = false;  // the model was tried on a motion that it had not seen
};

// The run with the largest residual among those that are a new motion, or among those that are not.
const HeldOutRun* worst(const std::vector<HeldOutRun>& runs, bool new_motion) {
  const HeldOutRun* found = nullptr;
  for (const HeldOutRun& run : runs)
    if (run.repeats.empty() == new_motion && (found == nullptr || run.residual > found->residual))
      found = &run;
  return found;
}

// Tables are often exact to many digits, efforts never.
std::string share_in_percent(double share) {
  return share < 1e-4 && share > 0 ? fmt::format("{:.1g}", 100 * share) : fmt::format("{:.2f}", 100 * share);
}

// Folds of older files do not contain their motion: any run may repeat it.
bool knows_motions(const Evidence& evidence) {
  return std::none_of(evidence.findings.begin(), evidence.findings.end(), [](const Finding& finding) {
    return is(finding, "motion-unknown") && !finding.waived;
  });
}

Test strongest_test(const Evidence& evidence) {
  if (!knows_motions(evidence))
    if (const HeldOutRun* run = worst(evidence.not_used, true))
      return {run->residual,
              fmt::format("on run '{}', which was not fitted; whether its motion was is unknown", run->run),
              false};
  if (const HeldOutRun* run = worst(evidence.not_used, true))
    return {run->residual,
            evidence.of_tables ? fmt::format("at the configurations '{}', which were not fitted", run->run)
                               : fmt::format("on run '{}', a motion that was not fitted", run->run),
            true};
  if (const HeldOutRun* run = knows_motions(evidence) ? worst(evidence.motions, true) : nullptr)
    return {run->residual, fmt::format("on run '{}' when held out of the fit", run->run), true};
  if (const HeldOutRun* run = worst(evidence.not_used, false))
    return {run->residual,
            fmt::format("on run '{}', which was not fitted but repeats the motion of '{}'", run->run,
                        run->repeats),
            false};
  if (evidence.blocks) return {*evidence.blocks, "on held-out blocks of the fitted runs", false};
  return {evidence.fitted, "on the fitted rows; nothing was held out", false};
}

// "about 41 %", or unknown.
std::string about(double share) {
  return share > 1 ? "an unknown part" : fmt::format("about {:.2g} %", 100 * share);
}

bool fails_elsewhere(const Evidence& evidence) {
  return evidence.forecast && evidence.forecast->expected > kUsableResidual;
}

std::string forecast_words(const ForecastEvidence& forecast, bool fails) {
  std::string text;
  if (fails)
    text = fmt::format(
        "other motions will fail: {} of the effort is forecast to be unexplained on typical ones, "
        "most at {}",
        about(forecast.expected), forecast.worst);
  else
    text = fmt::format(
        "on typical motions {} of the effort is forecast to be unexplained, with 90 % probability at "
        "most {:.2g} %",
        about(forecast.expected), 100 * forecast.upper);
  if (forecast.feasible) text += fmt::format("; by the feasible links {}", about(*forecast.feasible));
  return text;
}

}  // namespace

const char* to_string(VerdictLevel level) {
  constexpr const char* kWords[] = {"good", "usable", "not_trustworthy"};
  return kWords[static_cast<std::size_t>(level)];
}

Verdict judge(const Evidence& evidence) {
  Verdict verdict;
  int errors = 0, warnings = 0;
  const bool fails = fails_elsewhere(evidence);
  if (fails) verdict.reasons.push_back(forecast_words(*evidence.forecast, true));
  for (const Severity severity : {Severity::error, Severity::warning}) {
    for (const Finding& finding : evidence.findings) {
      if (finding.waived || finding.severity != severity) continue;
      ++(severity == Severity::error ? errors : warnings);
      verdict.reasons.push_back(finding.code + (finding.joint.empty() ? "" : " (" + finding.joint + ")") +
                                ": " + finding.evidence);
    }
  }
  const Test test = strongest_test(evidence);
  verdict.reasons.push_back(fmt::format("{} % of {} is unexplained {}", share_in_percent(test.residual),
                                        evidence.of_tables ? "g and M" : "the effort", test.words));
  if (evidence.forecast && !fails) verdict.reasons.push_back(forecast_words(*evidence.forecast, false));
  if (!test.other_motion && knows_motions(evidence))
    verdict.reasons.emplace_back(evidence.of_tables
                                     ? "this model has not been tested on other configurations: add a set to "
                                       "`validation` before relying on it"
                                     : "this model has not been tested on another motion: record one, with "
                                       "role validate, before relying on "
                                       "it");
  if (errors > 0 || test.residual > kUsableResidual)
    verdict.level = VerdictLevel::not_trustworthy;
  else if (warnings > 0 || fails || test.residual > kGoodResidual || !test.other_motion)
    verdict.level = VerdictLevel::usable;
  else
    verdict.level = VerdictLevel::good;
  return verdict;
}

}  // namespace steelyard
