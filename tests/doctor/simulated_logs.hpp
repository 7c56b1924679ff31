// Healthy logs of simulated robots, from a seed.
#pragma once

#include <string>

#include "steelyard/log/run.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::testing {

struct SimulatedLog {
  Robot robot;
  Run run;
};

// A chain of arbitrary axes, a quarter of its joints prismatic, light ones behind heavy ones; a motion of 30
// s at 200 Hz. Noise of the efforts as share of each joint's own.
SimulatedLog random_log(int joints, double noise, std::uint64_t seed);

// The same robot with motions of its own reach about a position of all joints: small ones absorb much of what is wrong.
SimulatedLog local_log(int joints, double noise, std::uint64_t seed, double center, double reach = 0.1);

// The same for 60 s at another rate, faster (1 Hz), with efforts that are later by any time from −0.1 s on.
SimulatedLog late_log(int joints, double rate, double noise, double seconds, std::uint64_t seed);

// One vertical axis: inertia and friction, no weight.
SimulatedLog turntable_log(double noise, std::uint64_t seed);

// Shoulder and elbow without weight, a quill, a light flange.
SimulatedLog scara_log(double noise, std::uint64_t seed);

}  // namespace steelyard::testing
