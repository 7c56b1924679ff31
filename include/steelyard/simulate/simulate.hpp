// The log that a robot with known parameters writes on a given motion.
//
// Sample s is taken at t_s = s/rate + jitter and depends on nothing but s, the inputs and the seed:
//
//   positions   quantised(q(t_s) + noise), joint side, or motor side q_m = N (q − zero)
//   velocities  exact, or differences of the logged positions of this sample and the previous one, or none
//   efforts     scale |τ(t_s − delay) + noise|, the bars only when requested; torque, motor torque N⁻ᵀ τ, or
//               current
//   stamps      t_s + stamp noise
//
// with τ = Y π + drives (drives.hpp), the load added to the tool link. A repeated sample has its own stamp
// and the values of the previous one. Random numbers are keyed by (seed, purpose, joint, sample), so that
// any range of samples, in any order, on any number of threads, has the same bytes. Two runs with the same
// seed have the same noise: give each its own.
//
// The robot follows the motion perfectly; efforts are not saturated; joints are stiff.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/log/run_file.hpp"
#include "steelyard/log/source.hpp"
#include "steelyard/robot/inertia.hpp"
#include "steelyard/robot/robot.hpp"
#include "steelyard/simulate/drives.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class EffortChannel { torque, current };
enum class VelocityChannel { none, exact, from_positions };

// Lists: none (zero), one number for all joints, or one per joint.
struct SimulateOptions {
  RunLabel label;
  double rate = 1000;  // [Hz]
  Index samples = 0;   // 0: from time 0 to the end of the motion, both included

  EffortChannel effort = EffortChannel::torque;
  VelocityChannel velocity = VelocityChannel::exact;
  bool acceleration = false;     // also log q̈
  bool motor_side = false;       // positions, velocities, accelerations, torques as the motors see them
  bool unsigned_effort = false;  // |·| of the noisy effort

  std::optional<Inertia> payload;  // in the tool frame

  VectorXd position_noise;         // standard deviation [rad or m, on the logged side]
  VectorXd quantum;                // step of the encoder, 0: none
  VectorXd effort_noise;           // standard deviation [N·m, N or A]
  VectorXd relative_effort_noise;  // the same as share of the joint's RMS effort over the run; both add up
  VectorXd effort_scale;           // logged over true effort: a wrong conversion; none: 1
  double delay = 0;                // [s] by which efforts are late, ≥ 0
  double jitter = 0;               // [s] instants are uniform within ± this
  double stamp_noise = 0;  // [s] stamps are off by up to ± this; jitter + stamp_noise < half a period
  double repeat = 0;       // probability that a sample repeats the previous one, 0 … 0.9

  bool check_limits = true;  // refuse motions beyond the robot's position, velocity, acceleration limits
  std::uint64_t seed = 1;
  int threads = 1;

  void validate() const;  // throws InputError; sizes of lists are checked against the robot by Simulator
};

class Simulator {
 public:
  // Throws InputError for inputs that do not fit each other. With relative noise it also goes through the
  // whole motion once.
  Simulator(const Robot& robot, const TrueParameters& parameters, const Trajectory& trajectory,
            const SimulateOptions& options);
  ~Simulator();
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;

  Index size() const;    // samples
  Index joints() const;  // independent coordinates
  const std::vector<std::string>& channels() const;
  const SimulateOptions& options() const;
  // Standard deviation of the effort noise of each joint.
  const VectorXd& effort_deviation() const;

  // Samples first … first + count − 1. Throws InputError for the first of them that violates a limit, with
  // joint, time and limit.
  void read(Index first, Index count, SampleBlock& block) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The whole run in memory.
Run simulate(const Robot& robot, const TrueParameters& parameters, const Trajectory& trajectory,
             const SimulateOptions& options = {});

// The samples one after the other, for runs that do not fit in memory.
std::unique_ptr<SampleSource> simulated_source(Simulator simulator);

// Runs to text tables, so that open_run() with the same RunFile reads the same numbers, bit by bit (negative
// zeros as zeros).
//
// One header line, one line per sample: the time, then each channel's joints. Numbers are the shortest text
// that reads back as the same double, SI only. The file appears complete or not at all;
// memory does not depend on the length of the run.

// t_s, q{j}_rad, dq{j}_radps, ddq{j}_radps2, tau{j}_Nm, i{j}_A; motor side qm{j}_rad, dqm…, ddqm…,
// taum{j}_Nm; m, mps, mps2, N for prismatic joints; other channels <channel>{j}.
RunFile standard_columns(const std::string& path, const std::vector<std::string>& channels,
                         const std::vector<LogJoint>& joints);

// Writes file.channels of the source from its beginning to file.path. Separator `detect` is a comma. Throws
// InputError for channels the source does not have, names that occur twice, units or scales other than SI,
// files without header, and values that are not finite; MachineError when writing fails.
void write_csv(SampleSource& source, const RunFile& file, const std::vector<LogJoint>& joints);
void write_csv(const Run& run, const RunFile& file, const std::vector<LogJoint>& joints);

}  // namespace steelyard
