// A motion as text, sampled at a rate: for controllers, for people, for `simulate`.
//
//   csv    t_s, q1_rad, …, dq1_radps, …, ddq1_radps2, …, tau1_Nm, … (efforts where masses are known)
//   json   as trajectory_msgs/JointTrajectory: joint_names, points with positions, velocities, accelerations,
//          effort and time_from_start
//   yaml   the same
//   study  the motion itself, as a study's `simulate: motion:` reads it
// Numbers are the shortest that read back to the same bits.
#pragma once

#include <string>

#include "steelyard/excite/motion.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct MotionFiles {
  std::string csv, json, yaml, study;
};

MotionFiles motion_files(const Robot& robot, const BaseParameters& base, const DesignedMotion& motion,
                         const ExciteOptions& options, double rate);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
