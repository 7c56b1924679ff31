#include "steelyard/export/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "read_back.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/yaml_fields.hpp"
#include "steelyard/engines/xml_words.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using nlohmann::ordered_json;

constexpr const char* kConventions =
    "SI units, angles in rad. A link's frame stands where its own joint stands and turns with it; com, "
    "inertia "
    "(about the centre of mass) and m, mx, ..., Jzz (J about the origin of the link frame, products as "
    "matrix "
    "entries) are in link axes. tau = Y(q, qd, qdd) p + Ia qdd + fv qd + fc sign(qd) + fo + friction.";

ordered_json list_of(const Vector3& v) {
  return {v[0], v[1], v[2]};
}

ordered_json place_of(const Pose& pose) {
  return {{"xyz", list_of(pose.position)}, {"rpy", list_of(roll_pitch_yaw(pose.rotation))}};
}

ordered_json limits_of(const Limits& limits) {
  ordered_json out = ordered_json::object();
  if (std::isfinite(limits.lower) && std::isfinite(limits.upper))
    out["position"] = {limits.lower, limits.upper};
  if (std::isfinite(limits.velocity)) out["velocity"] = limits.velocity;
  if (std::isfinite(limits.acceleration)) out["acceleration"] = limits.acceleration;
  if (std::isfinite(limits.effort)) out["effort"] = limits.effort;
  return out;
}

ordered_json drive_terms_of(const DriveTerms& terms) {
  ordered_json out = ordered_json::array();
  if (terms.viscous) out.push_back("viscous");
  if (terms.coulomb) out.push_back("coulomb");
  if (terms.offset) out.push_back("offset");
  if (terms.rotor_inertia) out.push_back("rotor_inertia");
  return out;
}

ordered_json joint_json(const Robot& robot, std::size_t j, const Inertia& inertia) {
  const Joint& joint = robot.joints[j];
  ordered_json out = {{"name", joint.name}};
  if (joint.kind == JointKind::prismatic) out["kind"] = "prismatic";
  out["parent"] =
      joint.parent < 0 ? robot.base_link : robot.joints[static_cast<std::size_t>(joint.parent)].name;
  out.update(place_of(to_pose(joint.before)));
  out["axis"] = list_of(joint.axis);
  if (const ordered_json limits = limits_of(joint.limits); !limits.empty()) out["limits"] = limits;
  if (const ordered_json terms = drive_terms_of(joint.drive); !terms.empty()) out["drive"] = terms;
  for (const Mimic& mimic : robot.mimics)
    if (static_cast<std::size_t>(mimic.joint) == j)
      out["mimic"] = {{"joint", robot.joints[static_cast<std::size_t>(mimic.master)].name},
                      {"ratio", mimic.ratio},
                      {"offset", mimic.offset}};
  const Matrix3 I = inertia.inertia_com();
  out["link"] = {{"name", joint.link}, {"mass", inertia.mass()}, {"com", list_of(inertia.com())}};
  out["link"]["inertia"] = {{"xx", I(0, 0)}, {"xy", I(0, 1)}, {"xz", I(0, 2)},
                            {"yy", I(1, 1)}, {"yz", I(1, 2)}, {"zz", I(2, 2)}};
  return out;
}

ordered_json robot_json(const ExportModel& model) {
  Robot robot = model.robot;
  if (robot.base_link.empty()) robot.base_link = "base";
  ordered_json out = {{"name", robot.name}, {"convention", "frames"}, {"gravity", list_of(robot.gravity)}};
  out["base"] = place_of(to_pose(robot.base));
  out["base_link"] = robot.base_link;
  const std::size_t tool =
      robot.tool_link < 0 ? robot.joints.size() - 1 : static_cast<std::size_t>(robot.tool_link);
  out["tool"] = {{"link", robot.joints[tool].link}};
  out["tool"].update(place_of(to_pose(robot.tool)));
  for (const CoupledPair& pair : robot.pairs)
    out["coupled"].push_back({robot.joints[static_cast<std::size_t>(pair.joint)].name,
                              robot.joints[static_cast<std::size_t>(pair.partner)].name});
  if (robot.transmission.is_given()) {
    ordered_json matrix = ordered_json::array();
    for (Index r = 0; r < robot.transmission.matrix.rows(); ++r) {
      ordered_json row = ordered_json::array();
      for (Index c = 0; c < robot.transmission.matrix.cols(); ++c)
        row.push_back(robot.transmission.matrix(r, c));
      matrix.push_back(row);
    }
    out["transmission"]["matrix"] = matrix;
    for (const double zero : robot.transmission.zero) out["transmission"]["zero"].push_back(zero);
  }
  for (std::size_t j = 0; j < robot.joints.size(); ++j)
    out["joints"].push_back(joint_json(
        robot, j, Inertia::from_standard(model.parameters.standard.segment<10>(10 * static_cast<Index>(j)))));
  return out;
}

