// From time stamps as they were logged to a uniform grid t_k = start + k · step.
//
// Cubic: the polynomial through the four nearest stamps (two on each side, the first or last four at the
// ends): exact for cubics, local, so that a stream gives the bytes of the whole run. Linear: between two
// stamps. In a gap (a step of more than kGapFactor medians) cubic falls back to linear: a cubic across it
// would amplify noise. Resampling does not protect from aliasing: keep the log's rate here, lower it by
// filter and decimation.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/options.hpp"
#include "steelyard/log/source.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr double kGapFactor = 5;
inline constexpr double kShortGap = 0.05;  // [s] a line across it is good enough

struct TimeGap {
  double begin = 0;   // [s] stamp before it
  double length = 0;  // [s]
};
inline constexpr std::size_t kListedGaps = 256;

// Statistics of the time stamps of a run; times in seconds.
struct TimeScan {
  Index samples = 0;
  double first = 0;
  double last = 0;
  double mean_step = 0;
  double median_step = 0;  // within 1e-5 of itself: steps that close count as equal, their mean is given
  double shortest_step = 0;
  double longest_step = 0;
  double jitter = 0;                  // standard deviation of the steps
  Index gaps = 0;                     // steps longer than kGapFactor medians
  std::vector<TimeGap> longest_gaps;  // by time, at most kListedGaps of them

  // All steps equal within a thousandth of the median.
  bool is_uniform() const { return longest_step - shortest_step <= 1e-3 * median_step; }
};

// The unit in which such a step, read as seconds, is more plausible: ms, us, ns; empty when none is.
std::string likely_time_unit(double step);
std::string time_unit_remedy(double step);

// Collects a TimeScan from stamps that come in pieces; in constant memory.
class TimeScanner {
 public:
  void add(std::span<const double> stamps);
  // All stamps of another scanner, which come behind these.
  void append(const TimeScanner& later);
  TimeScan result() const;

  Index samples() const { return samples_; }
  double first() const { return first_; }
  double last() const { return last_; }

 private:
  void take_recent();
  void keep_long(double begin, double length);
  void merge_moments(Index steps, double mean, double squares);

  struct Bin {
    Index count = 0;
    double sum = 0;
  };
  std::map<std::uint64_t, Bin> bins_;  // by the leading bits of the step
  static constexpr std::size_t kRecent = 64;
  std::array<double, kRecent> recent_{};  // stamps that are not in the sums yet
  Index recent_count_ = 0;
  double before_ = 0;  // stamp before them
  std::vector<TimeGap> long_;
  Index samples_ = 0;
  Index steps_ = 0;  // in the sums
  double first_ = 0;
  double last_ = 0;
  double shortest_ = 0;
  double longest_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

// One pass over a source. Throws InputError for fewer than two samples. Long text logs are scanned on so many
// threads.
TimeScan scan_time(SampleSource& source, int threads = 1);

struct UniformGrid {
  double start = 0;
  double step = 0;
  Index samples = 0;
  Interpolation interpolation = Interpolation::none;  // none: the stamps are the grid

  double time(Index k) const { return start + static_cast<double>(k) * step; }
};

// The grid from the first to the last stamp at `rate` [Hz]; 0: automatic, one over the median step. Stamps
// that are uniform at that rate are taken as they are, with the mean step. Throws InputError for rates that
// are not positive, or more than a hundred times or less than a hundredth of the log's own.
UniformGrid uniform_grid(const TimeScan& scan, double rate = 0,
                         Interpolation interpolation = Interpolation::cubic);

// Values of `rows` rows (row r at values[r * stride]) at grid points [first, first + count); out[r *
// out_stride]. `stamps` are `samples` stamps of the run, the first of which has index `stamps_begin` of
// `run_samples`.
struct ResampleInput {
  const double* stamps = nullptr;
  Index samples = 0;
  Index stamps_begin = 0;
  Index run_samples = 0;
  const double* values = nullptr;
  Index rows = 0;
  Index stride = 0;
  double gap = kInfinity;  // [s] steps longer than this are bridged linearly
};
// Stops early where the stamps end; returns how many grid points were filled.
Index resample(const ResampleInput& input, const UniformGrid& grid, Index first, Index count, double* out,
               Index out_stride);

// The source on the grid. `scan` must be of the same source.
std::unique_ptr<SampleSource> on_grid(std::unique_ptr<SampleSource> source, const TimeScan& scan,
                                      const UniformGrid& grid);

}  // namespace steelyard
