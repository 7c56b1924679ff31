#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "identify/friction.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/identify/export_result.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

double value_of(const std::map<std::string, double>& values, const char* name) {
  const auto found = values.find(name);
  return found != values.end() ? found->second : 0;
}

InputError other_robot(const std::string& what) {
  return InputError({what, {}, "the robot whose result it is", "use the study that made the result"});
}

std::size_t joint_index(const Robot& robot, const std::string& joint) {
  const int index = robot.index_of(joint);
  if (index < 0)
    throw other_robot(fmt::format("the result has joint '{}', which the robot does not have", joint));
  return static_cast<std::size_t>(index);
}

// Friction and rotor of one joint.
void take_drive(const Robot& robot, const DriveValues& from, TrueParameters& parameters) {
  const std::size_t j = joint_index(robot, from.joint);
  parameters.drives[j].rotor_inertia = value_of(from.values, "Ia");
  parameters.drives[j].friction = fitted_friction(from);
  for (std::size_t k = 0; k < robot.pairs.size(); ++k)
    if (static_cast<std::size_t>(robot.pairs[k].partner) == j)
      parameters.pairs[k] = {value_of(from.values, "Iam"), value_of(from.values, "fvm"),
                             value_of(from.values, "fcm")};
}

ExportModel empty_model(const Robot& robot) {
  ExportModel model{robot, {}};
  model.parameters.standard = VectorXd::Zero(10 * robot.size());
  model.parameters.drives.resize(robot.joints.size());
  model.parameters.pairs.resize(robot.pairs.size());
  return model;
}

void take_offsets(const Result& result, bool feasible, TrueParameters& parameters) {
  for (std::size_t j = 0; j < parameters.drives.size(); ++j) {
    const std::vector<double> offsets = run_offsets(result, j, feasible);
    if (!offsets.empty())
      parameters.drives[j].friction.offset =
          std::accumulate(offsets.begin(), offsets.end(), 0.0) / static_cast<double>(offsets.size());
  }
}

}  // namespace

std::vector<double> run_offsets(const Result& result, std::size_t joint, bool feasible) {
  const std::string stem = fmt::format("fo{}@", joint + 1);
  std::vector<double> offsets;
  for (const BaseValue& base : result.base) {
    if (!base.name.starts_with(stem)) continue;
    offsets.push_back(base.value);
    if (!feasible) continue;
    if (const auto own = result.feasible->columns.find(base.name); own != result.feasible->columns.end())
      offsets.back() = own->second;
  }
  return offsets;
}

ExportModel base_model(const Robot& robot, const Result& result) {
  if (result.base.empty())
    throw InputError({"the result holds no base parameters", {}, {}, "give the result.json of a run"});
  ExportModel model = empty_model(robot);
  const std::vector<std::string> names = standard_parameter_names(robot);
  for (const BaseValue& base : result.base)
    if (const auto found = std::find(names.begin(), names.end(), base.name); found != names.end())
      model.parameters.standard[found - names.begin()] = base.value;
  for (const DriveValues& drive : result.drives) take_drive(robot, drive, model.parameters);
  take_offsets(result, false, model.parameters);
  return model;
}

ExportModel feasible_model(const Robot& robot, const Result& result) {
  if (result.links.empty() || !result.feasible || !result.feasible->residual)
    throw InputError({"the result has no feasible links",
                      {},
                      "physically feasible links",
                      "add `feasible:` to the study and run it again"});
  ExportModel model = empty_model(robot);
  if (result.links.size() != robot.joints.size())
    throw other_robot(
        fmt::format("the result has {} links, the robot {}", result.links.size(), robot.joints.size()));
  for (std::size_t i = 0; i < result.links.size(); ++i) {
    const LinkValues& link = result.links[i];
    if (link.name != robot.joints[i].link)
      throw other_robot(
          fmt::format("the result has link '{}' where the robot has '{}'", link.name, robot.joints[i].link));
  }
  model.parameters.standard = link_parameters(result.links);
  for (const DriveValues& drive : result.drives) take_drive(robot, drive, model.parameters);
  for (const DriveValues& drive : result.feasible->drives) {
    const auto fitted = std::find_if(result.drives.begin(), result.drives.end(),
                                     [&](const DriveValues& own) { return own.joint == drive.joint; });
    const bool has_form = fitted != result.drives.end() && fitted->friction;
    if (drive.friction || !has_form) take_drive(robot, drive, model.parameters);
  }
  take_offsets(result, true, model.parameters);
  return model;
}

}  // namespace steelyard
