#include "identify/examine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "identify/extra_columns.hpp"
#include "identify/folded.hpp"
#include "identify/gains.hpp"
#include "identify/kept_rows.hpp"
#include "identify/prior.hpp"
#include "identify/repeats.hpp"
#include "identify/signs.hpp"
#include "identify/summary.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/doctor/doctor.hpp"
#include "steelyard/identify/check.hpp"
#include "steelyard/log/last_line.hpp"
#include "steelyard/study/edit_marks.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// Text logs that may have been cut; readers take what is left as it stands.
std::optional<Finding> open_line(const StudyRun& run) {
  if (run.folded || run.simulation) return std::nullopt;
  const std::optional<OpenLine> open = open_last_line(run.file);
  if (!open) return std::nullopt;
  std::string evidence = fmt::format("the last line of {} has no end; its last field is {}",
                                     run.path_as_written, quoted(open->field));
  if (open->is_short)
    evidence += fmt::format(", with fewer digits behind the point than in any of {} lines before ({})",
                            open->compared, open->least);
  return make_finding(open->is_short ? FindingCode("cut-log") : FindingCode("open-last-line"),
                      run.file.label.label, evidence);
}

constexpr Index kHead = 100000;  // samples of a long log for the set-up, while folding

// A finding and the labels of the runs that it speaks of.
struct RunFinding {
  Finding finding;
  std::vector<std::string> runs;
};

std::vector<Finding> with_names(std::vector<RunFinding> found, std::size_t runs) {
  std::vector<Finding> findings;
  for (RunFinding& item : found) {
    item.finding.evidence = name_runs(item.finding, item.runs, runs);
    findings.push_back(std::move(item.finding));
  }
  return findings;
}

// Findings of several runs that were examined together are one. Repeated motions are those of this study
// where the file tells the motion, not those of the study that made it.
void replay(const FoldedRun& run, std::vector<RunFinding>& found) {
  if (!run.findings) {
    found.push_back(
        {make_finding("not-examined", run.label,
                      "the run is folds that nobody examined: nothing is known of its signals and its "
                      "set-up"),
         {run.label}});
    return;
  }
  for (const Finding& finding : *run.findings) {
    if (run.motion && is(finding, "repeated-motion")) continue;
    const auto same = std::find_if(found.begin(), found.end(), [&](const RunFinding& other) {
      return other.finding.code == finding.code && other.finding.joint == finding.joint &&
             other.finding.evidence == finding.evidence;
    });
    if (same != found.end())
      same->runs.push_back(run.label);
    else
      found.push_back({finding, {run.label}});
  }
}

// Columns of the plan's rows as columns of joints.
std::vector<ExtraColumns> by_joint(const Plan& plan, std::vector<ExtraColumns> list) {
  for (ExtraColumns& extra : list)
    for (ExtraColumn& column : extra.columns) column.row = plan.rows[static_cast<std::size_t>(column.row)].i;
  return list;
}

struct Visit {
  std::vector<RunFinding> found;
  std::vector<std::size_t> logs;     // numbers of the runs that were examined now
  Examination examination;           // of them
  std::vector<std::string> repeats;  // of all runs: another one with the same motion; empty: none
};

DoctorOptions doctor_options(const StudyState& state, const std::vector<ExaminedRun>& runs) {
  DoctorOptions options;
  options.columns = lead_names(state.base);
  options.set_up.threads = state.options.threads;
  options.coarse.also = {kKnownChannel};
  if (has_unsigned_runs(state.study)) {
    options.skip_set_up = "a run has |effort| only";
    options.skip_remedy =
        "log the efforts with their signs if you can; until then check signs and units by hand";
  }
  for (const ExaminedRun& run : runs)
    if (run.label.payload != runs[0].label.payload) {
      options.skip_set_up = "the runs have different payloads, which the doctor's model has not";
      options.skip_remedy = "check a study of the runs without payload, which have the same set-up";
    }
  return options;
}

// What the last pass saw, if it went through the run; the last samples may lie behind the grid.
std::optional<SignalScan> watched_signals(const RunState& run) {
  if (!run.signals || !run.prepared) return std::nullopt;
  SignalScan scan = run.signals();
  const Index all = run.prepared->preparation().time.samples;
  return scan.samples > 1 && scan.samples >= all - 4 ? std::optional(std::move(scan)) : std::nullopt;
}

// Motions of logs are copied once more here, where there are folds to compare them with.
void compare_with_folds(const StudyState& state, Visit& visit) {
  const auto log_motion = [&](std::size_t r) -> std::optional<CoarseRun> {
    const auto k = std::find(visit.logs.begin(), visit.logs.end(), r) - visit.logs.begin();
    const StudyRun& run = state.study.runs[r];
    try {
      return coarse_run(open_source(state, run), run.file.label.label,
                        visit.examination.signals[static_cast<std::size_t>(k)].time);
    } catch (const InputError&) {  // too short for the filter, or without efforts: a finding of its own
      return std::nullopt;
    }
  };
  visit.repeats.resize(state.study.runs.size());
  for (std::size_t k = 0; k < visit.logs.size(); ++k)
    visit.repeats[visit.logs[k]] = visit.examination.repeats[k];
  for (Repeat& repeat : repeated_folds(state.study, log_motion)) {
    const auto original =
        std::find_if(state.study.runs.begin(), state.study.runs.end(),
                     [&](const StudyRun& run) { return run.file.label.label == repeat.original; });
    std::string& repeats = visit.repeats[repeat.run];
    const bool is_fit = original != state.study.runs.end() && original->file.label.role == RunRole::fit;
    if (repeats.empty() || is_fit) repeats = repeat.original;
    visit.found.push_back({std::move(repeat.finding), {state.study.runs[repeat.run].file.label.label}});
  }
}

