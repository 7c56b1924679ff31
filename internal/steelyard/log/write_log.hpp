// Runs to files that other programs read, so that open_run() with the RunFile given back reads the same
// numbers.
//
//   NumPy (.npz)   time (n), one array n×joints a channel, named as the channel, and joint_names; float64, SI
//   MCAP (.mcap)   topic /joint_states of sensor_msgs/msg/JointState, as `ros2 bag` and Foxglove read it
//
// What a format cannot hold is reported. MCAP: stamps are rounded to the nanosecond and count from the run's
// own zero, not from a date; only position, velocity and torque (as effort) have a place in JointState.
// Labels, roles and payloads are part of a study, not of a file. CSV is written by simulate/simulate.hpp.
//
// Files appear complete or not at all. NumPy's are made in memory: at most 4 GiB.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/run_file.hpp"
#include "steelyard/log/source.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class McapPacking { none, lz4, zstd };

// "none", "lz4" or "zstd"; throws InputError for other words.
McapPacking parse_mcap_packing(const std::string& word);

struct WrittenLog {
  RunFile file;                          // how open_run() reads it
  std::vector<std::string> not_carried;  // channels, in plain words
};

// Throw InputError for values that are not finite, times before zero, runs that are too large or without any
// channel that the format holds; MachineError when writing fails, or without the packing's part.
WrittenLog write_npz(SampleSource& source, const std::string& path, const std::vector<LogJoint>& joints);
WrittenLog write_mcap(SampleSource& source, const std::string& path, const std::vector<LogJoint>& joints,
                      McapPacking packing = McapPacking::none);

}  // namespace steelyard
