#include <algorithm>
#include <array>
#include <vector>

#include "low_pass_kernel.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/log/low_pass.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using kernels::Direction;
using kernels::kLanes;
using kernels::kTileRows;

// Up to kLanes columns, one below the other: column l is data[l * stride … + samples).
struct Columns {
  double* data = nullptr;
  Index samples = 0;
  Index stride = 0;
  int lanes = 0;

  double at(int lane, Index i) const { return data[lane * stride + i]; }
};

// The state of the filter for a group of columns; walks over them in place.
class GroupFilter {
 public:
  explicit GroupFilter(const LowPass& filter) : filter_(filter) {}

  // As if the columns had always had their value at sample i: gain one at zero frequency in every section.
  void start_steady(const Columns& columns, Index i) {
    state_.fill(0);
    for (std::size_t k = 0; k < filter_.sections.size(); ++k) {
      for (int l = 0; l < columns.lanes; ++l) state_[(2 * k + 1) * kLanes + l] = columns.at(l, i);
    }
  }

  void run(const Columns& columns, Direction direction) {
    const Index blocks = (columns.samples + kTileRows - 1) / kTileRows;
    for (Index b = 0; b < blocks; ++b) {
      const Index first = kTileRows * (direction == Direction::forward ? b : blocks - 1 - b);
      const Index rows = std::min(kTileRows, columns.samples - first);
      const kernels::Block block{columns.data + first, columns.stride, columns.lanes, rows, direction};
      kernels::block_filter()(filter_.sections.data(), static_cast<int>(filter_.sections.size()),
                              state_.data(), block);
    }
  }

 private:
  const LowPass& filter_;
  alignas(64) std::array<double, 5 * 2 * kLanes> state_{};  // at most ten poles
};

// The odd reflection of the columns about their first or last sample, in the order of time.
std::vector<double> reflection(const Columns& columns, Index padding, bool at_end) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(padding * columns.lanes));
  const Index last = columns.samples - 1;
  for (int l = 0; l < columns.lanes; ++l) {
    for (Index k = 0; k < padding; ++k) {
      values.push_back(at_end ? 2 * columns.at(l, last) - columns.at(l, last - 1 - k)
                              : 2 * columns.at(l, 0) - columns.at(l, padding - k));
    }
  }
  return values;
}

void filter_group(const LowPass& low_pass, const Columns& columns, RunEnds ends) {
  const Index padding = std::min(columns.samples - 1, low_pass.memory);
  const bool padded = padding > 0;
  std::vector<double> head, tail;
  if (ends.begin && padded) head = reflection(columns, padding, false);
  if (ends.end && padded) tail = reflection(columns, padding, true);
  const Columns before{head.data(), padding, padding, columns.lanes};
  const Columns behind{tail.data(), padding, padding, columns.lanes};
  GroupFilter filter(low_pass);
  filter.start_steady(head.empty() ? columns : before, 0);
  if (!head.empty()) filter.run(before, Direction::forward);
  filter.run(columns, Direction::forward);
  if (tail.empty()) {
    filter.start_steady(columns, columns.samples - 1);
  } else {
    filter.run(behind, Direction::forward);
    filter.start_steady(behind, padding - 1);
    filter.run(behind, Direction::backward);
  }
  filter.run(columns, Direction::backward);
}

}  // namespace

void filter_zero_phase(const LowPass& filter, double* data, Index samples, Index columns, Index column_stride,
                       RunEnds ends) {
  require(filter.sections.size() <= 5, "a low-pass has at most ten poles");
  require(columns <= 1 || column_stride >= samples, "the columns to be filtered overlap");
  if (samples < 1) return;
  for (Index c = 0; c < columns; c += kLanes) {
    const int lanes = static_cast<int>(std::min<Index>(kLanes, columns - c));
    filter_group(filter, {data + c * column_stride, samples, column_stride, lanes}, ends);
  }
}

}  // namespace steelyard
