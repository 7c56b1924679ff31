#include "identify/friction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/extra_columns.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/estimate/friction_choice.hpp"
#include "steelyard/fold/slots.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kChoiceGroups = 10;

const FrictionSpec* friction_of(const Study& study, const std::string& joint) {
  const auto own = study.drive_spec.joints.find(joint);
  if (own != study.drive_spec.joints.end() && own->second.friction) return &*own->second.friction;
  return study.drive_spec.friction ? &*study.drive_spec.friction : nullptr;
}

// The joint of the robot behind a row of the plan.
std::size_t joint_of_row(const Setup& setup, Index row) {
  const Index i = setup.plan.rows[static_cast<std::size_t>(row)].i;
  return static_cast<std::size_t>(coordinates(setup.robot).joints[static_cast<std::size_t>(i)]);
}

// Joints with forms, and what the study requests of them.
struct Wanted {
  std::vector<FrictionJoint> joints;
  std::vector<FrictionRequest> requests;
};

Wanted wanted_forms(const Setup& setup) {
  Wanted out;
  for (std::size_t r = 0; r < setup.plan.rows.size(); ++r) {
    const std::size_t joint = joint_of_row(setup, static_cast<Index>(r));
    const FrictionSpec* spec = friction_of(setup.study(), setup.robot.joints[joint].name);
    if (spec == nullptr || spec->is_linear()) continue;
    out.joints.push_back({static_cast<int>(joint) + 1, static_cast<Index>(r), setup.plan.rows[r].i, 0});
    FrictionRequest request;
    if (!spec->automatic) request = {spec->form, spec->viscous, spec->coulomb, spec->offset};
    out.requests.push_back(request);
  }
  return out;
}

// Largest velocities, and positions for the period.
CoarsePositions scan_motion(const Setup& setup, const OpenRun& run, std::vector<FrictionJoint>& joints) {
  PreparedRun& prepared = *run.prepared;
  CoarsePositions positions(prepared.preparation().grid.samples, setup.plan.joints);
  prepared.rewind();
  for (RawChunk raw; prepared.read(raw); raw = {}) {
    const PreparedChunk chunk = prepared.prepare(std::move(raw));
    const SampleBlock& block = chunk.samples;
    const int velocity = block.find(channel::kVelocity);
    positions.watch(chunk);
    for (Index at = chunk.chunk.core.begin; at < chunk.chunk.core.end; ++at)
      for (FrictionJoint& joint : joints)
        joint.fastest = std::max(joint.fastest,
                                 std::abs(block.row(velocity, joint.channel)[at - chunk.chunk.halo.begin]));
  }
  return positions;
}

// One pass over a fit run with the study's columns and these.
FoldPass fold_with(const Setup& setup, const std::vector<ExtraColumns>& columns, int blocks,
                   const OpenRun& run) {
  PassOptions pass;
  pass.threads = setup.threads();
  const ChunkPlan& chunks = run.prepared->plan();
  pass.slot_samples = halved_slot(chunks.size, chunks.samples, blocks, 1);
  pass.extra = run_columns(setup, *run.run);
  pass.extra.insert(pass.extra.end(), columns.begin(), columns.end());
  pass.known = known_efforts(setup, *run.run);
  const std::vector<Layout> layouts = with_extra_columns(row_layouts(setup.plan, setup.robot), pass.extra);
  return fold_run(*run.prepared, setup.plan, layouts, pass);
}

// `positions`: one per fit run; empty: the period is not needed.
std::vector<RunRows> fold_fit_runs(const Setup& setup, const Runs& runs,
                                   const std::vector<ExtraColumns>& columns, int blocks,
                                   const std::vector<CoarsePositions>& positions) {
  std::vector<RunRows> rows;
  for (const OpenRun& run : runs) {
    if (!run.is_fit()) continue;
    rows.push_back({&run, fold_with(setup, columns, blocks, run), {}, 0, nullptr});
    if (!positions.empty()) rows.back().positions = positions[rows.size() - 1];
  }
  return rows;
}

