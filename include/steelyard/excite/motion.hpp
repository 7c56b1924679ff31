// Motions that identify the most, within all limits.
//
//   maximise  log det ( A₀ + D (Σ_s Y_bᵀ Σ⁻¹ Y_b) D )      over the coefficients of a motion
//
// with the lead columns of the base parameters and the drive columns in Y_b, Σ the variance of the efforts, D
// a fixed scaling of the columns (their size on random states within the limits: it moves log det by a
// constant) and A₀ the information of earlier runs. Two kinds of motions, both linear in their coefficients:
//   fourier   a Fourier series from rest to rest, with quintic lead-in and lead-out (simulate/trajectory.hpp)
//   points    moves of equal time through points, trapezoidal acceleration
//
// With a `goal`, the expected error on other motions is minimised instead.
//
// log det does not depend on units, the condition number of unscaled rows does: the best motion may have a
// large one. `max_condition` trades log det for it, by a penalty on (Σλᵖ)^(1/p) (Σλ⁻ᵖ)^(1/p) of Σ YᵀY.
//
// Limits are kept by a logarithmic barrier: position, velocity, acceleration, effort (by prior values of the
// columns), distances of the workspace. Every start begins as a motion that is shrunk until it is inside, and
// stays inside; limits are tightened by the violations on a ten times finer grid until there are none,
// lead-in included. Gradients are analytic; Coulomb friction counts as tanh(q̇/width)
// in the search and as sign(q̇) in everything that is reported.
//
// A local optimum of the best of several starts: the same for the same seed and any number of threads. Only
// when `time_limit` is reached does the result depend on the machine, which is reported.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/robot.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Where the robot may be: half-spaces and boxes for the tool, capsules for the links.
//
// All in the robot's base frame [m]. A capsule is all points within `radius` of a segment that is fixed to a
// link. Two capsules are kept apart unless they sit on the same link or on neighbours; pairs that touch
// whatever the pose (a wrist whose links lie inside each other) are omitted and reported.
//
// Distances are signed (a tool inside a box is at minus its depth) and differentiable but where the closest
// points jump; they are those of the shapes as given: real links need capsules that contain them.

struct HalfSpace {
  std::string name;
  Vector3 normal = Vector3::UnitZ();  // any length but zero
  double least = 0;                   // normal · p ≥ least, with the normal's length one
};

struct KeepOutBox {
  std::string name;
  Vector3 lower = Vector3::Zero();
  Vector3 upper = Vector3::Zero();
};

struct Capsule {
  std::string name;
  int link = -1;  // −1: the base
  Vector3 from = Vector3::Zero();
  Vector3 to = Vector3::Zero();
  double radius = 0;
};

struct Workspace {
  std::vector<HalfSpace> half_spaces;
  std::vector<KeepOutBox> boxes;
  std::vector<Capsule> capsules;
  std::vector<Vector3> tool_points;  // in the tool frame; none: its origin
  double clearance = 0;              // [m] to be kept from everything

  bool is_empty() const { return half_spaces.empty() && boxes.empty() && capsules.empty(); }
  void validate(const Robot& robot) const;  // throws InputError
};

HalfSpace table_at(double height);

// One capsule per link, from its origin to the next joint's (the tool's on the tool link); links without
// length get a ball.
std::vector<Capsule> skeleton_capsules(const Robot& robot, double radius);

enum class MotionKind { fourier, points };
const char* to_string(MotionKind kind);

using DesignedMotion = std::variant<RestToRest, PointToPoint>;
Trajectory to_trajectory(const DesignedMotion& motion);

// Values of the base parameters by the masses of the robot file, drives zero; nothing when a link has no
// mass.
std::optional<VectorXd> prior_from_masses(const Robot& robot, const BaseParameters& base);

// The expected error on other motions, tr(W (P + A)⁻¹), is minimised instead of log det (identify/excite.hpp).
struct ForecastGoal {
  MatrixXd precision;  // P of what is known before this motion, over the base parameters, in the unit of A
  MatrixXd weights;    // W = Σ YᵀY over those motions
};

struct ExciteOptions {
  MotionKind kind = MotionKind::fourier;
  double duration = 20;  // [s] of the whole motion, lead-in and lead-out included
  double rate = 100;     // [Hz] of what is written, and of the rows that count

  int harmonics = 5;
  double frequency = 0;  // [Hz] of the first harmonic; 0: one period fits between the leads
  double lead = 1;       // [s]

  int points = 20;
  double dwell = 0;  // [s] at each point

  std::optional<VectorXd> start;   // rest pose of the independent joints; not given: chosen
  std::optional<VectorXd> finish;  // likewise

