
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "identify/extra_columns.hpp"
#include "identify/fixes.hpp"
#include "identify/kept_rows.hpp"
#include "identify/prior.hpp"
#include "identify/repeats.hpp"
#include "identify/summary.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/doctor/doctor.hpp"
#include "steelyard/identify/check.hpp"
#include "steelyard/log/last_line.hpp"
#include "steelyard/study/edit_marks.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Text logs that may have been cut; readers accept what is left as it is.
std::optional<Finding> open_line(const StudyRun& run) {
  if (run.folded || run.simulation || run.samples) return std::nullopt;
  const std::optional<OpenLine> open = open_last_line(run.file);
  if (!open) return std::nullopt;
  std::string evidence = fmt::format("the last line of {} has no newline; its last field is {}",
                                     run.path_as_written, quoted(open->field));
  if (open->is_short)
    evidence += fmt::format(", with fewer decimals than in any of the {} previous lines ({})", open->compared,
                            open->least);
  return make_finding(open->is_short ? FindingCode("cut-log") : FindingCode("open-last-line"),
                      run.file.label.label, evidence);
}

// A finding and the labels of the runs it refers to.
struct RunFinding {
  Finding finding;
  std::vector<std::string> runs;
  std::vector<std::string> likewise = {};  // further runs with such a finding and other numbers
};

std::string likewise(const std::vector<std::string>& runs) {
  constexpr std::size_t kNamed = 4;
  std::string text;
  for (std::size_t k = 0; k < std::min(kNamed, runs.size()); ++k)
    text += fmt::format(
        "{}'{}'", k == 0 ? (runs.size() == 1 ? "; likewise in run " : "; likewise in runs ") : ", ", runs[k]);
  return text + (runs.size() > kNamed ? fmt::format(" and {} more", runs.size() - kNamed) : "");
}

// One finding of every code, joint and severity: of the others with the same evidence the runs alone, and of those with other
// numbers as well.
void merge(std::vector<RunFinding>& found) {
  const auto is_of_run = [](const RunFinding& item) {
    return std::find(item.runs.begin(), item.runs.end(), item.finding.joint) != item.runs.end();
  };
  std::vector<RunFinding> merged;
  for (RunFinding& item : found) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const RunFinding& other) {
      return other.finding.code == item.finding.code && other.finding.severity == item.finding.severity &&
             !item.runs.empty() &&
             (other.finding.joint == item.finding.joint || (is_of_run(other) && is_of_run(item)));
    });
    if (same == merged.end()) {
      merged.push_back(std::move(item));
      continue;
    }
    const bool is_equal =
        same->finding.evidence == item.finding.evidence && same->finding.joint == item.finding.joint;
    std::vector<std::string>& runs = is_equal ? same->runs : same->likewise;
    for (std::string& run : item.runs)
      if (std::find(same->runs.begin(), same->runs.end(), run) == same->runs.end() &&
          std::find(runs.begin(), runs.end(), run) == runs.end())
        runs.push_back(std::move(run));
  }
  found = std::move(merged);
}

std::vector<Finding> with_names(std::vector<RunFinding> found, std::size_t runs) {
  std::vector<Finding> findings;
  for (RunFinding& item : found) {
    item.finding.evidence = name_runs(item.finding, item.runs, runs) + likewise(item.likewise);
    findings.push_back(std::move(item.finding));
  }
  return findings;
}

