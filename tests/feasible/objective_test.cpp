// Objectives against what they stand for: the residual of rows, the distance of coefficients, divergences.
#include "steelyard/feasible/objective.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "oracle/random_robot.hpp"

namespace steelyard {
namespace {

// Torque rows of a robot in the base's lead columns, folded, with the whole stack beside them.
struct FoldedRobot {
  Robot robot;
  BaseParameters base;
  Fold fold;
  MatrixXd Y;  // all standard columns
  VectorXd tau;
};

FoldedRobot folded_robot() {
  FoldedRobot out;
  oracle::RandomRobotOptions shape;
  shape.joints = 3;
  shape.geometry = oracle::Geometry::modified_dh;
  out.robot = oracle::random_robot(4, shape);
  for (Joint& joint : out.robot.joints) joint.drive = {true, true, true, false};
  out.base = base_parameters(out.robot);
  const Plan plan = make_plan(out.robot);
  oracle::Random random(3);
  constexpr int kSamples = 100;
  out.Y.resize(Index{kSamples} * 3, static_cast<Index>(plan.columns.size()));
  for (int s = 0; s < kSamples; ++s) {
    const oracle::State state = oracle::random_state(random, 3);
    out.Y.middleRows(Index{s} * 3, 3) = regressor(plan, state.q, state.qd, state.qdd);
  }
  out.tau = out.Y * random.joint_vector(static_cast<int>(plan.columns.size()), 1) +
            random.joint_vector(static_cast<int>(out.Y.rows()), 0.1);
  Layout layout;
  layout.row = "all", layout.unit = "1";
  MatrixXd rows(out.Y.rows(), static_cast<Index>(out.base.lead.size()) + 1);
  for (std::size_t k = 0; k < out.base.lead.size(); ++k) {
    const std::string& name = out.base.columns[static_cast<std::size_t>(out.base.lead[k])];
    layout.columns.push_back(name);
    const auto at = std::find(plan.columns.begin(), plan.columns.end(), name) - plan.columns.begin();
    rows.col(static_cast<Index>(k)) = out.Y.col(at);
  }
  layout.efforts = {"torque"}, layout.effort_units = {"1"};
  rows.col(rows.cols() - 1) = out.tau;
  out.fold = fold_rows(layout, rows);
  return out;
}

TEST(TorqueObjective, IsTheResidualOfTheRows) {
  const FoldedRobot robot = folded_robot();
  const Quantities quantities = quantities_of(robot.robot, robot.base, robot.fold);
  const Objective objective = torque_objective(robot.fold, robot.base, quantities);
  ASSERT_EQ(objective.columns, quantities.columns());
  oracle::Random random(8);
  for (int trial = 0; trial < 5; ++trial) {
    const VectorXd x = random.joint_vector(static_cast<int>(quantities.size()), 1);
    // Columns of the plan and of the quantities have one order: standard ones, then drives.
    const double direct = (robot.Y * x - robot.tau).squaredNorm();
    EXPECT_NEAR(objective.value(x), direct, 1e-10 * direct);
  }
  EXPECT_NEAR(objective.effort(), robot.tau.squaredNorm(), 1e-10 * robot.tau.squaredNorm());
}

TEST(TorqueObjective, NamesAColumnItCannotPlace) {
  const FoldedRobot robot = folded_robot();
  const Quantities quantities(robot.robot);  // without drives
  try {
    torque_objective(robot.fold, robot.base, quantities);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("f"));
  }
}

TEST(CoefficientObjective, MeasuresBaseParameters) {
  const FoldedRobot robot = folded_robot();
  const Quantities quantities = quantities_of(robot.robot, robot.base, robot.fold);
  const std::vector<Fold> folds = {robot.fold};
  const Estimate estimated = estimate(folds);
  const CoefficientObjective plain = coefficient_objective(estimated, robot.base, quantities);
  EXPECT_TRUE(plain.left_out.empty());
  oracle::Random random(5);
  const VectorXd x = random.joint_vector(static_cast<int>(quantities.size()), 1);
  VectorXd in_base_order(static_cast<Index>(robot.base.columns.size()));
  for (std::size_t k = 0; k < robot.base.columns.size(); ++k)
    in_base_order[static_cast<Index>(k)] = x[quantities.column(robot.base.columns[k])];
  VectorXd difference = robot.base.K * in_base_order;
  for (std::size_t k = 0; k < robot.base.lead.size(); ++k)
    difference[static_cast<Index>(k)] -=
        estimated.values[estimated.find(robot.base.columns[static_cast<std::size_t>(robot.base.lead[k])])];
  EXPECT_NEAR(plain.objective.value(x), difference.squaredNorm(), 1e-10 * difference.squaredNorm());
  EXPECT_NEAR(coefficient_objective(plain.objective.z, robot.base, quantities).value(x),
              difference.squaredNorm(), 1e-10 * difference.squaredNorm());

  // Weighed by the covariance φ1 is φ2 up to its minimum and the rows' variance.
  CoefficientOptions weighed;
  weighed.by_covariance = true;
  const double phi1 = coefficient_objective(estimated, robot.base, quantities, weighed).objective.value(x);
  const Objective torque = torque_objective(robot.fold, robot.base, quantities);
  const double smallest = std::pow(estimated.sigma_rows, 2) * estimated.degrees;
  EXPECT_NEAR(phi1 * std::pow(estimated.sigma_rows, 2) + smallest, torque.value(x), 1e-7 * torque.value(x));
}

TEST(CoefficientObjective, LeavesOutWhatIsVague) {
  const FoldedRobot robot = folded_robot();
  const Quantities quantities = quantities_of(robot.robot, robot.base, robot.fold);
  const std::vector<Fold> folds = {robot.fold};
  const Estimate estimated = estimate(folds);
  std::vector<double> relative(estimated.relative_sigma.begin(), estimated.relative_sigma.end());
  std::sort(relative.begin(), relative.end());
  CoefficientOptions options;
  options.max_relative_sigma = relative[relative.size() - 3];
  const CoefficientObjective found = coefficient_objective(estimated, robot.base, quantities, options);
  EXPECT_EQ(found.left_out.size(), 2u);
  EXPECT_EQ(found.objective.R.rows(), static_cast<Index>(relative.size()) - 2);
}

TEST(Pull, OfBodiesIsADivergence) {
  const FoldedRobot robot = folded_robot();
  const Quantities quantities = quantities_of(robot.robot, robot.base, robot.fold);
  oracle::Random random(6);
  VectorXd reference = VectorXd::Zero(quantities.size()), x = reference;
  for (int link = 0; link < 3; ++link) {
    reference.segment<10>(Index{10} * link) = oracle::random_inertia(random).to_standard();
    x.segment<10>(Index{10} * link) = oracle::random_inertia(random).to_standard();
  }
  Objective objective;
  objective.columns = quantities.columns();
  objective.R = MatrixXd::Zero(0, quantities.size());
  objective.z = VectorXd::Zero(0);
  pull_bodies(objective, quantities, reference, 0.7);
  EXPECT_NEAR(objective.value(reference), 0, 1e-12);
  double direct = 0;
  for (int link = 0; link < 3; ++link) {
    const Eigen::Matrix4d P = Inertia::from_standard(x.segment<10>(Index{10} * link)).pseudo_inertia();
    const Eigen::Matrix4d P0 =
        Inertia::from_standard(reference.segment<10>(Index{10} * link)).pseudo_inertia();
    const Eigen::Matrix4d ratio = P0.inverse() * P;
    direct += 0.7 * (ratio.trace() - std::log(ratio.determinant()) - 4);
  }
  EXPECT_NEAR(objective.value(x), direct, 1e-9 * direct);
  const VectorXd gradient = objective.gradient(x);
  for (Index k = 0; k < 30; ++k) {
    const double h = 1e-6 * (1e-2 + std::abs(x[k]));
    VectorXd up = x, down = x;
    up[k] += h, down[k] -= h;
    const double slope = (objective.value(up) - objective.value(down)) / (2 * h);
    EXPECT_NEAR(gradient[k], slope, 1e-5 * (gradient.cwiseAbs().maxCoeff())) << k;
  }
  reference[0] = -1;
  EXPECT_THROW(pull_bodies(objective, quantities, reference, 1), InputError);
}

TEST(Pull, EuclideanIsInNaturalUnits) {
  const FoldedRobot robot = folded_robot();
  const Quantities quantities = quantities_of(robot.robot, robot.base, robot.fold);
  oracle::Random random(6);
  VectorXd reference = VectorXd::Zero(quantities.size());
  for (int link = 0; link < 3; ++link)
    reference.segment<10>(Index{10} * link) = oracle::random_inertia(random).to_standard();
  Objective objective = torque_objective(robot.fold, robot.base, quantities);
  const double before = objective.value(reference);
  pull_euclidean(objective, quantities, reference, 2);
  EXPECT_NEAR(objective.value(reference), before, 1e-10 * before);
  VectorXd x = reference;
  x[0] += reference[0];  // twice the mass: one natural unit
  const double squares = objective.value(x) - torque_objective(robot.fold, robot.base, quantities).value(x);
  EXPECT_NEAR(squares, 4, 1e-9 * before);
}

}  // namespace
}  // namespace steelyard
