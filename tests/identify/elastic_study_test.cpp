// `elastic:` from the file to the result: the example finds what it was simulated with.
#include <gmock/gmock.h>

#include <map>

#include "steelyard/core/error.hpp"
#include "steelyard/identify/run.hpp"

namespace steelyard {
namespace elastic_study_test {

using ::testing::HasSubstr;

const std::string kSource = STEELYARD_SOURCE_DIR;

std::string refusal(const std::string& end) {
  const std::string study =
      "robot: " + kSource +
      "/robots/two_r.yaml\nruns:\n  - label: a\n    simulate: {motion: {multi_sine: {center: "
      "[0, 0], reach: 1}}, rotor_inertia: 0.1, rate: 200";
  try {
    run_study(read_study_text(study + end, "study.yaml"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(ElasticStudy, TheExampleFindsSpringsAndMotorsToOnePercent) {
  const StudyOutcome outcome = run_study(read_study(kSource + "/examples/elastic-arm/study.yaml"));
  ASSERT_TRUE(outcome.result.elastic);
  const ElasticSummary& elastic = *outcome.result.elastic;
  EXPECT_EQ(elastic.equations, "motors_and_links");
  EXPECT_TRUE(elastic.converged);
  const double K[] = {12000, 12000, 9000, 9000, 5000, 4000, 3000}, B[] = {1.2, 1.2, 0.8, 0.8, 0.4, 0.3, 0.2};
  ASSERT_EQ(elastic.joints.size(), 7U);
  for (std::size_t j = 0; j < 7; ++j) {
    EXPECT_TRUE(elastic.joints[j].identifiable) << elastic.joints[j].reason;
    EXPECT_NEAR(elastic.joints[j].stiffness.value_or(ElasticValue{}).value / K[j], 1, 0.01);
    EXPECT_NEAR(elastic.joints[j].motor_inertia.value_or(ElasticValue{}).value / B[j], 1, 0.01);
  }
  EXPECT_EQ(elastic.links.size(), 43U);
  // The base parameters of the robot with its motors are those of the same equations.
  const std::map<std::string, double> base = [&] {
    std::map<std::string, double> values;
    for (const BaseValue& value : outcome.result.base) values[value.name] = value.value;
    return values;
  }();
  int same = 0;
  for (const ElasticLinkValue& link : elastic.links) {
    const auto found = std::find_if(outcome.result.base.begin(), outcome.result.base.end(),
                                    [&](const BaseValue& value) { return value.name == link.name; });
    if (found == outcome.result.base.end()) continue;
    const bool links_alone = std::none_of(found->terms.begin(), found->terms.end(),
                                          [](const auto& term) { return term.first.starts_with("Ia"); });
    if (!links_alone) continue;
    EXPECT_NEAR(found->value, link.value.value, 1e-9 * (1 + std::abs(link.value.value))) << link.name;
    ++same;
  }
  EXPECT_GT(same, 30);
  for (std::size_t j = 0; j < 7; ++j)
    EXPECT_EQ(outcome.result.drives[j].values.at("fv"), elastic.joints[j].friction.at("fv"));
  const Result again = result_from_json(to_json(outcome.result), "result.json");
  EXPECT_EQ(to_json(again), to_json(outcome.result));
}

TEST(ElasticStudy, LogsWithoutMotorsAreRefused) {
  EXPECT_THAT(refusal("}\nelastic: {}\n"), HasSubstr("no channel 'theta'"));
  EXPECT_THAT(refusal("}\nelastic: {equations: elastic_torque}\n"), HasSubstr("no channel 'elastic_torque'"));
}

TEST(ElasticStudy, KeysAndValuesThatMeanNothingAreRefused) {
  EXPECT_THAT(refusal("}\nelastic: {equation: links}\n"), HasSubstr("equations"));
  EXPECT_THAT(refusal("}\nelastic: {equations: motors}\n"), HasSubstr("motors_and_links"));
  EXPECT_THAT(refusal(", elastic: {stiffness: 1000}}\nelastic: {joints: [joint3]}\n"), HasSubstr("joint3"));
  EXPECT_THAT(refusal(", elastic: {damping: 1}}\n"), HasSubstr("stiffness"));
  EXPECT_THAT(refusal(", elastic: {stiffness: -1}}\n"), HasSubstr("stiffness = -1"));
  EXPECT_THAT(refusal(", delay: 0.001, elastic: {stiffness: 1000}}\n"), HasSubstr("'delay'"));
  EXPECT_THAT(refusal(", elastic: {stiffness: 1000}}\nelastic: {equations: links}\ndrives: {friction: "
                      "[viscous, coulomb, offset], "
                      "rotor_inertia: true}\n"),
              HasSubstr("columns are not filtered"));
}

// Motors have viscous, Coulomb and offset terms: other drive terms were dropped.
TEST(ElasticStudy, DriveTermsThatMotorsDoNotHaveAreRefused) {
  const std::string springs = ", elastic: {stiffness: 1000}}\nelastic: {}\n";
  EXPECT_THAT(refusal(springs + "drives: {friction: auto}\n"),
              HasSubstr("friction other than linear cannot be fitted to joints with springs"));
  EXPECT_THAT(refusal(springs + "drives: {friction: sigmoid}\n"), HasSubstr("springs"));
  EXPECT_THAT(refusal(springs + "drives: {friction: [viscous, coulomb], offset: per_run}\n"),
              HasSubstr("offsets of single runs"));
  EXPECT_THAT(refusal(springs + "drives: {friction: [viscous, coulomb, offset]}\n"),
              HasSubstr("the drive of joint 'joint1' has no rotor inertia"));
  EXPECT_THAT(refusal(springs + "estimate: {method: iv}\n"), HasSubstr("beside `elastic`"));
}

}  // namespace elastic_study_test
}  // namespace steelyard
