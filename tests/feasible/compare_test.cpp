// Parameter sets side by side: errors of sets with a known difference, and both ways of writing an inertia.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feasible/two_r_cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard {
namespace {

// Ten runs; the second set's offset is wrong by a known amount, so that its mean square error is known too.
TEST(MeanSquareErrors, AreThoseOfTheDifferenceThatWasMade) {
  const Robot robot = two_r::robot();
  const Tree tree = compile(robot);
  ParameterSet right{"right",
                     standard_parameters(robot),
                     VectorXd::Constant(2, 0.3),
                     VectorXd::Constant(2, 0.2),
                     VectorXd::Constant(2, -0.1),
                     VectorXd::Constant(2, 0.05)};
  ParameterSet wrong = right;
  wrong.name = "wrong";
  wrong.offset = VectorXd::Constant(2, -0.1);
  wrong.offset[1] += 0.5;
  std::vector<MotionSamples> runs;
  for (int k = 0; k < 10; ++k) {
    MotionSamples run = two_r::motion();
    run.label = "run " + std::to_string(k + 1);
    run.q.array() += 0.1 * k;
    run.torque = predicted_torque(tree, right, run);
    runs.push_back(std::move(run));
  }
  const MeanSquareErrors table = mean_square_errors(tree, {right, wrong}, runs);
  EXPECT_EQ(table.by_run.size(), 10u);
  EXPECT_EQ(table.total.row(0).maxCoeff(), 0);
  EXPECT_NEAR(table.total(1, 0), 0, 1e-28);
  EXPECT_NEAR(table.total(1, 1), 0.25, 1e-13);
  EXPECT_NEAR(table.by_run[7](1, 1), 0.25, 1e-13);
  EXPECT_THAT(table.to_text(), testing::HasSubstr("wrong"));
}

TEST(PredictedTorque, IsNewtonEulerPlusTheDriveTerms) {
  const Robot robot = two_r::robot();
  const Tree tree = compile(robot);
  const MotionSamples motion = two_r::motion();
  const VectorXd parameters = standard_parameters(robot);
  ParameterSet set{"set",
                   parameters,
                   VectorXd::Constant(2, 0.3),
                   VectorXd::Constant(2, 0.2),
                   VectorXd::Constant(2, -0.1),
                   VectorXd::Constant(2, 0.05)};
  const MatrixXd torque = predicted_torque(tree, set, motion);
  const Index s = 123;
  const VectorXd rigid = newton_euler(tree, parameters, motion.q.row(s).transpose(),
                                      motion.qd.row(s).transpose(), motion.qdd.row(s).transpose())
                             .tau;
  for (Index j = 0; j < 2; ++j)
    EXPECT_NEAR(torque(s, j),
                rigid[j] + 0.05 * motion.qdd(s, j) + 0.3 * motion.qd(s, j) +
                    0.2 * (motion.qd(s, j) > 0 ? 1 : -1) - 0.1,
                1e-12);
}

TEST(CompareWrenches, AtRestTheLowestJointCarriesTheWholeWeight) {
  const Robot robot = two_r::robot();
  const Tree tree = compile(robot);
  MotionSamples rest = two_r::motion();
  rest.qd.setZero();
  rest.qdd.setZero();
  const auto found = compare_wrenches(tree, {{"set", standard_parameters(robot), {}, {}, {}, {}}}, rest);
  EXPECT_NEAR(found[0].force[0], 11 * 9.81, 1e-10);
  EXPECT_NEAR(found[0].force[1], 3 * 9.81, 1e-10);
}

TEST(Compare, WrongSizesAreRefused) {
  const Robot robot = two_r::robot();
  const Tree tree = compile(robot);
  MotionSamples motion = two_r::motion();
  EXPECT_THROW(predicted_torque(tree, {"short", VectorXd::Zero(10), {}, {}, {}, {}}, motion), InputError);
  EXPECT_THROW(mean_square_errors(tree, {{"set", standard_parameters(robot), {}, {}, {}, {}}}, {motion}),
               InputError);
  motion.qd.resize(3, 2);
  EXPECT_THROW(predicted_torque(tree, {"set", standard_parameters(robot), {}, {}, {}, {}}, motion),
               InputError);
}

}  // namespace
}  // namespace steelyard
