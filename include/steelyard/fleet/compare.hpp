// Robots of one type against each other: what they have in common, which one differs, in what, and since
// when.
//
//   robot r      τ = Y (π_0 + δ_r) + Σ causes + noise,      δ_r ~ N(0, T)
//
// π_0: parameters of the fleet, fitted to the merged folds of the robots without findings.
// T: how far healthy robots differ, found from the fleet itself (expectation maximisation, shrunk to its
// diagonal when robots are few). A cause is a few numbers more:
//
//   mass      a point mass on link l, anywhere within the link's length
//   friction  other fv, fc of joint j
//   offset    another fo of joint j
//   gain      the logged effort of joint j times 1 + s: its whole row, which no parameter can imitate; or
//             the efforts of all joints
//   zero      the position of joint j plus a constant: not from the folds, see zero_cause()
//   other     none of these, but the robot is far from the fleet
//   fit       its own log does not fit the model: reported before any of these
//   set-up    an effort in another unit, of the wrong sign or dead, or the doctor's findings about its logs
//
// Robots with a residual far above the fleet's median are excluded first (about the fits of single logs, so
// that a robot that changes from day to day stays). Of the others, those far from the medians of all own
// estimates do not count at first (fewer than half), so that no outlier affects the spread it is compared
// with. Then, for each robot and cause: the direction in which the cause lowers the squared residual of the
// robot's own fold most (rows over their standard deviation, δ_r free within T), the estimates of this and
// all other robots along it, and the probability of such a distance from the others by their own spread (F
// with as many degrees as there are other robots, less one: docs/fleet.md), times robots and
// causes (Holm). Robots with a probability below one half after that are excluded from π_0, T and the
// spreads, and everything is repeated until the set no longer changes; those below `level` are reported.
// Among causes the one with the smallest residual wins, each of its numbers costing the logarithm of the
// number of rows; the next one is reported too when it is nearly as good. Impossible amounts are not
// considered.
//
// Drift: straight lines through the estimates of a robot's logs over time, parameter by parameter, and steps
// between any two of them. The standard deviation of one log's estimate is its own times the excess of
// scatter about the lines over the fleet.
//
// Needs four robots to report any, and few robots report only what is far out (least_deviations); what half
// of the robots share counts as normal. Motions must be similar: what a robot's motion does not excite is not
// compared.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/fold.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr Index kFewestFleetRobots = 4;
inline constexpr Index kFewestFleetLogs = 3;  // of a robot, for a drift

enum class CauseKind { mass, friction, offset, gain, zero, other, fit, set_up };
const char* to_string(CauseKind kind);

struct Cause {
  CauseKind kind = CauseKind::other;
  std::string of;     // link, joint, log, or parameter that differs most
  double amount = 0;  // kg; share of the fleet's friction; effort; share of the effort; rad or m; σ;
                      // fit: share that is left; set_up: times the fleet's, 0 when not known
  double sigma = 0;   // of the amount
  Vector3 at = Vector3::Zero();  // of the mass, in the link's frame [m]
  double gain = 0;               // Δ: reduction of the squared residual
  double p = 1;                  // corrected for the number of robots and causes
  std::string text;              // "link 'forearm' is heavier by 0.41 kg"
  std::string instead;           // the next cause, when it is nearly as good; otherwise empty
};

// One log's own estimate, in the order of FleetInput::columns.
struct FleetLog {
  std::string name;
  double time = 0;  // in units of the fleet's clock
  VectorXd values;
  VectorXd sigma;  // infinite where the log identifies nothing
};

struct FleetRobot {
  std::string name;
  std::vector<Fold> folds;  // one per row of the plan, all logs merged
  double noise_factor = 1;  // σ over blocks of time / σ for independent rows, ≥ 1
  // Rms of each row about the fits of single logs: what changes from log to log is a drift, not a log that
  // does not fit. Empty: about one fit of all.
  VectorXd row_residual;
  std::vector<FleetLog> logs;
  bool is_compared = true;   // false: described only, not part of the fleet
  std::vector<Cause> known;  // known already: reported before the causes of the comparison
};

struct FleetInput {
  std::vector<std::string> columns;  // of the folds of all rows
  BaseParameters base;
  Robot robot;
  std::vector<std::string> row_joints;  // names, one per row
  std::vector<int> row_numbers;         // of the joints, from 1
  std::vector<FleetRobot> robots;
  std::string time_unit = "day";
};

struct FleetOptions {
  double level = 0.01;  // probability of any report in a healthy fleet of this size; the same for drifts
  int threads = 1;

  void validate() const;  // throws InputError
};

// A line over time, or a step between two logs: whichever is less likely by chance.
struct Drift {
  std::string parameter;
  double slope = 0;     // per unit of time; of a step: 0
  double step = 0;      // from the log `since` on; of a line: 0
  std::string since;    // empty: a line
  double sigma = 0;     // of slope or step
  double relative = 0;  // slope or step over the fleet's value; 0 when that may be 0
  double p = 1;         // corrected
  std::string text;
};

struct FleetRobotResult {
  std::string name;
  VectorXd values, sigma;
  VectorXd deviation;  // from the fleet, in standard deviations of estimate and healthy scatter together
  std::vector<Cause> causes;  // empty: none
  std::vector<Drift> drifts;
  double residual = 0;        // ‖τ − τ̂‖ / ‖τ‖ of its own fit
  double fleet_residual = 0;  // the same with the fleet's parameters
};

struct FleetResult {
  std::vector<std::string> columns;
  VectorXd values, sigma;                // of the fleet; robots are the blocks of the standard deviation
  VectorXd scatter;                      // standard deviation between healthy robots
  MatrixXd scatter_inverse;              // T⁻¹
  Index healthy = 0;                     // robots behind them
  std::vector<FleetRobotResult> robots;  // in the order given
  int rounds = 0;
  Index tests = 0;     // robots × causes
  Index compared = 0;  // robots, healthy or not
  // Standard deviations of the healthy scatter from which a robot is reported for a cause of one number.
  double least_deviations = kInfinity;
  std::string unavailable;  // why no robot could be reported; empty if it could
};

// Robots whose own log does not fit the model, as compare_fleet() finds them first: nothing for those that
// fit. With one log as a robot each, it is the log that does not fit.
std::vector<std::optional<Cause>> fleet_misfits(const FleetInput& input, const FleetOptions& options = {});

// Robots have folds of the same layouts. The same bytes for any number of threads. Throws InputError when
// there is no robot.
FleetResult compare_fleet(const FleetInput& input, const FleetOptions& options = {});

// Folds of a log whose positions are `zero` more in the joint of a row.
using ShiftedFolds = std::function<std::vector<Fold>(std::size_t row, double zero)>;

struct ZeroCause {
  Cause cause;
  double better = 0;  // than the best of the other causes: Δ less what numbers cost
};

// Causes whose Δ are no farther apart are both reported.
inline constexpr double kNearlyAsGood = 10;

// The zero of a joint that explains a robot best, from one of its logs (`robot` has its folds). Takes two
// folds per joint and four more. Nothing: no zero would help.
std::optional<ZeroCause> zero_cause(const FleetInput& input, const FleetResult& result,
                                    const FleetRobot& robot, const ShiftedFolds& shifted);

}  // namespace steelyard
