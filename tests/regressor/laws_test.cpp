// Y π is the robot's dynamics: laws that hold for every robot, on every instruction set.
#include <gtest/gtest.h>

#include "regressor/regressor_cases.hpp"

namespace steelyard {
namespace {

// Rounding of a path of ten rotations and of sums of up to a hundred products.
constexpr double kTolerance = 1000 * 2.2e-16;

class RegressorLaws : public PerIsa {};
INSTANTIATE_TEST_SUITE_P(Isa, RegressorLaws, testing::ValuesIn(available_levels()), isa_name);

TEST_P(RegressorLaws, TorqueRowsTimesParametersAreNewtonEuler) {
  for (const Robot& robot : robots_of_all_kinds()) {
    SCOPED_TRACE(oracle::to_string(robot));
    const Tree tree = compile(robot);
    const Plan plan = make_plan(robot);
    const VectorXd parameters = standard_parameters(robot);
    oracle::Random random(1);
    for (int trial = 0; trial < 3; ++trial) {
      const oracle::State x = oracle::random_state(random, robot.size());
      const MatrixXd Y = regressor(plan, x.q, x.qd, x.qdd);
      const VectorXd scale = natural_scale(Y, parameters);
      const VectorXd error = Y * parameters - newton_euler(tree, parameters, x.q, x.qd, x.qdd).tau;
      ASSERT_LT(error.cwiseQuotient(scale).cwiseAbs().maxCoeff(), kTolerance);
    }
  }
}

TEST_P(RegressorLaws, EveryColumnIsTheTorqueOfItsUnitParameter) {
  oracle::RandomRobotOptions options;
  options.branches = true;
  const Robot robot = oracle::random_robot(7, options);
  const Tree tree = compile(robot);
  const Plan plan = make_plan(robot);
  oracle::Random random(2);
  const oracle::State x = oracle::random_state(random, robot.size());
  const MatrixXd Y = regressor(plan, x.q, x.qd, x.qdd);
  for (Index c = 0; c < Y.cols(); ++c) {
    const VectorXd unit = VectorXd::Unit(Y.cols(), c);
    const VectorXd tau = newton_euler(tree, unit, x.q, x.qd, x.qdd).tau;
    EXPECT_LT((Y.col(c) - tau).cwiseAbs().maxCoeff(), kTolerance * (1 + tau.cwiseAbs().maxCoeff()))
        << plan.columns[static_cast<std::size_t>(c)];
  }
}

TEST_P(RegressorLaws, GravityRowsTimesParametersAreGravityTorques) {
  for (const Robot& robot : robots_of_all_kinds()) {
    SCOPED_TRACE(oracle::to_string(robot));
    PlanOptions options;
    options.kind = RowKind::gravity;
    const Plan plan = make_plan(robot, options);
    const VectorXd parameters = standard_parameters(robot);
    oracle::Random random(3);
    const VectorXd q = random.joint_vector(robot.size(), 3);
    const MatrixXd Y = regressor(plan, q, {}, {});
    const VectorXd error = Y * parameters - gravity_torque(compile(robot), parameters, q);
    ASSERT_LT(error.cwiseQuotient(natural_scale(Y, parameters)).cwiseAbs().maxCoeff(), kTolerance);
  }
}

TEST_P(RegressorLaws, InertiaRowsTimesParametersAreTheMassMatrix) {
  for (const Robot& robot : robots_of_all_kinds()) {
    SCOPED_TRACE(oracle::to_string(robot));
    PlanOptions options;
    options.kind = RowKind::inertia;
    const Plan plan = make_plan(robot, options);
    const VectorXd parameters = standard_parameters(robot);
    oracle::Random random(4);
    const VectorXd q = random.joint_vector(robot.size(), 3);
    const MatrixXd Y = regressor(plan, q, {}, {});
    const VectorXd entries = Y * parameters;
    // An entry may be zero by geometry: rounding is that of the matrix.
    const double scale = natural_scale(Y, parameters).maxCoeff();
    MatrixXd left = mass_matrix(compile(robot), parameters, q);
    for (std::size_t r = 0; r < plan.rows.size(); ++r) {
      const Row& row = plan.rows[r];
      ASSERT_LE(row.j, row.i);
      const Index at = static_cast<Index>(r);
      ASSERT_NEAR(entries[at], left(row.i, row.j), kTolerance * scale) << row.i << ", " << row.j;
      left(row.i, row.j) = left(row.j, row.i) = 0;
    }
    // Entries without a row are those of joints on different branches.
    EXPECT_EQ(left.cwiseAbs().maxCoeff(), 0);
  }
}

TEST_P(RegressorLaws, AChainOfTwoHundredJointsIsComputed) {
  oracle::RandomRobotOptions options;
  options.joints = 200;
  options.geometry = oracle::Geometry::modified_dh;
  options.prismatic_share = 0.1;
  const Robot robot = oracle::random_robot(11, options);
  const VectorXd parameters = standard_parameters(robot);
  oracle::Random random(5);
  const oracle::State x = oracle::random_state(random, robot.size());
  const Plan plan = make_plan(robot);
  const MatrixXd Y = regressor(plan, x.q, x.qd, x.qdd);
  const VectorXd error = Y * parameters - newton_euler(compile(robot), parameters, x.q, x.qd, x.qdd).tau;
  // Rounding grows with the number of rotations and of summed terms.
  EXPECT_LT(error.cwiseQuotient(natural_scale(Y, parameters)).cwiseAbs().maxCoeff(), 20 * kTolerance);
}

// q_all = G q + h: τ_red = Gᵀ τ, M_red = Gᵀ M G.
TEST_P(RegressorLaws, MimicJointsGiveTheRowsOfTheirMasters) {
  oracle::RandomRobotOptions options;
  options.branches = true;
  options.joints = 6;
  Robot robot = oracle::random_robot(21, options);
  robot.mimics = {{3, 1, -0.7, 0.2}, {5, 1, 2.0, -0.1}};
  const Coordinates map = coordinates(robot);
  const Tree tree = compile(robot);
  const VectorXd parameters = standard_parameters(robot);
  oracle::Random random(6);
  const oracle::State x = oracle::random_state(random, robot.dof());
  const VectorXd q = map.matrix * x.q + map.offset, qd = map.matrix * x.qd, qdd = map.matrix * x.qdd;

  const Plan torque = make_plan(robot);
  ASSERT_EQ(torque.joints, 4);
  const MatrixXd Y = regressor(torque, x.q, x.qd, x.qdd);
  const VectorXd tau = map.matrix.transpose() * newton_euler(tree, parameters, q, qd, qdd).tau;
  const VectorXd scale = natural_scale(Y, parameters);
  EXPECT_LT((Y * parameters - tau).cwiseQuotient(scale).cwiseAbs().maxCoeff(), kTolerance);

  PlanOptions inertia;
  inertia.kind = RowKind::inertia;
  const Plan plan = make_plan(robot, inertia);
  const VectorXd entries = regressor(plan, x.q, {}, {}) * parameters;
  MatrixXd M = map.matrix.transpose() * mass_matrix(tree, parameters, q) * map.matrix;
  const double size = M.cwiseAbs().maxCoeff();
  for (std::size_t r = 0; r < plan.rows.size(); ++r) {
    const Row& row = plan.rows[r];
    EXPECT_NEAR(entries[static_cast<Index>(r)], M(row.i, row.j), kTolerance * size) << row.i << ", " << row.j;
    M(row.i, row.j) = M(row.j, row.i) = 0;
  }
  EXPECT_LT(M.cwiseAbs().maxCoeff(), kTolerance * size);
}

TEST_P(RegressorLaws, AMimicJointsDriveColumnsActOnTheMaster) {
  oracle::RandomRobotOptions options;
  options.joints = 3;
  Robot robot = oracle::random_robot(22, options);
  declare_all_drives(robot);
  robot.mimics = {{2, 0, -0.5, 0.3}};
  PlanOptions wanted;
  wanted.wanted = {"Ia1", "fv3", "fc3", "Ia3"};
  const Plan plan = make_plan(robot, wanted);
  ASSERT_EQ(plan.columns, (std::vector<std::string>{"Ia1", "Ia3", "fv3", "fc3"}));
  const Eigen::Vector2d qd(0.8, 0.1), qdd(2, 3);
  const MatrixXd Y = regressor(plan, Eigen::Vector2d(0, 0), qd, qdd);
  // Joint 3 moves with −0.5 times joint 1, and its effort counts −0.5 on joint 1.
  EXPECT_TRUE(Y.row(0).isApprox(Eigen::RowVector4d(2, 0.25 * 2, 0.25 * 0.8, 0.5), 1e-15));
  EXPECT_TRUE(Y.row(1).isZero(0));
}

}  // namespace
}  // namespace steelyard
