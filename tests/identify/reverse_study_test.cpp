// Studies of g(q) and M(q): the published LWR and Panda procedures, other sources, inputs that make no sense.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/reverse/source.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace reverse_study_test {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string kSource = STEELYARD_SOURCE_DIR;

const ReversePart& part_of_rows(const Result& result, const std::string& rows) {
  for (const ReversePart& part : result.reverse->parts)
    if (part.rows == rows) return part;
  throw InternalError("no such part: " + rows);
}

const ReverseErrors& errors_of_set(const Result& result, const std::string& label) {
  for (const ReverseErrors& errors : result.reverse->errors)
    if (errors.label == label) return errors;
  throw InternalError("no such set: " + label);
}

double coefficient(const ReversePart& part, const std::string& name) {
  for (const ReverseCoefficient& item : part.coefficients)
    if (item.name == name) return item.value;
  ADD_FAILURE() << "no coefficient " << name;
  return 0;
}

bool has_code(const Result& result, const std::string& code) {
  for (const Finding& finding : result.findings)
    if (finding.code == code) return true;
  return false;
}

Result run_text(const std::string& text) {
  return run_study(read_study_text(text, kSource + "/examples/lwr-reverse/test.yaml")).result;
}

const Result& lwr() {
  static const Result result = run_study(read_study(kSource + "/examples/lwr-reverse/study.yaml")).result;
  return result;
}

TEST(LwrReverse, HasThePublishedCountsAndTheConditionOfGravity) {
  EXPECT_EQ(part_of_rows(lwr(), "gravity").rank, 12);
  EXPECT_EQ(part_of_rows(lwr(), "inertia").rank, 37);
  EXPECT_EQ(part_of_rows(lwr(), "gravity+inertia").rank, 41);
  EXPECT_NEAR(*part_of_rows(lwr(), "gravity").condition, 2.05, 0.1);
  EXPECT_EQ(lwr().verdict.level, VerdictLevel::good);
  EXPECT_EQ(lwr().samples, 1000);
}

// Entries 4, 7 and 12 of eq. (29), with the terms of eq. (28).
TEST(LwrReverse, GravityCoefficientsAreThePublishedOnes) {
  const ReversePart& gravity = part_of_rows(lwr(), "gravity");
  // Six digits of entries up to 34 N m, averaged over 1000.
  EXPECT_NEAR(std::abs(coefficient(gravity, "mz6")), 0.0286, 1e-5);
  EXPECT_NEAR(std::abs(coefficient(gravity, "mz4")), 1.334, 1e-5);
  EXPECT_NEAR(std::abs(coefficient(gravity, "mz2")), 3.4568, 1e-5);
}

const ReverseComponent& entry(const std::string& set, const std::string& name) {
  for (const ReverseComponent& component : errors_of_set(lwr(), set).components)
    if (component.name == name) return component;
  throw InternalError("no such entry: " + name);
}

// Tables II and III, all three columns. The last one is g along the motion of the torque experiment.
TEST(LwrReverse, ErrorsOfSixDigitsAreThoseOfTheTablesOrSmaller) {
  std::ifstream file(kSource + "/tests/data/lwr_tables.json");
  const nlohmann::json tables = nlohmann::json::parse(file);
  ASSERT_EQ(tables["rows"].size(), 6U);
  const char* sets[] = {"training", "random", "eq. (33)"};
  for (const nlohmann::json& row : tables["rows"])
    for (std::size_t k = 0; k < 3; ++k) {
      const ReverseComponent& component = entry(sets[k], row["entry"]);
      EXPECT_LE(component.mean_square, row["mean_square"][k].get<double>()) << component.name << sets[k];
      EXPECT_LE(component.largest, row["largest"][k].get<double>()) << component.name << sets[k];
    }
  EXPECT_EQ(errors_of_set(lwr(), "eq. (33)").configurations, 700);
}

TEST(LwrReverse, AMinuteOfSinusoidsIsPredictedInAllEntries) {
  const ReverseErrors& sinusoids = errors_of_set(lwr(), "sinusoids");
  EXPECT_EQ(sinusoids.configurations, 500);
  EXPECT_EQ(sinusoids.components.size(), 35U);
  for (const ReverseComponent& component : sinusoids.components)
    // Half a unit of the sixth digit, entries up to 34.
    EXPECT_LT(component.largest, 1e-4) << component.name;
}

TEST(LwrReverse, TheTipWeighsAQuarterKilogramBothWays) {
  const ReversePayload& payload = *lwr().reverse->payload;
  EXPECT_GE(payload.masses.size(), 2U);
  int ways = 0;
  for (const ReverseMass& mass : payload.masses)
    for (const double lever : {0.4, 0.39})
      if (std::abs(mass.coefficient) == lever) {
        ++ways;
        EXPECT_NEAR(mass.mass, 0.25, 0.0025) << mass.from;
      }
  EXPECT_EQ(ways, 2);
  for (const ReverseParameter& parameter : payload.parameters) {
    if (parameter.name == "m") {
      EXPECT_NEAR(parameter.value, 0.25, 0.0025);
    }
    if (parameter.name == "mz") {
      EXPECT_NEAR(parameter.value, 0.0221, 0.0003);
    }
  }
}

