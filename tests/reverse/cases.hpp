// Robots of the repository with bodies of our own, and tables of what they weigh.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "steelyard/core/random.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/excite/configurations.hpp"
#include "steelyard/reverse/fit.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {

inline Robot named(const std::string& name) {
  return read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/" + name + ".yaml").robot;
}

// A solid body for every link: random, positive definite, of about the size of the links.
inline VectorXd random_bodies(const Robot& robot, std::uint64_t seed) {
  Random random(seed, "bodies");
  VectorXd parameters(10 * robot.size());
  for (Index link = 0; link < robot.size(); ++link) {
    Eigen::Matrix4d L = Eigen::Matrix4d::Zero();
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j <= i; ++j) L(i, j) = (i == 3 ? 1 : 0.1) * random.normal();
    const Eigen::Matrix4d P = L * L.transpose() + 1e-3 * Eigen::Matrix4d::Identity();  // pseudo-inertia
    const Eigen::Matrix3d sigma = P.topLeftCorner<3, 3>();
    const Eigen::Matrix3d J = sigma.trace() * Eigen::Matrix3d::Identity() - sigma;
    parameters.segment(10 * link, 10) << P(3, 3), P(0, 3), P(1, 3), P(2, 3), J(0, 0), J(0, 1), J(0, 2),
        J(1, 1), J(1, 2), J(2, 2);
  }
  return parameters;
}

// Newton-Euler's own g and M: shares no code with the regressor rows.
inline ReverseSource source_of(const Robot& robot, const VectorXd& parameters, const VectorXd& rotors = {}) {
  const Tree tree = compile(robot);
  return [=](const VectorXd& q) {
    ReverseAnswer answer{gravity_torque(tree, parameters, q), mass_matrix(tree, parameters, q)};
    if (rotors.size() > 0) answer.inertia.diagonal() += rotors;
    return answer;
  };
}

inline double largest_error(const std::vector<ComponentError>& errors) {
  double largest = 0;
  for (const ComponentError& error : errors) largest = std::max(largest, error.largest);
  return largest;
}

inline ReverseTable table_of(const Robot& robot, const ReverseSource& source, Index count,
                             std::uint64_t index) {
  return ask(source, random_configurations(robot, count, {}, index), "vendor");
}

}  // namespace steelyard
