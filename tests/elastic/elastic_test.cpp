// Elastic joints: known springs, motors and links are found again, and what cannot be known is said.
#include "steelyard/elastic/elastic.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "elastic_cases.hpp"

namespace steelyard {
namespace {

using cases::elastic_filters;
using cases::list;
using cases::SevenJoints;
using cases::TwoJoints;

const SevenJoints& seven() {
  static const SevenJoints robot;
  return robot;
}

const ElasticMotion& seven_motion() {
  static const ElasticMotion motion = seven().motion(20);
  return motion;
}

// Slow rows are left out: the simulator's Coulomb friction is smooth within 0.01 rad/s.
PrepareOptions filters() {
  PrepareOptions prepare = elastic_filters(10);
  prepare.velocity_below = list({0.05});
  return prepare;
}

// σ of both encoders [rad]; 1 % of the torque's RMS is noise.
ElasticMotionOptions encoders(double deviation) {
  ElasticMotionOptions options;
  options.link_noise = options.motor_noise = list({deviation});
  options.relative_effort_noise = list({0.01});
  return options;
}

double off(const std::optional<ElasticValue>& value, double truth) {
  return value ? std::abs(value->value / truth - 1) : 1;
}

// Joints that are not identifiable, in the order of the findings.
std::vector<std::string> unknown_joints(const ElasticFit& fit) {
  std::vector<std::string> names;
  for (const Finding& finding : fit.findings)
    if (finding.code == "stiffness-unknown") names.push_back(finding.joint);
  return names;
}

bool covers(const std::optional<ElasticValue>& value, double truth) {
  return value && value->lower && value->upper && *value->lower <= truth && truth <= *value->upper;
}

TEST(ElasticSeven, StiffnessAndMotorInertiaAreRightToOnePercentAtAThousandthOfTheDeflection) {
  ElasticMotionOptions options;
  options.relative_encoder_noise = list({1e-3});
  options.relative_effort_noise = list({0.01});
  const ElasticFit fit = identify_elastic(seven().arm, {elastic_log(seven_motion(), options)}, filters());
  EXPECT_TRUE(fit.converged);
  EXPECT_TRUE(fit.findings.empty());
  for (std::size_t j = 0; j < 7; ++j) {
    const ElasticJoint& joint = fit.joints[j];
    EXPECT_TRUE(joint.identifiable) << joint.name << ": " << joint.reason;
    EXPECT_LT(off(joint.stiffness, seven().K[static_cast<Index>(j)]), 0.01) << joint.name;
    EXPECT_LT(off(joint.motor_inertia, seven().B[static_cast<Index>(j)]), 0.01) << joint.name;
    EXPECT_NEAR(joint.friction.at("fv") / (4 * seven().B[static_cast<Index>(j)]), 1, 0.01) << joint.name;
    // Both encoders are read at once; a microsecond is 1e-3 of a sample.
    EXPECT_LT(std::abs(joint.encoder_delay.value_or(1)), 1e-6) << joint.name;
  }
}

TEST(ElasticSeven, WithoutNoiseOnlyFiltersAndDifferencesAreLeft) {
  const ElasticFit fit = identify_elastic(seven().arm, {elastic_log(seven_motion(), {})}, filters());
  for (std::size_t j = 0; j < 7; ++j) {
    EXPECT_LT(off(fit.joints[j].stiffness, seven().K[static_cast<Index>(j)]), 1e-3);
    EXPECT_LT(off(fit.joints[j].motor_inertia, seven().B[static_cast<Index>(j)]), 1e-3);
  }
}

// Base parameters of the links from the same fit: within their intervals, which hold 95 % each.
TEST(ElasticSeven, LinkParametersAreThoseOfTheRigidArm) {
  const ElasticFit fit =
      identify_elastic(seven().arm, {elastic_log(seven_motion(), encoders(1e-6))}, filters());
  const ElasticModel model = elastic_model(seven().arm, {"position", "theta", "torque"});
  const VectorXd truth = model.base.K * seven().elastic.parameters.standard;
  int inside = 0;
  for (Index k = 0; k < truth.size(); ++k) {
    const Index c = fit.estimate.find(model.base.base[static_cast<std::size_t>(k)].lead);
    ASSERT_GE(c, 0);
    inside += fit.intervals.lower[c] <= truth[k] && truth[k] <= fit.intervals.upper[c];
  }
  // 43 parameters at 95 %: fewer than 36 inside has a chance below 1e-3.
  EXPECT_GE(inside, 36) << "of " << truth.size();
}

TEST(ElasticSeven, JointsBelowTheSignalToNoiseRatioAreNotIdentifiable) {
  for (const double noise : {1e-5, 1e-4}) {
    const ElasticFit fit =
        identify_elastic(seven().arm, {elastic_log(seven_motion(), encoders(noise))}, filters());
    std::vector<std::string> reported;
    for (std::size_t j = 0; j < 7; ++j) {
      const ElasticJoint& joint = fit.joints[j];
      EXPECT_EQ(joint.identifiable, joint.snr >= 10) << joint.name;
      if (joint.identifiable) {
        EXPECT_LT(off(joint.stiffness, seven().K[static_cast<Index>(j)]), 0.02) << joint.name;
        continue;
      }
      EXPECT_THAT(joint.reason, ::testing::HasSubstr("below 10"));
      reported.push_back(joint.name);
    }
    EXPECT_EQ(reported, unknown_joints(fit));
    // Deflections are 1.2e-5 rad on joint 7, 7e-5 on joint 5, 1.5e-4 on joint 6, more on the others.
    EXPECT_EQ(reported.size(), noise == 1e-5 ? 1U : 3U);
  }
}

// The column of K is what the noise is in: least squares shrinks it by var(noise)/var(deflection), here more
// than half.
TEST(ElasticSeven, PlainLeastSquaresShrinksTheStiffnessWhereThePredictionErrorDoesNot) {
  const ElasticFit fit =
      identify_elastic(seven().arm, {elastic_log(seven_motion(), encoders(1e-4))}, filters());
  const ElasticJoint& last = fit.joints[6];
  EXPECT_LT(*last.least_squares, 0.5 * seven().K[6]);
  EXPECT_TRUE(covers(last.stiffness, seven().K[6]));
  for (std::size_t j = 0; j < 7; ++j) {
    const auto& bracket = fit.joints[j].motor_bracket;
    ASSERT_TRUE(bracket);
    EXPECT_LT(bracket->first, seven().K[static_cast<Index>(j)]);
    EXPECT_GT(bracket->second, seven().K[static_cast<Index>(j)]);
  }
}

TEST(ElasticSeven, TorqueSensorsGiveLinksSpringsAndMotorsApart) {
  ElasticMotionOptions noise = encoders(1e-6);
  noise.elastic_torque_noise = list({0.02});
  auto run = elastic_log(seven_motion(), noise);
  ElasticOptions options;
  options.equations = ElasticEquations::elastic_torque;
  const ElasticFit fit = identify_elastic(seven().arm, {run}, filters(), options);
  for (std::size_t j = 0; j < 7; ++j) {
    EXPECT_LT(off(fit.joints[j].stiffness, seven().K[static_cast<Index>(j)]), 0.02) << j;
    EXPECT_LT(off(fit.joints[j].motor_inertia, seven().B[static_cast<Index>(j)]), 0.02) << j;
  }
  // Positions and sensors alone: the links, and nothing about springs.
  run.samples.rename(run.samples.find("theta"), "unused");
  run.samples.rename(run.samples.find("torque"), "unused too");
  const ElasticFit links = identify_elastic(seven().arm, {run}, filters(), options);
  for (const ElasticJoint& joint : links.joints) EXPECT_FALSE(joint.stiffness || joint.motor_inertia);
  EXPECT_EQ(links.estimate.columns.size(), 43U);
  // 0.02 N·m behind a filter of 10 Hz at 1 kHz are 0.003 N·m.
  for (const Residual& residual : links.estimate.per_row) EXPECT_LT(residual.rms, 0.005) << residual.row;
}

TEST(ElasticTwo, ALateLinkEncoderIsFoundAndDoesNotBendTheStiffness) {
  const TwoJoints robot;
  ElasticMotion motion = robot.motion();
  const MatrixXd now = motion.q;
  for (Index s = 3; s < now.rows(); ++s) motion.q.row(s) = now.row(s - 3);
  const ElasticFit fit = identify_elastic(robot.arm, {elastic_log(motion, {})}, elastic_filters(10));
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(fit.joints[j].encoder_delay.value_or(0), 3e-3, 1e-4);
    // Y is late, too: 3 ms of motions of some 2 Hz.
    EXPECT_LT(off(fit.joints[j].stiffness, robot.K[static_cast<Index>(j)]), 0.03);
  }
}

TEST(ElasticTwo, AStiffJointHasNoSpringAndTakesItsMotorsPosition) {
  TwoJoints robot;
  robot.K = list({1e6, 1200});
  robot.elastic.stiffness = robot.K;
  auto run = elastic_log(robot.motion(), {});
  const int q = run.samples.find("position");
  std::fill_n(run.samples.row(q, 0), run.samples.size(), 0.0);  // no encoder there
  ElasticOptions options;
  options.joints = {"joint2"};
  const ElasticFit fit = identify_elastic(robot.arm, {run}, elastic_filters(10), options);
  EXPECT_FALSE(fit.joints[0].is_elastic);
  EXPECT_FALSE(fit.joints[0].stiffness);
  EXPECT_LT(off(fit.joints[1].stiffness, 1200), 0.01);
}

// Incremental encoders start anew: what they disagree by is another in every run.
TEST(ElasticTwo, EncodersMayDisagreeByAnotherOffsetInEveryRun) {
  const TwoJoints robot;
  std::vector<steelyard::Run> runs;
  for (const double offset : {0.0, 0.02, -0.05}) {
    steelyard::Run& run = runs.emplace_back(elastic_log(robot.motion(), encoders(1e-5)));
    const int theta = run.samples.find("theta");
    for (Index j = 0; j < 2; ++j)
      for (Index s = 0; s < run.samples.size(); ++s) run.samples.row(theta, j)[s] += offset;
  }
  for (const auto equations : {ElasticEquations::motors_and_links, ElasticEquations::elastic_torque}) {
    ElasticOptions options;
    options.equations = equations;
    const ElasticFit fit = identify_elastic(robot.arm, runs, elastic_filters(10), options);
    const ElasticFit one = identify_elastic(robot.arm, {runs[0]}, elastic_filters(10), options);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_TRUE(fit.joints[j].identifiable) << fit.joints[j].reason;
      EXPECT_LT(off(fit.joints[j].stiffness, robot.K[static_cast<Index>(j)]), 0.01);
      // About the mean of each run: the runs are the same but for the offsets.
      EXPECT_NEAR(fit.joints[j].deflection, one.joints[j].deflection, 1e-9);
    }
  }
}

