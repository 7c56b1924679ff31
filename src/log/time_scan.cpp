#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "steelyard/core/error.hpp"
#include "steelyard/log/resample.hpp"
#include "steelyard/log/stamps.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kUneven = 2;  // times the shortest so far: may be a gap

// Positive doubles are ordered as their bits are; without the last 35 bits steps within 2^-17 share a bin.
std::uint64_t bin_of(double step) {
  return std::bit_cast<std::uint64_t>(step) >> 35;
}

}  // namespace

void TimeScanner::add(std::span<const double> stamps) {
  for (const double stamp : stamps) {
    if (samples_ == 0)
      first_ = before_ = stamp;
    else
      recent_[static_cast<std::size_t>(recent_count_++)] = stamp;
    last_ = stamp;
    samples_ += 1;
    if (recent_count_ == static_cast<Index>(recent_.size())) take_recent();
  }
}

// Steps are mostly alike: their sums are made together.
void TimeScanner::take_recent() {
  if (recent_count_ == 0) return;
  std::array<double, kRecent> all;
  const std::span<double> steps(all.data(), static_cast<std::size_t>(recent_count_));
  steps[0] = recent_[0] - before_;
  for (std::size_t i = 1; i < steps.size(); ++i) steps[i] = recent_[i] - recent_[i - 1];
  double shortest = steps[0], longest = steps[0], sum = 0;
  for (const double step : steps) {
    shortest = std::min(shortest, step);
    longest = std::max(longest, step);
    sum += step;
  }
  require(shortest > 0, "time stamps increase strictly");
  if (bin_of(shortest) == bin_of(longest)) {
    Bin& bin = bins_[bin_of(shortest)];
    bin.count += recent_count_;
    bin.sum += sum;
  } else {
    for (const double step : steps) {
      Bin& bin = bins_[bin_of(step)];
      bin.count += 1;
      bin.sum += step;
    }
  }
  shortest_ = steps_ == 0 ? shortest : std::min(shortest_, shortest);
  if (longest > kUneven * shortest_)
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (steps[i] > kUneven * shortest_) keep_long(i == 0 ? before_ : recent_[i - 1], steps[i]);
  const double mean = sum / static_cast<double>(recent_count_);
  double squares = 0;
  for (const double step : steps) squares += (step - mean) * (step - mean);
  longest_ = std::max(longest_, longest);
  merge_moments(recent_count_, mean, squares);
  before_ = last_;
  recent_count_ = 0;
}

// A heap with the shortest on top.
void TimeScanner::keep_long(double begin, double length) {
  const auto longer = [](const TimeGap& a, const TimeGap& b) { return a.length > b.length; };
  if (long_.size() == kListedGaps) {
    if (length <= long_.front().length) return;
    std::pop_heap(long_.begin(), long_.end(), longer);
    long_.pop_back();
  }
  long_.push_back({begin, length});
  std::push_heap(long_.begin(), long_.end(), longer);
}

// Means and squares of both as one, without the difference of large numbers.
void TimeScanner::merge_moments(Index steps, double mean, double squares) {
  const auto own = static_cast<double>(steps_), more = static_cast<double>(steps);
  const double change = mean - mean_;
  mean_ += change * (more / (own + more));
  squares_ += squares + change * change * (own * more / (own + more));
  steps_ += steps;
}

void TimeScanner::append(const TimeScanner& later) {
  if (later.samples_ == 0) return;
  add({&later.first_, 1});
  if (later.samples_ == 1) return;
  TimeScanner more = later;
  more.take_recent();
  if (samples_ == 1) {
    *this = more;
    return;
  }
  take_recent();
  merge_moments(more.steps_, more.mean_, more.squares_);
  for (const TimeGap& step : more.long_) keep_long(step.begin, step.length);
  for (const auto& [key, bin] : more.bins_) {
    bins_[key].count += bin.count;
    bins_[key].sum += bin.sum;
  }
  shortest_ = std::min(shortest_, more.shortest_);
  longest_ = std::max(longest_, more.longest_);
  last_ = before_ = more.last_;
  samples_ += more.samples_ - 1;
}