  std::vector<Limits> limits;   // one per joint, instead of the robot's; empty: the robot's
  double free_range = 3.14159;  // [rad, m] of joints without position limits, both ways
  double usable = 1;            // share of every joint limit that may be used, 0 … 1
  Workspace workspace;
  std::optional<VectorXd> prior;  // values of the base parameters, for efforts; not given: efforts are free

  VectorXd noise;        // σ of the efforts: empty (one), one for all, or one per independent joint
  MatrixXd information;  // A₀ without D, over the base parameters; empty: nothing is known yet
  std::optional<ForecastGoal> goal;

  double max_condition = 0;  // target for the unscaled rows, by a penalty; 0: none

  int starts = 8;
  int iterations = 400;              // of each start and barrier weight
  double time_limit = kInfinity;     // [s]
  std::vector<DesignedMotion> warm;  // further starts: motions of the same kind and shape
  std::uint64_t seed = 1;
  int threads = 1;
  std::function<void(double share, double log_det)> progress;  // may be empty

  void validate(const Robot& robot) const;  // throws InputError
};

// Expected accuracy of a parameter.
struct Outlook {
  std::string parameter;
  double sigma = 0;         // expected standard deviation; infinite: not at all
  double sigma_before = 0;  // from `information` alone; infinite without
  double inflation = 1;     // variance over that of a column with no others beside it
  bool poor = false;
  std::string why;  // of a poor one
};

// How close a motion comes to a limit.
struct LimitUse {
  std::string what;  // "velocity of joint3", "tool and table"
  double worst = 0;  // value; distances: the least, beyond the clearance
  double limit = 0;
  double share = 0;  // of the limit; distances: 1 when touching, 0 from 0.1 m on
  double time = 0;
};

// Information and use of limits of a motion, on rows at `rate` with sign(q̇); limits on a grid ten times
// finer than the search's.
struct MotionReport {
  double log_det = 0;           // with D and A₀
  double condition = 0;         // of the columns of all rows, as they are
  double condition_scaled = 0;  // columns scaled to norm one
  MatrixXd information;         // of this motion alone, over the base parameters, without D
  std::vector<Outlook> parameters;
  std::vector<LimitUse> limits;  // the largest share of each kind and joint, descending
};

MotionReport examine_motion(const Robot& robot, const BaseParameters& base, const DesignedMotion& motion,
                            const ExciteOptions& options);

// Standard deviations that an information matrix leaves: √ of the diagonal of its inverse, infinite for
// parameters with a part in an unidentifiable direction.
VectorXd deviations_of(const MatrixXd& information);

// Whether a pose at rest is within every limit of the options: position, effort by the prior, distances.
std::function<bool(const VectorXd& pose)> pose_check(const Robot& robot, const BaseParameters& base,
                                                     const ExciteOptions& options);

// The information of holding still at poses (rows × joints), each for its share of the duration. Friction at
// rest is taken for none: what static friction carries is an error of such rows.
MatrixXd information_at_rest(const Robot& robot, const BaseParameters& base, const MatrixXd& poses,
                             const ExciteOptions& options);

// log det(D (A₀ + information) D), as a search with these options counts it.
double log_det_after(const Robot& robot, const BaseParameters& base, const MatrixXd& information,
                     const ExciteOptions& options);

struct ExcitedMotion {
  DesignedMotion motion;
  MotionReport report;
  MotionReport before;  // the motion that the best start began with
  int best_start = 0;
  int starts = 0;  // that were finished
  int evaluations = 0;
  bool time_limit_reached = false;
  std::vector<std::string> notes;  // limits that could not be checked, capsules that always touch
};

// Throws InputError: limits that contradict each other, a start pose outside, a duration too short for the
// leads and one period, no pose within all limits (with the limit that most poses violate).
ExcitedMotion excite_motion(const Robot& robot, const BaseParameters& base, const ExciteOptions& options);

// Baseline of the search: random motions, scaled up until they reach a limit, alternating with random changes
// of the best so far; `trials` of them or until the time limit. Kept inside on the search's grid only.
ExcitedMotion search_at_random(const Robot& robot, const BaseParameters& base, const ExciteOptions& options,
                               Index trials);

// A motion as text, sampled at a rate: for controllers, for people, for `simulate`.
//
//   csv    t_s, q1_rad, …, dq1_radps, …, ddq1_radps2, …, tau1_Nm, … (efforts where masses are known)
//   json   as trajectory_msgs/JointTrajectory: joint_names, points with positions, velocities, accelerations,
//          effort and time_from_start
//   yaml   the same
//   study  the motion itself, as a study's `simulate: motion:` reads it
// Numbers are the shortest that read back to the same bits.

struct MotionFiles {
  std::string csv, json, yaml, study;
};

MotionFiles motion_files(const Robot& robot, const BaseParameters& base, const DesignedMotion& motion,
                         const ExciteOptions& options, double rate);

}  // namespace steelyard
