#include "study/examine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "steelyard/core/suggest.hpp"
#include "steelyard/doctor/doctor.hpp"
#include "steelyard/log/last_line.hpp"
#include "steelyard/study/check_study.hpp"
#include "study/gains.hpp"
#include "study/prior.hpp"
#include "study/signs.hpp"
#include "study/summary.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// Text logs that may have been cut; readers take what is left as it stands.
void find_open_lines(const Study& study, std::vector<Finding>& findings) {
  for (const StudyRun& run : study.runs) {
    if (run.folded || run.simulation) continue;
    const std::optional<OpenLine> open = open_last_line(run.file);
    if (!open) continue;
    std::string evidence = fmt::format("the last line of {} has no end; its last field is {}",
                                       run.path_as_written, quoted(open->field));
    if (open->is_short)
      evidence += fmt::format(", with fewer digits behind the point than in any of {} lines before ({})",
                              open->compared, open->least);
    findings.push_back(
        make_finding(open->is_short ? "cut-log" : "open-last-line", run.file.label.label, evidence));
  }
}

Examination visit(StudyState& state) {
  std::vector<ExaminedRun> runs;
  for (const StudyRun& run : state.study.runs)
    if (!run.folded) runs.push_back({run.file.label, [&run, &state] { return open_source(state, run); }});
  if (runs.empty()) return {};
  DoctorOptions options;
  options.columns = lead_names(state.base);
  options.set_up.threads = state.options.threads;
  if (!state.study.drive_spec.known.empty() || !state.study.drive_spec.columns.empty())
    options.skip_set_up = "the study has known efforts or extra columns, which the doctor's model has not";
  if (has_unsigned_runs(state.study)) options.skip_set_up = "a run has |effort| only";
  for (const ExaminedRun& run : runs)
    if (run.label.payload != runs[0].label.payload)
      options.skip_set_up = "the runs have different payloads, which the doctor's model has not";
  return state.clock.time("examining the logs", [&] {
    Examination examination = examine(state.robot, runs, options);
    find_open_lines(state.study, examination.findings);
    return examination;
  });
}

}  // namespace

void examine_runs(StudyState& state) {
  Examination examination = visit(state);
  for (Finding& finding : examination.findings) state.findings.push_back(std::move(finding));
  std::size_t examined = 0;
  for (RunState& run : state.runs)
    if (run.prepared) run.repeats = examination.repeats[examined++];
}

bool StudyCheck::is_trustworthy() const {
  return std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.severity == Severity::error && !finding.waived;
  });
}

StudyCheck check_study(const Study& study, const StudyOptions& options) {
  StudyState state(study, options);
  open_robot(state);
  find_gains(state);
  StudyCheck check;
  check.robot = state.robot.name;
  for (const StudyRun& run : study.runs) check.runs.push_back(run.file.label.label);
  check.findings = visit(state).findings;
  check.warnings = state.warnings;
  waive_findings(study, check.findings);
  return check;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