ordered_json parameters_json(const ExportModel& model) {
  ordered_json out;
  const std::vector<std::string> names = standard_parameter_names(model.robot);
  for (std::size_t k = 0; k < names.size(); ++k)
    out[names[k]] = model.parameters.standard[static_cast<Index>(k)];
  for (std::size_t j = 0; j < model.parameters.drives.size(); ++j) {
    const Drive& drive = model.parameters.drives[j];
    const std::string number = std::to_string(j + 1);
    out["Ia" + number] = drive.rotor_inertia;
    out["fv" + number] = drive.friction.viscous;
    out["fc" + number] = drive.friction.coulomb;
    out["fo" + number] = drive.friction.offset;
  }
  for (std::size_t k = 0; k < model.parameters.pairs.size(); ++k) {
    const PairDrive& pair = model.parameters.pairs[k];
    const std::string number = std::to_string(model.robot.pairs[k].partner + 1);
    out["Iam" + number] = pair.rotor_inertia;
    out["fvm" + number] = pair.viscous;
    out["fcm" + number] = pair.coulomb;
  }
  return out;
}

// Forms beyond linear friction, by joint.
ordered_json friction_json(const ExportModel& model) {
  ordered_json out = ordered_json::object();
  for (std::size_t j = 0; j < model.parameters.drives.size(); ++j) {
    const Friction& f = model.parameters.drives[j].friction;
    ordered_json form = ordered_json::object();
    if (f.coulomb_positive != 0 || f.coulomb_negative != 0)
      form["asymmetric"] = {{"fp", f.coulomb_positive}, {"fn", f.coulomb_negative}};
    if (f.sigmoid_height != 0)
      form["sigmoid"] = {{"phi1", f.sigmoid_height}, {"phi2", f.sigmoid_slope}, {"phi3", f.sigmoid_shift}};
    if (f.stribeck != 0)
      form["stribeck"] = {{"fs", f.stribeck}, {"vs", f.stribeck_velocity}, {"exponent", f.stribeck_exponent}};
    if (f.has_load())
      form["load"] = {{"driving", f.load_driving}, {"driven", f.load_driven}, {"vl", f.load_velocity}};
    if (f.load_mean != 0 || f.load_peak != 0)
      form["load"].update(
          {{"kappa", f.load_mean}, {"kappa_peak", f.load_peak}, {"vm", f.load_peak_velocity}});
    if (!form.empty()) out[model.robot.joints[j].name] = form;
  }
  return out;
}

// Maps as blocks; what holds plain values only, on one line as JSON, which is YAML, too.
void write_block(const ordered_json& value, int depth, std::string& text) {
  const std::string blanks(static_cast<std::size_t>(2 * depth), ' ');
  for (const auto& [key, item] : value.items()) {
    const bool nested = std::any_of(item.begin(), item.end(),
                                    [](const ordered_json& entry) { return entry.is_structured(); });
    if (!item.is_structured() || !nested) {
      text += blanks + ordered_json(key).dump() + ": " + item.dump() + "\n";
    } else if (item.is_array()) {
      text += blanks + ordered_json(key).dump() + ":\n";
      for (const ordered_json& entry : item) text += blanks + "  - " + entry.dump() + "\n";
    } else {
      text += blanks + ordered_json(key).dump() + ":\n";
      write_block(item, depth + 1, text);
    }
  }
}

