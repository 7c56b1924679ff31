#include "steelyard/doctor/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "doctor/consequences.hpp"
#include "doctor/examined_log.hpp"
#include "doctor/unexplained.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/doctor/contact.hpp"
#include "steelyard/doctor/friction_drift.hpp"
#include "steelyard/doctor/jump.hpp"
#include "steelyard/doctor/motion.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

std::vector<std::size_t> numbers_of(const std::vector<ExaminedLog>& logs) {
  std::vector<std::size_t> numbers;
  for (const ExaminedLog& log : logs) numbers.push_back(log.number);
  return numbers;
}

void report_repeated_motions(const std::vector<ExaminedRun>& runs, const std::vector<ExaminedLog>& logs,
                             Examination& examination) {
  for (std::size_t b = 1; b < logs.size(); ++b)
    for (std::size_t a = 0; a < b; ++a) {
      if (!logs[a].copy || !logs[b].copy) continue;
      const MotionMatch match = match_motions(*logs[a].copy, *logs[b].copy);
      if (match.mismatch > kSameMotion) continue;
      const bool first_is_fresh = first_repeats(runs[a].label, runs[b].label);
      const std::size_t repeat = first_is_fresh ? a : b, original = first_is_fresh ? b : a;
      std::string& repeats = examination.repeats[repeat];
      if (repeats.empty() || runs[original].label.role == RunRole::fit) repeats = runs[original].label.label;
      Findings(examination)
          .add(repeated_motion(runs[repeat].label, runs[original].label, match.mismatch), {repeat});
    }
}

void report_poor_excitation(const Robot& robot, const std::vector<ExaminedLog>& logs,
                            const DoctorOptions& options, Examination& examination) {
  if (options.columns.empty() || logs.empty()) return;
  std::vector<CoarseRun> copies;
  for (const ExaminedLog& log : logs) copies.push_back(*log.copy);
  examination.excitation = examine_excitation(robot, copies, options.columns);
  for (Finding& finding : excitation_findings(*examination.excitation, robot))
    Findings(examination).add(std::move(finding), numbers_of(logs));
}

// What happened in the middle of runs. A jump is no push that ends.
void report_events(const Trial& trial, const std::vector<std::size_t>& numbers, const Robot& robot,
                   Examination& examination) {
  Findings findings(examination);
  std::set<std::size_t> jumped;
  for (const Jump& jump : examine_jumps(trial))
    if (is_clear(jump)) {
      jumped.insert(jump.run);
      findings.add(jump_finding(jump, robot), {numbers[jump.run]});
    }
  for (const FrictionDrift& drift : examine_friction_drift(trial))
    if (is_clear(drift)) findings.add(drift_finding(drift, robot), {numbers[drift.run]});
  for (const Contact& contact : examine_contacts(trial))
    if (is_clear(contact) && jumped.count(contact.run) == 0)
      findings.add(contact_finding(contact, robot), {numbers[contact.run]});
}

// The trial of some runs, fitted together.
struct Model {
  Trial trial;
  SetUpExamination set_up;
};

bool is_sound(const std::optional<Model>& model) {
  return model && !model->set_up.is_wrong() && !model->set_up.too_poor;
}

Trial trial_of(const Robot& robot, const std::vector<ExaminedLog>& logs, const TrialOptions& options) {
  std::vector<CoarseRun> copies;
  for (const ExaminedLog& log : logs) copies.push_back(*log.copy);
  return Trial(robot, std::move(copies), options);
}

// Nothing where a column of the study is not finite.
std::optional<Model> examine_model(const Robot& robot, const std::vector<ExaminedLog>& logs,
                                   const TrialOptions& trial_options, const DoctorOptions& options,
                                   Examination& examination) {
  try {
    Model model{trial_of(robot, logs, trial_options), {}};
    model.set_up = examine_set_up(model.trial, options.set_up);
    return model;
  } catch (const InputError& error) {  // a column of the study that is not finite
    Finding finding = make_finding("set-up-not-examined", "", error.complaint().what);
    finding.severity = Severity::warning;
    finding.remedy = "make the expressions under `columns` and `known` finite at all positions";
    Findings(examination).add(std::move(finding), numbers_of(logs));
    return std::nullopt;
  }
}

void report_model(const Robot& robot, const Model& model, const std::vector<std::size_t>& numbers,
                  const DoctorOptions& options, Examination& examination) {
  Findings findings(examination);
  findings.add(set_up_findings(model.set_up, robot, options.set_up), numbers);
  if (model.set_up.too_poor)
    findings.not_examined(
        "no fit predicts the held-out rows: the motion is too short or too poor to distinguish set-ups",
        numbers);
  if (!model.set_up.is_wrong() && !model.set_up.too_poor)
    report_events(model.trial, numbers, robot, examination);
  findings.add(unexplained_findings(model.trial, model.set_up, robot), numbers);
}