Visit visit(StudyState& state, Index head) {
  Visit visit;
  std::vector<ExaminedRun> runs;
  for (std::size_t r = 0; r < state.study.runs.size(); ++r) {
    const StudyRun& run = state.study.runs[r];
    if (run.folded) {
      replay(*run.folded, visit.found);
      continue;
    }
    ExaminedRun& examined = runs.emplace_back();
    examined.label = run.file.label;
    examined.open = [&run, &state] { return open_source(state, run); };
    examined.extra = by_joint(state.plan, expression_columns(state));
    examined.known = by_joint(state.plan, known_efforts(state, run));
    examined.use = {!run.unsigned_effort, state.study.prepare.measured_velocity};
    if (r < state.runs.size()) examined.signals = watched_signals(state.runs[r]);
    visit.logs.push_back(r);
  }
  if (runs.empty()) {
    compare_with_folds(state, visit);
    return visit;
  }
  DoctorOptions options = doctor_options(state, runs);
  options.head = head;
  visit.examination =
      state.clock.time("examining the logs", [&] { return examine(state.robot, runs, options); });
  for (std::size_t k = 0; k < visit.logs.size(); ++k)
    if (const std::optional<Finding> finding = open_line(state.study.runs[visit.logs[k]])) {
      visit.examination.findings.push_back(*finding);
      visit.examination.subjects.push_back({k});
    }
  for (std::size_t k = 0; k < visit.examination.findings.size(); ++k) {
    RunFinding& found = visit.found.emplace_back();
    found.finding = visit.examination.findings[k];
    for (const std::size_t r : visit.examination.subjects[k]) found.runs.push_back(runs[r].label.label);
  }
  compare_with_folds(state, visit);
  return visit;
}

void examine_with_head(StudyState& state, Index head) {
  for (Finding& finding : find_edit_marks(state.study)) state.findings.push_back(std::move(finding));
  const Visit seen = visit(state, head);
  for (std::size_t k = 0; k < seen.logs.size(); ++k) {
    RunState& run = state.runs[seen.logs[k]];
    run.findings.emplace();
    for (std::size_t f = 0; f < seen.examination.findings.size(); ++f)
      for (const std::size_t subject : seen.examination.subjects[f])
        if (subject == k) run.findings->push_back(seen.examination.findings[f]);
  }
  for (std::size_t r = 0; r < state.runs.size(); ++r) {
    RunState& run = state.runs[r];
    run.repeats = seen.repeats[r];
    if (run.run->folded) run.findings = run.run->folded->findings;
  }
  for (Finding& finding : with_names(seen.found, state.study.runs.size()))
    state.findings.push_back(std::move(finding));
}

// What opening the runs refuses, as `steelyard run` would with exit code 2, and joints of which no rows are
// left.
std::vector<Finding> refused_preparations(StudyState& state) {
  std::vector<Finding> findings;
  std::vector<RunState> opened;
  for (const StudyRun& run : state.study.runs) {
    opened.emplace_back().run = &run;
    try {
      open_run_state(state, opened.back());
    } catch (const InputError& error) {
      findings.push_back(make_finding("preparation-refused", run.file.label.label, error.what()));
    }
  }
  try {
    for (Finding& finding : missing_rows(state, opened)) findings.push_back(std::move(finding));
  } catch (const InputError& error) {
    findings.push_back(make_finding("preparation-refused", "", error.what()));
  }
  find_same_rows(opened, findings);
  return findings;
}

}  // namespace

void examine_runs(StudyState& state) {
  examine_with_head(state, 0);
}

void examine_for_folds(StudyState& state) {
  examine_with_head(state, kHead);
}

bool is_trustworthy(const std::vector<Finding>& findings) {
  return std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.severity == Severity::error && !finding.waived;
  });
}

bool StudyCheck::is_trustworthy() const {
  return steelyard::is_trustworthy(findings);
}

std::vector<Finding> waived(const Study& study, std::vector<Finding> findings) {
  waive_findings(study, findings);
  return findings;
}

std::vector<Finding> folded_findings(std::span<const FoldedRun> runs) {
  std::vector<RunFinding> found;
  for (const FoldedRun& run : runs) replay(run, found);
  return with_names(std::move(found), runs.size());
}

StudyCheck check_study(const Study& study, const StudyOptions& options) {
  StudyState state(study, options);
  open_robot(state);
  find_gains(state);
  take_cutoff(0, state);
  StudyCheck check;
  check.robot = state.robot.name;
  for (const StudyRun& run : study.runs) {
    check.runs.push_back(run.file.label.label);
    check.examined_then += run.folded && is_examined(*run.folded);
  }
  std::vector<Finding> findings = find_edit_marks(study);
  for (Finding& finding : refused_preparations(state)) findings.push_back(std::move(finding));
  const Visit seen = visit(state, 0);
  check.examined = seen.logs.size();
  for (Finding& finding : with_names(seen.found, study.runs.size())) findings.push_back(std::move(finding));
  check.findings = waived(study, std::move(findings));
  check.warnings = state.warnings;
  return check;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
