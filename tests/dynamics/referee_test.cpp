// Newton-Euler and M against the long-double referee on random chains and trees.
#include "oracle/referee.hpp"

#include <gtest/gtest.h>

#include "agreement.hpp"

namespace steelyard {
namespace {

using oracle::random_robot;
using oracle::RandomRobotOptions;

// Both sides sum the same few hundred terms; 1e-14 is 45 ε of the sum of their magnitudes.
constexpr double kTolerance = 1e-14;

class Referee : public testing::TestWithParam<int> {};

TEST_P(Referee, AgreesWithNewtonEulerAndMassMatrix) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  const Robot robot = random_robot(seed, oracle::options_of_seed(seed));
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + oracle::to_string(robot));
  const Tree tree = compile(robot);
  const VectorXd parameters = standard_parameters(robot);
  oracle::Random random(seed + 1000);
  for (int sample = 0; sample < 10; ++sample) {
    const oracle::State x = oracle::random_state(random, robot.size());
    Vector6 wrench;
    wrench << random.vector(20), random.vector(5);
    const oracle::RefereeResult truth = oracle::referee(robot, x.q, x.qd, x.qdd, wrench);
    const VectorXd tau = newton_euler(tree, parameters, x.q, x.qd, x.qdd, wrench).tau;
    EXPECT_LE(((tau - truth.tau).array() / truth.scale.array()).abs().maxCoeff(), kTolerance);
    const MatrixXd M = mass_matrix(tree, parameters, x.q);
    const VectorXd root = truth.mass_matrix.diagonal().cwiseSqrt();
    const MatrixXd relative = (M - truth.mass_matrix).cwiseQuotient(root * root.transpose());
    EXPECT_LE(relative.cwiseAbs().maxCoeff(), kTolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Referee, testing::Range(1, 81));

}  // namespace
}  // namespace steelyard
