// steelyard model ROBOT: frames, parameters, limits, and what motion can identify.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "output.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/read.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

using nlohmann::ordered_json;
using steelyard::BaseParameters;
using steelyard::Identifiability;
using steelyard::JointKind;
using steelyard::Robot;

constexpr int kMaxJointsWithExpressions = 60;

struct ModelOptions {
  std::string robot;
  std::string rows = "torque";
  std::vector<std::string> zero;
  bool no_drives = false;
  bool no_expressions = false;
  bool latex = false;
};

steelyard::RowSet row_set(const std::string& name) {
  using steelyard::RowSet;
  std::vector<std::string> known;
  for (RowSet rows : {RowSet::torque, RowSet::gravity, RowSet::inertia, RowSet::gravity_inertia}) {
    known.emplace_back(to_string(rows));
    if (name == known.back()) return rows;
  }
  throw steelyard::InputError(steelyard::unknown("row kind", name, known));
}

std::string parent_name(const Robot& robot, int joint) {
  const int parent = robot.joints[joint].parent;
  return parent < 0 ? "base" : std::to_string(parent + 1);
}

std::string range(double lower, double upper) {
  if (std::isinf(lower) && std::isinf(upper)) return "-";
  return number(lower, 4) + " … " + number(upper, 4);
}

std::string limit(double value) {
  return std::isinf(value) ? "-" : number(value, 4);
}

std::string vector_text(const steelyard::Vector3& v) {
  return number(v[0], 4) + " " + number(v[1], 4) + " " + number(v[2], 4);
}

std::string frames_text(const Robot& robot) {
  Table table({"link", "joint", "on", "moves", "position at q = 0 [m]", "axis"});
  for (int j = 0; j < robot.size(); ++j) {
    const steelyard::Joint& joint = robot.joints[j];
    const steelyard::Pose before = to_pose(joint.before), after = to_pose(joint.after);
    const steelyard::Pose pose = before * after;
    const steelyard::Vector3 axis = after.rotation.transpose() * joint.axis;
    table.add({std::to_string(j + 1), joint.name, parent_name(robot, j),
               joint.kind == JointKind::revolute ? "turns" : "slides", vector_text(pose.position),
               vector_text(axis)});
  }
  return "Frames (origin of a link frame in its parent's, joint axis in its own)\n" + table.to_string();
}

std::string limits_text(const Robot& robot) {
  Table table({"link", "position", "velocity", "acceleration", "effort"});
  for (int j = 0; j < robot.size(); ++j) {
    const steelyard::Limits& limits = robot.joints[j].limits;
    table.add({std::to_string(j + 1), range(limits.lower, limits.upper), limit(limits.velocity),
               limit(limits.acceleration), limit(limits.effort)});
  }
  return "Limits (rad, m, s, N m, N)\n" + table.to_string();
}

std::string parameters_text(const Robot& robot) {
  Table moments({"link", "m", "mx", "my", "mz"});
  Table inertias({"link", "Jxx", "Jxy", "Jxz", "Jyy", "Jyz", "Jzz"});
  for (int j = 0; j < robot.size(); ++j) {
    const std::optional<steelyard::Inertia>& inertia = robot.joints[j].inertia;
    const auto row = [&](int first, int last) {
      std::vector<std::string> cells = {std::to_string(j + 1)};
      for (int k = first; k < last; ++k)
        cells.push_back(inertia ? number(inertia->to_standard()[k], 4) : "?");
      return cells;
    };
    moments.add(row(0, 4));
    inertias.add(row(4, steelyard::kParametersPerLink));
  }
  return "Standard parameters (SI, link frame, J about its origin; ? not given)\n" + moments.to_string() +
         "\n" + inertias.to_string();
}

// Breaks a long expression at its blanks; continuation lines are indented.
std::string wrapped_expression(const std::string& text, std::size_t indent) {
  constexpr std::size_t kWidth = 80;
  std::string result;
  std::size_t column = indent, start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (column > indent && column + 1 + word.size() > kWidth) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    }
    const std::string gap = column > indent ? " " : "";
    result += gap + word;
    column += gap.size() + word.size();
    start = end + 1;
  }
  return result;
}

