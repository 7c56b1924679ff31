// How well a set-up explains a coarse log: the score of a hypothesis.
//
// A set-up defines how the logged columns become those of the model,
//   q = P q_log + zero,   q̇ = P q̇_log / k,   q̈ = P q̈_log / k²,   τ = E τ_log
// with k the factor of time, and which robot they are given to. The model is linear: all ten parameters of
// every link, friction, offset and rotor inertia of every joint, by weighted least squares on folds, the
// weights being one over each joint's own residual (three iterations), subject to what holds for every robot:
//   fv ≥ 0, fc ≥ 0 in all joints, M_jj(q) ≥ 0 at some configurations of the log.
// Without these a joint whose torque has the wrong sign is explained by negative friction and inertia.
//
//   score = Σ_j ½ log( r_j² + f_j² ),   r_j = rms residual of joint j on held-out rows / rms of its effort
//
// Each of eight sections of the log is held out in turn; r_j is limited to 1.5. f_j is the noise floor over
// the joint's own effort: `noise_factor` times the second smallest of all joints' residuals in the set-up as
// given, at most `floor` of the largest effort. It keeps offsets and cross-talk of the sensors, which are
// alike in all joints, from favouring a set-up through lightly loaded wrists. A score lower by log 2 is one
// joint's residual halved. Residuals are those of the logged efforts, E⁻¹ e, whatever a set-up makes of these.
//
// Columns and known efforts of the study (CoarseRun::extra, ::known) belong to the model: they are functions
// of the mapped positions, columns are free, known efforts are subtracted from E τ_log.
//
// A set-up that is wrong in a way that the free parameters can absorb has the score of the right one: the
// zero of the last joint, that of a first joint with a vertical axis, and others in weak motions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/doctor/coarse.hpp"
#include "steelyard/fold/fold.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct TrialOptions {
  double noise_factor = 2;  // see above
  double floor = 0.02;
  double smear = 0.04;  // [s] around reversals that are left out: 0.4 / cut-off of the coarse run
  std::vector<std::string> columns;  // parameters of links that are fitted; empty: all ten of each
};

struct SetUp {
  MatrixXd position;  // P
  VectorXd zero;      // [rad, m]
  MatrixXd effort;    // E
  double time = 1;    // k
  // What the model lacks: functions of the mapped positions, whose factors are fitted; `row` is the number of a joint.
  std::vector<ExtraColumns> terms = {};

  static SetUp as_given(Index joints);
};

struct TrialFit {
  double score = 0;              // on held-out rows
  double score_fitted = 0;       // the same on all rows
  VectorXd relative;             // per joint: held-out residual over effort
  VectorXd relative_fitted;      // the same on all rows
  VectorXd values;               // of the model's columns
  std::vector<double> by_block;  // score of each held-out block
};

// Of the eight sections, those that a fold is of.
enum class Sections { all, even, odd };

// Parameters of links that are independent for any direction of gravity.
std::vector<std::string> general_columns(Robot robot);

// The model and the log of one robot; set-ups are tested on it. May be used from many threads.
class Trial {
 public:
  // Runs with the robot's joints; blocks of the held-out rows are cut from all of them.
  Trial(Robot robot, std::vector<CoarseRun> runs, const TrialOptions& options = {});
  ~Trial();
  Trial(Trial&&) noexcept;
  Trial& operator=(Trial&&) noexcept;

  Index joints() const;
  const Robot& robot() const;  // with the drive terms of the trial
  const std::vector<CoarseRun>& runs() const;
  const std::vector<std::string>& columns() const;
  const TrialOptions& options() const;
  // f_j of a score, with another noise factor than that of the options.
  VectorXd floors(double noise_factor) const;

  TrialFit fit(const SetUp& set_up) const;

  // A set-up, folded. `other` is another robot with the same joints, null: the own one. Further set-ups that only change efforts
  // cost no fold.
  struct Folded;
  std::shared_ptr<const Folded> fold(const SetUp& set_up, const Robot* other = nullptr) const;
  TrialFit fit(const Folded& folded, const SetUp& set_up) const;
  // The set-up as given.
  const std::shared_ptr<const Folded>& given() const;

  // Sums over sections instead of each: nothing is held out, score = score_fitted, and by_block is empty. A tenth of the work.
  std::shared_ptr<const Folded> fold_sum(const SetUp& set_up, Sections of,
                                         const Robot* other = nullptr) const;
  static std::shared_ptr<const Folded> sum(const Folded& folded, Sections of);
  // The values are those of another trial of the same columns; fitted are friction and offsets, which differ from day to day,
  // and the terms of the set-up. `floors` in the unit of the efforts. Folds of other robots have other columns.
  TrialFit predict(const Folded& folded, const SetUp& set_up, const VectorXd& values,
                   const VectorXd& floors) const;
  const VectorXd& efforts() const;  // rms of the logged ones

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace steelyard
