#include "identify/friction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/extra_columns.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/estimate/friction_choice.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr int kChoiceGroups = 10;

const FrictionSpec* friction_of(const Study& study, const std::string& joint) {
  const auto own = study.drive_spec.joints.find(joint);
  if (own != study.drive_spec.joints.end() && own->second.friction) return &*own->second.friction;
  return study.drive_spec.friction ? &*study.drive_spec.friction : nullptr;
}

// The joint of the robot behind a row of the plan.
std::size_t joint_of_row(const StudyState& state, Index row) {
  const Index i = state.plan.rows[static_cast<std::size_t>(row)].i;
  return static_cast<std::size_t>(coordinates(state.robot).joints[static_cast<std::size_t>(i)]);
}

// Joints with forms, and what the study wants of them.
struct Wanted {
  std::vector<FrictionJoint> joints;
  std::vector<FrictionWish> wishes;
};

Wanted wanted_forms(const StudyState& state) {
  Wanted out;
  for (std::size_t r = 0; r < state.plan.rows.size(); ++r) {
    const std::size_t joint = joint_of_row(state, static_cast<Index>(r));
    const FrictionSpec* spec = friction_of(state.study, state.robot.joints[joint].name);
    if (spec == nullptr || spec->is_linear()) continue;
    out.joints.push_back({static_cast<int>(joint) + 1, static_cast<Index>(r), state.plan.rows[r].i, 0});
    FrictionWish wish;
    if (!spec->automatic) wish = {spec->form, spec->viscous, spec->coulomb, spec->offset};
    out.wishes.push_back(wish);
  }
  return out;
}

// Largest velocities, and about a thousand positions for the period.
void scan_motion(RunState& run, std::vector<FrictionJoint>& joints) {
  const Index samples = run.prepared->preparation().grid.samples;
  const Index step = std::max<Index>(1, samples / 1000);
  std::vector<double> coarse;
  Index width = 1;
  run.prepared->rewind();
  for (RawChunk raw; run.prepared->read(raw); raw = {}) {
    const PreparedChunk chunk = run.prepared->prepare(std::move(raw));
    const SampleBlock& block = chunk.samples;
    const int position = block.find(channel::kPosition), velocity = block.find(channel::kVelocity);
    width = block.joints();
    for (Index at = chunk.chunk.core.begin; at < chunk.chunk.core.end; ++at) {
      const Index s = at - chunk.chunk.halo.begin;
      for (FrictionJoint& joint : joints)
        joint.fastest = std::max(joint.fastest, std::abs(block.row(velocity, joint.channel)[s]));
      for (Index j = 0; j < width && at % step == 0; ++j) coarse.push_back(block.row(position, j)[s]);
    }
  }
  run.prediction.coarse_step = step;
  run.prediction.coarse_position =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
          coarse.data(), static_cast<Index>(coarse.size()) / width, width);
}

// One pass over a fit run with the study's columns and these.
void fold_with(const StudyState& state, const std::vector<ExtraColumns>& columns, int blocks, RunState& run) {
  PassOptions pass;
  pass.threads = state.options.threads;
  pass.slot_samples = run.prepared->plan().size;
  while (pass.slot_samples % 2 == 0 && pass.slot_samples * blocks > run.prepared->plan().samples)
    pass.slot_samples /= 2;
  pass.extra = run_columns(state, *run.run);
  pass.extra.insert(pass.extra.end(), columns.begin(), columns.end());
  pass.known = known_efforts(state, *run.run);
  const std::vector<Layout> layouts = with_extra_columns(row_layouts(state.plan, state.robot), pass.extra);
  run.folds = fold_run(*run.prepared, state.plan, layouts, pass);
}

void fold_fit_runs(StudyState& state, const std::vector<ExtraColumns>& columns, int blocks) {
  for (RunState& run : state.runs)
    if (run.is_fit()) fold_with(state, columns, blocks, run);
}

std::vector<FrictionChoice> choose_forms(StudyState& state, const Wanted& wanted) {
  CrossOptions cross = state.study.cross.value_or(CrossOptions{});
  cross.blocks = std::max(cross.blocks, kChoiceGroups);
  fold_fit_runs(state, dictionary_columns(wanted.joints), cross.blocks);
  const HeldOut held = held_out_groups(state.runs, cross);
  return choose_friction(wanted.joints, wanted.wishes, held.blocks, held.groups, state.study.estimate);
}