std::vector<FrictionChoice> choose_forms(const Setup& setup, const Runs& runs, const Wanted& wanted,
                                         const std::vector<CoarsePositions>& positions) {
  CrossOptions cross = setup.study().cross.value_or(CrossOptions{});
  cross.blocks = std::max(cross.blocks, kChoiceGroups);
  const HeldOut held = held_out_groups(
      fold_fit_runs(setup, runs, dictionary_columns(wanted.joints), cross.blocks, positions), cross);
  return choose_friction(wanted.joints, wanted.requests, held.blocks, held.groups, setup.study().estimate);
}

std::vector<Finding> fit_findings(const Setup& setup, const Wanted& wanted, const FrictionFit& fit) {
  std::vector<Finding> findings;
  const auto joint = [&](std::size_t k) {
    return setup.robot.joints[joint_of_row(setup, wanted.joints[k].row)].name;
  };
  for (std::size_t k = 0; k < fit.joints.size(); ++k)
    if (fit.joints[k].status != FrictionStatus::determined)
      findings.push_back(make_finding("friction-degenerate", joint(k),
                                      fmt::format("{}; linear friction ({}) instead", fit.joints[k].evidence,
                                                  to_string(fit.joints[k].status))));
  if (!fit.converged)
    findings.push_back(
        make_finding("friction-not-converged", "",
                     fmt::format("not converged after {} passes: a further step would still gain {:.2g} σ²",
                                 fit.iterations, fit.next_gain)));
  return findings;
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

FittedForms fit_friction_forms(const Setup& setup, const Runs& runs) {
  FittedForms out;
  Wanted wanted = wanted_forms(setup);
  if (wanted.joints.empty()) return out;
  setup.clock().time("friction", [&] {
    std::vector<CoarsePositions> positions;
    for (const OpenRun& run : runs)
      if (run.is_fit()) positions.push_back(scan_motion(setup, run, wanted.joints));
    for (FrictionJoint& joint : wanted.joints)
      if (joint.fastest == 0) joint.fastest = 1;  // it never moves, and its shape cannot be identified
    std::vector<FrictionModel> models;
    for (const FrictionChoice& choice : choose_forms(setup, runs, wanted, positions)) {
      models.push_back(choice.model);
      out.forms.reasons.push_back(choice.reason);
    }
    FrictionFitOptions options;
    options.estimate = setup.study().estimate;
    const auto pass = [&](const std::vector<ExtraColumns>& columns) {
      return fit_folds(fold_fit_runs(setup, runs, columns, 1, {}));
    };
    const FrictionFit fit = fit_friction(wanted.joints, std::move(models), pass, options);
    out.findings = fit_findings(setup, wanted, fit);
    out.forms.joints = wanted.joints;
    for (std::size_t k = 0; k < fit.joints.size(); ++k) {
      out.forms.models.push_back(fit.joints[k].model);
      out.forms.statuses.push_back(fit.joints[k].status);
      if (!fit.joints[k].evidence.empty()) out.forms.reasons[k] = fit.joints[k].evidence;
    }
  });
  return out;
}

Setup with_friction(Setup setup, FrictionForms forms) {
  if (forms.models.empty()) return setup;
  Robot robot = setup.robot;
  for (std::size_t k = 0; k < forms.joints.size(); ++k) {
    const FrictionModel& model = forms.models[k];
    DriveTerms& terms = robot.joints[static_cast<std::size_t>(forms.joints[k].number - 1)].drive;
    terms.viscous = model.viscous;
    terms.coulomb = model.coulomb;
    terms.offset = model.offset && !setup.study().drive_spec.offset_per_run;
  }
  setup.friction = std::move(forms);
  return with_robot(std::move(setup), std::move(robot));
}

std::string describe_columns(const Setup& setup) {
  std::string text;
  for (const auto* list : {&setup.study().drive_spec.columns, &setup.study().drive_spec.known})
    for (const EffortExpression& effort : *list)
      text += fmt::format("{}:{}={};", effort.joint, effort.name, effort.text);
  for (std::size_t k = 0; k < setup.friction.models.size(); ++k) {
    const FrictionModel& model = setup.friction.models[k];
    text += fmt::format("{}:{},{},{},{};", setup.friction.joints[k].number, to_string(model.form),
                        model.slope, model.shift, model.velocity);
  }
  return text;
}

}  // namespace steelyard