std::string commented(const std::string& text) {
  std::string out = "#";
  std::size_t column = 1;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (column + 1 + end - at > 118) out += "\n#", column = 1;
    out += " " + text.substr(at, end - at);
    column += 1 + end - at;
    at = end + 1;
  }
  return out + "\n";
}

double robot_error(const std::string& text, const ExportModel& model) {
  ExportModel back{read_robot_yaml(text, "the exported robot").robot, model.parameters};
  back.parameters.standard = standard_parameters(back.robot);
  return effort_error(back, model, {true, true});
}

// Largest difference of numbers by name, over the largest; those that are missing count fully.
double numbers_error(const std::map<std::string, double>& back, const ordered_json& wanted) {
  double error = 0, size = 0;
  for (const auto& [name, value] : wanted.items()) {
    const auto found = back.find(name);
    const double is = found != back.end() ? found->second : 0;
    error = std::max(error, std::abs(is - value.get<double>()));
    size = std::max(size, std::abs(value.get<double>()));
  }
  return size > 0 ? error / size : error;
}

}  // namespace

ExportModel with_joint_frames(const ExportModel& model) {
  ExportModel out = model;
  for (std::size_t j = 0; j < model.robot.joints.size(); ++j) {
    const Joint& joint = model.robot.joints[j];
    Joint& moved = out.robot.joints[j];
    if (joint.parent >= 0) {
      const Steps& carried = model.robot.joints[static_cast<std::size_t>(joint.parent)].after;
      moved.before.insert(moved.before.begin(), carried.begin(), carried.end());
    }
    moved.after.clear();
    const auto at = 10 * static_cast<Index>(j);
    out.parameters.standard.segment<10>(at) =
        Inertia::from_standard(Vector10(model.parameters.standard.segment<10>(at)))
            .expressed_in(to_pose(joint.after))
            .to_standard();
  }
  const std::size_t tool = model.robot.tool_link < 0 ? model.robot.joints.size() - 1
                                                     : static_cast<std::size_t>(model.robot.tool_link);
  const Steps& carried = model.robot.joints[tool].after;
  out.robot.tool.insert(out.robot.tool.begin(), carried.begin(), carried.end());
  return out;
}

RobotFileText to_robot_yaml(const ExportModel& model) {
  RobotFileText out;
  const ExportModel own = with_joint_frames(model);
  out.text = commented(kConventions);
  write_block(robot_json(own), 0, out.text);
  out.error = robot_error(out.text, model);
  return out;
}

RobotFileText to_parameters_yaml(const ExportModel& model) {
  const ExportModel own = with_joint_frames(model);
  RobotFileText out;
  out.text = commented(kConventions) + "parameters:\n";
  const ordered_json values = parameters_json(own);
  write_block(values, 1, out.text);
  if (const ordered_json forms = friction_json(own); !forms.empty()) {
    out.text += "friction:\n";
    write_block(forms, 1, out.text);
  }
  const YamlContext context{"the exported parameters", "", 1};
  const YamlNode root = parse_yaml(out.text, context.file);
  const YamlFields fields(context, root, "parameters", {"parameters", "friction"});
  const YamlNode& list = fields.at("parameters");
  std::map<std::string, double> back;
  for (std::size_t k = 0; k < list.items.size(); ++k)
    back[list.keys[k].text] = to_number(context, list.items[k], list.keys[k].text);
  out.error = numbers_error(back, values);
  return out;
}

RobotFileText to_robot_json(const ExportModel& model) {
  const ExportModel own = with_joint_frames(model);
  const ordered_json all = {{"conventions", kConventions},
                            {"robot", robot_json(own)},
                            {"parameters", parameters_json(own)},
                            {"friction", friction_json(own)}};
  RobotFileText out;
  out.text = all.dump(2) + "\n";
  const ordered_json back = ordered_json::parse(out.text);
  require(back.at("friction") == all.at("friction"), "friction as it was written");
  out.error = std::max(
      robot_error(back.at("robot").dump(), model),
      numbers_error(back.at("parameters").get<std::map<std::string, double>>(), parameters_json(own)));
  return out;
}

}  // namespace steelyard
