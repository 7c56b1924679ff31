// The forecast on typical motions has every column of the fit: forms of friction, load, the study's own columns, offsets of runs.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/robot/read.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard {
namespace typical_motions_test {

const std::string kTree = STEELYARD_SOURCE_DIR;

std::string run_text(const std::string& label, const std::string& friction, int seed) {
  const std::string number = std::to_string(seed);
  return "  - label: " + label +
         "\n    simulate:\n      rate: 250\n      effort_noise: 0.02\n      seed: " + number +
         "\n      motion: {multi_sine: {harmonics: 14, period: 20, center: [0, 0], reach: 1.5, seed: " +
         number + "}}\n      friction: {" + friction + "}\n";
}

// What a motion of the fitted log is forecast to err by on typical motions.
MotionForecast typical(const std::string& keys, const std::string& runs) {
  const std::string text =
      "robot: " + kTree + "/robots/two_r.yaml\n" + keys + "runs:\n" + runs +
      "prepare: {filter: {order: 4, cutoff: 20}, columns: filtered, reject: {standstill: 0}}\n"
      "estimate: {method: wls, intervals: {method: classical, bias_check: false}}\n"
      "validate: {cross: {blocks: 8, by: index}}\nreport: false\n";
  const Result result = run_study(read_study_text(text, kTree + "/tests/study/made_up.yaml")).result;
  EXPECT_TRUE(result.forecast);
  return result.forecast ? result.forecast->typical : MotionForecast();
}

// RMS of the joints' efforts there: the error over its share.
std::vector<double> efforts(const MotionForecast& forecast) {
  std::vector<double> out;
  for (const JointForecast& joint : forecast.per_joint)
    out.push_back(joint.expected ? joint.rms / *joint.expected : 0);
  return out;
}

using Friction = std::function<double(std::size_t joint, double qd, double load)>;

// The same by hand: the 2R arm's own parameters on the motions that docs/forecast.md describes.
std::vector<double> efforts_by_hand(const Friction& friction) {
  const Robot robot = read_robot(kTree + "/robots/two_r.yaml").robot;
  const Tree tree = compile(robot);
  const VectorXd own = standard_parameters(robot);
  RandomMotion motion;
  motion.center = VectorXd::Zero(2);
  motion.reach = VectorXd::Constant(2, 0.9 * 2.0);
  motion.velocity = VectorXd::Constant(2, 2.0);
  motion.acceleration = VectorXd::Constant(2, 8.0);
  std::vector<double> squares(2, 0);
  for (std::uint64_t m = 1; m <= 8; ++m) {
    const Trajectory trajectory(random_multi_sine(motion, m));
    for (int s = 0; s < 60; ++s) {
      const JointState at = trajectory.at((s + 0.5) / 6);
      const VectorXd load = newton_euler(tree, own, at.q, at.qd, at.qdd).tau;
      for (std::size_t j = 0; j < 2; ++j) {
        const auto k = static_cast<Index>(j);
        squares[j] += std::pow(load[k] + friction(j, at.qd[k], load[k]), 2) / (8 * 60);
      }
    }
  }
  for (double& value : squares) value = std::sqrt(value);
  return squares;
}

double sign(double x) {
  return (x > 0) - (x < 0);
}

// Parameters of 5000 samples with noise of 0.02 N·m are right to a thousandth; without its friction an effort would be 10 % off.
void expect_close(const std::vector<double>& found, const std::vector<double>& by_hand) {
  ASSERT_EQ(found.size(), by_hand.size());
  for (std::size_t j = 0; j < found.size(); ++j)
    EXPECT_NEAR(found[j], by_hand[j], 5e-3 * by_hand[j]) << "joint " << j + 1;
}

TEST(TypicalMotions, HaveSigmoids) {
  const MotionForecast found = typical(
      "drives: {friction: sigmoid}\n",
      run_text("one", "viscous: 0.4, offset: 0.2, sigmoid_height: [8, 6], sigmoid_slope: [8, 16]", 1));
  expect_close(efforts(found), efforts_by_hand([](std::size_t j, double qd, double) {
                 const double height[] = {8, 6}, slope[] = {8, 16};
                 return 0.4 * qd + 0.2 + height[j] * (1 / (1 + std::exp(-slope[j] * qd)) - 0.5);
               }));
}

TEST(TypicalMotions, HaveStribeckFrictionAndLoad) {
  const std::string stribeck = "coulomb: [2, 3], viscous: 0.5, stribeck: 3, stribeck_velocity: 0.4";
  expect_close(efforts(typical("drives: {friction: stribeck}\n", run_text("one", stribeck, 1))),
               efforts_by_hand([](std::size_t j, double qd, double) {
                 const double coulomb[] = {2, 3};
                 return 0.5 * qd + sign(qd) * (coulomb[j] + 3 * std::exp(-std::pow(qd / 0.4, 2)));
               }));
  const std::string load = "coulomb: [2, 3], viscous: 0.5, load_driving: 0.2, load_driven: 0.2";
  expect_close(efforts(typical("drives: {friction: load}\n", run_text("one", load, 1))),
               efforts_by_hand([](std::size_t j, double qd, double tau) {
                 const double coulomb[] = {2, 3};
                 return 0.5 * qd + sign(qd) * (coulomb[j] + 0.2 * std::abs(tau));
               }));
}

// fp, fn have the span of fc and fo: another name for the same fit has the same forecast, but for what changes from day to day
// (of fc ± 4 %, of fp and fn 4 % each).
TEST(TypicalMotions, DoNotDependOnHowCoulombFrictionIsWritten) {
  const std::string truth = run_text("one", "viscous: 0.3, coulomb_positive: 6, coulomb_negative: 4", 1);
  const MotionForecast asymmetric = typical("drives: {friction: asymmetric}\n", truth);
  const MotionForecast linear = typical("drives: {friction: [viscous, coulomb, offset]}\n", truth);
  expect_close(efforts(asymmetric), efforts(linear));
  EXPECT_NEAR(asymmetric.expected, linear.expected, 0.1 * linear.expected);
}

TEST(TypicalMotions, HaveTheColumnsOfTheStudy) {
  const std::string truth = run_text("one", "viscous: [3, 4], coulomb: 2", 1);
  const MotionForecast drives = typical("drives: {friction: [viscous, coulomb]}\n", truth);
  const std::string columns =
      "columns: [{name: drag1, joint: joint1, expression: qd}, {name: drag2, joint: joint2, expression: "
      "qd2}]\n";
  const MotionForecast own = typical("drives: {friction: [coulomb]}\n" + columns, truth);
  expect_close(efforts(own), efforts(drives));
}

TEST(TypicalMotions, HaveTheMeanOfTheRunsOffsets) {
  const std::string keys = "drives: {friction: [viscous, coulomb], offset: per_run}\n";
  const std::string runs =
      run_text("cold", "coulomb: 1, offset: 9", 1) + run_text("warm", "coulomb: 1, offset: 5", 2);
  expect_close(efforts(typical(keys, runs)),
               efforts_by_hand([](std::size_t, double qd, double) { return 7 + sign(qd); }));
}

TEST(TypicalMotions, LeaveOutWhereAnExpressionHasNoValue) {
  // √(q + 1.7) has a value on the log, whose reach is 1.5, and none on a part of the typical motions.
  const MotionForecast found = typical(
      "drives: {friction: [viscous, coulomb]}\n"
      "columns: [{name: odd, joint: joint2, expression: \"sqrt(q + 1.7)\"}]\n",
      run_text("one", "coulomb: 1", 1));
  EXPECT_GT(found.expected, 0);
  EXPECT_LT(found.expected, 1);
}

}  // namespace typical_motions_test
}  // namespace steelyard
