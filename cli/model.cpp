// steelyard model ROBOT: frames, parameters, limits, and what motion can identify.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "output.hpp"
#include "progress.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/regressor/symbolic.hpp"
#include "steelyard/robot/read.hpp"
#include "text.hpp"
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
  std::vector<std::string> formulas;
};

steelyard::SymbolicOptions wanted_formulas(const std::vector<std::string>& names) {
  steelyard::SymbolicOptions options;
  for (const std::string& name : names) {
    const std::vector<std::string> known = {"M", "C", "g", "Y"};
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) throw steelyard::InputError(steelyard::unknown("formula", name, known));
    bool* wanted[] = {&options.inertia, &options.coriolis, &options.gravity, &options.regressor};
    *wanted[found - known.begin()] = true;
  }
  return options;
}

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

using Formulas = std::vector<std::vector<steelyard::SymbolicEntry>>;

// Entries that are not zero; of a symmetric matrix one triangle.
std::string formula_lines(const char* name, const Formulas& rows, bool symmetric, bool latex,
                          const std::vector<std::string>& columns) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = symmetric ? i : 0; j < rows[i].size(); ++j) {
      const std::string& own = latex ? rows[i][j].latex : rows[i][j].text;
      if (own == "0") continue;
      const std::string place =
          columns.empty() ? fmt::format("{},{}", i + 1, j + 1) : fmt::format("{},{}", i + 1, columns[j]);
      const std::string lead =
          latex ? fmt::format("{}_{{{}}} =", name, place) : fmt::format("{}[{}] =", name, place);
      text += "  " + lead + "\n      " + wrapped_expression(own, 6) + "\n";
    }
  return text;
}

std::string formulas_text(const steelyard::SymbolicDynamics& formulas, const ModelOptions& options) {
  const steelyard::SymbolicOptions wanted = wanted_formulas(options.formulas);
  std::string text = "Formulas in base parameters, each written as its first one; q1 … in rad or m\n";
  for (const steelyard::SymbolicSymbol& symbol : formulas.symbols)
    text += fmt::format("  {} = {}\n", symbol.name, number(symbol.value, 6));
  if (wanted.inertia) text += formula_lines("M", formulas.inertia, true, options.latex, {});
  if (wanted.coriolis) text += formula_lines("C", formulas.coriolis, false, options.latex, {});
  if (wanted.gravity)
    for (std::size_t i = 0; i < formulas.gravity.size(); ++i) {
      const std::string& own = options.latex ? formulas.gravity[i].latex : formulas.gravity[i].text;
      const std::string lead =
          options.latex ? fmt::format("g_{{{}}} =", i + 1) : fmt::format("g[{}] =", i + 1);
      text += "  " + lead + "\n      " + wrapped_expression(own, 6) + "\n";
    }
  if (wanted.regressor) text += formula_lines("Y", formulas.regressor, false, options.latex, formulas.leads);
  return text;
}

ordered_json formulas_json(const steelyard::SymbolicDynamics& formulas) {
  const auto entries = [](const std::vector<steelyard::SymbolicEntry>& row) {
    ordered_json list = ordered_json::array();
    for (const steelyard::SymbolicEntry& entry : row)
      list.push_back({{"text", entry.text}, {"latex", entry.latex}});
    return list;
  };
  const auto rows = [&](const Formulas& matrix) {
    ordered_json list = ordered_json::array();
    for (const auto& row : matrix) list.push_back(entries(row));
    return list;
  };
  ordered_json symbols = ordered_json::object();
  for (const steelyard::SymbolicSymbol& symbol : formulas.symbols) symbols[symbol.name] = symbol.value;
  ordered_json json = {{"symbols", symbols}, {"leads", formulas.leads}};
  if (!formulas.inertia.empty()) json["M"] = rows(formulas.inertia);
  if (!formulas.coriolis.empty()) json["C"] = rows(formulas.coriolis);
  if (!formulas.gravity.empty()) json["g"] = entries(formulas.gravity);
  if (!formulas.regressor.empty()) json["Y"] = rows(formulas.regressor);
  return json;
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

// Base parameters with their expressions, whose number of steps is not known; shown while they are searched.
BaseParameters searched(const Robot& robot, const steelyard::BaseOptions& options, bool quiet) {
  Progress progress(quiet);
  std::jthread shown([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      progress.report("expressions of the base parameters");
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  });
  return base_parameters(robot, options);
}

// Numbers first: expressions of many joints take seconds.
void print_numbers(const Robot& robot, const BaseParameters& base) {
  print(fmt::format("{}: {} joints, {} degrees of freedom, {} columns\n\n", robot.name, robot.size(),
                    robot.dof(), base.columns.size()));
  print(frames_text(robot) + "\n" + limits_text(robot) + "\n" + parameters_text(robot) + "\n");
  std::fflush(stdout);
}

int run_model(const ModelOptions& options, const CommonOptions& common) {
  steelyard::BaseOptions base_options;
  base_options.rows = row_set(options.rows);
  base_options.drives = !options.no_drives;
  base_options.zero = options.zero;
  base_options.expressions = false;
  const steelyard::SymbolicOptions formulas_wanted = wanted_formulas(options.formulas);
  const steelyard::RobotFile file = steelyard::read_robot(options.robot);
  const bool can_express = file.robot.size() <= kMaxJointsWithExpressions;
  if (!common.quiet) print_warnings(file.warnings);
  if (!common.quiet && !options.no_expressions && !can_express)
    print_problem(fmt::format("note: expressions are omitted, they take minutes above {} joints",
                              kMaxJointsWithExpressions));
  BaseParameters base = base_parameters(file.robot, base_options);
  if (!common.json) print_numbers(file.robot, base);
  if (!options.no_expressions && can_express && !base.ambiguous) {
    base_options.expressions = true;
    base = searched(file.robot, base_options, common.quiet || common.json);
  }
  steelyard::SymbolicDynamics formulas;
  if (!options.formulas.empty() && !base.ambiguous)
    formulas = symbolic_dynamics(file.robot, base, formulas_wanted);
  if (common.json) {
    ordered_json json = to_json(file, base, options);
    if (!options.formulas.empty() && !base.ambiguous) json["formulas"] = formulas_json(formulas);
    print(json.dump(2) + "\n");
  } else {
    if (!base.ambiguous)
      print(base_text(base, options.latex) + "\n" + identifiability_text(file.robot, base));
    if (!options.formulas.empty() && !base.ambiguous) print("\n" + formulas_text(formulas, options));
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
  verb.add_flag("--latex", options->latex, "Print base parameters and formulas as LaTeX");
  verb.add("--formulas", options->formulas, "Print these in closed form: M, C, g, Y").separated_by(',');
  verb.footer("Example:\n  steelyard model robots/panda.yaml --rows gravity\n");
  return [options](const CommonOptions& common) { return run_model(*options, common); };
}

}  // namespace cli
