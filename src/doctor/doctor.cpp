#include "steelyard/doctor/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "steelyard/core/error.hpp"
#include "steelyard/doctor/jump.hpp"
#include "steelyard/doctor/motion.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Of a loaded joint's effort, on the rows it was fitted to: an error, and a warning. In the public logs with
// a correct set-up loaded joints leave 11 % at most.
constexpr double kUnexplained = 0.5;
constexpr double kHardlyExplained = 0.2;
constexpr double kLoaded = 0.1;        // of the largest effort
constexpr double kNotPredicted = 0.6;  // of a joint's effort, on held-out rows

constexpr Index kFewestSamples = 40;  // of a coarse run

bool spoils_copy(const Finding& finding) {
  // Stamps that are unlikely to be seconds.
  if (is(finding, "time-scale") && finding.severity == Severity::warning) return true;
  return finding.severity == Severity::error && has(finding, finding_trait::spoils_copy);
}

// Findings with the runs they refer to.
class Findings {
 public:
  explicit Findings(Examination& examination) : examination_(examination) {}
  void add(Finding finding, std::vector<std::size_t> runs) {
    examination_.findings.push_back(std::move(finding));
    examination_.subjects.push_back(std::move(runs));
  }
  void add(std::vector<Finding> found, const std::vector<std::size_t>& runs) {
    for (Finding& finding : found) add(std::move(finding), runs);
  }
  void not_examined(const std::string& why, const std::vector<std::size_t>& runs) {
    add(make_finding("set-up-not-examined", "", why), runs);
  }

 private:
  Examination& examination_;
};

// A run's copy, and why its set-up cannot be examined.
struct ExaminedLog {
  std::size_t number = 0;
  std::optional<CoarseRun> copy;
  std::string spoiled;  // empty: nothing
  bool is_fit = false;
};

// The first samples of a source.
Run head_of(SampleSource& source, const RunLabel& label, Index max_samples) {
  Run head{label, SampleBlock(source.channels(), source.joints())};
  SampleBlock block;
  for (Index left = max_samples; left > 0; left -= block.size()) {
    source.read(std::min<Index>(4096, left), block);
    if (block.size() == 0) break;
    head.samples.append(block, 0, block.size());
  }
  return head;
}

CoarseRun copy_of(const ExaminedRun& run, const SignalScan& signals, CoarseOptions options, Index head) {
  options.effort_delay = run.effort_delay;
  std::unique_ptr<SampleSource> source = run.open();
  TimeScan time = signals.time;
  Run samples;  // of a head, read once
  if (head > 0 && signals.samples > head) {
    samples = head_of(*source, run.label, head);
    source = view_run(samples);
    time = scan_time(*source);
  }
  CoarseRun copy = coarse_run(std::move(source), run.label.label, time, options);
  copy.extra = run.extra;
  copy.known = run.known;
  return copy;
}

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

std::vector<Finding> unexplained_findings(const Trial& trial, const SetUpExamination& examination,
                                          const Robot& robot) {
  std::vector<Finding> findings;
  const std::vector<LogJoint> names = log_joints(robot);
  const TrialFit& given = examination.given;
  VectorXd efforts = VectorXd::Zero(trial.joints());
  for (const CoarseRun& run : trial.runs()) efforts += run.effort.colwise().squaredNorm().transpose();
  efforts = efforts.cwiseSqrt();
  Index worst = -1;
  for (Index j = 0; j < given.relative.size(); ++j) {
    const JointKind kind = names[static_cast<std::size_t>(j)].kind;
    double largest = 0;
    for (Index k = 0; k < efforts.size(); ++k)
      if (names[static_cast<std::size_t>(k)].kind == kind) largest = std::max(largest, efforts[k]);
    const bool loaded = efforts[j] > kLoaded * largest;
    if (loaded && given.relative_fitted[j] > (examination.too_poor ? kUnexplained : kHardlyExplained) &&
        (worst < 0 || given.relative_fitted[j] > given.relative_fitted[worst]))
      worst = j;
    if (!examination.beaten && given.relative[j] > kNotPredicted && efforts[j] > 0)
      findings.push_back(
          make_finding("joint-not-identifiable", names[static_cast<std::size_t>(j)].name,
                       fmt::format("{:.0f} % of its effort is unexplained on held-out rows ({:.0f} % on "
                                   "fitted rows)",
                                   100 * given.relative[j], 100 * given.relative_fitted[j])));
  }
  if (worst < 0 || examination.beaten) return findings;
  Finding& left = findings.emplace_back(
      make_finding("unexplained-effort", names[static_cast<std::size_t>(worst)].name,
                   fmt::format("{:.0f} % of its effort is unexplained even on the fitted rows, and no "
                               "single change of the set-up fixes it",
                               100 * given.relative_fitted[worst])));
  if (given.relative_fitted[worst] <= kUnexplained) {
    left.severity = Severity::warning;
    left.remedy = "check this joint's columns, its coupling to others and its friction; look at its residual";
  }
  return findings;
}

