// A motion in an engine: the efforts it requires, and the motion under given efforts.
//
//   played_efforts   the joints follow the motion exactly; efforts of their drives. Engines with inverse
//                    dynamics are evaluated at every sample. ODE's joints are driven through the motion
//                    in steps of `step`, by the mean velocity of each step; efforts are right to first order
//                    in it, and the first sample's is taken a few steps later.
//   follow           τ = feed-forward(t) + Kp (q_ref − q) + Kd (q̇_ref − q̇), held over each step; from the
//                    motion's state at the first sample on
//   command          motors without limits are told a velocity every `step` (Engine::drive): the motion's own at that
//                    instant, or the one that reaches the motion's position at the next; nothing else corrects them
// None includes friction: efforts are those of the rigid bodies.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/engines/engine.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr double kDriveStep = 1e-3;  // [s]

// samples × joints. `times` increase; `step` is the longest that is taken.
MatrixXd played_efforts(Engine& engine, const Trajectory& motion, const VectorXd& times,
                        double step = kDriveStep);

struct FollowOptions {
  VectorXd stiffness;  // Kp, one a joint
  VectorXd damping;    // Kd
  double step = 1e-3;  // [s] at most
};

struct Followed {
  MatrixXd q;              // samples × joints
  std::vector<Pose> tool;  // in the base frame
};

// `effort`: feed-forward as a motion of its own (its positions). Throws InputError when the simulation
// becomes unstable.
Followed follow(Engine& engine, const Trajectory& motion, const Trajectory& effort, const VectorXd& times,
                const FollowOptions& options);

enum class Command { velocity, position };
Followed command(Engine& engine, const Trajectory& motion, const VectorXd& times, Command what, double step);

}  // namespace steelyard