// A run that is not fitted, against the model of those that are.
struct OtherRun {
  std::size_t number = 0;
  std::optional<Model> found = {};  // nothing: it cannot be examined
  std::string why_not = {};
  double lost = 0;  // of the score, that nothing in this run alone explains
  bool is_accused() const { return found && found->set_up.is_wrong(); }
};

OtherRun examine_other(const Robot& robot, const Model& model, const ExaminedLog& log,
                       const TrialOptions& trial_options, const DoctorOptions& options) {
  OtherRun run{log.number};
  try {
    run.found.emplace(Model{Trial(robot, {*log.copy}, trial_options), {}});
    SetUpExamination& found = run.found->set_up;
    found = examine_against(model.trial, model.set_up, run.found->trial, options.set_up);
    run.lost = (found.beaten ? found.ranked[0].fit.score : found.given.score) - model.set_up.fit.score_fitted;
  } catch (const InputError& error) {
    run.found.reset();
    run.why_not = error.complaint().what;
  }
  return run;
}

void report_other(const Robot& robot, const OtherRun& run, const DoctorOptions& options,
                  Examination& examination) {
  if (!run.found) {
    Findings(examination).not_examined(run.why_not, {run.number});
    return;
  }
  const SetUpExamination& found = run.found->set_up;
  Findings(examination).add(set_up_findings(found, robot, options.set_up), {run.number});
  if (!found.is_wrong()) report_events(run.found->trial, {run.number}, robot, examination);
}

// A mistake in all runs that each of them alone explains by other parameters, and one model of all of them does not.
std::optional<Model> examine_together(const Robot& robot, const std::vector<ExaminedLog>& logs,
                                      const TrialOptions& trial_options, const DoctorOptions& options) {
  try {
    Model model{trial_of(robot, logs, trial_options), {}};
    model.set_up = examine_set_up(model.trial, options.set_up);
    return model;
  } catch (const InputError&) {  // of a run that is reported as not examined
    return std::nullopt;
  }
}

// Of runs whose set-up is not in doubt, unless the study has settled them.
void report_delays(const Robot& robot, const std::vector<ExaminedRun>& runs,
                   const std::vector<ExaminedLog>& logs, const DoctorOptions& options,
                   Examination& examination) {
  DelayOptions delay_options;
  delay_options.effort = options.coarse.effort;
  delay_options.also = options.coarse.also;
  delay_options.threads = options.set_up.threads;
  std::vector<DelayedRun> examined;
  std::vector<std::size_t> numbers;
  for (const ExaminedLog& log : logs) {
    const ExaminedRun& run = runs[log.number];
    if (run.delay_is_settled) continue;
    examined.push_back({run.label, run.open, run.extra, run.known});
    numbers.push_back(log.number);
  }
  examination.delays = estimate_delays(robot, examined, delay_options);
  for (DelayFinding& found : delay_findings(examination.delays, robot)) {
    for (std::size_t& run : found.runs) run = numbers[run];
    Findings(examination).add(std::move(found.finding), std::move(found.runs));
  }
}

// Whether the model of the fitted runs may be right about them and wrong about the robot.
bool is_doubtful(const Model& model, const std::vector<OtherRun>& against, const DoctorOptions& options) {
  if (model.set_up.is_wrong()) return false;
  return model.set_up.too_poor || std::any_of(against.begin(), against.end(), [&](const OtherRun& run) {
           return run.lost > options.set_up.min_gain || run.is_accused();
         });
}

// A mistake that one model of all runs has. Where that model has none, runs that it explains are no longer accused.
std::optional<Model> shared_mistake(const Robot& robot, const std::vector<ExaminedLog>& all,
                                    const TrialOptions& trial_options, const DoctorOptions& options,
                                    const Model& model, std::vector<OtherRun>& against) {
  std::optional<Model> together = examine_together(robot, all, trial_options, options);
  if (!together) return std::nullopt;
  const auto lost = [&](const TrialFit& fit) { return fit.score - model.set_up.fit.score; };
  // Of a mistake in one run and one in all of them that which leaves less; runs of a study mostly share theirs.
  const bool is_shared = std::all_of(against.begin(), against.end(), [&](const OtherRun& run) {
    return !run.is_accused() || lost(together->set_up.fit) < run.lost + options.set_up.tie;
  });
  if (together->set_up.is_wrong() && is_shared) return together;
  if (lost(together->set_up.given) < options.set_up.min_gain)
    for (OtherRun& run : against)
      if (run.is_accused()) run.found->set_up.beaten = false;
  return std::nullopt;
}

