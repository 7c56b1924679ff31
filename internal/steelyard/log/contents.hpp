// The columns of a log, before their meaning is known.
//
//   CSV                    names of the header, in order; none without header
//   .mat, HDF5, NumPy      vectors by their names, columns of matrices as q[1], q[2], …
//   ROS 2 bags             stamp, received, position[NAME], …; data[1], … (docs/log.md)
//
// Text, tables and arrays of more than two sides are left out.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/run_file.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Names as RunFile's columns take them. Of the file's fields only path, csv and topic are used. Throws as
// open_run() does.
std::vector<std::string> log_columns(const RunFile& file);

// By the ending of the name: .db3 or .mcap.
bool is_bag(const std::string& path);

// The columns of a JointState topic: time from the stamps, position, velocity, and torque from the efforts.
void use_joint_states(RunFile& file);

}  // namespace steelyard
