// A motion that was found, played by a controller before it is played by the robot.
#include <gtest/gtest.h>

#include "excite_cases.hpp"
#include "steelyard/simulate/closed_loop.hpp"

namespace steelyard {
namespace {

TEST(ExcitePlayback, PdWithFeedForwardFollowsTheMotionWithinTheEffortsThatWerePlanned) {
  ExciteCase c = panda_case();
  c.options.duration = 6;
  c.options.iterations = 3;
  const ExcitedMotion found = excite_motion(c.robot, c.base, c.options);
  const Trajectory motion = to_trajectory(found.motion);
  const TrueParameters plant = true_parameters(c.robot);
  ClosedLoopOptions options;
  options.substeps = 1;
  options.bandwidth = 2;  // gains by M_jj: the wrist is lighter than that when the other joints are free
  const auto worst = [&](Control control, const TrueParameters& model) {
    options.control = control;
    options.model = model;
    return closed_loop(c.robot, plant, motion, options);
  };
  const ClosedLoopMotion feedback = worst(Control::feedback, plant);
  const ClosedLoopMotion right = worst(Control::feed_forward, plant);
  TrueParameters heavier = plant;
  heavier.standard *= 1.1;
  const ClosedLoopMotion wrong = worst(Control::feed_forward, heavier);
  // Without feed-forward the error is τ/Kp, with a model 10 % off a tenth of it, and with the right one what
  // holding the effort for a period leaves.
  for (Index j = 1; j < 4; ++j) {  // joints that carry weight
    EXPECT_LT(wrong.worst_error[j], 0.2 * feedback.worst_error[j]) << j;
    EXPECT_LT(right.worst_error[j], 0.1 * feedback.worst_error[j]) << j;
  }
  EXPECT_LT(right.worst_error.maxCoeff(), 0.01);
  for (Index j = 0; j < 7; ++j) {
    const Limits& own = c.robot.joints[static_cast<std::size_t>(j)].limits;
    EXPECT_LT(right.effort.col(j).cwiseAbs().maxCoeff(), own.effort) << j;
    EXPECT_LE(right.q.col(j).maxCoeff(), own.upper + right.worst_error[j]) << j;
    EXPECT_GE(right.q.col(j).minCoeff(), own.lower - right.worst_error[j]) << j;
  }
}

}  // namespace
}  // namespace steelyard