TimeScan TimeScanner::result() const {
  if (recent_count_ > 0) {
    TimeScanner whole = *this;
    whole.take_recent();
    return whole.result();
  }
  TimeScan scan;
  scan.samples = samples_;
  scan.first = first_;
  scan.last = last_;
  if (samples_ < 2) return scan;
  const Index steps = samples_ - 1;
  scan.mean_step = (last_ - first_) / static_cast<double>(steps);
  scan.shortest_step = shortest_;
  scan.longest_step = longest_;
  scan.jitter = std::sqrt(squares_ / static_cast<double>(steps));
  Index below = 0;
  for (const auto& [key, bin] : bins_) {
    below += bin.count;
    if (2 * below < steps) continue;
    scan.median_step = bin.sum / static_cast<double>(bin.count);
    break;
  }
  for (const auto& [key, bin] : bins_) {
    if (bin.sum > kGapFactor * scan.median_step * static_cast<double>(bin.count)) scan.gaps += bin.count;
  }
  for (const TimeGap& step : long_)
    if (step.length > kGapFactor * scan.median_step) scan.longest_gaps.push_back(step);
  std::sort(scan.longest_gaps.begin(), scan.longest_gaps.end(),
            [](const TimeGap& a, const TimeGap& b) { return a.begin < b.begin; });
  return scan;
}

std::string likely_time_unit(double step) {
  for (const auto& [unit, seconds] : {std::pair{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}})
    if (step * seconds >= 1e-5 && step * seconds < 0.5) return unit;
  return "";
}

std::string time_unit_remedy(double step) {
  const std::string unit = likely_time_unit(step);
  return fmt::format("give the unit of the time column, `units: {{time: {}}}`, if it is not seconds",
                     unit.empty() ? "ms" : unit);
}

TimeScan scan_time(SampleSource& source, int threads) {
  TimeScanner scanner;
  if (auto* stamps = dynamic_cast<StampSource*>(&source)) {
    scanner = stamps->scan_stamps(threads);
  } else {
    SampleBlock block;
    source.rewind();
    for (source.read(4096, block); block.size() > 0; source.read(4096, block)) {
      scanner.add({block.time(), static_cast<std::size_t>(block.size())});
    }
  }
  const TimeScan scan = scanner.result();
  if (scan.samples < 2) {
    throw InputError(
        {fmt::format("the run has {} samples", scan.samples), {source.name(), 0, 0, {}}, "at least two", {}});
  }
  return scan;
}

UniformGrid uniform_grid(const TimeScan& scan, double rate, Interpolation interpolation) {
  const double own = 1 / scan.median_step;
  if (rate == 0) rate = own;
  if (!(rate > 0) || !std::isfinite(rate) || rate > 100 / scan.mean_step || rate < 0.01 / scan.mean_step) {
    throw InputError(
        {fmt::format("the log is to be resampled to {:.6g} Hz, but its time stamps have {:.6g} Hz", rate,
                     1 / scan.mean_step),
         {},
         fmt::format("{:.6g} to {:.6g} Hz", 0.01 / scan.mean_step, 100 / scan.mean_step),
         "check the unit of the time column and the rate"});
  }
  UniformGrid grid;
  grid.start = scan.first;
  // Printed stamps are rounded; a rate within a thousandth of theirs is theirs.
  if (scan.is_uniform() && std::abs(rate * scan.mean_step - 1) < 1e-3) {
    grid.step = scan.mean_step;
    grid.samples = scan.samples;
    return grid;
  }
  grid.step = 1 / rate;
  grid.samples = static_cast<Index>(std::floor((scan.last - scan.first) * rate * (1 + 1e-12) + 1e-9)) + 1;
  grid.interpolation = interpolation == Interpolation::none ? Interpolation::cubic : interpolation;
  return grid;
}

}  // namespace steelyard
