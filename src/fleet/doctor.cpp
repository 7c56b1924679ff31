#include "fleet/doctor.hpp"

#include <algorithm>
#include <set>

#include "steelyard/core/error.hpp"
#include "steelyard/identify/check.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// Warnings that explain why a log does not fit, and are no reason against one that does.
bool is_about_recording(const Finding& finding) {
  static const std::set<std::string> codes = {
      "gaps",           "repeated-samples", "quantised",   "effort-resolution",
      "velocity-noise", "effort-dropout",   "held-effort", "effort-jump"};
  return codes.contains(finding.code);
}

// Errors that speak of the log or of how it is read. Others speak of the model or of the motion, which all
// robots share.
bool spoils_log(const Finding& finding, bool fits) {
  static const std::set<std::string> codes = {
      "velocity-scale",   "time-scale",         "not-finite",   "dead-channel", "frozen-channel",
      "saturation",       "encoder-wrap",       "effort-delay", "torque-sign",  "position-sign",
      "impossible-value", "axis-sign",          "joint-zero",   "joint-order",  "position-order",
      "effort-order",     "position-unit",      "coupling",     "gravity",      "kinematics",
      "effort-scale",     "unexplained-effort", "spike",        "zero-row",     "same-column",
      "unsigned-effort",  "velocity-delay"};
  if (finding.waived) return false;
  if (!fits && is_about_recording(finding)) return true;
  return finding.code == "still-joint" ||
         (finding.severity == Severity::error && codes.contains(finding.code));
}

// What makes the others: a channel that stands still makes a model look wrong as well.
int rank(const Finding& finding) {
  static const std::set<std::string> signals = {
      "not-finite",     "impossible-value", "dead-channel",   "frozen-channel",
      "velocity-scale", "encoder-wrap",     "saturation",     "spike",
      "zero-row",       "same-column",      "unsigned-effort"};
  if (signals.contains(finding.code)) return 0;
  if (finding.code == "still-joint") return 2;
  if (is_about_recording(finding)) return 3;
  return finding.code == "unexplained-effort" ? 4 : 1;
}

}  // namespace

std::optional<Finding> doctor_of_log(const FleetShared& shared, const FleetStudyLog& log, bool fits,
                                     int threads) {
  const Study study = study_of_log(shared, log);
  StudyOptions options;
  options.threads = threads;
  StudyClock clock(options);
  const Setup setup = setup_of_log(shared, {&study, &options, &clock});
  const std::vector<Finding> findings = waived(study, examine_runs(setup, open_runs(setup)).findings);
  std::optional<Finding> worst;
  for (const Finding& finding : findings)
    if (spoils_log(finding, fits) && (!worst || rank(finding) < rank(*worst))) worst = finding;
  return worst;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