TEST(LwrReverse, TorquesOfAMotionFollow) {
  const ReverseErrors& torque = errors_of_set(lwr(), "torques of eq. (33)");
  EXPECT_EQ(torque.role, "torque");
  ASSERT_EQ(torque.components.size(), 7U);
  // Position noise of 1e-5 rad, filtered at 1 Hz; torque noise up to 0.05 N m is left over.
  for (const ReverseComponent& component : torque.components)
    EXPECT_LT(component.mean_square, 0.06 * 0.06) << component.name;
  // Behind the filter of 1 Hz, as Fig. 4 has them (errors up to 1 N m there, friction included).
  for (const JointResidual& joint : lwr().validation.at(0).residual.per_joint)
    EXPECT_LT(joint.rms, 0.01) << joint.name;
  EXPECT_LT(*lwr().reverse->skew_symmetry, 1e-8);
  ASSERT_EQ(lwr().validation.size(), 1U);
  EXPECT_TRUE(lwr().validation[0].fresh);
}

TEST(LwrReverse, FeasibleParametersExplainTheTableToo) {
  ASSERT_TRUE(lwr().feasible && lwr().feasible->residual);
  EXPECT_TRUE(lwr().feasible->violated.empty());
  EXPECT_LT(lwr().feasible->residual->prepared, 1e-4);
  EXPECT_EQ(lwr().links.size(), 7U);
  for (const LinkValues& link : lwr().links) EXPECT_GT(link.margin, 0) << link.name;
}

const char* kSmall =
    "robot: ../../robots/lwr4.yaml\n"
    "reverse:\n"
    "  source: {robot: vendor.yml}\n"
    "  configurations: {count: 60}\n";

TEST(ReverseStudy, WithoutRoundingEverythingIsExact) {
  const Result result = run_text(std::string(kSmall) + "  validation: [{label: v, count: 200}]\n");
  for (const ReverseComponent& component : errors_of_set(result, "v").components)
    EXPECT_LT(component.largest, 1e-10) << component.name;
  EXPECT_EQ(part_of_rows(result, "inertia").rank, 39);
  EXPECT_EQ(part_of_rows(result, "gravity+inertia").rank, 43);
}

TEST(ReverseStudy, TooFewConfigurationsAreNotTrusted) {
  const Result result = run_text(
      "robot: ../../robots/lwr4.yaml\nreverse:\n  source: {robot: vendor.yml}\n"
      "  configurations: {count: 1}\n");
  EXPECT_TRUE(has_code(result, "too-few-configurations"));
  EXPECT_EQ(result.verdict.level, VerdictLevel::not_trustworthy);
}

// A table of the vendor's, written with other units or in another order.
class ReverseTableStudy : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("steelyard_reverse_study_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Columns q1 … q7, g1 … g7, M11 M21 … of 60 configurations, `change` sees every row.
  void write(const std::function<void(VectorXd& q, VectorXd& g, MatrixXd& M)>& change) {
    Study study = read_study_text(kSmall, kSource + "/examples/lwr-reverse/test.yaml");
    std::ofstream file(folder_ / "table.csv");
    for (int j = 1; j <= 7; ++j) file << "q" << j << ",";
    for (int j = 1; j <= 7; ++j) file << "g" << j << ",";
    for (int i = 1; i <= 7; ++i)
      for (int j = 1; j <= i; ++j) file << (i + j > 2 ? "," : "") << "M" << i << j;
    file.precision(12);
    const Robot robot = study_robot(study);
    const ReverseSource source = robot_source(vendor());
    Random random(1, "rows");
    for (int k = 0; k < 60; ++k) {
      VectorXd q(7);
      for (Index j = 0; j < 7; ++j) q[j] = random.uniform(-2, 2);
      ReverseAnswer answer = source(q);
      change(q, answer.gravity, answer.inertia);
      file << "\n";
      for (Index j = 0; j < 7; ++j) file << q[j] << ",";
      for (Index j = 0; j < 7; ++j) file << answer.gravity[j] << ",";
      for (Index i = 0; i < 7; ++i)
        for (Index j = 0; j <= i; ++j) file << (i + j > 0 ? "," : "") << answer.inertia(i, j);
    }
  }
  static Robot vendor() { return read_robot(kSource + "/examples/lwr-reverse/vendor.yml").robot; }
  Result run(const std::string& more = "") {
    return run_text("robot: ../../robots/lwr4.yaml\nreverse:\n  source: {table: " +
                    (folder_ / "table.csv").string() + more + "}\n");
  }
  fs::path folder_;
};

