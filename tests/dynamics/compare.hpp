// Compares an engine's answers with ours, joint by joint by name.
#pragma once

#include "oracle/engine.hpp"
#include "oracle/random_robot.hpp"

namespace steelyard::oracle {

struct Disagreement {
  double effort = 0;  // of τ, S q̇ and g, relative to the largest force or moment in the robot
  double mass = 0;    // of M_ij, relative to √(M_ii M_jj)

  void add(const Disagreement& other);
  std::string to_string() const;
};

// `x` is in the robot's order. Fails the test when the engine has other joints than the robot.
Disagreement disagreement(Engine& engine, const Robot& robot, const State& x);

}  // namespace steelyard::oracle
