#include "steelyard/study/run_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "steelyard/core/error.hpp"
#include "steelyard/core/sha256.hpp"
#include "steelyard/estimate/cross_validation.hpp"
#include "steelyard/fold/pass.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/read.hpp"
#include "study/options_json.hpp"
#include "study/predict.hpp"
#include "study/prior.hpp"
#include "study/summary.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// A run on its way through the passes.
struct RunState {
  const StudyRun* run = nullptr;
  std::unique_ptr<PreparedRun> prepared;
  std::optional<FoldPass> folds;
  Prediction prediction;

  bool is_fit() const { return run->file.label.role == RunRole::fit; }
};

// Wall time of the stages, and progress.
class Clock {
 public:
  Clock(const StudyOptions& options, std::vector<StageTime>& times) : options_(options), times_(times) {}

  template <typename Work>
  auto time(const std::string& stage, Work work) {
    report(stage, 0);
    const auto begin = std::chrono::steady_clock::now();
    const auto end = [&] {
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      times_.push_back({stage, seconds.count()});
      report(stage, 1);
    };
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      end();
    } else {
      auto value = work();
      end();
      return value;
    }
  }
  void report(const std::string& stage, double share) const {
    if (options_.progress) options_.progress(stage, std::clamp(share, 0.0, 1.0));
  }

 private:
  const StudyOptions& options_;
  std::vector<StageTime>& times_;
};

std::vector<Fold> fit_folds(const std::vector<RunState>& runs) {
  std::vector<Fold> folds;
  for (const RunState& state : runs)
    if (state.is_fit())
      for (const FoldBlock& block : state.folds->folds.blocks())
        for (Fold& fold : block.all()) folds.push_back(std::move(fold));
  return folds;
}

// Values in the order of the plan's columns.
VectorXd values_for(const Plan& plan, const Estimate& estimate) {
  VectorXd values = VectorXd::Zero(static_cast<Index>(plan.columns.size()));
  for (std::size_t k = 0; k < plan.columns.size(); ++k)
    if (const Index found = estimate.find(plan.columns[k]); found >= 0)
      values[static_cast<Index>(k)] = estimate.values[found];
  return values;
}

std::optional<CrossValidationSummary> cross(const Study& study, const std::vector<RunState>& runs,
                                            const std::vector<Fold>& priors, const Plan& plan,
                                            const Robot& robot) {
  if (!study.cross) return std::nullopt;
  CrossValidationSummary summary;
  summary.by = "index";
  std::vector<std::vector<FoldBlock>> blocks;
  BlockGroups groups;
  for (const RunState& state : runs) {
    if (!state.is_fit()) continue;
    blocks.push_back(state.folds->folds.blocks());
    const Index count = static_cast<Index>(blocks.back().size());
    const double block_samples =
        static_cast<double>(state.folds->slot_samples * state.folds->folds.slots_per_block());
    double period = 0;  // samples
    if (study.cross->by_phase) {
      const double step = state.prepared->preparation().grid.step;
      period = study.cross->period ? *study.cross->period / step
                                   : static_cast<double>(find_period(state.prediction.coarse_position) *
                                                         state.prediction.coarse_step);
    }
    if (period >= 2 * block_samples && period < static_cast<double>(state.folds->samples)) {
      groups.push_back(groups_by_phase(count, block_samples, period, study.cross->blocks));
      summary.by = "phase";
    } else {
      groups.push_back(groups_by_index(count, study.cross->blocks));
    }
  }
  const CrossValidation result = cross_validate(blocks, groups, study.estimate, priors);
  summary.blocks = static_cast<int>(result.groups);
  summary.residual = residual_summary(result.per_row, plan, robot);
  return summary;
}

// The largest halving of a chunk that gives at least as many slots as cross-validation wants blocks.
Index slot_for_blocks(const ChunkPlan& plan, int blocks) {
  Index size = plan.size;
  while (size % 2 == 0 && size * blocks > plan.samples) size /= 2;
  return size;
}

void fold_all(const Study& study, const Robot& robot, const Plan& plan, const StudyOptions& options,
              Clock& clock, std::vector<RunState>& runs, const std::string& robot_hash) {
  LayoutOptions layout_options;
  layout_options.robot = robot_hash;
  layout_options.preparation = preparation_hash(study);
  const std::vector<Layout> layouts = row_layouts(plan, robot, layout_options);
  for (RunState& state : runs) {
    PassOptions pass;
    pass.threads = options.threads;
    const std::string stage = "folding " + state.run->file.label.label;
    pass.progress = [&](Index done, Index chunks) {
      clock.report(stage, static_cast<double>(done) / static_cast<double>(std::max<Index>(1, chunks)));
    };
    state.prepared = std::make_unique<PreparedRun>(open_study_run(*state.run, robot), state.run->file.label,
                                                   study.prepare);
    if (study.cross) pass.slot_samples = slot_for_blocks(state.prepared->plan(), study.cross->blocks);
    state.folds = clock.time(stage, [&] { return fold_run(*state.prepared, plan, layouts, pass); });
  }
}

std::vector<std::string> joint_names(const Robot& robot, const Plan& plan) {
  const std::vector<LogJoint> joints = log_joints(robot);
  std::vector<std::string> names;
  for (const Row& row : plan.rows) names.push_back(joints[static_cast<std::size_t>(row.i)].name);
  return names;
}

std::vector<std::string> joint_units(const Robot& robot, const Plan& plan) {
  const std::vector<LogJoint> joints = log_joints(robot);
  std::vector<std::string> units;
  for (const Row& row : plan.rows)
    units.emplace_back(joints[static_cast<std::size_t>(row.i)].kind == JointKind::revolute ? "N·m" : "N");
  return units;
}