TEST_F(ReverseTableStudy, AGoodTableIsSplitIntoTrainingAndValidation) {
  write([](VectorXd&, VectorXd&, MatrixXd&) {});
  const Result result = run_text(
      "robot: ../../robots/lwr4.yaml\nreverse:\n  source: {table: " + (folder_ / "table.csv").string() +
      "}\n  configurations: {count: 40}\n  validation: [{label: rest}]\n");
  EXPECT_EQ(errors_of_set(result, "rest").configurations, 20);
  EXPECT_LT(errors_of_set(result, "rest").relative, 1e-9);
  EXPECT_EQ(result.verdict.level, VerdictLevel::good);
  EXPECT_TRUE(result.findings.empty());
}

TEST_F(ReverseTableStudy, DegreesAreAnErrorUntilTheyAreDeclared) {
  write([](VectorXd& q, VectorXd&, MatrixXd&) { q *= 180 / std::acos(-1.0); });
  EXPECT_TRUE(has_code(run(), "position-unit"));
  EXPECT_EQ(run().verdict.level, VerdictLevel::not_trustworthy);
  EXPECT_TRUE(run(", units: {position: deg}").findings.empty());
}

TEST_F(ReverseTableStudy, AnotherJointOrderIsAnError) {
  write([](VectorXd& q, VectorXd& g, MatrixXd& M) {
    q.reverseInPlace();
    g.reverseInPlace();
    M = M.reverse().eval();
  });
  EXPECT_TRUE(has_code(run(), "joint-order"));
  EXPECT_EQ(run().verdict.level, VerdictLevel::not_trustworthy);
}

TEST_F(ReverseTableStudy, AMatrixThatNoRobotHasIsAnError) {
  write([](VectorXd&, VectorXd&, MatrixXd& M) { M(0, 0) = -M(0, 0); });
  EXPECT_TRUE(has_code(run(), "inertia-not-positive"));
}

TEST_F(ReverseTableStudy, GravityOfAnotherPlanetIsAnError) {
  write([](VectorXd&, VectorXd& g, MatrixXd&) { g *= 9.80665 / 9.81; });
  const Result result = run();
  EXPECT_TRUE(has_code(result, "gravity-inertia-differ"));
  EXPECT_NEAR(result.reverse->gravity_scale->scale, 9.80665 / 9.81, 1e-6);
}

TEST_F(ReverseTableStudy, ATiltedBaseIsToldAndEstimated) {
  Robot tilted = vendor();
  tilted.gravity = Vector3(0.2, -0.1, -std::sqrt(9.81 * 9.81 - 0.05));
  const Tree tree = compile(tilted);
  const VectorXd bodies = standard_parameters(tilted);
  write([&](VectorXd& q, VectorXd& g, MatrixXd&) { g = gravity_torque(tree, bodies, q); });
  EXPECT_TRUE(has_code(run(), "base-not-level"));
  const Result result = run_text("robot: ../../robots/lwr4.yaml\nreverse:\n  tilt: true\n  source: {table: " +
                                 (folder_ / "table.csv").string() + "}\n");
  ASSERT_TRUE(result.reverse->tilt);
  EXPECT_LT((result.reverse->tilt->gravity - tilted.gravity).norm(), 1e-6);
  EXPECT_LT(result.residual.prepared, 1e-8);
}

// examples/lwr-reverse/torques.yaml with other words in places of some of its lines.
std::string torque_study(const std::vector<std::pair<std::string, std::string>>& changes = {}) {
  std::ifstream file(kSource + "/examples/lwr-reverse/torques.yaml");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  for (const auto& [old, other] : changes)
    for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + other.size()))
      text.replace(at, old.size(), other);
  return text;
}

// Gravity from a table, inertia from a log: intervals of all 41 coefficients over motions and noise.
TEST(ReverseTorques, IntervalsOfBothSourcesHoldTheTruth) {
  std::map<std::string, double> truth;
  for (const BaseValue& value :
       run_text(std::string(kSmall) + "  zero: [Jxz7, Jyz7]\n  rows: gravity+inertia\n").base)
    truth[value.name] = value.value;
  int inside = 0, all = 0;
  constexpr int kDraws = 6;
  for (int draw = 1; draw <= kDraws; ++draw) {
    const std::string seed = std::to_string(draw);
    const Result result = run_text(torque_study(
        {{"seed: 1", "seed: " + seed}, {"seed: 3", "seed: 1" + seed}, {"rate: 500", "rate: 200"}}));
    ASSERT_EQ(result.base.size(), truth.size());
    for (const BaseValue& value : result.base) {
      ASSERT_EQ(truth.count(value.name), 1U) << value.name;
      ASSERT_TRUE(value.interval) << value.name;
      ++all;
      inside += value.interval->first <= truth[value.name] && truth[value.name] <= value.interval->second;
    }
  }
  // 95 %; 246 values, dependent within a draw: three standard deviations of a count of 246 are 10.
  EXPECT_GT(inside, all * 0.91) << inside << " of " << all;
  EXPECT_LT(inside, all * 0.995) << inside << " of " << all;
}

