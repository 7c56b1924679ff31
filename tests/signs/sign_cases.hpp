// Simulated logs of |torque| with known signs: the published set-up and its relatives.
//
// Random multi-sines of three harmonics in 13.33 s, 667 samples at 50 Hz, white noise in % of each joint's
// RMS torque before the absolute value. What the logs' motion is, friction, gains and noise are options.
#pragma once

#include <cmath>
#include <string>

#include "steelyard/robot/read.hpp"
#include "steelyard/signs/recover.hpp"
#include "steelyard/simulate/simulate.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard::sign_cases {

// Of the published experiment.
inline SegmentOptions published_segments() {
  SegmentOptions options;
  options.threshold = VectorXd::Constant(1, 0.5);
  options.low_minimum = 0.8;
  options.shortest = 8;
  return options;
}

struct Case {
  std::string robot = "kr5";
  double noise = 0.05;  // share of RMS
  double coulomb = 0;   // share of the joint's RMS torque; also viscous, half of it at 1 rad/s
  bool model_friction = true;
  VectorXd gains;     // torque per logged unit, unknown to the search; empty: 1
  VectorXd standard;  // parameters; empty: those of the robot file
  SegmentOptions segments = published_segments();
};

struct Bench {
  Robot robot;
  BaseParameters base;
  Plan plan;
  std::vector<Layout> layouts;
};

// Base columns, plan and layouts of the robot with the drive terms it declares.
inline void complete(Bench& bench) {
  BaseOptions options;
  options.expressions = false;
  bench.base = base_parameters(bench.robot, options);
  PlanOptions plan;
  for (const int k : bench.base.lead) plan.wanted.push_back(bench.base.columns[static_cast<std::size_t>(k)]);
  bench.plan = make_plan(bench.robot, plan);
  bench.layouts = row_layouts(bench.plan, bench.robot);
}

inline Bench make_bench(const std::string& source, const std::string& name, bool friction) {
  Bench bench;
  bench.robot = read_robot(source + "/robots/" + name + ".yaml").robot;
  for (Joint& joint : bench.robot.joints) {
    joint.drive = {};
    joint.drive.viscous = joint.drive.coulomb = friction;
  }
  complete(bench);
  return bench;
}

struct Trial {
  SampleBlock samples;  // |noisy torque|, exact motion
  SampleBlock truth;    // exact torque
  double rate = 50;
};

inline RandomMotion motion_of(const Bench& bench) {
  RandomMotion motion;
  motion.harmonics = 3;
  motion.period = 13.33;
  const Index joints = bench.robot.size();
  motion.center = VectorXd::Zero(joints);
  motion.reach = VectorXd::Ones(joints);
  const double reach[] = {1.5, 1, 1, 2, 1.5, 2, 2};
  for (Index j = 0; j < joints; ++j) motion.reach[j] = reach[std::min<Index>(j, 6)];
  return motion;
}

inline Trial simulate_trial(const Bench& bench, const Case& options, std::uint64_t seed) {
  const Trajectory motion(random_multi_sine(motion_of(bench), seed));
  TrueParameters parameters;
  if (options.standard.size() > 0)
    parameters.standard = options.standard;
  else
    parameters = true_parameters(bench.robot);
  parameters.drives.resize(static_cast<std::size_t>(bench.robot.size()));
  SimulateOptions simulation;
  simulation.rate = 50;
  simulation.samples = 667;
  simulation.acceleration = true;
  simulation.check_limits = false;
  simulation.seed = seed;
  if (options.coulomb > 0) {
    const Run frictionless = simulate(bench.robot, parameters, motion, simulation);
    const int torque = frictionless.samples.find(channel::kTorque);
    for (Index j = 0; j < bench.robot.size(); ++j) {
      double squares = 0;
      for (Index s = 0; s < frictionless.samples.size(); ++s)
        squares += std::pow(frictionless.samples.row(torque, j)[s], 2);
      const double rms = std::sqrt(squares / static_cast<double>(frictionless.samples.size()));
      parameters.drives[static_cast<std::size_t>(j)].friction.coulomb = options.coulomb * rms;
      parameters.drives[static_cast<std::size_t>(j)].friction.viscous = options.coulomb * rms / 2;
    }
  }
  Trial trial;
  trial.truth = simulate(bench.robot, parameters, motion, simulation).samples;
  simulation.relative_effort_noise = VectorXd::Constant(1, options.noise);
  simulation.unsigned_effort = true;
  trial.samples = simulate(bench.robot, parameters, motion, simulation).samples;
  if (options.gains.size() > 0) {
    const int torque = trial.samples.find(channel::kTorque);
    for (Index j = 0; j < bench.robot.size(); ++j)
      for (Index s = 0; s < trial.samples.size(); ++s) trial.samples.row(torque, j)[s] /= options.gains[j];
  }
  return trial;
}

// True sign of a segment, 0 when it changes inside.
inline int true_sign(const SampleBlock& truth, const SignSegment& segment) {
  const double* torque = truth.row(truth.find(channel::kTorque), segment.joint);
  const int sign = torque[segment.range.begin] < 0 ? -1 : 1;
  for (Index s = segment.range.begin; s < segment.range.end; ++s)
    if (torque[s] * sign < 0) return 0;
  return sign;
}

struct Score {
  Index segments = 0;
  Index mixed = 0;
  Index wrong = 0;  // of all segments, mixed ones too
  Index decided = 0;
  Index decided_wrong = 0;
  double kept = 0;           // share of samples in segments
  double decided_share = 0;  // of kept samples
  double wrong_share = 0;    // of decided samples
};

inline Score score(const SampleBlock& truth, const SegmentedRun& run, const SignSearch& search) {
  Score out;
  out.kept = run.kept_share;
  double kept = 0, decided = 0, wrong = 0;
  for (std::size_t k = 0; k < run.segments.size(); ++k) {
    const int sign = true_sign(truth, run.segments[k]);
    const auto size = static_cast<double>(run.segments[k].range.size());
    const bool is_wrong = sign != static_cast<int>(search.signs[static_cast<Index>(k)]);
    ++out.segments;
    out.mixed += sign == 0;
    out.wrong += is_wrong;
    kept += size;
    if (!search.segments[k].decided) continue;
    ++out.decided;
    decided += size;
    out.decided_wrong += is_wrong;
    if (is_wrong) wrong += size;
  }
  out.decided_share = kept > 0 ? decided / kept : 0;
  out.wrong_share = decided > 0 ? wrong / decided : 0;
  return out;
}

}  // namespace steelyard::sign_cases
