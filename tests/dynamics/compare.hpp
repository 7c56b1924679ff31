// Compares an engine's answers with ours, joint by joint by name.
#pragma once

#include "oracle/engine.hpp"
#include "oracle/random_robot.hpp"

namespace steelyard::oracle {

// Largest difference of τ, S q̇ and g relative to the largest force or moment in the robot, and of M relative
// to its diagonal. `x` is in the robot's order. Fails the test when the engine has other joints than the
// robot.
double disagreement(Engine& engine, const Robot& robot, const State& x);

}  // namespace steelyard::oracle
