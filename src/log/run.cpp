#include "steelyard/log/run.hpp"

#include <algorithm>
#include <utility>

#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {

SampleBlock::SampleBlock(std::vector<std::string> channels, Index joints, Index samples)
    : channels_(std::move(channels)), joints_(joints) {
  require(joints >= 0 && samples >= 0, "a block of samples has no negative size");
  if (samples > 0) lay_out(samples);
  size_ = samples;
}

int SampleBlock::find(std::string_view channel) const {
  const auto found = std::find(channels_.begin(), channels_.end(), channel);
  return found == channels_.end() ? -1 : static_cast<int>(found - channels_.begin());
}

// Moves the rows to another stride.
void SampleBlock::lay_out(Index stride, Index more_channels) {
  const auto room = static_cast<std::size_t>((rows() + more_channels * joints_) * stride);
  if (size_ == 0) {
    if (data_.capacity() < room) data_.clear();  // nothing to carry over
    data_.reserve(room);
    data_.resize(static_cast<std::size_t>(rows() * stride));
    time_.resize(static_cast<std::size_t>(stride));
    stride_ = stride;
    begin_ = 0;
    return;
  }
  const Index kept = std::min(size_, stride);
  std::vector<double> moved;
  moved.reserve(room);
  for (Index r = 0; r < rows(); ++r) {
    const auto from = data_.begin() + r * stride_ + begin_;
    moved.insert(moved.end(), from, from + kept);
    moved.resize(static_cast<std::size_t>((r + 1) * stride));
  }
  data_ = std::move(moved);
  time_.erase(time_.begin(), time_.begin() + begin_);
  time_.resize(static_cast<std::size_t>(stride));
  stride_ = stride;
  begin_ = 0;
}

void SampleBlock::resize(Index samples) {
  require(samples >= 0, "a block of samples has no negative size");
  if (samples > stride_) {
    lay_out(std::max(samples, stride_ + stride_ / 2));
  } else if (begin_ + samples > stride_) {
    for (Index r = 0; r < rows(); ++r)
      std::copy_n(data_.begin() + r * stride_ + begin_, size_, data_.begin() + r * stride_);
    std::copy_n(time_.begin() + begin_, size_, time_.begin());
    begin_ = 0;
  }
  size_ = samples;
}

void SampleBlock::restart(std::vector<std::string> channels, Index joints) {
  channels_ = std::move(channels);
  joints_ = joints;
  size_ = stride_ = begin_ = 0;
}

void SampleBlock::reserve(Index samples, Index more_channels) {
  if (samples > stride_) lay_out(samples, more_channels);
}

void SampleBlock::pack() {
  if (stride_ != size_) lay_out(size_);
  time_.shrink_to_fit();
}

void SampleBlock::drop_front(Index count) {
  require(count >= 0 && count <= size_, "more samples are dropped than there are");
  begin_ += count;
  size_ -= count;
}

void SampleBlock::append(const SampleBlock& other, Index first, Index count) {
  require(other.rows() == rows(), "blocks of different channels are joined");
  require(first >= 0 && first + count <= other.size(), "samples are taken from beyond a block");
  const Index at = size_;
  resize(size_ + count);
  for (Index r = 0; r < rows(); ++r) {
    std::copy_n(other.data() + r * other.stride_ + first, count, data() + r * stride_ + at);
  }
  std::copy_n(other.time() + first, count, time() + at);
}

int SampleBlock::add_channel(std::string name) {
  channels_.push_back(std::move(name));
  data_.resize(static_cast<std::size_t>(rows() * stride_));
  return static_cast<int>(channels_.size()) - 1;
}

const char* to_string(RunRole role) {
  return role == RunRole::fit ? "fit" : "validate";
}

}  // namespace steelyard
