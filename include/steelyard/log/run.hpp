// Runs and their samples: named channels over joints and time.
//
//   value of channel c, joint j, sample s  =  data[(c · joints + j) · stride + s]
//
// Channels are names, not fields: "position", "velocity", "acceleration", "torque", "current",
// "motor_position", …; all in SI, all with the same number of joints. The stride is the capacity: whole runs
// have stride = size.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace channel {
inline constexpr std::string_view kPosition = "position";
inline constexpr std::string_view kVelocity = "velocity";
inline constexpr std::string_view kAcceleration = "acceleration";
inline constexpr std::string_view kTorque = "torque";
inline constexpr std::string_view kCurrent = "current";
inline constexpr std::string_view kMotor = "motor_";   // prefix: as measured on the motor side
inline constexpr std::string_view kMoving = "moving";  // 0 at standstill, otherwise 1 (log/standstill.hpp)
inline constexpr std::string_view kTheta =
    "theta";  // motors, seen at the joint: positions are the links' then
inline constexpr std::string_view kElasticTorque = "elastic_torque";  // what the springs carry
}  // namespace channel

class SampleBlock {
 public:
  SampleBlock() = default;
  SampleBlock(std::vector<std::string> channels, Index joints, Index samples = 0);

  const std::vector<std::string>& channels() const { return channels_; }
  Index joints() const { return joints_; }
  Index size() const { return size_; }      // samples
  Index stride() const { return stride_; }  // between two joints in memory
  Index rows() const { return static_cast<Index>(channels_.size()) * joints_; }

  // Index of the channel of that name, −1 when there is none.
  int find(std::string_view channel) const;

  double* data() { return data_.data() + begin_; }
  const double* data() const { return data_.data() + begin_; }
  double* row(Index channel, Index joint = 0) { return data() + (channel * joints_ + joint) * stride_; }
  const double* row(Index channel, Index joint = 0) const {
    return data() + (channel * joints_ + joint) * stride_;
  }
  double* time() { return time_.data() + begin_; }
  const double* time() const { return time_.data() + begin_; }

  // Changes the number of samples and keeps those that fit; grows the memory at least by half, never shrinks
  // it.
  void resize(Index samples);
  // As new, with other channels; memory stays.
  void restart(std::vector<std::string> channels, Index joints);
  // Memory for so many samples, and for so many channels that will be added.
  void reserve(Index samples, Index more_channels = 0);
  // Gives back unused memory: stride = size.
  void pack();
  // Drops the first `count` samples; nothing is moved, memory stays.
  void drop_front(Index count);
  // Appends samples [first, first + count) of a block with the same channels.
  void append(const SampleBlock& other, Index first, Index count);

  void rename(Index channel, std::string name) {
    channels_[static_cast<std::size_t>(channel)] = std::move(name);
  }
  // Adds a channel of zeros and returns its index.
  int add_channel(std::string name);

 private:
  void lay_out(Index stride, Index more_channels = 0);

  std::vector<std::string> channels_;
  Index joints_ = 0;
  Index size_ = 0;
  Index stride_ = 0;
  Index begin_ = 0;  // of the first sample, within the stride
  std::vector<double> data_;
  std::vector<double> time_;
};

enum class RunRole { fit, validate };

const char* to_string(RunRole role);

// Properties of a run apart from its samples.
struct RunLabel {
  std::string label;
  RunRole role = RunRole::fit;
  std::string payload;  // name of the load it carried; empty: none
};

// A run in memory.
struct Run {
  RunLabel label;
  SampleBlock samples;
};

// Samples [begin, end) of a run.
struct Range {
  Index begin = 0;
  Index end = 0;
  Index size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

// Samples with from ≤ time < to [s], by the time stamps of the log.
struct TimeWindow {
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();
  bool is_all() const { return std::isinf(from) && std::isinf(to); }
  bool operator==(const TimeWindow&) const = default;
};

// Positions of a run, evenly spread: enough to detect whether another run repeats its motion.
struct FoldedMotion {
  double step = 0;    // [s] between two
  MatrixXd position;  // some 400 × joints
};

}  // namespace steelyard
