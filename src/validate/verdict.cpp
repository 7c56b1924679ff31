#include "steelyard/validate/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace steelyard::inline STEELYARD_ABI {
namespace {

struct Test {
  double residual = 0;
  std::string words;             // "on run 'x', a motion that was not fitted"
  bool other_motion = false;     // the model was tried on a motion that it had not seen
  std::optional<double> links;   // of the feasible links
  std::optional<double> narrow;  // below the cut-off alone
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

Test test_on(const HeldOutRun& run, std::string words, bool other_motion) {
  return {run.residual, std::move(words), other_motion, run.links, run.below_cutoff};
}

Test strongest_test(const Evidence& evidence) {
  const HeldOutRun* fresh = worst(evidence.not_used, true);
  if (fresh != nullptr && !knows_motions(evidence))
    return test_on(
        *fresh,
        fmt::format("on run '{}', which was not fitted; whether its motion was is unknown", fresh->run),
        false);
  if (fresh != nullptr)
    return test_on(*fresh,
                   evidence.of_tables
                       ? fmt::format("at the configurations '{}', which were not fitted", fresh->run)
                       : fmt::format("on run '{}', a motion that was not fitted", fresh->run),
                   true);
  if (const HeldOutRun* run = knows_motions(evidence) ? worst(evidence.motions, true) : nullptr)
    return test_on(*run, fmt::format("on run '{}' when held out of the fit", run->run), true);
  if (const HeldOutRun* run = worst(evidence.not_used, false))
    return test_on(*run,
                   fmt::format("on run '{}', which was not fitted but repeats the motion of '{}'", run->run,
                               run->repeats),
                   false);
  const std::optional<BandEvidence>& band = evidence.band;
  if (evidence.blocks)
    return {*evidence.blocks,
            "on held-out blocks of the fitted runs",
            false,
            {},
            band ? band->blocks : std::nullopt};
  if (!evidence.fitted) return {};
  return {*evidence.fitted,
          "on the fitted rows; nothing was held out",
          false,
          {},
          band ? std::optional(band->fitted) : std::nullopt};
}

std::string test_words(const Evidence& evidence, const Test& test) {
  if (test.words.empty())
    return "nothing was fitted: only a log shows what the values are worth (`steelyard validate`)";
  std::string text = fmt::format("{} % of {} is unexplained {}", share_in_percent(test.residual),
                                 evidence.of_tables ? "g and M" : "the effort", test.words);
  if (test.links) text += fmt::format("; by the feasible links {} %", share_in_percent(*test.links));
  if (evidence.band && test.narrow)
    text += fmt::format("; at the band of the log, {:.2g} Hz; at the cut-off of {:.2g} Hz {} %",
                        evidence.band->band, evidence.band->cutoff, share_in_percent(*test.narrow));
  return text;
}

// How a model will do on motions that differ from the fitted ones.
enum class Elsewhere { unknown, as_well, worse, fails };

Elsewhere elsewhere(const Evidence& evidence) {
  if (!evidence.forecast) return Elsewhere::unknown;
  if (evidence.forecast->expected > kUsableResidual) return Elsewhere::fails;
  const double there = evidence.forecast->expected,
               here = evidence.blocks.value_or(evidence.fitted.value_or(0));
  return there > kGoodResidual && there > kFarWorse * here ? Elsewhere::worse : Elsewhere::as_well;
}

std::string about(double share) {
  return share > 1 ? fmt::format("over 100 % (about {:.2g} times as much as there is)", share)
                   : fmt::format("about {:.2g} %", 100 * share);
}

std::string most(double share) {
  return share > 1 ? "over 100 %" : fmt::format("at most {:.2g} %", 100 * share);
}

// "usable only for motions like the fitted ones", or nothing where a model is good for none.
std::string only_for(VerdictLevel level) {
  return level == VerdictLevel::not_trustworthy ? "" : "usable only for motions like the fitted ones: ";
}

std::string forecast_words(const ForecastEvidence& forecast, Elsewhere where, VerdictLevel level) {
  std::string text;
  if (where == Elsewhere::fails)
    text = fmt::format(
        "{}other motions will fail: {} of the effort is forecast to be unexplained on typical ones, most at "
        "{}",
        only_for(level), about(forecast.expected), forecast.worst);
  else if (where == Elsewhere::worse)
    text = fmt::format(
        "{}on other motions the estimate will be wrong by {} of the effort, with 90 % probability {}, most "
        "at {} "
        "(forecast for typical ones)",
        only_for(level), about(forecast.expected), most(forecast.upper), forecast.worst);
  else
    text = fmt::format(
        "{}typical motions: {} of the effort is forecast to be unexplained, with 90 % probability {}",
        level == VerdictLevel::good     ? "good for "
        : level == VerdictLevel::usable ? "usable for "
                                        : "",
        about(forecast.expected), most(forecast.upper));
  if (!forecast.feasible) return text;
  text += (where == Elsewhere::worse ? "; the feasible links by " : "; by the feasible links ") +
          about(*forecast.feasible);
  if (where != Elsewhere::as_well && *forecast.feasible <= kUsableResidual &&
      kFarWorse * *forecast.feasible < forecast.expected)
    text += ": use those";
  return text;
}

std::string with_evidence(const Finding& finding) {
  return finding.code + (finding.joint.empty() ? "" : " (" + finding.joint + ")") + ": " + finding.evidence;
}

// "warnings: quantised (arm_5_joint, arm_6_joint), poor-excitation"; their evidence stands among the findings.
std::string names_of(const std::vector<Finding>& warnings) {
  std::vector<std::pair<std::string, std::vector<std::string>>> kinds;
  for (const Finding& finding : warnings) {
    auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == finding.code; });
    if (kind == kinds.end()) kind = kinds.insert(kind, {finding.code, {}});
    if (!finding.joint.empty()) kind->second.push_back(finding.joint);
  }
  std::string text;
  for (const auto& [code, joints] : kinds)
    text += (text.empty() ? "warnings: " : ", ") + code +
            (joints.empty() ? "" : fmt::format(" ({})", fmt::join(joints, ", ")));
  return text;
}