void examine_set_ups(const Robot& robot, const std::vector<ExaminedRun>& runs,
                     const std::vector<ExaminedLog>& logs, const DoctorOptions& options,
                     Examination& examination) {
  Findings findings(examination);
  std::vector<ExaminedLog> fitted, others;
  for (const ExaminedLog& log : logs)
    if (!log.spoiled.empty())
      findings.not_examined(log.spoiled, {log.number});
    else
      (log.is_fit ? fitted : others).push_back(log);
  TrialOptions trial_options = options.trial;
  trial_options.columns = general_columns(robot);
  std::vector<ExaminedLog> sound;  // their delays are examined
  const auto examine_alone = [&](const std::vector<ExaminedLog>& of) {
    std::optional<Model> model = examine_model(robot, of, trial_options, options, examination);
    if (model) report_model(robot, *model, numbers_of(of), options, examination);
    if (is_sound(model)) sound.insert(sound.end(), of.begin(), of.end());
  };
  if (std::none_of(logs.begin(), logs.end(), [](const ExaminedLog& log) { return log.is_fit; })) {
    for (const ExaminedLog& log : others) examine_alone({log});
    if (!sound.empty()) report_delays(robot, runs, sound, options, examination);
    return;
  }
  std::optional<Model> model;
  if (!fitted.empty()) model = examine_model(robot, fitted, trial_options, options, examination);
  std::vector<OtherRun> against;
  if (is_sound(model))
    for (const ExaminedLog& log : others)
      against.push_back(examine_other(robot, *model, log, trial_options, options));
  if (model && !others.empty() && is_doubtful(*model, against, options)) {
    std::vector<ExaminedLog> all = fitted;
    all.insert(all.end(), others.begin(), others.end());
    if (const auto shared = shared_mistake(robot, all, trial_options, options, *model, against)) {
      examination.set_up = shared->set_up;
      report_model(robot, *shared, numbers_of(all), options, examination);
      return;
    }
  }
  if (model) {
    examination.set_up = model->set_up;
    report_model(robot, *model, numbers_of(fitted), options, examination);
  }
  if (is_sound(model)) {
    sound = fitted;
    sound.insert(sound.end(), others.begin(), others.end());
    report_delays(robot, runs, sound, options, examination);
  } else if (!others.empty()) {
    findings.not_examined("there is no model to test this run against: fix the fit runs first",
                          numbers_of(others));
  }
  for (const OtherRun& run : against) report_other(robot, run, options, examination);
}

Examination examine_with(const Robot& robot, const std::vector<ExaminedRun>& runs,
                         const DoctorOptions& options, std::vector<SignalScan> signals) {
  Examination examination;
  examination.signals = std::move(signals);
  examination.repeats.resize(runs.size());
  const std::vector<LogJoint> joints = log_joints(robot);
  const auto fits = std::count_if(runs.begin(), runs.end(),
                                  [](const ExaminedRun& run) { return run.label.role == RunRole::fit; });
  CoarseOptions copy = options.coarse;
  copy.samples = std::max<Index>(50, copy.samples / static_cast<Index>(std::max<std::ptrdiff_t>(1, fits)));
  std::vector<ExaminedLog> logs, fitted;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    logs.push_back(examine_signals(runs[r], r, joints, copy, options.head, examination));
    if (logs.back().is_fit && logs.back().copy) fitted.push_back(logs.back());
  }
  report_repeated_motions(runs, logs, examination);
  report_poor_excitation(robot, fitted, options, examination);
  if (!options.skip_set_up.empty()) {
    Finding finding = make_finding("set-up-not-examined", "", options.skip_set_up);
    if (!options.skip_remedy.empty()) finding.remedy = options.skip_remedy;
    Findings(examination).add(std::move(finding), numbers_of(logs));
  } else {
    examine_set_ups(robot, runs, logs, options, examination);
  }
  drop_consequences(examination);
  return examination;
}

// The beginning of a long log may be a robot that stands still.
bool too_poor(const Examination& examination) {
  return std::any_of(examination.findings.begin(), examination.findings.end(),
                     [](const Finding& finding) { return has(finding, finding_trait::shows_little); });
}

}  // namespace

Examination examine(const Robot& robot, const std::vector<ExaminedRun>& runs, const DoctorOptions& options) {
  std::vector<SignalScan> signals;
  bool is_part = false;
  for (const ExaminedRun& run : runs) {
    signals.push_back(run.signals ? *run.signals : scan_signals(*run.open(), log_joints(robot)));
    is_part = is_part || (options.head > 0 && signals.back().samples > options.head);
  }
  const std::vector<ExaminedRun> clean = repaired_runs(runs, signals);
  Examination examination = examine_with(robot, clean, options, signals);
  if (!is_part || !too_poor(examination)) return examination;
  DoctorOptions whole = options;
  whole.head = 0;
  return examine_with(robot, clean, whole, std::move(signals));
}

}  // namespace steelyard
