// Newton-Euler and M against the long-double referee on random chains and trees.
#include "oracle/referee.hpp"

#include <gtest/gtest.h>

#include "agreement.hpp"

namespace steelyard {
namespace referee_test {

// Both sides sum the same few hundred terms; 1e-14 is 45 ε of the sum of their magnitudes.
constexpr double kTolerance = 1e-14;

void expect_agreement(const Robot& robot, const oracle::State& x, const Vector6& wrench, double tolerance) {
  const Tree tree = compile(robot);
  const VectorXd parameters = standard_parameters(robot);
  const oracle::RefereeResult truth = oracle::referee(robot, x.q, x.qd, x.qdd, wrench);
  const VectorXd tau = newton_euler(tree, parameters, x.q, x.qd, x.qdd, wrench).tau;
  EXPECT_LE(oracle::largest(((tau - truth.tau).array() / truth.scale.array()).matrix()), tolerance);
  const MatrixXd M = mass_matrix(tree, parameters, x.q);
  const VectorXd root = truth.mass_matrix.diagonal().cwiseSqrt();
  const MatrixXd relative = (M - truth.mass_matrix).cwiseQuotient(root * root.transpose());
  EXPECT_LE(oracle::largest(relative), tolerance);
}

TEST(Referee, AgreesWithNewtonEulerAndMassMatrix) {
  oracle::for_random_robots(200, [](oracle::RandomCase& c) {
    for (int sample = 0; sample < 5; ++sample) {
      expect_agreement(c.robot, oracle::random_state(c.random, c.robot.size()), c.tool_wrench(), kTolerance);
    }
  });
}

TEST(Referee, AgreesOnATwoHundredJointChain) {
  oracle::RandomRobotOptions options;
  options.joints = 200;
  const Robot robot = oracle::random_robot(200, options);
  oracle::Random random(200);
  const oracle::State x = oracle::random_state(random, robot.size());
  // Rounding adds up along the chain.
  expect_agreement(robot, x, Vector6::Zero(), 10 * kTolerance);
  const Tree tree = compile(robot);
  const VectorXd parameters = standard_parameters(robot);
  const InverseDynamics inverse = newton_euler(tree, parameters, x.q, x.qd, x.qdd);
  const VectorXd qdd = forward_dynamics(tree, parameters, x.q, x.qd, inverse.tau);
  const VectorXd again = newton_euler(tree, parameters, x.q, x.qd, qdd).tau;
  EXPECT_LE(oracle::largest(again - inverse.tau), 200 * kTolerance * oracle::effort_scale(inverse));
}

}  // namespace referee_test
}  // namespace steelyard