// Whether the motion excites enough to distinguish set-ups.
bool report_poor_excitation(const Robot& robot, const std::vector<ExaminedLog>& logs,
                            const DoctorOptions& options, Examination& examination) {
  if (options.columns.empty() || logs.empty()) return true;
  std::vector<CoarseRun> copies;
  for (const ExaminedLog& log : logs) copies.push_back(*log.copy);
  examination.excitation = examine_excitation(robot, copies, options.columns);
  bool enough = true;
  for (Finding& finding : excitation_findings(*examination.excitation, robot)) {
    enough = enough && finding.severity != Severity::error;
    Findings(examination).add(std::move(finding), numbers_of(logs));
  }
  return enough;
}

// The trial of some runs, fitted together.
struct Model {
  Trial trial;
  SetUpExamination set_up;
};

std::optional<Model> examine_model(const Robot& robot, const std::vector<ExaminedLog>& logs,
                                   const TrialOptions& trial_options, const DoctorOptions& options,
                                   Examination& examination) {
  Findings findings(examination);
  const std::vector<std::size_t> numbers = numbers_of(logs);
  std::vector<CoarseRun> copies;
  for (const ExaminedLog& log : logs) copies.push_back(*log.copy);
  try {
    Model model{Trial(robot, std::move(copies), trial_options), {}};
    model.set_up = examine_set_up(model.trial, options.set_up);
    findings.add(set_up_findings(model.set_up, robot, options.set_up), numbers);
    if (model.set_up.too_poor)
      findings.not_examined(
          "no fit predicts the held-out rows: the motion is too short or too poor to distinguish set-ups",
          numbers);
    if (!model.set_up.beaten && !model.set_up.too_poor)
      for (const Jump& jump : examine_jumps(model.trial))
        if (is_clear(jump)) findings.add(jump_finding(jump, robot), {numbers[jump.run]});
    findings.add(unexplained_findings(model.trial, model.set_up, robot), numbers);
    return model;
  } catch (const InputError& error) {  // a column of the study that is not finite
    Finding finding = make_finding("set-up-not-examined", "", error.complaint().what);
    finding.severity = Severity::warning;
    finding.remedy = "make the expressions under `columns` and `known` finite at all positions";
    findings.add(std::move(finding), numbers);
    return std::nullopt;
  }
}

