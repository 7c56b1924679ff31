#include "steelyard/identify/gain_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "identify/friction.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/study/simulation.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kSteel = 7850;  // [kg/m³]

// The first simulated fit run with a load, or without.
const StudyRun* planned_run(const Study& study, bool loaded) {
  for (const StudyRun& run : study.runs)
    if (run.simulation && run.file.label.role == RunRole::fit &&
        run.simulation->options.payload.has_value() == loaded)
      return &run;
  return nullptr;
}

AdviceOptions advice_options(const Study& study, const SimulationSpec& spec) {
  AdviceOptions options;
  options.rate = spec.options.rate;
  const PrepareOptions& prepare = study.prepare;
  if (!study.cutoff.automatic && prepare.column_filter.cutoff > 0)
    options.cutoff = prepare.column_filter.cutoff;
  const VectorXd& noise = spec.options.relative_effort_noise;
  if (noise.size() > 0 && noise.mean() > 0) options.current_noise = noise.mean();
  return options;
}

std::vector<std::string> not_counted(const Study& study, const Robot& robot) {
  std::vector<std::string> out;
  for (const Joint& joint : robot.joints) {
    const FrictionSpec* friction = friction_of(study, joint.name);
    if (friction == nullptr || friction->is_linear()) continue;
    std::string form = friction->automatic ? "chosen" : to_string(friction->form);
    if (friction->load != LoadFriction::none)
      form = friction->form == FrictionForm::linear ? "load" : form + " and load";
    out.push_back(fmt::format("{} friction of {}", form, joint.name));
  }
  const DriveSpec& drives = study.drive_spec;
  if (drives.ripple.any() || std::any_of(drives.joints.begin(), drives.joints.end(), [](const auto& joint) {
        return joint.second.ripple && joint.second.ripple->any();
      }))
    out.emplace_back("ripple");
  for (const EffortExpression& column : drives.columns) out.push_back("column " + column.name);
  if (drives.offset_per_run) out.emplace_back("offsets of single runs");
  return out;
}

}  // namespace

Inertia steel_cube(double mass) {
  if (!(mass > 0) || !std::isfinite(mass))
    throw InputError({fmt::format("the mass of the load is {} kg", mass), {}, "a positive number", {}});
  const double side = std::cbrt(mass / kSteel), moment = mass * side * side / 6;
  return Inertia::from_mass_com_inertia(mass, Vector3(0, 0, side / 2),
                                        symmetric_matrix(moment, 0, 0, moment, 0, moment));
}

GainAdviceOutcome advise_study_gains(const Study& study, const std::vector<double>& masses) {
  const StudyRun* loaded = planned_run(study, true);
  const StudyRun* unloaded = planned_run(study, false);
  if (unloaded == nullptr) unloaded = loaded;
  if (unloaded == nullptr)
    throw InputError({"the study has no simulated run with a motion to judge",
                      {study.path, 0, 0, ""},
                      "a fit run with `simulate: {motion: …}`",
                      "put the motion that `steelyard excite` writes to motion-study.yaml under `simulate`"});
  GainAdviceOutcome outcome;
  const Robot robot = study_robot(study, &outcome.warnings);
  outcome.not_counted = not_counted(study, robot);
  const SimulationSpec& spec = *unloaded->simulation;
  outcome.options = advice_options(study, spec);
  const TrueParameters nominal = simulated_parameters(spec, robot);
  const Trajectory free = simulated_motion(spec);
  const Trajectory carrying = loaded == nullptr ? free : simulated_motion(*loaded->simulation);
  const auto advise = [&](const std::string& name, const Inertia& body) {
    outcome.loads.push_back(
        {name, body.mass(), advise_gains(robot, nominal, free, carrying, body, outcome.options)});
  };
  if (loaded != nullptr) advise(loaded->file.label.payload, *loaded->simulation->options.payload);
  for (const double mass : masses) advise(fmt::format("{} kg", mass), steel_cube(mass));
  if (outcome.loads.empty())
    throw InputError({"no load is given",
                      {study.path, 0, 0, ""},
                      "a mass, or a simulated run with `load`",
                      "add --load 5 for 5 kg"});
  return outcome;
}

std::string to_json(const GainAdviceOutcome& outcome) {
  nlohmann::ordered_json json = {{"rate", outcome.options.rate},
                                 {"cutoff", outcome.options.cutoff},
                                 {"current_noise", outcome.options.current_noise}};
  if (!outcome.not_counted.empty()) json["not_counted"] = outcome.not_counted;
  json["loads"] = nlohmann::ordered_json::array();
  for (const LoadAdvice& load : outcome.loads) {
    nlohmann::ordered_json row = {{"name", load.name}, {"mass", load.mass}};
    row["joints"] = nlohmann::ordered_json::array();
    for (const GainAdvice& joint : load.joints) {
      nlohmann::ordered_json gain = {{"name", joint.joint}, {"identifiable", joint.identifiable}};
      if (std::isfinite(joint.relative_sigma)) gain["relative_sigma"] = joint.relative_sigma;
      row["joints"].push_back(std::move(gain));
    }
    json["loads"].push_back(std::move(row));
  }
  return json.dump(2) + "\n";
}

}  // namespace steelyard