BaseParameters base_of(const Study& study, const Robot& robot) {
  BaseParameters base = base_parameters(robot);
  if (base.ambiguous)
    throw InputError(
        {fmt::format("rank of the robot is not clear: {} or {} base parameters", base.rank, base.other_rank),
         {study.robot_path, 0, 0, ""},
         "a gap of at least 1e3",
         "run `steelyard model` on it; some length or angle is nearly zero"});
  return base;
}

Plan base_plan(const Robot& robot, const BaseParameters& base) {
  PlanOptions options;
  options.wanted = lead_names(base);
  return make_plan(robot, options);
}

std::vector<RunState> start_runs(const Study& study) {
  std::vector<RunState> runs;
  for (const StudyRun& run : study.runs) {
    runs.emplace_back();
    runs.back().run = &run;
  }
  return runs;
}

}  // namespace

Robot study_robot(const Study& study, std::vector<Complaint>* warnings) {
  RobotFile file = read_robot(study.robot_path);
  if (warnings != nullptr) *warnings = file.warnings;
  for (Joint& joint : file.robot.joints) {
    joint.drive.viscous |= study.drives.viscous;
    joint.drive.coulomb |= study.drives.coulomb;
    joint.drive.offset |= study.drives.offset;
    joint.drive.rotor_inertia |= study.drives.rotor_inertia;
  }
  return file.robot;
}

std::vector<FoldFile> fold_study(const Study& study, const StudyOptions& options) {
  std::vector<StageTime> times;
  Clock clock(options, times);
  const Robot robot = study_robot(study);
  std::vector<RunState> runs = start_runs(study);
  fold_all(study, robot, base_plan(robot, base_of(study, robot)), options, clock, runs,
           sha256_file(study.robot_path));
  std::vector<FoldFile> files;
  for (const RunState& state : runs)
    files.push_back(
        to_fold_file(*state.folds, state.run->file.label.label, state.prepared->preparation().grid.step));
  return files;
}

StudyOutcome run_study(const Study& study, const StudyOptions& options) {
  StudyOutcome outcome;
  Clock clock(options, outcome.times);
  const Robot robot = study_robot(study, &outcome.warnings);
  const std::string robot_hash = sha256_file(study.robot_path);
  const BaseParameters base = clock.time("base parameters", [&] { return base_of(study, robot); });
  const Plan plan = base_plan(robot, base);
  std::vector<RunState> runs = start_runs(study);
  fold_all(study, robot, plan, options, clock, runs, robot_hash);
  const std::vector<Fold> folds = fit_folds(runs);
  const std::vector<Fold> priors = prior_folds(study, robot, base, folds);
  const Estimate estimated = clock.time("estimate", [&] { return estimate(folds, study.estimate, priors); });
  const VectorXd values = values_for(plan, estimated);
  for (RunState& state : runs)
    state.prediction = clock.time("predicting " + state.run->file.label.label, [&] {
      return predict(*state.prepared, plan, values, joint_names(robot, plan), joint_units(robot, plan));
    });

  Result& result = outcome.result;
  result.robot_name = robot.name;
  result.robot_hash = robot_hash;
  result.dof = robot.dof();
  result.cross_validation =
      clock.time("cross-validation", [&] { return cross(study, runs, priors, plan, robot); });
  result.condition = finite_or_none(estimated.condition);
  result.condition_scaled = finite_or_none(estimated.condition_scaled);
  result.base = base_values(base, estimated);
  result.drives = drive_values(robot, estimated);
  std::vector<const Prediction*> fit_predictions;
  std::vector<FittedRun> fitted;
  double candidates = 0;
  for (RunState& state : runs) {
    for (EffortCurve& curve : state.prediction.curves) outcome.curves.push_back(std::move(curve));
    const std::vector<Residual> per_row =
        residuals(state.folds->folds.total(), estimated.columns, estimated.values).per_row;
    const Prediction* one[] = {&state.prediction};
    result.validation.push_back(
        {state.run->file.label.label, !state.is_fit(), residual_summary(per_row, plan, robot, one)});
    if (!state.is_fit()) continue;
    fit_predictions.push_back(&state.prediction);
    fitted.push_back({state.run->file.label.label, &state.prepared->preparation()});
    result.samples += state.folds->samples;
    const Index rows = std::accumulate(state.folds->kept.begin(), state.folds->kept.end(), Index{0});
    result.rows += rows;
    if (state.folds->kept_share > 0) candidates += static_cast<double>(rows) / state.folds->kept_share;
    result.passes = std::max(result.passes, state.prepared->passes());
    const Preparation& preparation = state.prepared->preparation();
    result.preparation.rate = 1 / preparation.grid.step;
    result.preparation.decimation = preparation.decimation.factor;
    if (preparation.column_filter)
      result.preparation.cutoff = preparation.column_filter->cutoff;
    else if (preparation.filter)
      result.preparation.cutoff = preparation.filter->cutoff;
  }
  result.preparation.kept_share = candidates > 0 ? static_cast<double>(result.rows) / candidates : 0;
  result.residual = residual_summary(estimated.per_row, plan, robot, fit_predictions);
  result.residual.prepared_weighted = finite_or_none(estimated.residual_weighted);
  result.findings = find_all(study, robot, estimated, fitted, result);
  result.verdict = judge(result);
  result.provenance = provenance(study, robot_hash);
  return outcome;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
