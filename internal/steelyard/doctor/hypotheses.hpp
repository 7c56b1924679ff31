// What may be wrong with a set-up, as alternative set-ups.
//
//   torque-sign      τ_j = −τ_j of the log, one joint or all          position-sign   q_j = −q_j
//   axis-sign        both: the joint's axis points the other way      joint-zero      q_j off by ±90°, 180° or
//                    another angle, which is searched for
//   joint-order      columns of two joints swapped: positions and efforts (joint-order), positions only
//                    (position-order), efforts only (effort-order)
//   effort-scale     τ_j is another multiple: motor side, drive gain, mN m; the factor is searched for
//   position-unit    degrees taken for radians or the reverse, one joint or all; motor side when the gear is
//                    known
//   coupling         a coupling of the robot's transmission is not present or has the opposite sign; a
//                    joint's column contains its neighbour's motion: q_j+1 + c q_j, τ_j − c τ_j+1
//   time-scale       one second of the stamps lasts k seconds
//   gravity          the base is mounted otherwise: any direction
//   kinematics       standard DH taken for modified or the reverse; a twist (alpha) of the wrong sign; a length
//                    that is another one, which is searched for
//   missing-spring   effort that is a function of the joint's own position: k (q − rest), or a counterbalance
//   contact          effort of one joint beyond a position: an end stop
//   payload-differs  a body fixed to the last link, of a run that is not fitted
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/doctor/trial.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Hypothesis {
  FindingCode code = "unexplained-effort";
  std::vector<int> joints = {};  // it refers to, counted from 0; empty: all
  std::string what = {};         // "the torque of joint3 has the wrong sign"
  SetUp set_up = {};
  std::optional<Robot> robot = {};  // instead of the given one
};

// `second` on top of `first`, which was found before.
Hypothesis on_top(const Hypothesis& first, Hypothesis second);

// All of them but those whose numbers are searched for.
std::vector<Hypothesis> fixed_hypotheses(const Robot& robot);

// A hypothesis with its numbers: the robot with gravity in another direction, of the same size.
Hypothesis gravity_hypothesis(const Robot& robot, const Vector3& direction);
Hypothesis time_hypothesis(const Robot& robot, double factor);
Hypothesis effort_hypothesis(const Robot& robot, int joint, double factor);
Hypothesis zero_hypothesis(const Robot& robot, int joint, double angle);
// Of the numbers of a robot's joint that are lengths, the k-th; those that are zero do not count.
int count_lengths(const Robot& robot, int joint);
Hypothesis length_hypothesis(const Robot& robot, int joint, int k, double more);
// A column of the joint's position, as an expression of a study.
Hypothesis spring_hypothesis(const Robot& robot, int joint, const std::vector<std::string>& expressions);
// Another load at the end of each chain, against a model.
std::vector<Hypothesis> load_hypotheses(const Robot& robot);
// Beyond the position `stop`, on the side of larger positions or the other.
Hypothesis stop_hypothesis(const Robot& robot, int joint, double stop, bool is_above);
// The next joint's column is q_j+1 − ratio q_j.
Hypothesis coupling_hypothesis(const Robot& robot, int joint, double ratio);
Hypothesis all_efforts_hypothesis(const Robot& robot, double factor);

// Standard DH read as modified DH or the reverse; nothing for robots that are not given by DH rows.
std::optional<Robot> other_dh_convention(const Robot& robot);

}  // namespace steelyard