// Four derivatives of 1e-4 rad behind 5 Hz: K comes out several times too large, in a narrow interval.
TEST(ElasticTwo, LinkPositionsWithMuchNoiseGiveNoIntervalForTheStiffness) {
  TwoJoints robot;
  robot.K = list({2500, 2500});
  robot.elastic.stiffness = robot.K;
  ElasticMotionOptions noise;
  noise.link_noise = list({1e-3});
  ElasticOptions options;
  options.equations = ElasticEquations::links;
  const auto run = elastic_log(robot.motion(), noise);
  const ElasticFit fit = identify_elastic(robot.arm, {run}, elastic_filters(10), options);
  for (const ElasticJoint& joint : fit.joints)
    EXPECT_FALSE(covers(joint.stiffness, 2500) && joint.identifiable);
  EXPECT_FALSE(fit.biased.empty());
  options.bias_check = false;
  EXPECT_TRUE(identify_elastic(robot.arm, {run}, elastic_filters(10), options).biased.empty());
}

TEST(ElasticTwo, LinkPositionsAloneGiveTheStiffnessWhileTheNoiseIsSmall) {
  const TwoJoints robot;
  const ElasticMotion motion = robot.motion();
  ElasticOptions options;
  options.equations = ElasticEquations::links;
  const auto fit_at = [&](double noise) {
    ElasticMotionOptions encoder;
    encoder.link_noise = list({noise});
    return identify_elastic(robot.arm, {elastic_log(motion, encoder)}, elastic_filters(10), options);
  };
  const ElasticFit clean = fit_at(0), fine = fit_at(1e-5), coarse = fit_at(3e-3);
  for (std::size_t j = 0; j < 2; ++j) {
    const double K = robot.K[static_cast<Index>(j)], B = robot.B[static_cast<Index>(j)];
    EXPECT_TRUE(clean.joints[j].identifiable) << clean.joints[j].reason;
    EXPECT_LT(off(clean.joints[j].kappa, B / K), 0.01);
    EXPECT_LT(off(clean.joints[j].stiffness, K), 0.03);
    EXPECT_LT(off(fine.joints[j].stiffness, K), 0.05);
    EXPECT_FALSE(coarse.joints[j].identifiable);
  }
  EXPECT_EQ(unknown_joints(coarse).size(), 2U);
}

TEST(ElasticTwo, ThreadsDoNotChangeTheBytes) {
  const TwoJoints robot;
  const auto run = elastic_log(robot.motion(), encoders(1e-5));
  ElasticOptions options;
  const ElasticFit one = identify_elastic(robot.arm, {run}, elastic_filters(10), options);
  options.threads = 3;
  const ElasticFit three = identify_elastic(robot.arm, {run}, elastic_filters(10), options);
  EXPECT_EQ(one.estimate.values, three.estimate.values);
  EXPECT_EQ(one.intervals.upper, three.intervals.upper);
}

}  // namespace
}  // namespace steelyard
