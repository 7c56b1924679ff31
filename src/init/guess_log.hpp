// Pieces of guess_log: the columns of a log as signals, and the units that names or numbers give them.
#pragma once

#include <map>
#include <optional>

#include "init/guess_names.hpp"
#include "init/guess_numbers.hpp"
#include "steelyard/init/init_study.hpp"

namespace steelyard::inline STEELYARD_ABI {

// The first samples of these columns, whatever they mean.
std::vector<Signal> read_columns_of(const RunFile& file, const std::vector<std::string>& names);

// One signal: a column for each joint that the log has.
struct SignalColumns {
  ParsedColumn name;                 // of its first column, of a joint that turns if there is one
  std::vector<std::string> columns;  // by joint of `joints`
  std::vector<std::string> units;    // the same, from their names; empty: none
  std::vector<Signal> samples;       // the same
  std::vector<std::string> mimics;   // columns of joints that follow others
};

// Intermediate state of guess_log.
struct LogFindings {
  LogGuess guess;
  std::vector<int> joints;  // indices of the robot's independent joints that the log has
  std::vector<const Joint*> robot_joints;
  Signal time;  // in the file's unit; sample numbers without stamps
  std::optional<SignalColumns> position, velocity, effort;
  std::vector<std::string> temperature;                  // columns by joint, or one for all; empty: none
  bool turn_unit_open = false, slide_unit_open = false;  // of positions: asked
};

// The columns of the joints that have coordinates of their own, as indices into `labels`; −1: none.
struct JointColumns {
  std::vector<int> column;
  std::vector<int> mimics;  // of joints that follow others
  bool by_name = false;
  bool by_order = false;  // the labels do not say
};
JointColumns match_joints(const std::vector<std::string>& labels, const Robot& robot);
std::optional<BlockGuess> guess_joint_blocks(const std::vector<Signal>& columns, const Robot& robot);
void tell_mimics(const Robot& robot, const std::vector<std::string>& columns, LogFindings& found);

// "q{j}_rad", "effort[{name}]", or all names when no pattern fits. `joints` in the order of the columns.
std::vector<std::string> to_pattern(const std::vector<std::string>& columns,
                                    const std::vector<LogJoint>& joints);

void guess_time_unit(LogFindings& found);
void guess_units(LogFindings& found, const Robot& robot);
// Whether the efforts are |τ|; after `guess_units`.
void guess_signs(LogFindings& found);

bool has_joints(const LogFindings& found, JointKind kind);
// Median over the joints of a kind that move.
Derivative joint_derivative(const LogFindings& found, const SignalColumns& from, const SignalColumns& to,
                            JointKind kind);

}  // namespace steelyard
