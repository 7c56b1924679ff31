#include "steelyard/doctor/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "steelyard/core/error.hpp"
#include "steelyard/doctor/motion.hpp"
#include "steelyard/regressor/base.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr double kUnexplained = 0.5;   // of a loaded joint's effort, on the rows it was fitted to
constexpr double kLoaded = 0.1;        // of the largest effort
constexpr double kNotPredicted = 0.6;  // of a joint's effort, on held-out rows

constexpr Index kFewestSamples = 40;  // of a coarse run

// Columns that are independent whatever the direction of gravity.
std::vector<std::string> general_columns(Robot robot) {
  robot.gravity = 9.81 * Vector3(0.3, 0.5, -0.8).normalized();
  BaseOptions options;
  options.expressions = false;
  options.drives = false;
  const BaseParameters base = base_parameters(robot, options);
  std::vector<std::string> columns;
  for (const int lead : base.lead) columns.push_back(base.columns[static_cast<std::size_t>(lead)]);
  return columns;
}

bool spoils_copy(const Finding& finding) {
  static const std::set<std::string> codes = {"not-finite", "encoder-wrap", "dead-channel"};
  return codes.count(finding.code) > 0;
}

void find_repeated_motions(const std::vector<ExaminedRun>& runs, const std::vector<CoarseRun>& coarse,
                           Examination& examination) {
  for (std::size_t b = 1; b < coarse.size(); ++b)
    for (std::size_t a = 0; a < b; ++a) {
      const MotionMatch match = match_motions(coarse[a], coarse[b]);
      if (match.mismatch > kSameMotion) continue;
      // A fresh run repeats the fitted one, whatever their order in the study.
      const bool fresh = runs[a].label.role != runs[b].label.role;
      const bool first_is_fresh = fresh && runs[a].label.role == RunRole::validate;
      const std::size_t repeat = first_is_fresh ? a : b, original = first_is_fresh ? b : a;
      std::string& repeats = examination.repeats[repeat];
      if (repeats.empty() || runs[original].label.role == RunRole::fit) repeats = runs[original].label.label;
      Finding finding = make_finding(
          "repeated-motion", runs[repeat].label.label,
          fmt::format("it repeats the motion of run '{}' to {:.1f} % of the motion's deviation{}",
                      runs[original].label.label, 100 * match.mismatch,
                      fresh ? ": predicting it says little of other motions" : ""));
      if (!fresh) finding.severity = Severity::note;
      examination.findings.push_back(std::move(finding));
    }
}

void find_unexplained(const Trial& trial, const Examination& examination, const Robot& robot,
                      std::vector<Finding>& findings) {
  const std::vector<LogJoint> names = log_joints(robot);
  const Fit& given = examination.set_up->given;
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
    if (loaded && given.relative_fitted[j] > kUnexplained &&
        (worst < 0 || given.relative_fitted[j] > given.relative_fitted[worst]))
      worst = j;
    if (!examination.set_up->beaten && given.relative[j] > kNotPredicted && efforts[j] > 0)
      findings.push_back(
          make_finding("joint-not-identifiable", names[static_cast<std::size_t>(j)].name,
                       fmt::format("{:.0f} % of its effort is not explained on held-out rows ({:.0f} % on "
                                   "those fitted)",
                                   100 * given.relative[j], 100 * given.relative_fitted[j])));
  }
  if (worst >= 0 && !examination.set_up->beaten)
    findings.push_back(make_finding("unexplained-effort", names[static_cast<std::size_t>(worst)].name,
                                    fmt::format("{:.0f} % of its effort is not explained even where it was "
                                                "fitted, and no single change of the set-up "
                                                "mends it",
                                                100 * given.relative_fitted[worst])));
}

void find_poor_excitation(const Robot& robot, const std::vector<CoarseRun>& fit_runs,
                          const DoctorOptions& options, Examination& examination) {
  if (options.columns.empty()) return;
  examination.excitation = examine_excitation(robot, fit_runs, options.columns);
  for (Finding& finding : find_excitation(*examination.excitation, robot))
    examination.findings.push_back(std::move(finding));
}

