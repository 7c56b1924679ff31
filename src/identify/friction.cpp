#include "identify/friction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "identify/extra_columns.hpp"
#include "identify/gains.hpp"
#include "identify/ripple.hpp"
#include "identify/summary.hpp"
#include "identify/temperature.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/estimate/friction_choice.hpp"
#include "steelyard/fold/slots.hpp"

namespace steelyard::inline STEELYARD_ABI {

const FrictionSpec* friction_of(const Study& study, const std::string& joint) {
  const auto own = study.drive_spec.joints.find(joint);
  if (own != study.drive_spec.joints.end() && own->second.friction) return &*own->second.friction;
  return study.drive_spec.friction ? &*study.drive_spec.friction : nullptr;
}

namespace {

constexpr int kChoiceGroups = 10;

// The joint of the robot behind a row of the plan.
std::size_t joint_of_row(const Setup& setup, Index row) {
  const Index i = setup.plan.rows[static_cast<std::size_t>(row)].i;
  return static_cast<std::size_t>(coordinates(setup.robot).joints[static_cast<std::size_t>(i)]);
}

// Joints with forms, and what the study requests of them.
struct Wanted {
  std::vector<FrictionJoint> joints;
  std::vector<FrictionRequest> requests;

  bool has_load() const {
    return std::any_of(requests.begin(), requests.end(),
                       [](const FrictionRequest& request) { return request.needs_load(); });
  }
};

// The effort of such a joint is not what passes through one gear.
bool shares_its_drive(const Robot& robot, std::size_t joint, Index coordinate) {
  for (const CoupledPair& pair : robot.pairs)
    if (pair.joint == static_cast<int>(joint) || pair.partner == static_cast<int>(joint)) return true;
  if (!robot.transmission.is_given()) return false;
  const MatrixXd& N = robot.transmission.matrix;
  for (Index k = 0; k < N.rows(); ++k)
    if (k != coordinate && (N(k, coordinate) != 0 || N(coordinate, k) != 0)) return true;
  return false;
}

FrictionRequest request_of(const Setup& setup, const FrictionSpec& spec, std::size_t joint,
                           Index coordinate) {
  const bool shared = shares_its_drive(setup.robot, joint, coordinate);
  FrictionRequest request;
  request.may_load = !shared;
  request.may_direct = !setup.study().gains || setup.study().gains->known.size() > 0;
  if (spec.automatic) return request;
  if (shared && spec.load != LoadFriction::none)
    throw InputError({fmt::format("friction '{}' of joint '{}', whose drive is coupled with another",
                                  to_string(spec.load), setup.robot.joints[joint].name),
                      {setup.study().path, 0, 0, ""},
                      "load friction of joints with a gear of their own",
                      "give this joint another form under `drives: {joints: …}`"});
  request.form = spec.form;
  request.viscous = spec.viscous, request.coulomb = spec.coulomb, request.offset = spec.offset;
  request.load = spec.load;
  return request;
}

Wanted wanted_forms(const Setup& setup) {
  Wanted out;
  for (std::size_t r = 0; r < setup.plan.rows.size(); ++r) {
    const std::size_t joint = joint_of_row(setup, static_cast<Index>(r));
    const FrictionSpec* spec = friction_of(setup.study(), setup.robot.joints[joint].name);
    if (spec == nullptr || spec->is_linear()) continue;
    out.joints.push_back({static_cast<int>(joint) + 1, static_cast<Index>(r), setup.plan.rows[r].i, 0});
    out.requests.push_back(request_of(setup, *spec, joint, setup.plan.rows[r].i));
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

// Of two memories of the filters at least, so that every slot has rows that can be held out; shorter where the
// run would not have four of them.
Index slot_of(const PreparedRun& run, int blocks) {
  constexpr Index kFewestSlots = 4;
  const ChunkPlan& chunks = run.plan();
  const Index slot = halved_slot(chunks.size, chunks.samples, blocks, 2 * filter_memory(run.preparation()));
  return chunks.samples >= kFewestSlots * slot ? slot : halved_slot(chunks.size, chunks.samples, blocks, 1);
}

// One pass over a fit run with the study's columns and these.
FoldPass fold_with(const Setup& setup, const FrictionRows& rows, const OpenRun& run) {
  PassOptions pass;
  pass.threads = setup.threads();
  pass.slot_samples = slot_of(*run.prepared, rows.blocks);
  const VectorXd further = payload_values(setup, *run.run);
  pass.extra = run_columns(setup, *run.run);
  if (rows.columns)
    for (ExtraColumns& extra : rows.columns(further)) pass.extra.push_back(std::move(extra));
  Plan plan = setup.plan;
  plan.gears = rows.gears ? rows.gears(further) : nullptr;
  pass.known = known_efforts(setup, *run.run, plan);
  const std::vector<Layout> layouts = with_extra_columns(row_layouts(plan, setup.robot), pass.extra);
  return fold_run(*run.prepared, plan, layouts, pass);
}

}  // namespace

std::vector<RunRows> fold_fit_runs(const Setup& setup, const Runs& runs, const FrictionRows& with,
                                   const std::vector<CoarsePositions>& positions) {
  std::vector<RunRows> rows;
  for (const OpenRun& run : runs) {
    if (!run.is_fit()) continue;
    rows.push_back({&run, fold_with(setup, with, run), {}, 0, nullptr});
    if (!positions.empty()) rows.back().positions = positions[rows.size() - 1];
  }
  return rows;
}

namespace {

// What passes through the gears by a fit with linear friction; without values where no form asks for it.
GearOutput first_loads(const Setup& setup, const Runs& runs, const Wanted& wanted) {
  if (!wanted.has_load()) return gear_output(setup.plan, {}, {});
  EstimateOptions quick = setup.study().estimate;
  quick.conditions = false;
  const Estimate linear = estimate(fit_folds(fold_fit_runs(setup, runs, {}, {})), quick);
  return gear_output(setup.plan, linear.columns, linear.values);
}

std::vector<FrictionChoice> choose_forms(const Setup& setup, const Runs& runs, const Wanted& wanted,
                                         const GearOutput& output,
                                         const std::vector<CoarsePositions>& positions) {
  CrossOptions cross = setup.study().cross.value_or(CrossOptions{});
  cross.blocks = std::max(cross.blocks, kChoiceGroups);
  std::vector<FrictionJoint> loaded;
  for (std::size_t k = 0; k < wanted.joints.size(); ++k)
    if (wanted.requests[k].needs_load()) loaded.push_back(wanted.joints[k]);
  const auto columns = [&](const VectorXd& further) {
    std::vector<ExtraColumns> list = dictionary_columns(wanted.joints);
    if (!loaded.empty()) list.push_back(load_dictionary(loaded, with_further(output, further)));
    return list;
  };
  const FrictionRows rows{columns, {}, cross.blocks};
  const HeldOut held = held_out_groups(fold_fit_runs(setup, runs, rows, positions), cross);
  return choose_friction(wanted.joints, wanted.requests, held.blocks, held.groups, setup.study().estimate);
}

std::string simpler_form(const FittedFriction& joint) {
  if (joint.status == FrictionStatus::no_load)
    return fmt::format("{} friction without load", to_string(joint.model.form));
  if (joint.status == FrictionStatus::load)
    return fmt::format("{} friction with the same load friction in both directions",
                       to_string(joint.model.form));
  return fmt::format("linear friction ({})", to_string(joint.status));
}

std::vector<Finding> fit_findings(const Setup& setup, const Wanted& wanted, const FrictionFit& fit) {
  std::vector<Finding> findings;
  const auto joint = [&](std::size_t k) {
    return setup.robot.joints[joint_of_row(setup, wanted.joints[k].row)].name;
  };
  for (std::size_t k = 0; k < fit.joints.size(); ++k)
    if (fit.joints[k].status != FrictionStatus::determined)
      findings.push_back(
          make_finding("friction-degenerate", joint(k),
                       fmt::format("{}; {} instead", fit.joints[k].evidence, simpler_form(fit.joints[k]))));
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
    GearOutput output = first_loads(setup, runs, wanted);
    std::vector<FrictionModel> models;
    for (const FrictionChoice& choice : choose_forms(setup, runs, wanted, output, positions)) {
      models.push_back(choice.model);
      out.forms.reasons.push_back(choice.reason);
    }
    FrictionFitOptions options;
    options.estimate = setup.study().estimate;
    const auto pass = [&](const FrictionTrial& trial) {
      const FrictionRows rows{[&](const VectorXd& further) { return trial.columns(further); },
                              [&](const VectorXd& further) { return trial.gears(further); }, 1};
      return fit_folds(fold_fit_runs(setup, runs, rows, {}));
    };
    const FrictionFit fit = fit_friction(wanted.joints, std::move(models), pass, options, output);
    out.findings = fit_findings(setup, wanted, fit);
    out.forms.joints = wanted.joints;
    for (std::size_t k = 0; k < fit.joints.size(); ++k) {
      out.forms.models.push_back(fit.joints[k].model);
      out.forms.statuses.push_back(fit.joints[k].status);
      if (!fit.joints[k].evidence.empty()) out.forms.reasons[k] = fit.joints[k].evidence;
    }
    for (Index k = 0; k < fit.load_values.size(); ++k)
      out.forms.load_values[setup.plan.columns[static_cast<std::size_t>(k)]] = fit.load_values[k];
  });
  return out;
}

Setup with_fitted_friction(Setup setup, const Runs& runs, std::vector<Finding>& findings) {
  FittedForms fitted = fit_friction_forms(setup, runs);
  if (looks_for_ripple(setup.study().drive_spec)) {
    const std::vector<EffortExpression> found = find_ripple(with_friction(setup, fitted.forms), runs);
    setup.ripple.insert(setup.ripple.end(), found.begin(), found.end());
    if (!found.empty()) fitted = fit_friction_forms(setup, runs);
  }
  if (setup.study().drive_spec.temperature.automatic) {
    setup.temperature = find_temperature(with_friction(setup, fitted.forms), runs);
    if (!setup.temperature.empty()) fitted = fit_friction_forms(setup, runs);
  }
  add_to(findings, std::move(fitted.findings));
  return with_friction(std::move(setup), std::move(fitted.forms));
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
    if (setup.prepare.standstill.size() > 0 && model.coulomb && model.form == FrictionForm::linear)
      setup.prepare.standstill[forms.joints[k].channel] = creep_of_linear_friction(setup.study());
  }
  setup.friction = std::move(forms);
  setup = with_robot(std::move(setup), std::move(robot));
  setup.plan.gears = gear_loads(setup.friction.joints, setup.friction.models, gear_output_of(setup));
  return setup;
}

Plan plan_of_run(const Setup& setup, const StudyRun& run) {
  Plan plan = setup.plan;
  const VectorXd further = payload_values(setup, run);
  if (!plan.gears || further.size() == 0) return plan;
  auto gears = std::make_shared<GearLoads>(*plan.gears);
  gears->values += further;
  plan.gears = std::move(gears);
  return plan;
}

GearOutput gear_output_of(const Setup& setup) {
  std::vector<std::string> columns;
  std::vector<double> values;
  for (const auto& [column, value] : setup.friction.load_values) {
    columns.push_back(column);
    values.push_back(value);
  }
  return gear_output(setup.plan, columns,
                     Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size())));
}

std::string describe_columns(const Setup& setup) {
  std::string text;
  for (const auto* list : {&setup.study().drive_spec.columns, &setup.ripple, &setup.study().drive_spec.known})
    for (const EffortExpression& effort : *list)
      text += fmt::format("{}:{}={};", effort.joint, effort.name, effort.text);
  for (const TemperatureTerm& term : setup.temperature) text += temperature_column(term) + ";";
  for (std::size_t k = 0; k < setup.friction.models.size(); ++k) {
    const FrictionModel& model = setup.friction.models[k];
    text += fmt::format("{}:{},{},{},{};", setup.friction.joints[k].number, to_string(model.form),
                        model.slope, model.shift, model.velocity);
    if (model.load != LoadFriction::none)
      text += fmt::format("{},{},{},{},{},{},{};", to_string(model.load), model.driving, model.driven,
                          model.load_velocity, model.load_mean, model.load_peak, model.load_peak_velocity);
  }
  for (const auto& [column, value] : setup.friction.load_values) text += fmt::format("{}={};", column, value);
  return text;
}

}  // namespace steelyard