// A run that is not fitted, against the model of those that are.
void examine_other(const Robot& robot, const Model& model, const ExaminedLog& log,
                   const TrialOptions& trial_options, const DoctorOptions& options,
                   Examination& examination) {
  try {
    const Trial trial(robot, {*log.copy}, trial_options);
    const SetUpExamination found = examine_against(model.trial, model.set_up.given, trial, options.set_up);
    Findings(examination).add(set_up_findings(found, robot, options.set_up), {log.number});
  } catch (const InputError& error) {
    Findings(examination).not_examined(error.complaint().what, {log.number});
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
  std::optional<Model> model;
  if (!fitted.empty()) model = examine_model(robot, fitted, trial_options, options, examination);
  if (model) examination.set_up = model->set_up;
  const auto is_sound = [](const std::optional<Model>& examined) {
    return examined && !examined->set_up.beaten && !examined->set_up.too_poor;
  };
  const bool any_fit = std::any_of(logs.begin(), logs.end(), [](const ExaminedLog& p) { return p.is_fit; });
  std::vector<ExaminedLog> sound;  // their delays are examined
  if (is_sound(model)) {
    sound = fitted;
    sound.insert(sound.end(), others.begin(), others.end());
  }
  if (!any_fit)
    for (const ExaminedLog& log : others)
      if (is_sound(examine_model(robot, {log}, trial_options, options, examination))) sound.push_back(log);
  if (!sound.empty()) report_delays(robot, runs, sound, options, examination);
  if (others.empty() || !any_fit) return;
  if (!is_sound(model)) {
    findings.not_examined("there is no model to test this run against: fix the fit runs first",
                          numbers_of(others));
  } else {
    for (const ExaminedLog& log : others)
      examine_other(robot, *model, log, trial_options, options, examination);
  }
}

// A position in degrees makes the velocity look wrong too; reporting the cause is enough.
void drop_consequences(Examination& examination) {
  std::set<std::pair<std::size_t, std::string>> causes;
  for (std::size_t k = 0; k < examination.findings.size(); ++k) {
    const Finding& finding = examination.findings[k];
    if (has(finding, finding_trait::of_position))
      for (const std::size_t run : examination.subjects[k]) causes.insert({run, finding.joint});
  }
  std::vector<Finding> findings;
  std::vector<std::vector<std::size_t>> subjects;
  for (std::size_t k = 0; k < examination.findings.size(); ++k) {
    Finding& finding = examination.findings[k];
    const auto& runs = examination.subjects[k];
    if (is(finding, "velocity-scale") && causes.count({runs.front(), finding.joint}) > 0) continue;
    findings.push_back(std::move(finding));
    subjects.push_back(runs);
  }
  examination.findings = std::move(findings);
  examination.subjects = std::move(subjects);
}

ExaminedLog examine_signals(const ExaminedRun& run, std::size_t number, const std::vector<LogJoint>& joints,
                            const CoarseOptions& copy, Index head, Examination& examination) {
  ExaminedLog log;
  log.number = number;
  log.is_fit = run.label.role == RunRole::fit;
  bool unreadable = false;
  const SignalScan& signals = examination.signals[number];
  for (Finding& finding : signal_findings(signals, joints, run.label.label, run.use)) {
    unreadable |= has(finding, finding_trait::unreadable);
    if (spoils_copy(finding) && log.spoiled.empty())
      log.spoiled = fmt::format("fix first: {} ({})", finding.code, finding.joint);
    Findings(examination).add(std::move(finding), {number});
  }
  if (unreadable) return log;
  try {
    log.copy = copy_of(run, signals, copy, head);
    if (log.copy->size() < kFewestSamples && log.spoiled.empty()) log.spoiled = "the run is too short";
  } catch (const InputError& error) {  // too short for the filter, or without efforts
    if (log.spoiled.empty()) log.spoiled = error.complaint().what;
  }
  return log;
}

Examination examine_with(const Robot& robot, const std::vector<ExaminedRun>& runs,
                         const DoctorOptions& options, std::vector<SignalScan> signals) {
  Examination examination;
  examination.signals = std::move(signals);
  examination.repeats.resize(runs.size());
  const std::vector<LogJoint> joints = log_joints(robot);
  std::size_t fits = 0;
  for (const ExaminedRun& run : runs) fits += run.label.role == RunRole::fit;
  CoarseOptions copy = options.coarse;
  copy.samples = std::max<Index>(50, copy.samples / static_cast<Index>(std::max<std::size_t>(1, fits)));
  std::vector<ExaminedLog> logs, fitted;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    logs.push_back(examine_signals(runs[r], r, joints, copy, options.head, examination));
    if (logs.back().is_fit && logs.back().copy) fitted.push_back(logs.back());
  }
  report_repeated_motions(runs, logs, examination);
  const bool enough = report_poor_excitation(robot, fitted, options, examination);
  if (!options.skip_set_up.empty()) {
    Finding finding = make_finding("set-up-not-examined", "", options.skip_set_up);
    if (!options.skip_remedy.empty()) finding.remedy = options.skip_remedy;
    Findings(examination).add(std::move(finding), numbers_of(logs));
  } else {
    // Set-ups cannot be distinguished by a motion that is too poor.
    for (ExaminedLog& log : logs)
      if (!enough && log.is_fit && log.spoiled.empty())
        log.spoiled = "the motion is too poor to distinguish set-ups";
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

std::string name_runs(const Finding& finding, const std::vector<std::string>& subjects, std::size_t runs) {
  constexpr std::size_t kNamed = 4;
  if (runs < 2 || subjects.empty() ||
      std::find(subjects.begin(), subjects.end(), finding.joint) != subjects.end())
    return finding.evidence;
  std::string text = subjects.size() == 1 ? "run " : "runs ";
  for (std::size_t k = 0; k < std::min(kNamed, subjects.size()); ++k)
    text += fmt::format("{}'{}'", k == 0 ? "" : ", ", subjects[k]);
  if (subjects.size() > kNamed) text += fmt::format(" and {} more", subjects.size() - kNamed);
  return text + ": " + finding.evidence;
}

Examination examine(const Robot& robot, const std::vector<ExaminedRun>& runs, const DoctorOptions& options) {
  const std::vector<LogJoint> joints = log_joints(robot);
  std::vector<SignalScan> signals;
  bool is_part = false;
  for (const ExaminedRun& run : runs) {
    signals.push_back(run.signals ? *run.signals : scan_signals(*run.open(), joints));
    is_part = is_part || (options.head > 0 && signals.back().samples > options.head);
  }
  Examination examination = examine_with(robot, runs, options, signals);
  if (!is_part || !too_poor(examination)) return examination;
  DoctorOptions whole = options;
  whole.head = 0;
  return examine_with(robot, runs, whole, std::move(signals));
}

}  // namespace steelyard
