#include <algorithm>
#include <array>
#include <vector>

#include "low_pass_kernel.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/log/low_pass.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

using kernels::kLanes;

constexpr Index kRows = 128;  // rows of a tile: 16 KiB, stays in the first-level cache

// Up to kLanes columns that go through the filter together, kRows samples at a time. Rows are walked with a
// step of +1 or −1, so that the backward pass needs no copy.
class ColumnGroup {
 public:
  ColumnGroup(const LowPass& filter, double* data, Index samples, Index stride, int lanes)
      : filter_(filter), data_(data), samples_(samples), stride_(stride), lanes_(lanes) {}

  void run(RunEnds ends) {
    const Index padding = std::min(samples_ - 1, filter_.memory);
    std::vector<double> tail;
    if (ends.end) tail = reflected_tail(padding);
    start_forward(ends.begin ? padding : 0);
    for (Index i = 0; i < samples_; i += kRows) pass(i, std::min(kRows, samples_ - i), 1);
    start_backward(tail, ends.end ? padding : 0);
    for (Index left = samples_; left > 0; left -= std::min(kRows, left)) {
      pass(left - 1, std::min(kRows, left), -1);
    }
  }

 private:
  double at(int lane, Index i) const { return data_[lane * stride_ + i]; }

  // 2 x_last − x_{last−k} for k = 1 … padding, saved before the forward pass overwrites them.
  std::vector<double> reflected_tail(Index padding) const {
    std::vector<double> tail(static_cast<std::size_t>(padding * lanes_));
    const Index last = samples_ - 1;
    for (Index k = 1; k <= padding; ++k) {
      for (int l = 0; l < lanes_; ++l) tail[(k - 1) * lanes_ + l] = 2 * at(l, last) - at(l, last - k);
    }
    return tail;
  }

  // Steady states for the values of a tile row: every section has gain one at zero frequency.
  void steady(const double* row) {
    state_.fill(0);
    for (std::size_t k = 0; k < filter_.sections.size(); ++k) {
      std::copy(row, row + kLanes, state_.begin() + (2 * k + 1) * kLanes);
    }
  }

  void filter_tile(Index rows) {
    kernels::tile_filter()(filter_.sections.data(), static_cast<int>(filter_.sections.size()), state_.data(),
                           tile_.data(), rows);
  }

  // Runs the filter over the reflected beginning, x_{−padding} … x_{−1}, and throws the values away.
  void start_forward(Index padding) {
    tile_.fill(0);
    for (int l = 0; l < lanes_; ++l) tile_[l] = padding > 0 ? 2 * at(l, 0) - at(l, padding) : at(l, 0);
    steady(tile_.data());
    for (Index k = padding; k > 0; k -= std::min(kRows, k)) {
      const Index rows = std::min(kRows, k);
      for (Index i = 0; i < rows; ++i) {
        for (int l = 0; l < lanes_; ++l) tile_[i * kLanes + l] = 2 * at(l, 0) - at(l, k - i);
      }
      filter_tile(rows);
    }
  }

  // Goes on forward over the reflected tail, then turns round at its end.
  void start_backward(std::vector<double>& tail, Index padding) {
    const auto move_rows = [&](Index first, Index step, Index rows, bool store) {
      for (Index i = 0; i < rows; ++i) {
        double* saved = tail.data() + (first + step * i) * lanes_;
        double* row = tile_.data() + i * kLanes;
        store ? std::copy(row, row + lanes_, saved) : std::copy(saved, saved + lanes_, row);
      }
    };
    for (Index k = 0; k < padding; k += kRows) {
      const Index rows = std::min(kRows, padding - k);
      move_rows(k, 1, rows, false);
      filter_tile(rows);
      move_rows(k, 1, rows, true);
    }
    tile_.fill(0);
    for (int l = 0; l < lanes_; ++l)
      tile_[l] = padding > 0 ? tail[(padding - 1) * lanes_ + l] : at(l, samples_ - 1);
    steady(tile_.data());
    for (Index k = padding; k > 0; k -= std::min(kRows, k)) {
      const Index rows = std::min(kRows, k);
      move_rows(k - 1, -1, rows, false);
      filter_tile(rows);
    }
  }

  // Filters rows first, first + step, … of the data in place.
  void pass(Index first, Index rows, Index step) {
    for (int l = 0; l < lanes_; ++l) {
      const double* from = data_ + l * stride_ + first;
      for (Index i = 0; i < rows; ++i) tile_[i * kLanes + l] = from[step * i];
    }
    filter_tile(rows);
    for (int l = 0; l < lanes_; ++l) {
      double* to = data_ + l * stride_ + first;
      for (Index i = 0; i < rows; ++i) to[step * i] = tile_[i * kLanes + l];
    }
  }

  const LowPass& filter_;
  double* data_;
  Index samples_;
  Index stride_;
  int lanes_;
  alignas(64) std::array<double, kRows * kLanes> tile_;
  alignas(64) std::array<double, 5 * 2 * kLanes> state_;  // at most ten poles
};

}  // namespace

void filter_zero_phase(const LowPass& filter, double* data, Index samples, Index columns, Index column_stride,
                       RunEnds ends) {
  require(filter.sections.size() <= 5, "a low-pass has at most ten poles");
  require(columns <= 1 || column_stride >= samples, "columns to be filtered overlap");
  if (samples < 1) return;
  for (Index c = 0; c < columns; c += kLanes) {
    const int lanes = static_cast<int>(std::min<Index>(kLanes, columns - c));
    ColumnGroup(filter, data + c * column_stride, samples, column_stride, lanes).run(ends);
  }
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
