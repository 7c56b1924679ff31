// Step of a study: by how much the efforts of each run are later than its positions, with `effort_delay`.
//
// Given delays hold for all runs. Automatic ones are estimated (doctor/delay.hpp) by the samples of the fitted runs together, or of
// another run alone, and undone where they are certain (what the doctor would report of a study without the key) and the fit of the
// study's rows is better for it: friction of other forms than the model's looks like a delay.
#include "identify/delays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "identify/extra_columns.hpp"
#include "identify/prior.hpp"
#include "identify/summary.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/identify/folded.hpp"
#include "steelyard/identify/runs.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kUnknownDelay = 1;  // [s] half of an interval without end

[[noreturn]] void refuse_automatic(const Study& study, const char* beside) {
  throw InputError({fmt::format("`effort_delay: auto` beside {}", beside),
                    {study.path, 0, 0, ""},
                    "efforts with signs, and stiff joints",
                    "give the delay in seconds, or leave `effort_delay` out"});
}

VectorXd given_delays(const Setup& setup) {
  const VectorXd& seconds = setup.study().effort_delay.seconds;
  const auto joints = static_cast<Index>(log_joints(setup.robot).size());
  if (seconds.size() == 1) return VectorXd::Constant(joints, seconds[0]);
  if (seconds.size() == joints) return seconds;
  throw InputError(
      {fmt::format("`effort_delay` has {} numbers, the robot has {} joints", seconds.size(), joints),
       {setup.study().path, 0, 0, ""},
       fmt::format("one for all joints, or {}", joints),
       "give one number, or one per joint in the order of the robot"});
}

std::vector<EffortDelay> estimated_delays(const Setup& setup) {
  DelayOptions options;
  options.also = {kKnownChannel, kTemperatureChannel};
  options.threads = setup.threads();
  std::vector<DelayedRun> runs;
  for (const StudyRun& run : setup.study().runs)
    if (!run.folded)
      runs.push_back({run.file.label, [&run, &setup] { return open_source(setup, run); },
                      by_joint(setup.plan, expression_columns(setup)),
                      by_joint(setup.plan, known_efforts(setup, run))});
  const auto joints = static_cast<Index>(log_joints(setup.robot).size());
  std::vector<EffortDelay> out;
  for (RunDelay& delay : estimate_delays(setup.robot, runs, options)) {
    EffortDelay& own = out.emplace_back();
    own.run = delay.label;
    own.undone = VectorXd::Zero(joints);
    own.how = delay.why_not.empty() ? "estimated" : "not estimated: " + delay.why_not;
    if (!delay.why_not.empty()) continue;
    own.undone = delay.certain;
    own.estimate = std::move(delay);
  }
  return out;
}

// Joints of fitted runs whose delays are undone.
std::set<std::string> shifted_joints(const Setup& setup) {
  std::set<std::string> names;
  const std::vector<LogJoint> joints = log_joints(setup.robot);
  for (const StudyRun& run : setup.study().runs) {
    const VectorXd undone = undone_delay(setup, run);
    for (Index j = 0; j < undone.size() && run.file.label.role == RunRole::fit; ++j)
      if (undone[j] != 0) names.insert(joints[static_cast<std::size_t>(j)].name);
  }
  return names;
}

// Σ ln of what a fit of the study's rows leaves of these joints' efforts; the first cut-off that fits, where it is chosen later.
std::optional<double> left_over(Setup setup, const std::set<std::string>& joints) {
  try {
    if (setup.study().cutoff.automatic) setup = with_given_cutoff(std::move(setup), first_cutoff(setup));
    Runs runs = open_runs(setup);
    const std::vector<Fold> folds = fit_folds(fold_runs(setup, runs, {}));
    if (folds.empty()) return std::nullopt;
    EstimateOptions options = setup.study().estimate;
    options.conditions = false;
    const Estimate fit = estimate(folds, options, prior_folds(setup.study(), setup.robot, setup.base, folds));
    double sum = 0;
    for (const JointResidual& joint :
         residual_summary(residuals(folds, fit.columns, fit.values).per_row, setup.plan, setup.robot)
             .per_joint)
      if (joints.count(joint.name) > 0 && joint.prepared) sum += std::log(std::max(*joint.prepared, 1e-12));
    return sum;
  } catch (const InputError&) {  // of a run that is refused later
    return std::nullopt;
  }
}

