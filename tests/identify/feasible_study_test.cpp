// `feasible:` through a study: provable intervals in the result, base values instead of logs, and what is
// said about constraints that make no sense.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/feasible/compare.hpp"
#include "steelyard/identify/run.hpp"

namespace steelyard {
namespace feasible_study_test {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

const std::string kTree = STEELYARD_SOURCE_DIR;
const std::string kExamples = kTree + "/examples/two-r-retrieve/";

// The 2R arm on a motion of ten seconds with this section `feasible`.
Study arm(const std::string& feasible, const std::string& noise = "0.05") {
  return read_study_text("robot: " + kTree +
                             "/robots/two_r.yaml\nruns:\n  - label: made\n    simulate:\n      rate: 100\n"
                             "      effort_noise: " +
                             noise +
                             "\n      motion: {multi_sine: {harmonics: 4, period: 10, center: [0, 0], reach: "
                             "1.5, seed: 3}}\n"
                             "prepare: {filter: {order: 4, cutoff: 8}, columns: filtered}\n"
                             "estimate: {intervals: {method: classical, bias_check: false}}\n"
                             "report: false\nfeasible: " +
                             feasible + "\n",
                         kTree + "/tests/study/made_up.yaml");
}

std::string complaint(const std::string& feasible) {
  try {
    run_study(arm(feasible));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string temporary(const std::string& name, const std::string& text) {
  const auto path =
      std::filesystem::temp_directory_path() / ("steelyard_feasible_" + std::to_string(getpid()) + name);
  std::ofstream(path) << text;
  return path.string();
}

TEST(FeasibleStudy, ErrorsOfConstraintsCarryTheirName) {
  EXPECT_THAT(complaint("{constraints: [{name: elbow, bound: cq2, at_most: 1}]}"),
              AllOf(HasSubstr("elbow"), HasSubstr("cq2")));
  EXPECT_THAT(complaint("{constraints: [{name: twisted, bound: m2, between: [4, 3]}]}"),
              HasSubstr("between = [4, 3] is reversed"));
  EXPECT_THAT(complaint("{constraints: [{name: backwards, bound: m2, at_least: 4, at_most: 3}]}"),
              HasSubstr("backwards"));
  EXPECT_THAT(complaint("{constraints: [{name: ratio, expression: \"m1 / (m2 - m2)\", at_most: 1}]}"),
              HasSubstr("ratio"));
  EXPECT_THAT(complaint("{constraints: [{name: ghost, expression: \"m1 + q7\", at_most: 1}]}"),
              AllOf(HasSubstr("ghost"), HasSubstr("q7")));
  EXPECT_THAT(complaint("{constraints: [{name: who, com_box: {link: link9, x: [0, 1]}}]}"),
              AllOf(HasSubstr("who"), HasSubstr("link9")));
  const std::string flat = temporary("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 3 4\n");
  EXPECT_THAT(complaint("{constraints: [{name: shell, com_mesh: {link: link2, file: " + flat + "}}]}"),
              AllOf(HasSubstr("shell"), HasSubstr("no volume")));
  std::filesystem::remove(flat);
}

TEST(FeasibleStudy, ContradictingBoundsAreAFindingWithAnIrreducibleSet) {
  const Result result = run_study(arm("{constraints: [{name: light, bound: m2, at_most: 2}, "
                                      "{name: heavy, bound: m2, at_least: 3}, {total_mass: [1, 15]}]}"))
                            .result;
  ASSERT_TRUE(result.feasible);
  EXPECT_THAT(result.feasible->conflict, UnorderedElementsAre("light", "heavy"));
  EXPECT_TRUE(result.links.empty());
  EXPECT_EQ(result.verdict.level, VerdictLevel::not_trustworthy);
  EXPECT_EQ(result.findings.front().code, "infeasible-constraints");
}

// Every interval holds the truth and the parameters that were found. By torque rows and by base values.
TEST(FeasibleStudy, ProvableIntervalsAreInTheResultAndHoldTheTruth) {
  for (const char* objective : {"torque", "base"}) {
    const Study study = arm(std::string("{objective: ") + objective +
                            ", intervals: {level: 0.999}, constraints: [{total_mass: [1, 15]}]}");
    const Result result = run_study(study).result;
    const Robot robot = study_robot(study);
    ASSERT_EQ(result.links.size(), 2u);
    std::vector<std::string> open;
    for (int link = 0; link < 2; ++link) {
      const LinkValues& values = result.links[static_cast<std::size_t>(link)];
      EXPECT_EQ(values.known.size(), 13u);  // the ten, and c
      const Inertia real = *robot.joints[static_cast<std::size_t>(link)].inertia;
      const std::string number = std::to_string(link + 1);
      const auto expect_inside = [&](const std::string& name, double truth, double found) {
        ASSERT_TRUE(values.known.contains(name)) << name;
        const KnownInterval& known = values.known.at(name);
        if (!known.lower || !known.upper) open.push_back(name);
        for (const double value : {truth, found}) {
          const double slack = 1e-9 * (1 + std::abs(value));
          EXPECT_GE(value, known.lower.value_or(-kInfinity) - slack) << objective << " " << name;
          EXPECT_LE(value, known.upper.value_or(kInfinity) + slack) << objective << " " << name;
        }
      };
      expect_inside("m" + number, real.mass(), values.mass);
      expect_inside("cx" + number, real.com()[0], values.com[0]);
      expect_inside("Jzz" + number, real.inertia_origin()(2, 2), values.inertia_origin[5]);
    }
    // Without mass the column's centre may be anywhere sideways, and its inertia about the origin with it.
    EXPECT_EQ(open.size(), 2u) << objective;
    // No torque shows the mass of link 1: all of what the bounds leave.
    EXPECT_LE(result.links[0].known.at("m1").lower.value_or(0), 0.1);
    EXPECT_NEAR(result.links[0].known.at("m1").upper.value_or(0), 10, 1e-3);
    EXPECT_THAT(result.links[0].chosen, ::testing::Contains("m1"));
  }
}

// From base values the instants are those of a known motion: what the real links carry there is inside.
TEST(FeasibleStudy, ProvableIntervalsOfJointForcesHoldTheRealOnes) {
  const Study study =
      arm("{intervals: {level: 0.95, joint_forces: true}, constraints: [{total_mass: [1, 15]}]}");
  const Robot robot = study_robot(study);
  const std::string path = temporary("result.json", to_json(run_study(study).result));
  const Result result = result_from_json(to_json(retrieve_study(study, path).result), "again");
  std::filesystem::remove(path);
  const MotionSamples motion = sinusoidal_motion(robot);
  const Tree tree = compile(robot);
  ASSERT_EQ(result.links.size(), 2u);
  for (std::size_t link = 0; link < 2; ++link) {
    ASSERT_TRUE(result.links[link].wrench);
    const KnownWrench& wrench = *result.links[link].wrench;
    EXPECT_EQ(wrench.run, "sinusoids");
    const auto s = static_cast<Index>(std::lround(100 * wrench.time));
    const JointWrench real =
        newton_euler(tree, standard_parameters(robot), motion.q.row(s), motion.qd.row(s), motion.qdd.row(s))
            .wrenches[link];
    Vector6 truth;
    truth << real.force, real.moment;
    for (std::size_t k = 0; k < 6; ++k) {
      const double lower = wrench.known[k].lower.value_or(-kInfinity);
      const double upper = wrench.known[k].upper.value_or(kInfinity);
      for (const double value : {truth[static_cast<Index>(k)], wrench.value[static_cast<Index>(k)]}) {
        EXPECT_GE(value, lower - 1e-6) << link << " " << k;
        EXPECT_LE(value, upper + 1e-6) << link << " " << k;
      }
      // At most 15 kg, at rates of at most 1.7 rad/s: no force beyond 15 kg times 40 m/s².
      if (k < 3) {
        EXPECT_LE(upper - lower, 15 * 40) << link << " " << k;
      }
    }
  }
}

// A run that is validated with the study and one that is validated later get the same numbers.
TEST(FeasibleStudy, LinksOfAnEarlierResultPredictFreshRuns) {
  Study study = arm("{constraints: [{total_mass: [1, 15]}]}");
  Study fresh = study;
  StudyRun run = study.runs.front();
  run.file.label = {"fresh", RunRole::validate, ""};
  run.simulation->motion_seed = 9;
  study.runs.push_back(run);
  fresh.runs = {run};
  const Result both = run_study(study).result;
  const Result later = result_from_json(to_json(validate_study(fresh, both).result), "later");
  ASSERT_EQ(later.validation.size(), 1u);
  ASSERT_TRUE(later.validation[0].feasible);
  ASSERT_TRUE(both.validation[1].feasible);
  EXPECT_NEAR(later.validation[0].feasible->prepared, both.validation[1].feasible->prepared, 1e-12);
  EXPECT_NEAR(*later.validation[0].feasible->raw, *both.validation[1].feasible->raw, 1e-12);

  Result heavier = both;
  for (LinkValues& link : heavier.links) link.mass *= 1.2;
  const Result table = compare_models(fresh, {{"found", both}, {"heavier", heavier}}).result;
  ASSERT_EQ(table.comparison.size(), 4u);  // base and links of each
  EXPECT_EQ(table.comparison[1].parameters, "links");
  for (std::size_t j = 0; j < 2; ++j) {
    const double rms = later.validation[0].feasible->per_joint[j].rms;
    EXPECT_NEAR(table.comparison[1].mse[j], rms * rms, 1e-12);
    EXPECT_EQ(table.comparison[0].mse[j], table.comparison[2].mse[j]);  // base values are the same
  }
  EXPECT_GT(table.comparison[3].mse[1], 10 * table.comparison[1].mse[1]);  // m·c of link 2 weighs on joint 2
  EXPECT_EQ(to_json(result_from_json(to_json(table), "table")), to_json(table));

  Result fewer = both;
  fewer.links.pop_back();
  EXPECT_THROW(validate_study(fresh, fewer), InputError);
}

TEST(FeasibleStudy, LinksWithoutBodiesAreWrittenAllTheSame) {
  const Result result = run_study(arm("{bodies: false, robot_bounds: false}")).result;
  ASSERT_EQ(result.links.size(), 2u);
  EXPECT_THAT(to_json(result), HasSubstr("\"margin\""));
}

double phi1(const Result& result, const Study& study) {
  const Robot robot = study_robot(study);
  const BaseParameters base = base_parameters(robot);
  VectorXd x(20);
  for (int link = 0; link < 2; ++link) {
    const LinkValues& values = result.links[static_cast<std::size_t>(link)];
    x[10 * link] = values.mass;
    x.segment<3>(10 * link + 1) = values.mass * values.com;
    x.segment<6>(10 * link + 4) = values.inertia_origin;
  }
  double sum = 0;
  for (std::size_t k = 0; k < base.base.size(); ++k)
    sum += std::pow(base.K.row(static_cast<Index>(k)).dot(x) - result.base[k].value, 2);
  return sum;
}

TEST(FeasibleStudy, BaseValuesWrittenByHandGiveLinksWithoutAnyLog) {
  const Study study = read_study(kExamples + "shapes.yaml", false);
  const Result result = retrieve_study(study, kExamples + "base.yml").result;
  ASSERT_EQ(result.links.size(), 2u);
  EXPECT_EQ(result.base.size(), 8u);
  EXPECT_LE(phi1(result, study), 1e-9);
  const Vector3 first = result.links[0].com, second = result.links[1].com;
  EXPECT_LE(std::hypot(first[0], first[2]), 0.15);
  const double radius = second[0] < -0.2 ? 0.08 : 0.08 - 0.3 * (0.2 + second[0]);
  EXPECT_LE(std::hypot(second[1], second[2]), radius);
  EXPECT_EQ(result.rows, 0);
  EXPECT_FALSE(result.feasible->residual);
  EXPECT_EQ(result.unavailable.size(), 2u);
  EXPECT_EQ(result.provenance.inputs.back().path, kExamples + "base.yml");
}

TEST(FeasibleStudy, BaseValuesOfAnEarlierResultKeepItsDeviations) {
  const Study study = arm("{objective: {base: {weight: covariance}}, constraints: [{total_mass: [1, 15]}]}");
  const Result first = run_study(study).result;
  const std::string path = temporary("result.json", to_json(first));
  const Result again = retrieve_study(study, path).result;
  std::filesystem::remove(path);
  ASSERT_EQ(again.links.size(), 2u);
  EXPECT_EQ(again.base.size(), first.base.size());
  EXPECT_EQ(again.rows, first.rows);
  ASSERT_TRUE(again.feasible->moved_sigma);
  EXPECT_LE(*again.feasible->moved_sigma, 1);  // the truth is feasible
  EXPECT_GE(again.links[1].margin, 0);
}

TEST(FeasibleStudy, BaseValuesOfAnotherRobotAreRefused) {
  const Study study = read_study(kExamples + "study.yaml", false);
  const auto expect = [&](const std::string& text, const std::string& word) {
    const std::string path = temporary("base.yaml", text);
    try {
      retrieve_study(study, path);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(word));
    }
    std::filesystem::remove(path);
  };
  expect("base: {Jyy1: 1}", "missing");
  expect("base: {Jyy9: 1}", "Jyy9");
  expect("base: 3", "base");
  expect("base: {Jyy1: {value: 1, sigma: 0}}", "above 0");
  Study weighted = study;
  weighted.feasible->coefficients.by_covariance = true;
  EXPECT_THROW(retrieve_study(weighted, kExamples + "base.yml"), InputError);
}

// The arm weighs 11 kg. Nothing is broken, and nothing fits.
TEST(FeasibleStudy, ConstraintsThatCostMuchAreTold) {
  const auto reported = [](const Result& result) {
    std::string evidence;
    for (const Finding& finding : result.findings)
      if (finding.code == "costly-constraints") evidence = finding.evidence;
    return evidence;
  };
  EXPECT_EQ(reported(run_study(arm("{objective: torque}")).result), "");
  const Result result = run_study(arm("{objective: torque, constraints: [{total_mass: [1, 2]}]}")).result;
  EXPECT_THAT(reported(result), HasSubstr("total mass"));
  EXPECT_NE(result.verdict.level, VerdictLevel::good);
}

// Constraints cost little here; rows with their weights would leave a tenth less.
TEST(FeasibleStudy, ResidualsOfARobustFitAreOfAllRows) {
  Study study = arm("{objective: torque}", "0.5");
  study.estimator.single_rows = true;
  const Result result = run_study(study).result;
  EXPECT_NEAR(result.feasible->residual->prepared / result.residual.prepared, 1, 0.02);
}

}  // namespace feasible_study_test
}  // namespace steelyard