TEST(ReverseTorques, TheTableHoldsGravityAndTheLogGivesTheRest) {
  const Result result = run_text(torque_study({{"rate: 500", "rate: 200"}}));
  EXPECT_EQ(part_of_rows(result, "gravity").rank, 12);
  EXPECT_EQ(part_of_rows(result, "gravity+torque").rank, 41);
  EXPECT_TRUE(result.findings.empty());
  EXPECT_EQ(result.verdict.level, VerdictLevel::good);
  // Six digits of entries up to 34 N m: the log, with noise of 0.2 N m, must not move them.
  EXPECT_LT(errors_of_set(result, "training").relative, 1e-6);
  // M, of which the table has nothing, within what the log's noise leaves: 1 % of its size.
  EXPECT_LT(errors_of_set(result, "M and g elsewhere").relative, 0.01);
  for (const RunValidation& run : result.validation) EXPECT_EQ(run.fresh, run.run == "another motion");
}

TEST(ReverseTorques, FrictionAndOtherBodiesAreNamed) {
  const auto evidence = [](const Result& result) {
    for (const Finding& finding : result.findings)
      if (finding.code == "torques-differ") return finding.evidence;
    return std::string("no finding");
  };
  const std::string quick = "rate: 200";
  const Result friction = run_text(
      torque_study({{"rate: 500", quick}, {"known: ", "waive: []  # "}, {"  - {joint", "  # {joint"}}));
  EXPECT_THAT(evidence(friction), HasSubstr("friction: lwr_0_joint"));
  EXPECT_EQ(friction.verdict.level, VerdictLevel::not_trustworthy);
  const Result loaded =
      run_text(torque_study({{"rate: 500", quick}, {"fv1: 3.2, fv2: 2.5", "fv1: 3.2, fv2: 2.5, mz7: 0.4"}}));
  EXPECT_THAT(evidence(loaded), HasSubstr("other bodies"));
}

TEST(ReverseTorques, MissingRunsAreRefused) {
  const auto message = [](const std::string& text) {
    try {
      run_text(text);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(message(std::string(kSmall) + "known: [{joint: lwr_0_joint, expression: qd}]\n"),
              HasSubstr("`known` beside `reverse` without `runs`"));
  EXPECT_THAT(message(std::string(kSmall) + "  torques: fitted\n"),
              HasSubstr("without a run that is fitted"));
  EXPECT_THAT(message(torque_study({{"torques: fitted", "torques: predicted"}})),
              HasSubstr("runs need the whole model"));
}

TEST(ReverseStudy, KeysThatMakeNoSenseAreRefused) {
  const std::string good = kSmall;
  for (const char* bad :
       {"estimate: {method: wls}\n", "drives: {friction: [viscous]}\n", "  rows: torque\n",
        "  weights: {g: 0}\n", "  zero: [Jxz9]\n", "  leave_out: [g9]\n", "  relations: [{terms: {}}]\n",
        "  leave_out: [{where: q9 > 0}]\n", "  validation: [{sinusoids: {amplitude: 1, period: 0}}]\n"})
    EXPECT_THROW(run_text(good + bad), InputError) << bad;
  EXPECT_THROW(read_study_text("robot: r.yaml\nreverse: {configurations: {count: 3}}\n", "x"), InputError);
  EXPECT_THROW(read_study_text("robot: r.yaml\nreverse: {source: {table: a, robot: b}}\n", "x"), InputError);
}

TEST(ReverseStudy, ASourceThatDiesOrHangsIsASystemFailure) {
  const auto program = [](const std::string& script, const std::string& more) {
    return "robot: ../../robots/lwr4.yaml\nreverse:\n  source: {program: [sh, -c, \"" + script + "\"]" +
           more + "}\n  configurations: {count: 5}\n";
  };
  EXPECT_THROW(run_text(program("exit 7", "")), MachineError);
  EXPECT_THROW(run_text(program("sleep 100", ", time_limit: 0.2")), MachineError);
  EXPECT_THROW(run_text(program("echo nonsense", "")), InputError);
  // Half a matrix: the other triangle is zero.
  EXPECT_THROW(
      run_text(program("while read q; do echo M 1 0 0 0 0 0 0 2 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1 0 0 0 "
                       "0 0 0 0 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 1; done",
                       "")),
      InputError);
}

}  // namespace reverse_study_test
}  // namespace steelyard
