// Forms of friction, extra columns, known efforts and offsets of runs, from the study's keys to the result.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "oracle/data_folder.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/identify/run.hpp"

namespace steelyard {
namespace friction_study_test {

using testing::HasSubstr;

const std::string kTree = STEELYARD_SOURCE_DIR;

std::string run_text(const std::string& label, const std::string& friction, int seed,
                     const std::string& role = "fit") {
  return "  - label: " + label + "\n    role: " + role +
         "\n    simulate:\n      rate: 250\n      effort_noise: 0.1\n      seed: " + std::to_string(seed) +
         "\n      motion: {multi_sine: {harmonics: 14, period: 40, center: [0, 0], reach: 1.5, seed: " +
         std::to_string(seed) + "}}\n      friction: {" + friction + "}\n";
}

std::string study_text(const std::string& keys, const std::string& runs) {
  return "robot: " + kTree + "/robots/two_r.yaml\n" + keys + "runs:\n" + runs +
         "prepare: {filter: {order: 4, cutoff: 20}, columns: filtered}\n"
         "estimate: {method: wls, intervals: {method: classical, bias_check: false}}\n"
         "validate: {cross: {blocks: 8, by: index}}\nreport: false\n";
}

Study two_r(const std::string& keys, const std::string& runs) {
  return read_study_text(study_text(keys, runs), kTree + "/tests/study/made_up.yaml");
}

const DriveValues& drive(const Result& result, std::size_t joint) {
  EXPECT_GT(result.drives.size(), joint);
  return result.drives.at(joint);
}

double base(const Result& result, const std::string& name) {
  for (const BaseValue& value : result.base)
    if (value.name == name) return value.value;
  ADD_FAILURE() << "no column " << name;
  return 0;
}

// Four standard deviations, as the result states them.
void expect_parameter(const FrictionValues& friction, const std::string& name, double truth) {
  ASSERT_TRUE(friction.parameters.contains(name)) << name;
  ASSERT_TRUE(friction.sigma.contains(name)) << name;
  EXPECT_LT(std::abs(friction.parameters.at(name) - truth), 4 * friction.sigma.at(name)) << name;
}

const std::string kSigmoids =
    "viscous: 0.4, offset: 0.2, sigmoid_height: [3, 1.5], sigmoid_slope: [8, 16], sigmoid_shift: [0.05, "
    "-0.03]";

TEST(FrictionStudy, SigmoidsComeBackAndPredictFreshRuns) {
  const Study study = two_r("drives: {friction: sigmoid}\n",
                            run_text("one", kSigmoids, 1) + run_text("two", kSigmoids, 2, "validate"));
  const Result result = run_study(study).result;
  const double heights[] = {3, 1.5}, slopes[] = {8, 16}, shifts[] = {0.05, -0.03};
  for (std::size_t j = 0; j < 2; ++j) {
    const DriveValues& found = drive(result, j);
    ASSERT_TRUE(found.friction);
    EXPECT_EQ(found.friction->model, "sigmoid");
    EXPECT_EQ(found.friction->status, "determined");
    expect_parameter(*found.friction, "phi1", heights[j]);
    expect_parameter(*found.friction, "phi2", slopes[j]);
    expect_parameter(*found.friction, "phi3", shifts[j]);
    expect_parameter(*found.friction, "fv", 0.4);
    EXPECT_EQ(base(result, "fh" + std::to_string(j + 1)), found.friction->parameters.at("phi1"));
  }
  // Same noise and same friction: the fresh run is as good as the fitted one, and both as good as each other
  // sample by sample (the raw residual is the noise of 0.1 N·m).
  ASSERT_EQ(result.validation.size(), 2u);
  EXPECT_LT(result.validation[1].residual.prepared, 1.5 * result.validation[0].residual.prepared);
  EXPECT_LT(*result.validation[1].residual.raw, 1.1 * *result.validation[0].residual.raw);
  EXPECT_LT(result.cross_validation->residual.prepared, 1.5 * result.residual.prepared);
  const Result again = result_from_json(to_json(result), "text");
  EXPECT_EQ(to_json(again), to_json(result));
  // The model alone predicts the runs as it did.
  const Result tried = validate_study(study, again).result;
  EXPECT_NEAR(tried.validation[1].residual.prepared, result.validation[1].residual.prepared,
              1e-3 * result.validation[1].residual.prepared);
}

TEST(FrictionStudy, JointsMayDifferAndFormsMayBeChosen) {
  const std::string truth =
      "coulomb: [1, 1.5], viscous: 0.5, stribeck: [0, 1.2], stribeck_velocity: [1, 0.15]";
  const Result result =
      run_study(two_r("drives: {friction: [viscous, coulomb], joints: {joint2: {friction: auto}}}\n",
                      run_text("one", truth, 1)))
          .result;
  EXPECT_FALSE(drive(result, 0).friction);
  ASSERT_TRUE(drive(result, 1).friction);
  const FrictionValues& friction = *drive(result, 1).friction;
  EXPECT_EQ(friction.model, "stribeck") << friction.reason;
  expect_parameter(friction, "fs", 1.2);
  expect_parameter(friction, "vs", 0.15);
  expect_parameter(friction, "fc", 1.5);
  EXPECT_THAT(friction.reason, HasSubstr("held-out"));
  EXPECT_NEAR(base(result, "fc1"), 1, 0.05);
}

// What a gear takes of its load beside other forms: all of it comes back, and the band at rest is made of both.
TEST(FrictionStudy, LoadStandsBesideOtherForms) {
  const std::string keys =
      "drives: {joints: {joint1: {friction: [viscous, coulomb, stribeck, load]}, "
      "joint2: {friction: [viscous, asymmetric, load_directional]}}}\n";
  const std::string truth =
      "viscous: [0.4, 0.3], coulomb: [1, 0], stribeck: [1.5, 0], stribeck_velocity: [0.2, 1], "
      "coulomb_positive: [0, 2], "
      "coulomb_negative: [0, 1.2], load_driving: [0, 0.15], load_driven: [0, 0.1]";
  const Result result = run_study(two_r(keys, run_text("one", truth, 1))).result;
  const FrictionValues &first = *drive(result, 0).friction, &second = *drive(result, 1).friction;
  EXPECT_EQ(first.model, "stribeck");
  expect_parameter(first, "fs", 1.5);
  expect_parameter(first, "vs", 0.2);
  EXPECT_EQ(first.load, "");  // nothing hangs on the vertical axis of joint 1
  EXPECT_EQ(second.model, "asymmetric");
  EXPECT_EQ(second.load, "load_directional");
  expect_parameter(second, "fp", 2);
  expect_parameter(second, "fn", 1.2);
  const RestValues &column = *drive(result, 0).rest, &arm = *drive(result, 1).rest;
  EXPECT_DOUBLE_EQ(column.up, first.parameters.at("fc") + first.parameters.at("fs"));
  EXPECT_EQ(column.down, column.up);
  EXPECT_EQ(arm.up, second.parameters.at("fp"));
  EXPECT_EQ(arm.down, second.parameters.at("fn"));
  EXPECT_EQ(arm.driving, second.parameters.at("mu_driving"));
  EXPECT_EQ(arm.driven, second.parameters.at("mu_driven"));
  // One joint alone shows (1 + μd)/(1 − μb).
  EXPECT_NEAR((1 + arm.driving) / (1 - arm.driven), 1.15 / 0.9, 0.01);
  EXPECT_EQ(to_json(result_from_json(to_json(result), "text")), to_json(result));
}

// A share of the load that grows towards rest: its band at rest is that of both, and the model predicts another run.
TEST(FrictionStudy, LoadFrictionMayGrowTowardsRest) {
  const std::string truth =
      "viscous: 0.4, coulomb: 0.5, load_mean: [0, 0.1], load_peak: [0, 0.2], "
      "load_peak_velocity: 0.4";
  const std::string runs = run_text("one", truth, 1) + run_text("two", truth, 2, "validate");
  for (const char* asked : {"[viscous, coulomb, offset, load_stribeck]", "auto"}) {
    SCOPED_TRACE(asked);
    const Study study = two_r(
        "drives: {friction: [viscous, coulomb], joints: {joint2: {friction: " + std::string(asked) + "}}}\n",
        runs);
    const Result result = run_study(study).result;
    const DriveValues& arm = drive(result, 1);
    ASSERT_TRUE(arm.friction);
    EXPECT_EQ(arm.friction->load, "load_stribeck") << arm.friction->reason;
    expect_parameter(*arm.friction, "kappa", 0.1);
    expect_parameter(*arm.friction, "kappa_peak", 0.2);
    expect_parameter(*arm.friction, "vm", 0.4);
    const double kappa = arm.friction->parameters.at("kappa") + arm.friction->parameters.at("kappa_peak");
    EXPECT_DOUBLE_EQ(arm.rest->driving, 2 * kappa / (1 - kappa));
    EXPECT_DOUBLE_EQ(arm.rest->driven, 2 * kappa / (1 + kappa));
    EXPECT_LT(result.validation[1].residual.prepared, 1.5 * result.validation[0].residual.prepared);
    const Result again = result_from_json(to_json(result), "text");
    EXPECT_NEAR(validate_study(study, again).result.validation[1].residual.prepared,
                result.validation[1].residual.prepared, 1e-3 * result.validation[1].residual.prepared);
  }
}

// A sigmoid that is a step: what the gear takes has the sign of the velocity then, too.
TEST(FrictionStudy, LoadBesideASigmoidThatIsAStepHasItsSign) {
  const Result result =
      run_study(
          two_r("drives: {friction: [viscous, coulomb], joints: {joint2: {friction: [viscous, offset, "
                "sigmoid, load]}}}\n",
                run_text("one", "viscous: 0.4, coulomb: 2, load_driving: [0, 0.15], load_driven: [0, 0.15]",
                         1)))
          .result;
  const FrictionValues& friction = *drive(result, 1).friction;
  EXPECT_EQ(friction.status, "coulomb") << friction.reason;
  EXPECT_EQ(friction.load, "load");
  EXPECT_EQ(friction.parameters.at("vl"), 0);
  expect_parameter(friction, "mu", 0.15);
}

TEST(FrictionStudy, AsymmetricCoulombFriction) {
  const Result result = run_study(two_r("drives: {friction: asymmetric}\n",
                                        run_text("one", "coulomb_positive: 2, coulomb_negative: 1.2", 1)))
                            .result;
  for (std::size_t j = 0; j < 2; ++j) {
    ASSERT_TRUE(drive(result, j).friction);
    expect_parameter(*drive(result, j).friction, "fp", 2);
    expect_parameter(*drive(result, j).friction, "fn", 1.2);
  }
}

TEST(FrictionStudy, EveryRunHasItsOwnOffset) {
  const std::string runs = run_text("cold", "viscous: 1, coulomb: 1, offset: 0.5", 1) +
                           run_text("warm", "viscous: 1, coulomb: 1, offset: -0.3", 2) +
                           run_text("new", "viscous: 1, coulomb: 1, offset: 0.1", 3, "validate");
  const Result result =
      run_study(two_r("drives: {friction: [viscous, coulomb], offset: per_run}\n", runs)).result;
  EXPECT_NEAR(base(result, "fo1@cold"), 0.5, 0.02);
  EXPECT_NEAR(base(result, "fo1@warm"), -0.3, 0.02);
  EXPECT_NEAR(base(result, "fo2@cold"), 0.5, 0.02);
  // A fresh run is predicted with the mean of the others, which here is its own: noise remains.
  EXPECT_LT(result.validation[2].residual.prepared, 1.5 * result.validation[0].residual.prepared);
  // Another motion has other efforts, by some percent; without an offset of 0.1 N·m the error would be √2 as
  // large.
  EXPECT_LT(*result.validation[2].residual.raw, 1.2 * *result.validation[0].residual.raw);
}

TEST(ExtraColumnsOfAStudy, StandForAnyEffortThatIsLinearInItsParameter) {
  // Viscous friction of joint 2 as a column, instead of the drive term; that of joint 1 known.
  const std::string keys =
      "drives: {friction: [offset]}\n"
      "columns: [{name: drag, joint: joint2, expression: qd2}]\n"
      "known: [{joint: joint1, expression: \"0.7 * qd\"}]\n";
  const Result result = run_study(two_r(keys, run_text("one", "viscous: [0.7, 1.3], offset: 0.2", 1))).result;
  EXPECT_NEAR(base(result, "drag"), 1.3, 0.01);
  EXPECT_NEAR(base(result, "fo1"), 0.2, 0.01);
  const Result drive_terms = run_study(two_r("drives: {friction: [offset, viscous]}\n",
                                             run_text("one", "viscous: [0.7, 1.3], offset: 0.2", 1)))
                                 .result;
  // The same rows but for one parameter more; raw efforts are compared without what is known of them.
  EXPECT_NEAR(*result.residual.per_joint[1].prepared, *drive_terms.residual.per_joint[1].prepared, 1e-4);
  EXPECT_NEAR(result.residual.per_joint[0].rms, drive_terms.residual.per_joint[0].rms, 1e-3);
  EXPECT_NEAR(*result.residual.per_joint[1].raw, *drive_terms.residual.per_joint[1].raw, 1e-3);
}

TEST(ExtraColumnsOfAStudy, NonsenseIsRefusedWithItsPlace) {
  const auto error = [](const std::string& keys) {
    try {
      run_study(two_r(keys, run_text("one", "viscous: 1", 1)));
    } catch (const InputError& found) {
      return std::string(found.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(error("columns: [{name: x, joint: joint3, expression: q}]\n"),
              HasSubstr("did you mean 'joint"));
  EXPECT_THAT(error("columns: [{name: x, joint: joint1, expression: \"sin(q3)\"}]\n"), HasSubstr("q3"));
  EXPECT_THAT(error("columns: [{joint: joint1, expression: q}]\n"), HasSubstr("name"));
  EXPECT_THAT(error("drives: {friction: sigmod}\n"), HasSubstr("did you mean 'sigmoid'"));
  EXPECT_THAT(error("drives: {friction: [sigmoid, stribeck]}\n"), HasSubstr("two forms"));
  EXPECT_THAT(error("drives: {friction: [asymmetric, coulomb]}\n"), HasSubstr("span"));
  EXPECT_THAT(error("drives: {friction: [coulomb, sigmoid]}\n"),
              HasSubstr("a sigmoid beside Coulomb friction"));
  EXPECT_THAT(error("drives: {joints: {elbow: {friction: auto}}}\n"), HasSubstr("unknown joint of drives"));
}

// The gas spring of axis 2, from the geometry that the log's description gives; torque = lever · pressure ·
// area.
std::string counterbalance() {
  const std::string delta = "(q2 + 95/180*pi)", area = "(pi*(0.055^2 - 0.030^2)/4)";
  const std::string length = "sqrt(0.8^2 + 0.2^2 - 2*0.8*0.2*cos" + delta + ")";
  const std::string pressure = "(1.01*296.8*328*0.159/(0.00096 - (" + length + " - 0.6)*" + area + "))";
  return "0.8*0.2*sin" + delta + "/" + length + "*" + pressure + "*" + area;
}

Result kr300(const std::string& keys) {
  const std::string text =
      "robot: " + kTree + "/tests/doctor/kr300.yaml\n" + keys +
      "drives: {friction: [viscous, coulomb, offset]}\nruns:\n  - file: " + oracle::data_folder()->string() +
      "/kuka_kr300/kr300_250Hz.csv\n    label: run\n"
      "    columns: {time: t_s, position: \"q_mot{j}_deg\", velocity: \"dq_mot{j}_degps\", torque: "
      "\"tau_mot{j}_Nm\"}\n    units: {position: deg, velocity: deg/s, torque: N*m}\n"
      "    offset: {position: [0, -pi/2, pi/2, 0, 0, 0]}\n"
      "    scale: {torque: [1798/7, 1872/7, 757/3, 221, 5032/21, 206793/1340]}\n"
      "prepare: {filter: {order: 4, cutoff: 10}, columns: filtered}\n"
      "estimate: {method: ols, intervals: {method: classical, bias_check: false}}\nreport: false\n";
  return run_study(read_study_text(text, kTree + "/tests/study/kr300.yaml")).result;
}

TEST(ExtraColumnsOfAStudy, CounterbalanceOfTheKr300AsColumnAndAsKnownEffort) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  const Result without = kr300("");
  const Result column =
      kr300("columns: [{name: counterbalance, joint: axis2, expression: \"" + counterbalance() + "\"}]\n");
  const Result known = kr300("known: [{joint: axis2, expression: \"" + counterbalance() + "\"}]\n");
  EXPECT_EQ(column.base.size(), without.base.size() + 1);
  EXPECT_EQ(known.base.size(), without.base.size());
  // The same rows with one parameter more cannot fit worse. The description's own fit with a free gain leaves
  // 10.8 % at this cut-off.
  EXPECT_LE(column.residual.prepared, without.residual.prepared);
  EXPECT_LE(column.residual.prepared, 0.115);
  EXPECT_LE(column.residual.per_joint[1].rms, known.residual.per_joint[1].rms);
}

}  // namespace friction_study_test
}  // namespace steelyard