std::string base_text(const BaseParameters& base, bool latex) {
  std::string text = fmt::format("Base parameters: {} of {} columns are identifiable (gap {:.1e})\n",
                                 base.rank, base.columns.size(), base.gap);
  for (std::size_t b = 0; b < base.base.size(); ++b) {
    const steelyard::BaseParameter& parameter = base.base[b];
    const std::string& expression = latex ? parameter.latex : parameter.expression;
    text += fmt::format("  {:>3}  {}\n", b + 1,
                        wrapped_expression(expression + (parameter.exact ? "" : " (numbers)"), 7));
  }
  for (const steelyard::SnappedAngle& angle : base.snapped)
    text += fmt::format("  expressions use {2} × 90° for {0} = {1:.6f} rad\n", angle.name, angle.value,
                        angle.quarter_turns);
  return text;
}

std::string identifiability_text(const Robot& robot, const BaseParameters& base) {
  const std::vector<Identifiability> items = identifiability(robot, base);
  std::string text = "Identifiability of each parameter\n";
  const auto section = [&](Identifiability::Kind kind, const char* title) {
    std::string lines;
    for (const Identifiability& item : items)
      if (item.kind == kind) lines += fmt::format("    {:<6} {}\n", item.parameter, item.why);
    if (!lines.empty()) text += fmt::format("  {}\n{}", title, lines);
  };
  section(Identifiability::Kind::alone, "alone");
  section(Identifiability::Kind::combined, "in combination");
  section(Identifiability::Kind::unseen, "not at all");
  return text;
}

std::string ambiguous_text(const BaseParameters& base) {
  return fmt::format(
      "ambiguous rank: {} or {} base parameters (gap {:.1e}, at least 1e3 needed); some length or angle is "
      "nearly zero: set it to zero, or check its unit",
      base.rank, base.other_rank, base.gap);
}

ordered_json vector_json(const steelyard::Vector3& v) {
  return {v[0], v[1], v[2]};
}

void set_finite(ordered_json& object, const char* key, double value) {
  if (std::isfinite(value)) object[key] = value;
}

ordered_json joints_json(const Robot& robot) {
  ordered_json joints = ordered_json::array();
  const Eigen::VectorXd lengths = link_lengths(robot);
  for (int j = 0; j < robot.size(); ++j) {
    const steelyard::Joint& joint = robot.joints[j];
    const steelyard::Pose pose = to_pose(joint.before) * steelyard::Pose(to_pose(joint.after));
    ordered_json item = {{"name", joint.name}, {"link", joint.link}, {"parent", joint.parent + 1}};
    item["kind"] = joint.kind == JointKind::revolute ? "revolute" : "prismatic";
    item["position"] = vector_json(pose.position);
    ordered_json rotation = ordered_json::array();
    for (int r = 0; r < 3; ++r)
      rotation.push_back({pose.rotation(r, 0), pose.rotation(r, 1), pose.rotation(r, 2)});
    item["rotation"] = rotation;
    item["axis"] = vector_json(to_pose(joint.after).rotation.transpose() * joint.axis);
    item["length"] = lengths[j];
    ordered_json limits = ordered_json::object();
    set_finite(limits, "lower", joint.limits.lower);
    set_finite(limits, "upper", joint.limits.upper);
    set_finite(limits, "velocity", joint.limits.velocity);
    set_finite(limits, "acceleration", joint.limits.acceleration);
    set_finite(limits, "effort", joint.limits.effort);
    item["limits"] = limits;
    if (joint.inertia) {
      ordered_json parameters = ordered_json::object();
      for (int k = 0; k < steelyard::kParametersPerLink; ++k)
        parameters[steelyard::kParameterStems[k] + std::to_string(j + 1)] = joint.inertia->to_standard()[k];
      item["parameters"] = parameters;
    }
    joints.push_back(std::move(item));
  }
  return joints;
}

ordered_json base_json(const BaseParameters& base) {
  ordered_json list = ordered_json::array();
  for (const steelyard::BaseParameter& parameter : base.base) {
    ordered_json item = {{"lead", parameter.lead},
                         {"expression", parameter.expression},
                         {"latex", parameter.latex},
                         {"exact", parameter.exact}};
    ordered_json terms = ordered_json::object(), symbolic = ordered_json::object();
    for (const steelyard::BaseTerm& term : parameter.terms) {
      terms[term.parameter] = term.coefficient;
      if (!term.symbolic.empty()) symbolic[term.parameter] = term.symbolic;
    }
    item["terms"] = terms;
    item["symbolic"] = symbolic;
    list.push_back(std::move(item));
  }
  return list;
}

