#include "robot/yaml_transmission.hpp"

#include <fmt/format.h>

#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

int to_joint(const YamlContext& context, const YamlNode& node, const Robot& robot) {
  const std::string name = to_text(context, node, "joint");
  const int index = robot.index_of(name);
  if (index >= 0) return index;
  std::vector<std::string> names;
  for (const Joint& joint : robot.joints) names.push_back(joint.name);
  Complaint complaint = unknown("joint", name, names, context.place(node));
  if (complaint.remedy.empty()) complaint.remedy = "name a moving joint of this file";
  throw InputError(std::move(complaint));
}

MatrixXd read_matrix(const YamlContext& context, const YamlNode& node, Index n) {
  const std::vector<YamlNode>& rows = to_list(context, node, "matrix");
  if (static_cast<Index>(rows.size()) != n) {
    context.fail(node, fmt::format("matrix has {} rows", rows.size()),
                 fmt::format("{0} rows of {0} numbers", n), "give one row for every motor");
  }
  MatrixXd matrix(n, n);
  for (Index i = 0; i < n; ++i) {
    matrix.row(i) = to_vector(context, rows[i], fmt::format("row {} of matrix", i + 1), n).transpose();
  }
  return matrix;
}

void add_coupling(const YamlContext& context, const YamlNode& node, const Robot& robot, MatrixXd& matrix) {
  const Coordinates independent = coordinates(robot);
  const auto position_of = [&](const YamlNode& name) {
    const int joint = to_joint(context, name, robot);
    for (std::size_t k = 0; k < independent.joints.size(); ++k) {
      if (independent.joints[k] == joint) return static_cast<Index>(k);
    }
    context.fail(name, "a mimic joint has no motor", "independent joints", "name its master");
  };
  for (const YamlNode& item : to_list(context, node, "coupling")) {
    const YamlFields fields(context, item, "coupling", {"motor", "joint", "ratio"});
    const Index motor = position_of(fields.at("motor"));
    const Index joint = position_of(fields.at("joint"));
    matrix(motor, joint) = to_number(context, fields.at("ratio"), "ratio");
  }
}

}  // namespace

std::vector<CoupledPair> read_coupled(const YamlContext& context, const YamlNode& node, const Robot& robot) {
  std::vector<CoupledPair> pairs;
  for (const YamlNode& item : to_list(context, node, "coupled")) {
    const std::vector<YamlNode>& names = to_list(context, item, "coupled pair");
    if (names.size() != 2) {
      context.fail(item, fmt::format("a coupled pair has {} entries", names.size()), "[joint, partner]",
                   "name the two joints whose motors are coupled");
    }
    pairs.push_back({to_joint(context, names[0], robot), to_joint(context, names[1], robot)});
    if (pairs.back().joint == pairs.back().partner) {
      context.fail(item, "a joint is coupled with itself", "two different joints", "name the partner joint");
    }
  }
  return pairs;
}

Transmission read_transmission(const YamlContext& context, const YamlNode& node, const Robot& robot) {
  const YamlFields fields(context, node, "transmission", {"matrix", "ratios", "coupling", "zero"});
  const Index n = robot.dof();
  Transmission transmission;
  if (fields.has("matrix") == fields.has("ratios")) {
    context.fail(node,
                 fields.has("matrix") ? "transmission has both 'matrix' and 'ratios'"
                                      : "transmission has neither 'matrix' nor 'ratios'",
                 "one of them", "give the full matrix, or the ratios and the couplings");
  }
  if (const YamlNode* matrix = fields.find("matrix")) {
    transmission.matrix = read_matrix(context, *matrix, n);
  } else {
    transmission.matrix = to_vector(context, *fields.find("ratios"), "ratios", n).asDiagonal();
  }
  if (const YamlNode* coupling = fields.find("coupling")) {
    add_coupling(context, *coupling, robot, transmission.matrix);
  }
  transmission.zero = VectorXd::Zero(n);
  if (const YamlNode* zero = fields.find("zero")) {
    transmission.zero = to_vector(context, *zero, "zero", n);
    const Coordinates independent = coordinates(robot);
    for (Index i = 0; i < n; ++i) {
      const bool turns = robot.joints[independent.joints[i]].kind == JointKind::revolute;
      if (turns) transmission.zero[i] *= context.angle_unit;
    }
  }
  return transmission;
}

}  // namespace steelyard