// The fitted runs as they are, where they are fitted better so.
void try_delays(Setup& setup) {
  const std::set<std::string> joints = shifted_joints(setup);
  if (joints.empty() || has_folded_runs(setup.study())) return;
  Setup given = setup;
  for (EffortDelay& delay : given.delays) delay.undone.setZero();
  const std::optional<double> before = left_over(given, joints), after = left_over(setup, joints);
  if (!before || !after || *after < *before) return;
  for (const StudyRun& run : setup.study().runs)
    for (EffortDelay& delay : setup.delays) {
      if (delay.run != run.file.label.label || run.file.label.role != RunRole::fit || delay.undone.isZero(0))
        continue;
      delay.undone.setZero();
      delay.how = "estimated, and not undone: the fit is better without";
    }
}

}  // namespace

Setup with_delays(Setup setup) {
  const Study& study = setup.study();
  const EffortDelaySpec& spec = study.effort_delay;
  if (!spec.automatic || setup.motions_only) return setup;
  if (has_unsigned_runs(study)) refuse_automatic(study, "runs with |effort| only");
  if (study.elastic) refuse_automatic(study, "`elastic`");
  setup.prepare.own_shifts = true;
  setup.delays = setup.clock().time("delays of the efforts", [&] { return estimated_delays(setup); });
  setup.clock().time("fits with and without delays", [&] { try_delays(setup); });
  return setup;
}

Setup with_given_delays(Setup setup) {
  const Study& study = setup.study();
  if (study.effort_delay.seconds.size() == 0) return setup;
  const VectorXd seconds = given_delays(setup);
  setup.prepare.shifts = {{std::string(channel::kTorque), std::string(channel::kTorque), seconds}};
  for (const StudyRun& run : study.runs)
    if (!run.folded) setup.delays.push_back({run.file.label.label, "given", seconds, {}});
  return setup;
}

VectorXd undone_delay(const Setup& setup, const StudyRun& run) {
  for (const EffortDelay& delay : setup.delays)
    if (delay.run == run.file.label.label) return delay.undone;
  return {};
}

PrepareOptions of_run(const Setup& setup, const StudyRun& run, PrepareOptions options,
                      std::string_view channel) {
  const VectorXd seconds = undone_delay(setup, run);
  options.shifts.clear();
  if (seconds.size() > 0 && !seconds.isZero(0))
    options.shifts = {{std::string(channel), std::string(channel), seconds}};
  return options;
}

PrepareOptions of_run(const Setup& setup, const StudyRun& run, PrepareOptions options) {
  return of_run(setup, run, std::move(options), channel::kTorque);
}

std::vector<EffortDelaySummary> delay_summaries(const Setup& setup) {
  std::vector<EffortDelaySummary> out;
  for (const EffortDelay& delay : setup.delays) {
    EffortDelaySummary& own = out.emplace_back();
    own.run = delay.run;
    own.how = delay.how;
    own.undone.assign(delay.undone.begin(), delay.undone.end());
    if (!delay.estimate) continue;
    const auto finite = [](double value) { return std::min(value, kUnknownDelay); };
    own.common = delay.estimate->common.seconds;
    own.half_width = finite(delay.estimate->widened);
    for (const DelayValue& joint : delay.estimate->joints) {
      own.joints.push_back(joint.seconds);
      own.joint_half_widths.push_back(finite(joint.half_width));
    }
  }
  return out;
}

}  // namespace steelyard
