#include "fleet/doctor.hpp"

#include <algorithm>

#include "steelyard/core/error.hpp"
#include "steelyard/identify/check.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Other findings are about the model or the motion, which all robots share.
bool spoils_log(const Finding& finding, bool fits) {
  if (finding.waived) return false;
  if (!fits && has(finding, finding_trait::of_recording)) return true;
  return is(finding, "still-joint") ||
         (finding.severity == Severity::error && has(finding, finding_trait::of_log));
}

// Root causes: a frozen channel makes a model look wrong as well.
int rank(const Finding& finding) {
  if (has(finding, finding_trait::of_signal)) return 0;
  if (is(finding, "still-joint")) return 2;
  if (has(finding, finding_trait::of_recording)) return 3;
  return is(finding, "unexplained-effort") ? 4 : 1;
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

}  // namespace steelyard
