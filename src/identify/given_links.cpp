// Links of a robot file in place of a model's: CAD data or published parameters on a log, beside the model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/earlier_model.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/core/yaml_fields.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kSameFrame = 1e-6;  // [m], and of rotations
constexpr int kConfigurations = 3;

// Poses of all links in the base frame.
std::vector<Pose> link_poses(const Robot& robot, const VectorXd& q) {
  std::vector<Pose> poses;
  for (int j = 0; j < robot.size(); ++j) {
    const Joint& joint = robot.joints[static_cast<std::size_t>(j)];
    const Pose parent = joint.parent < 0 ? Pose() : poses[static_cast<std::size_t>(joint.parent)];
    Pose motion;
    if (joint.kind == JointKind::prismatic)
      motion.position = joint.axis * q[j];
    else
      motion.rotation = turn_about(joint.axis, q[j]);
    poses.push_back(parent * to_pose(joint.before) * motion * to_pose(joint.after));
  }
  return poses;
}

InputError other_robot(const std::string& path, const std::string& what) {
  return InputError({fmt::format("{} is not the study's robot: {}", path, what),
                     {},
                     "the same joints with the same axes and zeros; link frames may differ",
                     "use a file of this robot"});
}

// Poses of the file's link frames in those of the study's robot, which must not depend on the configuration.
std::vector<Pose> frames_of(const Robot& robot, const Robot& given, const std::string& path) {
  if (robot.size() != given.size())
    throw other_robot(path, fmt::format("{} links instead of {}", given.size(), robot.size()));
  std::vector<Pose> frames;
  Random random(1, "configurations of given links");
  for (int k = 0; k < kConfigurations; ++k) {
    VectorXd q = VectorXd::Zero(robot.size());
    for (Index j = 0; k > 0 && j < q.size(); ++j) q[j] = random.uniform(-1, 1);
    const std::vector<Pose> own = link_poses(robot, q), other = link_poses(given, q);
    for (std::size_t j = 0; j < own.size(); ++j) {
      const Pose frame = own[j].inverse() * other[j];
      if (k == 0) {
        frames.push_back(frame);
        continue;
      }
      const double apart = std::max((frame.position - frames[j].position).norm(),
                                    (frame.rotation - frames[j].rotation).norm());
      if (!(apart < kSameFrame))
        throw other_robot(path, fmt::format("{} moves otherwise", given.joints[j].name));
    }
  }
  return frames;
}

VectorXd parameters_in(const std::vector<Pose>& frames, const Robot& given) {
  const VectorXd own = standard_parameters(given);  // refuses links without an inertia
  VectorXd out(own.size());
  for (std::size_t j = 0; j < frames.size(); ++j) {
    const auto at = static_cast<Index>(j) * kParametersPerLink;
    out.segment<kParametersPerLink>(at) =
        Inertia::from_standard(own.segment<kParametersPerLink>(at)).expressed_in(frames[j]).to_standard();
  }
  return out;
}

// The value that a base parameter has for these links; drives as the model has them.
double value_for(const BaseValue& value, const std::vector<std::string>& names, const VectorXd& standard,
                 const Result& model) {
  const bool of_links = std::find(names.begin(), names.end(), value.name) != names.end();
  if (!of_links) return value.value;
  double sum = 0;
  for (const auto& [parameter, factor] : value.terms) {
    const auto found = std::find(names.begin(), names.end(), parameter);
    if (found != names.end()) {
      sum += factor * standard[found - names.begin()];
      continue;
    }
    if (!model.feasible || !model.feasible->columns.contains(parameter))
      throw InputError(
          {fmt::format("base parameter '{}' contains '{}' of the drive, which the links do not have",
                       value.name, parameter),
           {},
           "a model with feasible links, which has it apart",
           "identify the model with `feasible: {}`"});
    sum += factor * model.feasible->columns.at(parameter);
  }
  return sum;
}

