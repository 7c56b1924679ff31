#include "compare.hpp"

#include <gmock/gmock.h>

#include <sstream>

#include "agreement.hpp"

namespace steelyard::oracle {
namespace {

// permutation * (vector in the robot's order) = vector in the engine's order.
MatrixXd permutation_of(const Engine& engine, const Robot& robot) {
  const std::vector<std::string> names = engine.joint_names();
  std::vector<std::string> ours;
  for (const Joint& joint : robot.joints) ours.push_back(joint.name);
  EXPECT_THAT(names, testing::UnorderedElementsAreArray(ours));
  MatrixXd permutation = MatrixXd::Zero(static_cast<Index>(names.size()), robot.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const int joint = robot.index_of(names[i]);
    if (joint >= 0) permutation(static_cast<Index>(i), joint) = 1;
  }
  return permutation;
}

}  // namespace

void Disagreement::add(const Disagreement& other) {
  effort = std::max(effort, other.effort);
  mass = std::max(mass, other.mass);
}

std::string Disagreement::to_string() const {
  std::ostringstream out;
  out << "largest relative difference of efforts " << effort << ", of M " << mass;
  return out.str();
}

Disagreement disagreement(Engine& engine, const Robot& robot, const State& x) {
  const Tree tree = compile(robot);
  const VectorXd parameters = standard_parameters(robot);
  const MatrixXd P = permutation_of(engine, robot);
  const Answer theirs = engine.ask(P * x.q, P * x.qd, P * x.qdd);

  const InverseDynamics ours = newton_euler(tree, parameters, x.q, x.qd, x.qdd);
  const MatrixXd M = mass_matrix(tree, parameters, x.q);
  const VectorXd coriolis = coriolis_factor(tree, parameters, x.q, x.qd) * x.qd;
  const VectorXd gravity = gravity_torque(tree, parameters, x.q);
  const double efforts = std::max({largest(P.transpose() * theirs.tau - ours.tau),
                                   largest(P.transpose() * theirs.coriolis - coriolis),
                                   largest(P.transpose() * theirs.gravity - gravity)});
  // A joint may carry no inertia at all (a file with few digits): floor.
  const VectorXd root = M.diagonal().cwiseMax(1e-6 * M.diagonal().maxCoeff()).cwiseSqrt();
  const MatrixXd difference =
      (P.transpose() * theirs.mass_matrix * P - M).cwiseQuotient(root * root.transpose());
  return {efforts / effort_scale(ours), largest(difference)};
}

}  // namespace steelyard::oracle