ordered_json identifiability_json(const Robot& robot, const BaseParameters& base) {
  ordered_json object = {{"alone", ordered_json::array()},
                         {"combined", ordered_json::array()},
                         {"unseen", ordered_json::array()}};
  for (const Identifiability& item : identifiability(robot, base)) {
    const char* key = item.kind == Identifiability::Kind::alone      ? "alone"
                      : item.kind == Identifiability::Kind::combined ? "combined"
                                                                     : "unseen";
    object[key].push_back({{"parameter", item.parameter}, {"why", item.why}});
  }
  return object;
}

ordered_json to_json(const steelyard::RobotFile& file, const BaseParameters& base,
                     const ModelOptions& options) {
  ordered_json json = {{"format_version", 1}, {"name", file.robot.name}, {"dof", file.robot.dof()}};
  json["rows"] = options.rows;
  json["standard_count"] = base.columns.size();
  json["base_count"] = base.rank;
  json["inertial_base_count"] = base.inertial_rank;
  json["gap"] = base.gap;
  json["ambiguous"] = base.ambiguous;
  if (base.ambiguous) json["other_base_count"] = base.other_rank;
  json["joints"] = joints_json(file.robot);
  json["base"] = base_json(base);
  if (!base.ambiguous) json["identifiability"] = identifiability_json(file.robot, base);
  ordered_json snapped = ordered_json::array();
  for (const steelyard::SnappedAngle& angle : base.snapped)
    snapped.push_back({{"name", angle.name}, {"value", angle.value}, {"quarter_turns", angle.quarter_turns}});
  json["snapped"] = snapped;
  json["warnings"] = ordered_json::array();
  for (const steelyard::Complaint& warning : file.warnings) json["warnings"].push_back(warning.to_string());
  return json;
}

int run_model(const ModelOptions& options, const CommonOptions& common) {
  steelyard::BaseOptions base_options;
  base_options.rows = row_set(options.rows);
  base_options.drives = !options.no_drives;
  base_options.zero = options.zero;
  const steelyard::RobotFile file = steelyard::read_robot(options.robot);
  base_options.expressions = !options.no_expressions && file.robot.size() <= kMaxJointsWithExpressions;
  const BaseParameters base = base_parameters(file.robot, base_options);

  if (!common.quiet) print_warnings(file.warnings);
  if (!common.quiet && !options.no_expressions && !base_options.expressions)
    print_problem(fmt::format("note: expressions are omitted, they take minutes above {} joints",
                              kMaxJointsWithExpressions));
  if (common.json) {
    print(to_json(file, base, options).dump(2) + "\n");
  } else {
    print(fmt::format("{}: {} joints, {} degrees of freedom, {} columns\n\n", file.robot.name,
                      file.robot.size(), file.robot.dof(), base.columns.size()));
    print(frames_text(file.robot) + "\n" + limits_text(file.robot) + "\n" + parameters_text(file.robot) +
          "\n");
    if (!base.ambiguous)
      print(base_text(base, options.latex) + "\n" + identifiability_text(file.robot, base));
  }
  if (!base.ambiguous) return kDone;
  print_problem("steelyard: " + ambiguous_text(base));
  return kNotTrustworthy;
}

}  // namespace

Run add_model(Arguments& verb) {
  const auto options = std::make_shared<ModelOptions>();
  verb.add("ROBOT", options->robot, "Robot file: .yaml or .urdf").required();
  verb.add("--rows", options->rows, "What is measured: torque, gravity, inertia or gravity+inertia")
      .with_default();
  verb.add("--zero", options->zero, "Parameters known to be zero, e.g. Jxz7,Jyz7").separated_by(',');
  verb.add_flag("--no-drives", options->no_drives, "Leave out drive and coupled columns");
  verb.add_flag("--no-expressions", options->no_expressions, "Numbers only");
  verb.add_flag("--latex", options->latex, "Print base parameters as LaTeX");
  verb.footer("Example:\n  steelyard model robots/panda.yaml --rows gravity\n");
  return [options](const CommonOptions& common) { return run_model(*options, common); };
}

}  // namespace cli
