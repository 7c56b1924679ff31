#include "steelyard/simulate/drives.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cases.hpp"
#include "oracle/random_robot.hpp"
#include "steelyard/regressor/plan.hpp"

namespace steelyard {
namespace {

TEST(Friction, LinearTermsAreViscousCoulombAndOffset) {
  Friction f;
  f.viscous = 2;
  f.coulomb = 0.5;
  f.offset = -0.1;
  EXPECT_DOUBLE_EQ(friction_effort(f, 0.25), 0.5 + 0.5 - 0.1);
  EXPECT_DOUBLE_EQ(friction_effort(f, -0.25), -0.5 - 0.5 - 0.1);
  EXPECT_DOUBLE_EQ(friction_effort(f, 0), -0.1);
}

TEST(Friction, AsymmetricCoulombHasOneLevelEachWay) {
  Friction f;
  f.coulomb_positive = 0.7;
  f.coulomb_negative = 0.3;
  EXPECT_EQ(friction_effort(f, 1e-9), 0.7);
  EXPECT_EQ(friction_effort(f, -1e-9), -0.3);
  EXPECT_EQ(friction_effort(f, 0), 0);
}

TEST(Friction, SigmoidIsThePandaPapers) {
  const nlohmann::json table = cases::panda_tables()["sigmoid"];
  for (std::size_t j = 0; j < 7; ++j) {
    Friction f;
    const double a = f.sigmoid_height = table["phi1"][j];
    const double b = f.sigmoid_slope = table["phi2"][j];
    const double c = f.sigmoid_shift = table["phi3"][j];
    for (const double v : {-2.0, -0.1, 0.03, 1.5}) {
      const double wanted = a / (1 + std::exp(-b * (v + c))) - a / (1 + std::exp(-b * c));
      EXPECT_NEAR(friction_effort(f, v), wanted, 1e-15);
    }
    EXPECT_EQ(friction_effort(f, 0), 0);
    EXPECT_NEAR(friction_effort(f, 1e9) - friction_effort(f, -1e9), a, 1e-15);  // from level to level
  }
}

TEST(Friction, StribeckFallsFromStaticToCoulomb) {
  Friction f;
  f.coulomb = 1;
  f.stribeck = 0.5;
  f.stribeck_velocity = 0.02;
  EXPECT_NEAR(friction_effort(f, 1e-9), 1.5, 1e-12);
  EXPECT_NEAR(friction_effort(f, -0.02), -1 - 0.5 * std::exp(-1), 1e-15);
  EXPECT_NEAR(friction_effort(f, 0.2), 1, 1e-15);
  f.stribeck_exponent = 1;
  EXPECT_NEAR(friction_effort(f, 0.04), 1 + 0.5 * std::exp(-2), 1e-15);
}

// The simulator's drives against the regressor's own columns: Ia, fv, fc, fo of six joints and the coupled
// wrist.
TEST(Drives, AreTheRegressorsDriveColumns) {
  Robot robot = cases::robot("tx40");
  oracle::Random random(5);
  for (Joint& joint : robot.joints) joint.inertia = oracle::random_inertia(random);
  TrueParameters truth = true_parameters(robot);
  const Plan plan = make_plan(robot);
  ASSERT_EQ(plan.columns.size(), 87u);
  VectorXd parameters(87);
  parameters.head(60) = truth.standard;
  for (Index i = 60; i < 87; ++i) parameters[i] = random.uniform(0.1, 2);
  for (Index j = 0; j < 6; ++j) {
    Drive& drive = truth.drives[static_cast<std::size_t>(j)];
    drive.rotor_inertia = parameters[60 + 4 * j];
    drive.friction.viscous = parameters[61 + 4 * j];
    drive.friction.coulomb = parameters[62 + 4 * j];
    drive.friction.offset = parameters[63 + 4 * j];
  }
  truth.pairs = {{parameters[84], parameters[85], parameters[86]}};

  SimulateOptions options;
  options.rate = 20;
  options.acceleration = true;
  options.check_limits = false;
  const steelyard::Run run = simulate(robot, truth, cases::motion(6, 5), options);
  for (Index s = 0; s < run.samples.size(); ++s) {
    const MatrixXd Y = regressor(plan, cases::at(run, "position", s), cases::at(run, "velocity", s),
                                 cases::at(run, "acceleration", s));
    const VectorXd wanted = Y * parameters;
    const double scale = (Y.cwiseAbs() * parameters.cwiseAbs()).maxCoeff();
    // 87 products summed in another order.
    EXPECT_LT((cases::at(run, "torque", s) - wanted).cwiseAbs().maxCoeff(), 87 * 2.3e-16 * scale);
  }
}

}  // namespace
}  // namespace steelyard
