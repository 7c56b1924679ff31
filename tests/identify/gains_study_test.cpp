// Studies with currents: the keys, the example, what comes out.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <regex>
#include <string>

#include "steelyard/core/error.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/identify/gain_advice.hpp"
#include "steelyard/identify/run.hpp"

namespace steelyard {
namespace gains_study_test {

using ::testing::HasSubstr;

const std::string kExample = std::string(STEELYARD_SOURCE_DIR) + "/examples/tx40-gains/study.yaml";
const double kTrue[] = {33.9, 32.4, 24.2, -9.21, 16.3, 6.79};

Study example() {
  Study study = read_study(kExample);
  study.intervals.replicates = 100;
  study.intervals.bias_check = false;
  study.gains->methods = {GainMethod::wls, GainMethod::tls, GainMethod::prediction_error};
  return study;
}

const GainMethodSummary* method_of(const Result& result, const std::string& name) {
  for (const GainMethodSummary& method : result.gains->methods)
    if (method.method == name) return &method;
  return nullptr;
}

TEST(GainsStudy, TheExampleFindsGainsAndBothLoads) {
  const Result result = run_study(example()).result;
  ASSERT_TRUE(result.gains.has_value());
  EXPECT_EQ(result.gains->columns, 77);
  EXPECT_EQ(result.base.size(), 61U);
  for (const char* name : {"tls", "prediction_error"}) {
    const GainMethodSummary* method = method_of(result, name);
    ASSERT_NE(method, nullptr);
    double sum = 0;
    for (std::size_t j = 0; j < 6; ++j) {
      ASSERT_TRUE(method->joints[j].gain.has_value());
      sum += std::abs(method->joints[j].gain->value / kTrue[j] - 1) / 6;
    }
    EXPECT_LT(sum, 0.015) << name;
  }
  EXPECT_NE(result.gains->used, "wls") << "held-out currents know the bias of least squares";
  ASSERT_EQ(result.payloads.size(), 3U);
  for (const PayloadSummary& load : result.payloads) {
    const double mass = load.name == "weighed" ? 4.59 : 1.686;
    EXPECT_NEAR(load.parameters.at("m").value, mass, 0.02 * mass)
        << load.run;  // one draw: three standard deviations
    EXPECT_TRUE(load.mass.has_value());
  }
  // Fresh motions, two of them loaded: the noise of the currents is 10 % before the filter, 2 % behind it.
  for (const RunValidation& run : result.validation) EXPECT_LT(run.residual.prepared, 0.04) << run.run;
  // What is written can be read again.
  const std::string text = to_json(result);
  EXPECT_EQ(to_json(result_from_json(text, "result.json")), text);
}

// The robot's friction is linear: `auto` keeps it, with the same gains; a forced form has columns of its own.
TEST(GainsStudy, FormsOfFrictionChangeTheGainsOnlyWhereTheyAreChosen) {
  std::string text = read_text_file(kExample, "study");
  const std::string root = std::string(STEELYARD_SOURCE_DIR) + "/robots";
  text.replace(text.find("../../robots"), std::string("../../robots").size(), root);
  const auto gains = [&](const std::string& drives) {
    Study study = read_study_text(text + drives, "study.yaml");
    study.intervals.replicates = 20;
    study.intervals.bias_check = false;
    study.gains->methods = {GainMethod::prediction_error};
    const Result result = run_study(study).result;
    std::vector<double> values;
    for (const GainValue& joint : method_of(result, "prediction_error")->joints)
      values.push_back(joint.gain ? joint.gain->value : 0);
    return values;
  };
  const std::vector<double> linear = gains("");
  EXPECT_EQ(gains("drives: {friction: auto}\n"), linear);
  const std::vector<double> sigmoid = gains("drives: {friction: sigmoid}\n");
  EXPECT_NE(sigmoid, linear);
  // A sigmoid contains the Coulomb step: where friction is linear, it costs no more than the gains are uncertain.
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(sigmoid[j] / linear[j], 1, 0.02) << j;
}

// The example with little noise and this friction of its drives on top.
std::string example_with(const std::string& friction) {
  std::string text = read_text_file(kExample, "study");
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replace("../../robots", std::string(STEELYARD_SOURCE_DIR) + "/robots");
  replace("relative_effort_noise: 0.1", "relative_effort_noise: 0.005");
  replace("position_noise: 1e-4", "position_noise: 1e-5");
  replace("      motion:", "      friction: {" + friction + "}\n      motion:");
  return text;
}

struct Off {
  double gains = 0, largest = 0, loads = 0;
};

// By how much the gains and loads of such a study are off, as shares of the true ones.
Off off_by(const std::string& text, Result& result) {
  Study study = read_study_text(text, "study.yaml");
  study.intervals.replicates = 20;
  study.intervals.bias_check = false;
  study.gains->methods = {GainMethod::prediction_error};
  result = run_study(study).result;
  Off out;
  for (std::size_t j = 0; j < 6; ++j) {
    const double share =
        std::abs(method_of(result, "prediction_error")->joints[j].gain->value / kTrue[j] - 1);
    out.gains += share / 6;
    out.largest = std::max(out.largest, share);
  }
  for (const PayloadSummary& load : result.payloads) {
    const double mass = load.name == "weighed" ? 4.59 : 1.686;
    const double shown = load.shown_mass ? load.shown_mass->value : load.parameters.at("m").value;
    out.loads = std::max(out.loads, std::abs(shown / mass - 1));
  }
  return out;
}

double base_of(const Result& result, const std::string& name) {
  for (const BaseValue& value : result.base)
    if (value.name == name) return value.value;
  ADD_FAILURE() << "no column " << name;
  return 0;
}

// Three gears that take 7 % of their load, little noise: `auto` finds them while the gains are unknown, and the gains are then
// right; without load friction they, and a load that is weighed by them, are several times further off.
TEST(GainsStudy, LoadFrictionIsToldFromTheGains) {
  const std::string text =
      example_with("load_driving: [0, 0.07, 0.07, 0.07, 0, 0], load_driven: [0, 0.07, 0.07, 0.07, 0, 0]");
  Result result;
  const Off without = off_by(text, result), with = off_by(text + "drives: {friction: auto}\n", result);
  EXPECT_LT(with.largest, 0.005);
  EXPECT_LT(with.loads, 0.002);
  EXPECT_GT(without.gains, 3 * with.gains);
  EXPECT_GT(without.loads, 3 * with.loads);
  for (const DriveValues& drive : result.drives) {
    ASSERT_TRUE(drive.friction.has_value()) << drive.joint;
    const bool loaded = drive.joint == "joint2" || drive.joint == "joint3" || drive.joint == "joint4";
    EXPECT_EQ(drive.friction->load, loaded ? "load" : "") << drive.joint;
    if (loaded) {
      EXPECT_NEAR(drive.friction->parameters.at("mu"), 0.07, 0.003) << drive.joint;
    }
  }
}

// Drives whose dry friction builds up over some rad/s: with the form that it has gains and loads are right.
TEST(GainsStudy, SigmoidsOfTheDrivesGiveTheRightGains) {
  const std::string text =
      std::regex_replace(example_with("sigmoid_height: [30, 35, 27, 10, 14, 5], sigmoid_slope: 2"),
                         std::regex("fc([1-6]): [0-9.]+"), "fc$1: 0");
  Result result;
  const Off linear = off_by(text, result), forms = off_by(text + "drives: {friction: sigmoid}\n", result);
  EXPECT_LT(forms.largest, 0.005);
  EXPECT_LT(forms.loads, 0.002);
  EXPECT_GT(linear.gains, 3 * forms.gains);
  EXPECT_GT(linear.loads, 3 * forms.loads);
}

TEST(GainsStudy, AdviceNamesWhatItDoesNotCount) {
  const std::string text = example_with("viscous: 0");
  EXPECT_THAT(advise_study_gains(read_study_text(text, "study.yaml")).not_counted, ::testing::IsEmpty());
  const std::string drives =
      "drives: {friction: auto, offset: per_run, ripple: [3], joints: {joint6: {friction: [viscous, load, "
      "stribeck]}, "
      "joint1: {friction: [viscous]}}}\ncolumns: [{name: spring, joint: joint2, expression: sin(q)}]\n";
  EXPECT_THAT(advise_study_gains(read_study_text(text + drives, "study.yaml")).not_counted,
              ::testing::ElementsAre("chosen friction of joint2", "chosen friction of joint3",
                                     "chosen friction of joint4", "chosen friction of joint5",
                                     "stribeck and load friction of joint6", "ripple", "column spring",
                                     "offsets of single runs"));
}

// An effort that repeats along the turn, as a column of the study; and viscous friction that is known.
TEST(GainsStudy, ColumnsAndKnownEffortsAct) {
  const std::string text = example_with("ripple: [0, 8, 8, 0, 0, 0], ripple_order: 3");
  const std::string terms =
      "columns: [{name: wave2, joint: joint2, expression: sin(3*q)}, {name: wave3, joint: joint3, "
      "expression: "
      "sin(3*q)}]\n";
  Result result;
  const Off without = off_by(text, result), with = off_by(text + terms, result);
  EXPECT_LT(with.largest, 0.005);
  EXPECT_GT(without.gains, 3 * with.gains);
  EXPECT_NEAR(base_of(result, "wave2"), 8, 0.1);
  EXPECT_NEAR(base_of(result, "wave3"), 8, 0.1);
  const double viscous = base_of(result, "fv1");
  off_by(text + terms + "known: [{joint: joint1, expression: 7.01*qd}]\n", result);
  EXPECT_NEAR(base_of(result, "fv1"), viscous - 7.01, 0.01);
}

// The manufacturer's gains: the loads come out wrong, and the interval shows it.
TEST(GainsStudy, GivenGainsWithADeviationDominateTheLoad) {
  Study study = example();
  study.gains = GainSpec{};
  study.gains->known.resize(6);
  study.gains->known << 32.96, 32.96, 25.65, -11.52, 18.48, 7.68;
  study.gains->sigma = VectorXd::Constant(1, 0.1);
  const Result result = run_study(study).result;
  EXPECT_EQ(result.gains->used, "given");
  for (const PayloadSummary& load : result.payloads) {
    const double mass = load.name == "weighed" ? 4.59 : 1.686;
    // A mass that is given is kept, and beside it stands what the currents show.
    EXPECT_EQ(load.shown_mass.has_value(), load.name == "weighed");
    if (load.name == "weighed")
      EXPECT_EQ(load.parameters.at("m").value, mass);
    else
      EXPECT_TRUE(load.gains_dominate);
    const auto interval = load.shown_mass ? load.shown_mass->interval : load.parameters.at("m").interval;
    ASSERT_TRUE(interval.has_value());
    EXPECT_LT(interval->first, mass);
    EXPECT_GT(interval->second, mass);
  }
  EXPECT_TRUE(std::any_of(result.findings.begin(), result.findings.end(),
                          [](const Finding& finding) { return finding.code == "payload-gain-error"; }));
}

// What is given of a load beside given gains is used: another mass is another model, and the currents contradict a wrong one.
TEST(GainsStudy, GivenGainsKeepWhatIsKnownOfALoad) {
  // The shoulder feels the load's mass at the end of a link of its own: it is identifiable.
  const std::string robot = ::testing::TempDir() + "steelyard_given_loads.yaml";
  std::ofstream(robot) << "name: arm3\nconvention: modified_dh\njoints:\n"
                          "  - {name: column, a: 0, alpha: 0, d: 0.4, link: {mass: 9, com: [0, 0.02, -0.1], "
                          "inertia: {xx: 0.2, "
                          "xy: 0, xz: 0, yy: 0.2, yz: 0, zz: 0.06}}}\n"
                          "  - {name: shoulder, a: 0, alpha: pi/2, d: 0, link: {mass: 6, com: [0.22, 0.01, "
                          "0.05], inertia: {xx: "
                          "0.02, xy: 0, xz: 0, yy: 0.12, yz: 0, zz: 0.12}}}\n"
                          "  - {name: elbow, a: 0.45, alpha: 0, d: 0, link: {mass: 3.5, com: [0.18, 0.03, "
                          "0.02], inertia: {xx: "
                          "0.01, xy: 0, xz: 0, yy: 0.05, yz: 0, zz: 0.05}}}\n";
  const auto run = [&](const std::string& known, const std::string& roles = "role: fit") {
    const std::string motion =
        "{motion: {multi_sine: {harmonics: 4, period: 6, center: [0, 0.4, -0.5], reach: 1.2, seed: ";
    const std::string rest =
        "}}, rate: 200, friction: {viscous: 0.3, coulomb: 0.5}, effort_noise: 0.02, velocity: none, "
        "effort: current, gain: [2, 3, -1.5]";
    const Study study = read_study_text(
        "robot: " + robot +
            "\ndrives: {friction: [viscous, coulomb]}\ngains: {known: [2, 3, -1.5]}\n"
            "payloads: [{name: w, known: {" +
            known + "}}]\nruns:\n  - label: empty\n    " + roles + "\n    simulate: " + motion + "1" + rest +
            "}\n  - label: loaded\n    payload: w\n    simulate: " + motion + "2" + rest +
            ", load: {m: 1.5, mx: 0.3, Jyy: 0.06, Jzz: 0.06}}\n"
            "prepare: {filter: {order: 4, cutoff: 10}, columns: filtered}\n"
            "estimate: {intervals: {bias_check: false, replicates: 50}}\n",
        "study.yaml");
    return run_study(study).result;
  };
  const auto contradicts = [](const Result& result) {
    return std::any_of(result.findings.begin(), result.findings.end(),
                       [](const Finding& finding) { return finding.code == "payload-contradicts"; });
  };
  const std::string rest = "mx: 0.3, my: 0, mz: 0, Jxx: 0, Jxy: 0, Jxz: 0, Jyy: 0.06, Jyz: 0, Jzz: 0.06";
  const Result right = run("m: 1.5"), all = run("m: 1.5, " + rest), heavy = run("m: 30");
  EXPECT_EQ(right.payloads[0].parameters.at("m").value, 1.5);
  EXPECT_EQ(heavy.payloads[0].parameters.at("m").value, 30);
  EXPECT_EQ(all.payloads[0].parameters.at("mx").value, 0.3);
  EXPECT_FALSE(all.payloads[0].parameters.at("mx").sigma.value_or(0) > 0);
  for (const Result* result : {&right, &all, &heavy}) {
    ASSERT_TRUE(result->payloads[0].shown_mass);
    EXPECT_NEAR(result->payloads[0].shown_mass->value, 1.5, 4 * *result->payloads[0].shown_mass->sigma);
  }
  EXPECT_FALSE(contradicts(right));
  EXPECT_FALSE(contradicts(all));
  EXPECT_TRUE(contradicts(heavy));
  EXPECT_GT(heavy.residual.prepared, 2 * right.residual.prepared);
  // Every run carries the load: nothing shows it apart from the last link, and with all of it known nothing must.
  const Result loaded_only = run("m: 1.5, " + rest, "payload: w");
  EXPECT_EQ(loaded_only.payloads.size(), 2U);
}

void expect_refused(const std::string& from, const std::string& to, const std::string& words) {
  std::string text = read_text_file(kExample, "study");
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  try {
    run_study(read_study_text(text, kExample));
    ADD_FAILURE() << "accepted; expected: " << words;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

TEST(GainsStudy, WrongKeysAreErrors) {
  expect_refused("gains: {prior", "gains: {priors", "did you mean 'prior'");
  expect_refused("mass: 4.59", "mass: 0", "the mass of the load is 0");
  expect_refused("mass: 4.59", "mass: -1", "mass = -1");
  expect_refused("payload: weighed", "payload: wieghed", "wieghed");
  expect_refused("gains: {prior", "drives: {} #", "has currents, but the study has no gains");
  expect_refused("fvm6: 0.475", "fvm7: 0.475", "no parameter 'fvm7'");
}

// One joint does not show the mass of a load, only its moments.
TEST(GainsStudy, OfOneJointHaveALoadWithoutABody) {
  const std::string simulated =
      "    simulate: {motion: {multi_sine: {harmonics: 5, period: 10, center: 0.3, reach: 1.2, seed: 1}}, "
      "rate: "
      "100, friction: {viscous: 0.3, coulomb: 0.5}, effort_noise: 0.02, velocity: none, effort: current, "
      "gain: "
      "[2.5]";
  const std::string robot = ::testing::TempDir() + "steelyard_pendulum.yaml";
  std::ofstream(robot)
      << "name: pendulum\nconvention: frames\njoints:\n"
         "  - {name: hinge, axis: [0, 1, 0], link: {name: bob, mass: 2, com: [0.3, 0.05, 0.1], "
         "inertia: {xx: 0.02, xy: 0, xz: 0, yy: 0.03, yz: 0, zz: 0.03}}}\n";
  const Study study = read_study_text(
      "robot: " + robot +
          "\ndrives: {friction: [viscous, coulomb, offset]}\ngains: {}\n"
          "payloads: [{name: w, known: {m: 1.5, mx: 0.3, Jyy: 0.06, Jzz: 0.06}}]\nruns:\n  - label: empty\n" +
          simulated + "}\n  - label: loaded\n    payload: w\n" + simulated +
          ", load: {m: 1.5, mx: 0.3, Jyy: 0.06, Jzz: 0.06}}\n"
          "prepare: {filter: {order: 4, cutoff: 10}, columns: filtered}\n",
      "study.yaml");
  const Result result = run_study(study).result;
  ASSERT_EQ(result.payloads.size(), 1U);
  EXPECT_FALSE(result.payloads[0].mass);
  EXPECT_NEAR(method_of(result, result.gains->used)->joints[0].gain->value, 2.5, 0.05);
}

}  // namespace gains_study_test
}  // namespace steelyard
