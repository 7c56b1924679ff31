// The meaning of a log's column name: q1_rad, dq_mot3_degps, effort_arm1_raw, position[elbow_joint],
// actual_current_0, "Torque 3 [N*m]".
//
// A name is cut into words at borders between letters, digits and other characters, and before capitals after
// small letters. One word is the quantity, words after it may be the unit, some words name its source;
// the rest is the label of the joint. Only English words are known.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class ColumnQuantity { none, time, position, velocity, acceleration, torque, current, temperature };

struct ParsedColumn {
  ColumnQuantity quantity = ColumnQuantity::none;
  bool motor = false;     // named after the motor
  bool wanted = false;    // reference, command, feed-forward, model: not measured
  bool second = false;    // of a second encoder
  bool raw = false;       // the name marks raw values without unit
  bool absolute = false;  // |value|
  std::string unit;       // as in a study; empty: not given
  std::string move_unit;  // of prismatic joints, where the name gives two: rad_or_m
  std::string label;      // of the joint: "1", "torso", "arm1"
  std::string group;      // equal for the columns of one signal, whatever their units
};

ParsedColumn read_column_name(const std::string& name);

// The name of a joint in the form of labels: "torso_lift_joint" is "torsolift".
std::string joint_label(const std::string& name);

// For each joint the index into `labels`, −1 where there is none: by name, by number, by the beginning of the
// name, or by order (then `by_order`). Numbers may begin at 0 or 1.
struct LabelMatch {
  std::vector<int> column;
  bool by_name = false;
  bool by_order = false;
};
LabelMatch match_labels(const std::vector<std::string>& labels, const std::vector<std::string>& joints);

}  // namespace steelyard
