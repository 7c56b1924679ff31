// The elastic simulator against closed forms, its own equations and energy, finer steps and the rigid limit.
#include "steelyard/simulate/elastic.hpp"

#include <cmath>

#include "cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard {
namespace elastic_test {

using cases::one;

// A cart on a level rail, moved through a spring by a motor that counts as a mass.
Robot cart(double mass) {
  Robot robot;
  robot.name = "cart";
  Joint joint;
  joint.name = joint.link = "cart";
  joint.kind = JointKind::prismatic;
  joint.axis = Vector3::UnitX();
  joint.inertia = Inertia::from_mass_com_inertia(mass, Vector3::Zero(), 0.01 * Matrix3::Identity());
  robot.joints = {joint};
  return robot;
}

ElasticRobot springs(const Robot& robot, double K, double B) {
  ElasticRobot elastic;
  elastic.parameters = true_parameters(robot);
  for (Drive& drive : elastic.parameters.drives) drive.rotor_inertia = B;
  elastic.stiffness = one(K);
  return elastic;
}

ElasticMotionOptions free_motion() {
  ElasticMotionOptions options;
  options.bandwidth = 0;
  options.feed_forward = false;
  return options;
}

Trajectory two_r_motion(double duration) {
  return cases::motion(2, 3, duration);
}

TEST(Elastic, TwoMassesOnASpringFollowTheClosedForm) {
  const double m = 2, B = 0.5, K = 800;
  const Robot robot = cart(m);
  ElasticMotionOptions options = free_motion();
  options.start = ElasticState{one(0.1), one(0.3), one(0.14), one(0.3)};
  const ElasticMotion motion = elastic_motion(robot, springs(robot, K, B), cases::motion(1, 1, 2), options);
  const double omega = std::sqrt(K * (1 / m + 1 / B));
  for (Index s = 0; s < motion.time.size(); s += 50) {
    const double t = motion.time[s], bend = 0.04 * std::cos(omega * t);
    const double centre = (m * 0.1 + B * 0.14) / (m + B) + 0.3 * t;
    // Phase error of two-stage Gauss: (h ω)⁴/720 a radian, 5e-7 after 2 s at an amplitude of 0.032.
    EXPECT_NEAR(motion.q(s, 0), centre - B / (m + B) * bend, 2e-8);
    EXPECT_NEAR(motion.theta(s, 0), centre + m / (m + B) * bend, 2e-8);
  }
}

TEST(Elastic, LinkAndMotorEquationsHoldAtEverySample) {
  const Robot robot = cases::robot("two_r");
  ElasticRobot elastic = springs(robot, 3000, 0.4);
  elastic.damping = one(2);
  for (Drive& drive : elastic.parameters.drives) drive.friction = {1.5, 0.8, 0.1};
  const ElasticMotion motion = elastic_motion(robot, elastic, two_r_motion(1), {});
  const Tree tree = compile(robot);
  for (Index s = 0; s < motion.time.size(); s += 100) {
    const VectorXd spring = 3000 * (motion.theta.row(s) - motion.q.row(s)).transpose() +
                            2 * (motion.thetad.row(s) - motion.qd.row(s)).transpose();
    const VectorXd link = newton_euler(tree, elastic.parameters.standard, motion.q.row(s).transpose(),
                                       motion.qd.row(s).transpose(), motion.qdd.row(s).transpose())
                              .tau;
    // Forces of some 50 N·m behind a solve with the mass matrix.
    EXPECT_LT((link - spring).norm(), 1e-9);
    EXPECT_LT((motion.elastic_torque.row(s).transpose() - spring).norm(), 1e-12);
    for (Index j = 0; j < 2; ++j) {
      const double w = motion.thetad(s, j);
      EXPECT_NEAR(motion.effort(s, j),
                  0.4 * motion.thetadd(s, j) + 1.5 * w + 0.8 * std::tanh(w / 0.01) + 0.1 + spring[j], 1e-9);
    }
  }
}

// Differences of the positions are the logged accelerations: what is integrated is what is written.
TEST(Elastic, AccelerationsAreTheDifferencesOfThePositions) {
  const Robot robot = cases::robot("two_r");
  ElasticMotionOptions options;
  options.rate = 4000;
  const ElasticMotion motion = elastic_motion(robot, springs(robot, 3000, 0.4), two_r_motion(0.5), options);
  for (Index s = 100; s < 2000; s += 100) {
    const auto second = [&](const MatrixXd& x, Index j) {
      return (x(s + 1, j) - 2 * x(s, j) + x(s - 1, j)) * 4000 * 4000;
    };
    for (Index j = 0; j < 2; ++j) {
      // h²/12 of the fourth derivative, which the spring modes (200 rad/s) give: 1e-4 of the acceleration.
      EXPECT_NEAR(second(motion.q, j), motion.qdd(s, j), 2e-3);
      EXPECT_NEAR(second(motion.theta, j), motion.thetadd(s, j), 2e-3);
    }
  }
}

TEST(Elastic, AFreeArmKeepsItsEnergyAndTheDefectFallsWithTheFourthPowerOfTheStep) {
  const Robot robot = cases::robot("two_r");
  const ElasticRobot elastic = springs(robot, 500, 0.4);
  ElasticMotionOptions options = free_motion();
  options.rate = 250;
  options.energy_tolerance = 1;
  options.start = ElasticState{VectorXd::Zero(2), VectorXd::Ones(2), VectorXd::Zero(2), VectorXd::Zero(2)};
  options.substeps = 2;
  const double coarse = elastic_motion(robot, elastic, two_r_motion(5), options).energy_error;
  options.substeps = 4;
  const double fine = elastic_motion(robot, elastic, two_r_motion(5), options).energy_error;
  EXPECT_LT(fine, 1e-5);
  EXPECT_GT(coarse / fine, 12);  // 16 with terms of higher order
  EXPECT_LT(coarse / fine, 20);
  options.substeps = 0;
  options.energy_tolerance = 1e-8;
  EXPECT_LE(elastic_motion(robot, elastic, two_r_motion(5), options).energy_error, 1e-8);
}

// Step times the fastest mode is 60 here: explicit steps would fly apart beyond 2.8.
TEST(Elastic, StiffSpringsNeedNoShortSteps) {
  const Robot robot = cases::robot("two_r");
  ElasticMotionOptions options;
  options.substeps = 1;
  options.energy_tolerance = 1;
  const ElasticMotion motion = elastic_motion(robot, springs(robot, 1e8, 0.4), two_r_motion(2), options);
  EXPECT_LT((motion.q - motion.reference).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT((motion.theta - motion.q).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(Elastic, DeflectionIsProportionalToTheCompliance) {
  const Robot robot = cases::robot("two_r");
  const VectorXd soft = elastic_motion(robot, springs(robot, 1e4, 0.4), two_r_motion(4), {}).deflection();
  const VectorXd hard = elastic_motion(robot, springs(robot, 1e5, 0.4), two_r_motion(4), {}).deflection();
  // The motion itself differs a little; the second joint carries gravity.
  EXPECT_NEAR(soft[1] / hard[1], 10, 0.2);
}

TEST(Elastic, TheLogHasFourChannelsWithTheNoiseThatWasAskedFor) {
  const Robot robot = cases::robot("two_r");
  ElasticMotionOptions options;
  options.relative_encoder_noise = one(0.01);
  options.effort_noise = one(0.5);
  const ElasticMotion motion = elastic_motion(robot, springs(robot, 5000, 0.4), two_r_motion(4), options);
  const auto run = elastic_log(motion, options);
  const auto again = elastic_log(motion, options);
  const auto deviation = [&](const char* channel, Index j, const MatrixXd& truth) {
    const VectorXd noise = cases::row(run, channel, j) - truth.col(j);
    EXPECT_EQ(cases::row(run, channel, j), cases::row(again, channel, j));
    return std::sqrt(noise.squaredNorm() / static_cast<double>(noise.size()));
  };
  const VectorXd bend = motion.deflection();
  for (Index j = 0; j < 2; ++j) {
    // 4001 numbers: the standard deviation is known to 1.1 %, four times that.
    EXPECT_NEAR(deviation("position", j, motion.q) / (0.01 * bend[j]), 1, 0.045);
    EXPECT_NEAR(deviation("theta", j, motion.theta) / (0.01 * bend[j]), 1, 0.045);
    EXPECT_NEAR(deviation("torque", j, motion.effort) / 0.5, 1, 0.045);
    EXPECT_EQ(deviation("elastic_torque", j, motion.elastic_torque), 0);
  }
}

template <typename Work>
std::string complaint_of(const Work& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Elastic, InputsWithoutMeaningAreRefused) {
  const Robot robot = cases::robot("two_r");
  const auto refused = [&](const ElasticRobot& elastic, const ElasticMotionOptions& options) {
    return complaint_of([&] { elastic_motion(robot, elastic, two_r_motion(0.1), options); });
  };
  const ElasticRobot good = springs(robot, 1000, 0.1);
  EXPECT_EQ(refused(good, {}), "");
  ElasticRobot bad = good;
  bad.stiffness = VectorXd();
  EXPECT_NE(refused(bad, {}).find("without stiffness"), std::string::npos);
  bad.stiffness = VectorXd::Constant(2, -5);
  EXPECT_NE(refused(bad, {}).find("stiffness of joint 1 is -5"), std::string::npos);
  EXPECT_NE(refused(springs(robot, 1000, 0), {}).find("motor inertia of joint 'joint1' is 0"),
            std::string::npos);
  bad = good;
  bad.parameters.drives[1].friction.stribeck = 1;
  EXPECT_NE(refused(bad, {}).find("Stribeck"), std::string::npos);
  ElasticMotionOptions options;
  options.rate = 0;
  EXPECT_NE(refused(good, options).find("rate of the samples is 0"), std::string::npos);
  options = {};
  options.substeps = 1;
  options.rate = 50;
  options.energy_tolerance = 1e-15;
  EXPECT_NE(refused(good, options).find("is not conserved"), std::string::npos);
  EXPECT_NE(
      complaint_of([&] { elastic_motion(robot, good, cases::motion(3, 1), {}); }).find("motion of 3 joints"),
      std::string::npos);
}

}  // namespace elastic_test
}  // namespace steelyard
