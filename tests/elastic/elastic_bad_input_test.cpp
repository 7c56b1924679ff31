// What the elastic equations cannot be given.
#include <gmock/gmock.h>

#include "elastic_cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/elastic/elastic.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;

template <typename Work>
std::string refusal(const Work& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

std::string refusal_of_model(const std::vector<std::string>& channels, const ElasticOptions& options = {}) {
  return refusal([&] { elastic_model(cases::robot("two_r"), channels, options); });
}

TEST(ElasticBadInput, MissingChannelsAreNamedWithTheEquationsThatNeedThem) {
  EXPECT_THAT(refusal_of_model({"position", "torque"}), HasSubstr("no channel 'theta', which the equations "
                                                                  "'motors_and_links' need"));
  EXPECT_THAT(refusal_of_model({"position", "theta"}), HasSubstr("no channel 'torque'"));
  ElasticOptions options;
  options.equations = ElasticEquations::elastic_torque;
  EXPECT_THAT(refusal_of_model({"position", "theta", "torque"}, options),
              HasSubstr("no channel 'elastic_torque'"));
}

TEST(ElasticBadInput, JointsThatDoNotExistAreRefusedWithTheNearestName) {
  ElasticOptions options;
  options.joints = {"joint3"};
  EXPECT_THAT(refusal_of_model({"position", "theta", "torque"}, options), HasSubstr("joint3"));
}

TEST(ElasticBadInput, NumbersWithoutMeaningAreRefused) {
  ElasticOptions options;
  options.level = 1;
  EXPECT_THAT(refusal_of_model({"position", "theta", "torque"}, options), HasSubstr("level"));
  options = {};
  options.min_snr = -1;
  EXPECT_THAT(refusal_of_model({"position", "theta", "torque"}, options), HasSubstr("min_snr"));
}

TEST(ElasticBadInput, CoupledWristsAreRefused) {
  EXPECT_THAT(refusal([] {
                elastic_model(cases::robot("tx40"), {"position", "theta", "torque"});
              }),
              HasSubstr("coupled wrist"));
}

TEST(ElasticBadInput, LinkPositionsAloneNeedFilteredColumns) {
  const cases::TwoJoints robot;
  ElasticOptions options;
  options.equations = ElasticEquations::links;
  PrepareOptions prepare = cases::elastic_filters(10);
  prepare.column_filter.cutoff = 0;
  const auto run = elastic_log(robot.motion(), {});
  EXPECT_THAT(refusal([&] { identify_elastic(robot.arm, {run}, prepare, options); }),
              HasSubstr("columns are not filtered"));
}

TEST(ElasticBadInput, DegreesTakenForRadiansAreNoStiffness) {
  const cases::TwoJoints robot;
  auto run = elastic_log(robot.motion(), {});
  const int theta = run.samples.find("theta");
  for (Index j = 0; j < 2; ++j)
    for (Index s = 0; s < run.samples.size(); ++s) run.samples.row(theta, j)[s] *= 57.29577951308232;
  const ElasticFit fit = identify_elastic(robot.arm, {run}, cases::elastic_filters(10));
  for (const ElasticJoint& joint : fit.joints) EXPECT_FALSE(joint.identifiable) << joint.snr;
  EXPECT_EQ(fit.findings.size(), 2U);
}

TEST(ElasticBadInput, LinkAndMotorExchangedIsANegativeSpring) {
  const cases::TwoJoints robot;
  auto run = elastic_log(robot.motion(), {});
  const int theta = run.samples.find("theta"), q = run.samples.find("position");
  run.samples.rename(theta, "position");
  run.samples.rename(q, "theta");
  const ElasticFit fit = identify_elastic(robot.arm, {run}, cases::elastic_filters(10));
  for (const ElasticJoint& joint : fit.joints) EXPECT_FALSE(joint.identifiable) << joint.snr;
}

}  // namespace
}  // namespace steelyard