// Drive terms of the robot, and with them the base parameters, as the models have them.
void take_terms(StudyState& state) {
  for (std::size_t k = 0; k < state.friction.joints.size(); ++k) {
    const FrictionModel& model = state.friction.models[k];
    DriveTerms& terms = state.robot.joints[joint_of_row(state, state.friction.joints[k].row)].drive;
    terms.viscous = model.viscous;
    terms.coulomb = model.coulomb;
    terms.offset = model.offset && !state.study.drive_spec.offset_per_run;
  }
  plan_base(state);
}

void report_fit(const Wanted& wanted, const FrictionFit& fit, StudyState& state) {
  const auto joint = [&](std::size_t k) {
    return state.robot.joints[joint_of_row(state, wanted.joints[k].row)].name;
  };
  for (std::size_t k = 0; k < fit.joints.size(); ++k)
    if (fit.joints[k].status != FrictionStatus::determined)
      state.findings.push_back(
          make_finding("friction-degenerate", joint(k),
                       fmt::format("{}; linear friction ({}) instead", fit.joints[k].evidence,
                                   to_string(fit.joints[k].status))));
  if (!fit.converged)
    state.findings.push_back(
        make_finding("friction-not-converged", "",
                     fmt::format("after {} passes a further step still promises {:.2g} σ²", fit.iterations,
                                 fit.next_gain)));
}

}  // namespace

void apply_drive_spec(const Study& study, Robot& robot) {
  for (const auto& [name, spec] : study.drive_spec.joints) {
    const auto same = [&joint = name](const Joint& other) { return other.name == joint; };
    if (std::any_of(robot.joints.begin(), robot.joints.end(), same)) continue;
    std::vector<std::string> names;
    for (const Joint& joint : robot.joints) names.push_back(joint.name);
    Complaint complaint = unknown("joint of drives", name, names);
    complaint.place = spec.place;
    throw InputError(complaint);
  }
  for (Joint& joint : robot.joints) {
    const auto own = study.drive_spec.joints.find(joint.name);
    if (own != study.drive_spec.joints.end() && own->second.rotor_inertia)
      joint.drive.rotor_inertia = *own->second.rotor_inertia;
    if (const FrictionSpec* spec = friction_of(study, joint.name)) {
      const bool fitted = !spec->is_linear();
      joint.drive.viscous = spec->viscous || fitted;
      joint.drive.coulomb = spec->coulomb || fitted;
      joint.drive.offset = spec->offset || fitted;
    }
    if (study.drive_spec.offset_per_run) joint.drive.offset = false;
  }
}

void fit_friction_forms(StudyState& state) {
  Wanted wanted = wanted_forms(state);
  if (wanted.joints.empty()) return;
  StudyFriction& friction = state.friction;
  state.clock.time("friction", [&] {
    for (RunState& run : state.runs)
      if (run.is_fit()) scan_motion(run, wanted.joints);
    for (FrictionJoint& joint : wanted.joints)
      if (joint.fastest == 0) joint.fastest = 1;  // it never moves, and its shape will not be found
    std::vector<FrictionModel> models;
    for (const FrictionChoice& choice : choose_forms(state, wanted)) {
      models.push_back(choice.model);
      friction.reasons.push_back(choice.reason);
    }
    FrictionFitOptions options;
    options.estimate = state.study.estimate;
    const auto pass = [&](const std::vector<ExtraColumns>& columns) {
      fold_fit_runs(state, columns, 1);
      return fit_folds(state.runs);
    };
    const FrictionFit fit = fit_friction(wanted.joints, std::move(models), pass, options);
    report_fit(wanted, fit, state);
    friction.joints = wanted.joints;
    for (std::size_t k = 0; k < fit.joints.size(); ++k) {
      friction.models.push_back(fit.joints[k].model);
      friction.statuses.push_back(fit.joints[k].status);
      if (!fit.joints[k].evidence.empty()) friction.reasons[k] = fit.joints[k].evidence;
    }
    for (RunState& run : state.runs) run.folds.reset();
    take_terms(state);
  });
}

std::string describe_columns(const StudyState& state) {
  std::string text;
  for (const auto* list : {&state.study.drive_spec.columns, &state.study.drive_spec.known})
    for (const EffortExpression& effort : *list)
      text += fmt::format("{}:{}={};", effort.joint, effort.name, effort.text);
  for (std::size_t k = 0; k < state.friction.models.size(); ++k) {
    const FrictionModel& model = state.friction.models[k];
    text += fmt::format("{}:{},{},{},{};", state.friction.joints[k].number, to_string(model.form),
                        model.slope, model.shift, model.velocity);
  }
  return text;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
