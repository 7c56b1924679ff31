// Which columns of a file are which channel of which joint, and what they mean in SI.
//
//   value = sign_j · scale_j · unit_j · field + offset_j            offset in SI
//
// A channel's columns are one pattern for all joints, or one name per joint. In patterns {j} is the joint's
// number counted from 1, {j-1} from 0, {j+7} and so on; {name} is the joint's name; {{ and }} are braces.
// Names that no header has may be numbers of columns, counted from 1; in files of arrays (.mat, .h5, .hdf5,
// .npy, .npz) q[{j}] is a column of the matrix q; in bags (.db3, .mcap) position[{name}], velocity[{name}]
// and effort[{name}] belong to a joint, and the time is stamp or received. Units are stated, never guessed;
// an empty unit is SI.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

// A joint as the columns of a log see it.
struct LogJoint {
  std::string name;
  JointKind kind = JointKind::revolute;
};

// The joints that have coordinates of their own, in the robot's order (mimic joints follow others and are
// left out).
std::vector<LogJoint> log_joints(const Robot& robot);

// In all lists: no entry (the default), one for all joints, or one per joint.
struct ChannelColumns {
  std::string channel;
  std::vector<std::string> columns;  // one pattern, or one name per joint
  std::vector<std::string> units;    // empty: SI
  std::vector<double> scale;         // 1
  std::vector<double> sign;          // +1 or −1; default +1
  std::vector<double> offset;        // 0
};

enum class Separator { detect, comma, semicolon, tab, spaces };  // spaces: one or more spaces or tabs

enum class Header { detect, present, absent };

struct CsvOptions {
  Separator separator = Separator::detect;
  Header header = Header::detect;
  std::size_t longest_line = std::size_t{16} << 20;  // [bytes]; longer lines are not a log
  std::size_t buffer = std::size_t{256} << 10;       // [bytes] read at a time

  void validate() const;  // throws InputError
};

struct RunFile {
  std::string path;
  RunLabel label;
  CsvOptions csv;
  std::string time = "t_s";  // column; empty: none, then `rate` is used
  std::string time_unit = "s";
  double rate = 0;  // [Hz] of files without time stamps
  std::vector<ChannelColumns> channels;
  std::string topic;  // of a bag; empty: the only one that can be read
};

}  // namespace steelyard
