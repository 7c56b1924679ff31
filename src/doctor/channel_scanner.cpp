#include "doctor/channel_scanner.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::doctor {
namespace {

constexpr std::size_t kKept = 2048;

// The step of which all are multiples, 0 when there is none. The smallest step is one quantum if any is; then
// the quotients tell.
double quantum_of(std::vector<double> steps) {
  if (steps.size() < 16) return 0;
  std::sort(steps.begin(), steps.end());
  const double smallest = steps.front();
  std::size_t multiples = 0;
  double sum = 0, count = 0;
  for (const double step : steps) {
    const double quotient = step / smallest, whole = std::round(quotient);
    if (whole > 1e4) break;  // beyond what the smallest step's own rounding allows
    if (std::abs(quotient - whole) > 0.1) continue;
    ++multiples;
    sum += step;
    count += whole;
  }
  return static_cast<double>(multiples) >= 0.97 * static_cast<double>(steps.size()) ? sum / count : 0;
}

}  // namespace

void ChannelScanner::Extreme::add(double x, double at) {
  if (count == 0 || x > value) {
    next = value;
    next_count = count;
    value = x;
    count = 1;
    time = at;
  } else if (x == value) {
    ++count;
  } else if (next_count == 0 || x > next) {
    next = x;
    next_count = 1;
  } else if (x == next) {
    ++next_count;
  }
  limit = next_count > 0 ? next : -kInfinity;
}

void ChannelScanner::keep_step(double step) {
  if ((seen_++ & (stride_ - 1)) != 0) return;
  if (kept_.size() == kKept) {
    for (std::size_t k = 0; 2 * k < kept_.size(); ++k) kept_[k] = kept_[2 * k];
    kept_.resize(kKept / 2);
    stride_ *= 2;
    if (((seen_ - 1) & (stride_ - 1)) != 0) return;
  }
  kept_.push_back(step);
}

void ChannelScanner::keep_steps(const Stretch& steps) {
  for (Index k = 0; k < kStretch; ++k) {
    const Index skipped = std::min(kStretch - k, -seen_ & (stride_ - 1));
    seen_ += skipped;
    k += skipped;
    if (k < kStretch) keep_step(steps[k]);
  }
}

void ChannelScanner::end_hold(double time, double value, double position) {
  if (hold_ > scan_.longest_hold) {
    scan_.longest_hold = hold_;
    scan_.hold_begin = hold_begin_;
    scan_.hold_motion = std::abs(position - hold_position_);
    scan_.step_behind = std::abs(value - last_);
  }
  hold_ = 1;
  hold_begin_ = time;
  hold_position_ = position;
}

void ChannelScanner::add_one(double time, double value, double position) {
  if (!std::isfinite(value)) {
    ++scan_.not_finite;
    return;
  }
  scan_.zeros += value == 0;
  if (value >= top_.limit) top_.add(value, time);
  if (-value >= bottom_.limit) bottom_.add(-value, time);
  last_position_ = position;
  if (!started_) {
    started_ = true;
    hold_ = 1;
    hold_begin_ = time;
    hold_position_ = position;
    last_ = value;
    return;
  }
  const double step = std::abs(value - last_);
  step_sum_ += step;
  ++steps_;
  if (step == 0) {
    ++scan_.equal_neighbours;
    ++hold_;
  } else {
    keep_step(step);
    end_hold(time, value, position);
  }
  last_ = value;
}

// Values that are not finite make a sum that is not; every other comparison is false for them or not needed.
bool ChannelScanner::add_plain(const double* times, const double* values, const double* positions) {
  const Eigen::Map<const Stretch> x(values), before(values - 1);
  const Stretch steps = (x - before).abs();
  const double sum = steps.sum();
  if (!(sum < kInfinity && steps.minCoeff() > 0 && x.abs().minCoeff() > 0)) return false;
  if (!(x.maxCoeff() < top_.limit && -x.minCoeff() < bottom_.limit)) return false;
  step_sum_ += sum;
  steps_ += kStretch;
  keep_steps(steps);
  // Behind the first value, holds of one sample follow each other.
  const auto position = [&](Index k) { return positions != nullptr ? positions[k] : 0; };
  end_hold(times[0], values[0], position(0));
  hold_begin_ = times[kStretch - 1];
  hold_position_ = last_position_ = position(kStretch - 1);
  last_ = values[kStretch - 1];
  return true;
}

void ChannelScanner::add(const double* times, const double* values, const double* positions, Index count) {
  for (Index s = 0; s < count;) {
    if (s > 0 && s + kStretch <= count &&
        add_plain(times + s, values + s, positions != nullptr ? positions + s : nullptr)) {
      s += kStretch;
      continue;
    }
    const Index end = s == 0 ? 1 : std::min(count, s + kStretch);
    for (; s < end; ++s) add_one(times[s], values[s], positions != nullptr ? positions[s] : 0);
  }
}

ChannelScan ChannelScanner::result() const {
  ChannelScanner end = *this;
  end.end_hold(0, last_, last_position_);
  ChannelScan scan = end.scan_;
  scan.mean_step = steps_ > 0 ? step_sum_ / static_cast<double>(steps_) : 0;
  scan.top = {top_.value, top_.count, top_.next_count, top_.time};
  scan.bottom = {-bottom_.value, bottom_.count, bottom_.next_count, bottom_.time};
  scan.highest = scan.top.value;
  scan.lowest = scan.bottom.value;
  scan.quantum = quantum_of(kept_);
  return scan;
}

}  // namespace steelyard::doctor