void examine_model(const Robot& robot, std::vector<CoarseRun> fit_runs, const DoctorOptions& options,
                   Examination& examination) {
  std::vector<Finding>& findings = examination.findings;
  const auto take = [&](std::vector<Finding> found) {
    for (Finding& finding : found) findings.push_back(std::move(finding));
  };
  // What the motion cannot show it cannot tell apart either.
  for (const Finding& finding : findings)
    if (finding.code == "poor-excitation" && finding.severity == Severity::error) {
      findings.push_back(
          make_finding("set-up-not-examined", "", "the motion is too poor to tell set-ups apart"));
      return;
    }
  double step = 0;
  for (const CoarseRun& run : fit_runs) step = std::max(step, run.time.median_step);
  TrialOptions trial_options = options.trial;
  trial_options.columns = general_columns(robot);
  const Trial trial(robot, std::move(fit_runs), trial_options);
  examination.set_up = examine_set_up(trial, options.set_up);
  take(find_set_up(*examination.set_up, robot, options.set_up));
  if (examination.set_up->too_poor)
    findings.push_back(
        make_finding("set-up-not-examined", "",
                     "held-out rows are not predicted by any fit: the motion is too short or too poor to "
                     "tell set-ups apart"));
  if (!examination.set_up->beaten && !examination.set_up->too_poor) {
    examination.delays = examine_delays(trial);
    take(find_delays(*examination.delays, robot, step));
  }
  find_unexplained(trial, examination, robot, findings);
}

// A position in degrees makes the velocity look wrong too; the cause is enough.
void drop_consequences(std::vector<Finding>& findings) {
  std::set<std::string> units;
  for (const Finding& finding : findings)
    if (finding.code == "position-unit" || finding.code == "position-order" ||
        finding.code == "position-sign")
      units.insert(finding.joint);
  std::erase_if(findings, [&](const Finding& finding) {
    return finding.code == "velocity-scale" && units.count(finding.joint) > 0;
  });
}

}  // namespace

Examination examine(const Robot& robot, const std::vector<ExaminedRun>& runs, const DoctorOptions& options) {
  Examination examination;
  const std::vector<LogJoint> joints = log_joints(robot);
  std::vector<CoarseRun> coarse, fit_runs;
  examination.repeats.resize(runs.size());
  std::string spoiled = options.skip_set_up;
  bool unreadable = false;
  std::size_t fits = 0;
  for (const ExaminedRun& run : runs) fits += run.label.role == RunRole::fit;
  CoarseOptions copy = options.coarse;
  copy.samples = std::max<Index>(50, copy.samples / static_cast<Index>(std::max<std::size_t>(1, fits)));
  for (const ExaminedRun& run : runs) {
    examination.signals.push_back(scan_signals(*run.open(), joints));
    for (Finding& finding : find_signals(examination.signals.back(), joints, run.label.label)) {
      unreadable |= finding.code == "not-finite" || finding.code == "encoder-wrap";
      if (spoils_copy(finding) && spoiled.empty())
        spoiled = "mend first: " + finding.code + " in run '" + run.label.label + "'";
      examination.findings.push_back(std::move(finding));
    }
    if (unreadable) continue;
    try {
      coarse.push_back(coarse_run(run.open(), run.label.label, examination.signals.back().time, copy));
    } catch (const InputError& error) {  // too short for the filter, or without efforts
      unreadable = true;
      if (spoiled.empty()) spoiled = error.complaint().what;
      continue;
    }
    if (run.label.role == RunRole::fit) fit_runs.push_back(coarse.back());
    if (coarse.back().size() < kFewestSamples && spoiled.empty())
      spoiled = fmt::format("run '{}' is too short", run.label.label);
  }
  if (coarse.size() == runs.size()) find_repeated_motions(runs, coarse, examination);
  if (!fit_runs.empty() && coarse.size() == runs.size()) {
    find_poor_excitation(robot, fit_runs, options, examination);
    if (spoiled.empty()) examine_model(robot, std::move(fit_runs), options, examination);
  }
  if (!spoiled.empty()) examination.findings.push_back(make_finding("set-up-not-examined", "", spoiled));
  drop_consequences(examination.findings);
  return examination;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