// Findings of several runs that were examined together are one. Repeated motions are those of this study
// where the file contains the motion, not those of the study that wrote it.
void replay(const FoldedRun& run, std::vector<RunFinding>& found) {
  if (!run.findings) {
    found.push_back(
        {make_finding(
             "not-examined", run.label,
             "the folds of this run were never examined: nothing is known about its signals and set-up"),
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

struct Visit {
  std::vector<RunFinding> found;
  std::vector<std::size_t> logs;     // numbers of the runs that were examined now
  Examination examination;           // of them
  std::vector<std::string> repeats;  // of all runs: another one with the same motion; empty: none
};

DoctorOptions doctor_options(const Setup& setup, const std::vector<ExaminedRun>& runs) {
  DoctorOptions options;
  options.columns = lead_names(setup.base);
  options.set_up.threads = setup.threads();
  options.coarse.also = {kKnownChannel, kTemperatureChannel};
  if (has_unsigned_runs(setup.study())) {
    options.skip_set_up = "a run has |effort| only";
    options.skip_remedy =
        "log the efforts with their signs if you can; until then check signs and units by hand";
  }
  for (const ExaminedRun& run : runs)
    if (run.label.payload != runs[0].label.payload) {
      options.skip_set_up = "the runs have different payloads, which the doctor does not model";
      options.skip_remedy = "check a study of the runs without payload, which have the same set-up";
    }
  return options;
}

// What the last pass saw, if it went through the run; the last samples may lie behind the grid.
std::optional<SignalScan> watched_signals(const OpenRun& run) {
  if (!run.signals || !run.prepared) return std::nullopt;
  SignalScan scan = run.signals();
  const Index all = run.prepared->preparation().time.samples;
  return scan.samples > 1 && scan.samples >= all - 4 ? std::optional(std::move(scan)) : std::nullopt;
}

// Motions of logs are copied once more here, where there are folds to compare them with.
void compare_with_folds(const Setup& setup, Visit& visit) {
  const auto log_motion = [&](std::size_t r) -> std::optional<CoarseRun> {
    const auto k = std::find(visit.logs.begin(), visit.logs.end(), r) - visit.logs.begin();
    const StudyRun& run = setup.study().runs[r];
    try {
      return coarse_run(open_source(setup, run), run.file.label.label,
                        visit.examination.signals[static_cast<std::size_t>(k)].time);
    } catch (const InputError&) {  // too short for the filter, or without efforts: a finding of its own
      return std::nullopt;
    }
  };
  visit.repeats.resize(setup.study().runs.size());
  for (std::size_t k = 0; k < visit.logs.size(); ++k)
    visit.repeats[visit.logs[k]] = visit.examination.repeats[k];
  for (Repeat& repeat : repeated_folds(setup.study(), log_motion)) {
    const auto original =
        std::find_if(setup.study().runs.begin(), setup.study().runs.end(),
                     [&](const StudyRun& run) { return run.file.label.label == repeat.original; });
    std::string& repeats = visit.repeats[repeat.run];
    const bool is_fit = original != setup.study().runs.end() && original->file.label.role == RunRole::fit;
    if (repeats.empty() || is_fit) repeats = repeat.original;
    visit.found.push_back({std::move(repeat.finding), {setup.study().runs[repeat.run].file.label.label}});
  }
}

Visit visit(const Setup& setup, const Runs& opened, Index head) {
  Visit visit;
  std::vector<ExaminedRun> runs;
  for (std::size_t r = 0; r < setup.study().runs.size(); ++r) {
    const StudyRun& run = setup.study().runs[r];
    if (run.folded) {
      replay(*run.folded, visit.found);
      continue;
    }
    ExaminedRun& examined = runs.emplace_back();
    examined.label = run.file.label;
    examined.open = [&run, &setup] { return open_source(setup, run); };
    examined.extra = by_joint(setup.plan, expression_columns(setup));
    examined.known = by_joint(setup.plan, known_efforts(setup, run));
    examined.effort_delay = undone_delay(setup, run);
    examined.delay_is_settled = !setup.delays.empty();
    examined.use = {!run.unsigned_effort, setup.study().prepare.measured_velocity,
                    run.file.time.empty() ? 0 : run.file.rate};
    if (r < opened.size()) examined.signals = watched_signals(opened[r]);
    visit.logs.push_back(r);
  }
  if (runs.empty()) {
    compare_with_folds(setup, visit);
    return visit;
  }
  DoctorOptions options = doctor_options(setup, runs);
  options.head = head;
  visit.examination =
      setup.clock().time("examining the logs", [&] { return examine(setup.robot, runs, options); });
  for (std::size_t k = 0; k < visit.logs.size(); ++k)
    if (const std::optional<Finding> finding = open_line(setup.study().runs[visit.logs[k]])) {
      visit.examination.findings.push_back(*finding);
      visit.examination.subjects.push_back({k});
    }
  for (std::size_t k = 0; k < visit.examination.findings.size(); ++k) {
    RunFinding& found = visit.found.emplace_back();
    found.finding = visit.examination.findings[k];
    for (const std::size_t r : visit.examination.subjects[k]) found.runs.push_back(runs[r].label.label);
  }
  compare_with_folds(setup, visit);
  merge(visit.found);
  return visit;
}

}  // namespace

Examined examine_runs(const Setup& setup, const Runs& runs, Index head) {
  Examined out;
  out.findings = edit_mark_findings(setup.study());
  const Visit seen = visit(setup, runs, head);
  out.fixes = study_fixes(setup.study(), setup.robot, seen.examination, seen.logs);
  out.runs.resize(runs.size());
  for (std::size_t k = 0; k < seen.logs.size(); ++k) {
    std::vector<Finding>& own = out.runs[seen.logs[k]].findings.emplace();
    for (std::size_t f = 0; f < seen.examination.findings.size(); ++f)
      for (const std::size_t subject : seen.examination.subjects[f])
        if (subject == k) own.push_back(seen.examination.findings[f]);
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    out.runs[r].repeats = seen.repeats[r];
    if (runs[r].run->folded) out.runs[r].findings = runs[r].run->folded->findings;
  }
  for (Finding& finding : with_names(seen.found, runs.size())) out.findings.push_back(std::move(finding));
  return out;
}

namespace {

// What opening the runs refuses, as `steelyard run` would with exit code 2, and joints of which no rows are
// left.
std::vector<Finding> refused_preparations(const Setup& setup) {
  std::vector<Finding> findings;
  Runs opened;
  for (const StudyRun& run : setup.study().runs) {
    try {
      opened.push_back(prepare_run(setup, run));
    } catch (const InputError& error) {
      opened.emplace_back().run = &run;
      findings.push_back(make_finding("preparation-refused", run.file.label.label, error.what()));
    }
  }
  try {
    for (Finding& finding : missing_rows(setup, opened)) findings.push_back(std::move(finding));
  } catch (const InputError& error) {
    findings.push_back(make_finding("preparation-refused", "", error.what()));
  }
  std::vector<RunRows> folds;
  for (const OpenRun& run : opened)
    if (run.folds) folds.push_back({&run, *run.folds, {}, 0, nullptr});
  for (Finding& finding : same_rows(folds).findings) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace

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
  StudyClock clock(options);
  const Setup setup = with_given_cutoff(with_delays(with_gains(open_robot({&study, &options, &clock}))), 0);
  StudyCheck check;
  check.robot = setup.robot.name;
  for (const StudyRun& run : study.runs) {
    check.runs.push_back(run.file.label.label);
    check.examined_then += run.folded && is_examined(*run.folded);
  }
  std::vector<Finding> findings = edit_mark_findings(study);
  for (Finding& finding : refused_preparations(setup)) findings.push_back(std::move(finding));
  const Visit seen = visit(setup, {}, 0);
  check.examined = seen.logs.size();
  for (Finding& finding : with_names(seen.found, study.runs.size())) findings.push_back(std::move(finding));
  check.findings = waived(study, std::move(findings));
  check.fixes = study_fixes(study, setup.robot, seen.examination, seen.logs);
  check.warnings = setup.warnings;
  return check;
}

}  // namespace steelyard