// `links: {link: {mass: 0.65, com: [x, y, z], inertia: {xx: …}}}`, inertia about the centre of mass, in the frames of
// the study's robot; or `standard: {m2: 0.65, mx2: …}`, where what is left out is zero.
VectorXd parameters_from_yaml(const YamlContext& context, const YamlFields& file, const Robot& robot) {
  VectorXd out = VectorXd::Zero(Index{kParametersPerLink} * robot.size());
  if (const YamlNode* given = file.find("standard")) {
    const std::vector<std::string> names = standard_parameter_names(robot);
    const YamlFields values(context, *given, "standard", names);
    for (std::size_t k = 0; k < names.size(); ++k)
      if (const YamlNode* value = values.find(names[k]))
        out[static_cast<Index>(k)] = to_number(context, *value, names[k]);
    return out;
  }
  std::vector<std::string> names;
  for (const Joint& joint : robot.joints) names.push_back(joint.link);
  const YamlFields links(context, file.at("links"), "links", names);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const YamlFields link(context, links.at(names[k]), names[k], {"mass", "com", "inertia"});
    const double mass = to_number(context, link.at("mass"), "mass");
    const Vector3 com = to_vector(context, link.at("com"), "com", 3);
    const YamlFields six(context, link.at("inertia"), "inertia", {"xx", "xy", "xz", "yy", "yz", "zz"});
    const auto I = [&](const char* entry) { return to_number(context, six.at(entry), entry); };
    Matrix3 inertia;
    inertia << I("xx"), I("xy"), I("xz"), I("xy"), I("yy"), I("yz"), I("xz"), I("yz"), I("zz");
    // Not Inertia: published sets need not be bodies.
    const Matrix3 origin = inertia + mass * (com.squaredNorm() * Matrix3::Identity() - com * com.transpose());
    out.segment<kParametersPerLink>(static_cast<Index>(k) * kParametersPerLink) << mass, mass * com,
        origin(0, 0), origin(0, 1), origin(0, 2), origin(1, 1), origin(1, 2), origin(2, 2);
  }
  return out;
}

NamedModel with_standard(const Robot& robot, const Result& model, const VectorXd& standard,
                         const std::string& name) {
  const std::vector<std::string> names = standard_parameter_names(robot);
  NamedModel out{name, model, "links"};
  for (BaseValue& value : out.result.base) value.value = value_for(value, names, standard, model);
  return out;
}

// Published coefficients; those of drives that the file does not have are the model's.
NamedModel with_base(const Robot& robot, const Result& model, const std::string& path) {
  const std::vector<std::string> names = standard_parameter_names(robot);
  const Result given = read_base_values(path);
  NamedModel out{path, model, "base"};
  std::vector<std::string> known;
  for (BaseValue& value : out.result.base) {
    known.push_back(value.name);
    const auto found = std::find_if(given.base.begin(), given.base.end(),
                                    [&](const BaseValue& own) { return own.name == value.name; });
    if (found != given.base.end())
      value.value = found->value;
    else if (std::find(names.begin(), names.end(), value.name) != names.end())
      throw InputError({fmt::format("the file has no base parameter '{}'", value.name),
                        {path, 0, 0, ""},
                        "all base parameters of the links; those of drives may be left out",
                        "add it"});
  }
  for (const BaseValue& value : given.base)
    if (std::find(known.begin(), known.end(), value.name) == known.end()) {
      Complaint complaint = unknown("base parameter", value.name, known);
      complaint.place = {path, 0, 0, ""};
      throw InputError(complaint);
    }
  return out;
}

// Its own links, intervals and forecast are of no use to other values.
NamedModel without_own(NamedModel model) {
  model.result.feasible.reset();
  model.result.links.clear();
  model.result.forecast.reset();
  return model;
}

bool has_key(const YamlNode& root, const char* key) {
  return std::any_of(root.keys.begin(), root.keys.end(),
                     [&](const YamlNode& own) { return own.text == key; });
}

}  // namespace

VectorXd given_link_parameters(const Robot& robot, const std::string& path) {
  if (!path.ends_with(".urdf")) {
    const std::string text = read_text_file(path, "links");
    const YamlNode root = parse_yaml(text, path);
    if (has_key(root, "links") || has_key(root, "standard")) {
      const YamlContext context{path, "", 1};
      const YamlFields file(context, root, "given links", {"links", "standard"});
      return parameters_from_yaml(context, file, robot);
    }
  }
  const Robot given = read_robot(path).robot;
  return parameters_in(frames_of(robot, given, path), given);
}

NamedModel model_beside(const Study& study, const Result& model, const std::string& path) {
  if (path.ends_with(".json")) return {path, result_from_json(read_text_file(path, "result"), path), "base"};
  const Robot robot = study_robot(study);
  if (!path.ends_with(".urdf") && has_key(parse_yaml(read_text_file(path, "links"), path), "base"))
    return without_own(with_base(robot, model, path));
  return without_own(with_standard(robot, model, given_link_parameters(robot, path), path));
}

NamedModel model_with_links(const Study& study, const Result& model, const Robot& links,
                            const std::string& name) {
  const Robot robot = study_robot(study);
  const VectorXd standard = parameters_in(frames_of(robot, links, name), links);
  return without_own(with_standard(robot, model, standard, name));
}

}  // namespace steelyard