VerdictLevel level_of(const Evidence& evidence, const Test& test, Elsewhere where) {
  bool error = false, warning = false;
  for (const Finding& finding : evidence.findings) {
    if (finding.waived) continue;
    error |= finding.severity == Severity::error;
    warning |= finding.severity == Severity::warning;
  }
  if (error || test.residual > kUsableResidual) return VerdictLevel::not_trustworthy;
  if (warning || where == Elsewhere::fails || where == Elsewhere::worse || test.residual > kGoodResidual ||
      !test.other_motion)
    return VerdictLevel::usable;
  return VerdictLevel::good;
}

}  // namespace

const char* to_string(VerdictLevel level) {
  constexpr const char* kWords[] = {"good", "usable", "not_trustworthy"};
  return kWords[static_cast<std::size_t>(level)];
}

Verdict judge(const Evidence& evidence) {
  const Test test = strongest_test(evidence);
  const Elsewhere where = elsewhere(evidence);
  Verdict verdict;
  verdict.level = level_of(evidence, test, where);
  const bool warns = where == Elsewhere::fails || where == Elsewhere::worse;
  if (warns) verdict.reasons.push_back(forecast_words(*evidence.forecast, where, verdict.level));
  std::vector<Finding> warnings;
  for (const Finding& finding : evidence.findings) {
    if (finding.waived) continue;
    if (finding.severity == Severity::error) verdict.reasons.push_back(with_evidence(finding));
    if (finding.severity == Severity::warning) warnings.push_back(finding);
  }
  if (warnings.size() == 1) verdict.reasons.push_back(with_evidence(warnings.front()));
  if (warnings.size() > 1) verdict.reasons.push_back(names_of(warnings));
  verdict.reasons.push_back(test_words(evidence, test));
  if (where == Elsewhere::as_well)
    verdict.reasons.push_back(forecast_words(*evidence.forecast, where, verdict.level));
  if (!test.other_motion && knows_motions(evidence))
    verdict.reasons.emplace_back(evidence.of_tables
                                     ? "this model has not been tested on other configurations: add a set to "
                                       "`validation` before relying on it"
                                     : "this model has not been tested on another motion: record one, with "
                                       "role validate, before relying on it");
  return verdict;
}

}  // namespace steelyard
