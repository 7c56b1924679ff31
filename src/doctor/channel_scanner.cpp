#include "doctor/channel_scanner.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::doctor {
namespace {

constexpr double kGapSteps = 5;  // of the usual step: nothing is known of what happened meanwhile
constexpr std::size_t kKept = 2048;
constexpr auto kExcursions = static_cast<std::size_t>(kKeptExcursions);
constexpr double kNearZero = 0.05;         // of the largest |value|
constexpr double kSmallExcursion = 0.005;  // of the range: does no harm

bool is_larger(const Excursion& a, const Excursion& b) {
  return a.size != b.size ? a.size > b.size : a.time < b.time;
}

// The step of which all are multiples, 0 when there is none. The smallest step is one quantum if any is; the
// quotients then decide.
double quantum_of(std::vector<double> steps) {
  if (steps.size() < 16) return 0;
  for (double& step : steps) step = std::abs(step);
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

void Thinned::add(double value) {
  if ((seen_++ & (stride_ - 1)) != 0) return;
  if (kept_.size() == kKept) {
    for (std::size_t k = 0; 2 * k < kept_.size(); ++k) kept_[k] = kept_[2 * k];
    kept_.resize(kKept / 2);
    stride_ *= 2;
    if (((seen_ - 1) & (stride_ - 1)) != 0) return;
  }
  kept_.push_back(value);
}

void Thinned::add(const double* values, Index count) {
  for (Index k = 0; k < count; ++k) {
    const Index skipped = std::min(count - k, -seen_ & (stride_ - 1));
    seen_ += skipped;
    k += skipped;
    if (k < count) add(values[k]);
  }
}

double ChannelScanner::floor() const {
  const double small = kSmallExcursion * (top_.value + bottom_.value);
  return excursions_.size() < kExcursions ? small : std::max(small, excursions_.front().size);
}

void ChannelScanner::keep_excursions(double value) {
  double low = kInfinity, high = -kInfinity;  // of the values inside
  for (std::size_t width = 1; width <= kLongestExcursion && static_cast<Index>(width) < steps_; ++width) {
    low = std::min(low, past_[width - 1]);
    high = std::max(high, past_[width - 1]);
    const double before = past_[width];
    const double above = low - std::max(before, value), below = std::min(before, value) - high;
    const double size = std::max(above, below);
    if (size <= floor()) continue;
    if (excursions_.size() == kExcursions) {
      std::pop_heap(excursions_.begin(), excursions_.end(), is_larger);
      excursions_.pop_back();
    }
    excursions_.push_back({size, past_times_[width - 1], below > above});
    std::push_heap(excursions_.begin(), excursions_.end(), is_larger);
  }
}

// An excursion is a step out, and within a few samples one back, both of its size at least.
bool ChannelScanner::may_have_excursions(const double* values, const Stretch& changes) const {
  const double smallest = floor();
  double up = changes.maxCoeff(), down = changes.minCoeff();
  for (Index k = -kLongestExcursion; k < 0; ++k) {
    up = std::max(up, values[k] - values[k - 1]);
    down = std::min(down, values[k] - values[k - 1]);
  }
  if (std::min(up, -down) <= smallest) return false;
  for (Index width = 1; width <= kLongestExcursion; ++width) {
    const Eigen::Map<const Stretch> inside(values - width), outside(values - width - 1);
    if ((changes - (inside - outside)).abs().maxCoeff() > 2 * smallest) return true;
  }
  return false;
}

void ChannelScanner::remember(double time, double value) {
  std::copy_backward(past_.begin(), past_.end() - 1, past_.end());
  std::copy_backward(past_times_.begin(), past_times_.end() - 1, past_times_.end());
  past_[0] = value;
  past_times_[0] = time;
}

void ChannelScanner::end_hold(double before, double time, double value, double position) {
  scan_.longest_hold = std::max(scan_.longest_hold, hold_);
  const double motion = std::abs(position - hold_position_);
  // What happened in a gap is not known: a joint that stood still may have moved on.
  const bool is_gap = time - before > kGapSteps * (before - hold_begin_) / static_cast<double>(hold_);
  if (!is_gap && hold_ >= kHeldSamples && time - hold_begin_ >= kLongHold && motion > scan_.hold.motion)
    scan_.hold = {hold_, hold_begin_, time - hold_begin_, last_, motion, std::abs(value - last_)};
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
  if (value != 0) scan_.smallest = std::min(scan_.smallest, std::abs(value));
  if (value == 0 && started_ && position != last_position_) {
    ++scan_.moving_zeros;
    scan_.falls += last_ != 0;
    fall_sum_ += std::abs(last_);
  }
  if (value >= top_.limit) top_.add(value, time);
  if (-value >= bottom_.limit) bottom_.add(-value, time);
  last_position_ = position;
  if (!started_) {
    started_ = true;
    kept_values_.add(value);
    remember(time, value);
    hold_ = 1;
    hold_begin_ = time;
    hold_position_ = position;
    last_ = value;
    return;
  }
  const double step = std::abs(value - last_);
  step_sum_ += step;
  ++steps_;
  kept_values_.add(value);
  if (step > floor()) keep_excursions(value);
  remember(time, value);
  if (step == 0) {
    ++scan_.equal_neighbours;
    ++hold_;
  } else {
    kept_steps_.add(step);
    end_hold(past_times_[1], time, value, position);
  }
  last_ = value;
}

// Values that are not finite make a sum that is not; every other comparison is false for them or not needed.
bool ChannelScanner::add_plain(const double* times, const double* values, const double* positions) {
  const Eigen::Map<const Stretch> x(values), before(values - 1);
  const Stretch changes = x - before;
  const double sum = changes.abs().sum();
  const double smallest = x.abs().minCoeff();
  if (!(sum < kInfinity && changes.abs().minCoeff() > 0 && smallest > 0)) return false;
  if (!(x.maxCoeff() < top_.limit && -x.minCoeff() < bottom_.limit)) return false;
  if (!std::isfinite(values[-2] + values[-3] + values[-4]) || may_have_excursions(values, changes))
    return false;
  step_sum_ += sum;
  steps_ += kStretch;
  scan_.smallest = std::min(scan_.smallest, smallest);
  kept_values_.add(values, kStretch);
  kept_steps_.add(changes.data(), kStretch);
  // After the first value, holds of one sample follow each other.
  const auto position = [&](Index k) { return positions != nullptr ? positions[k] : 0; };
  end_hold(past_times_[0], times[0], values[0], position(0));
  hold_begin_ = times[kStretch - 1];
  hold_position_ = last_position_ = position(kStretch - 1);
  last_ = values[kStretch - 1];
  for (Index k = 0; k < kReach; ++k) {
    past_[static_cast<std::size_t>(k)] = values[kStretch - 1 - k];
    past_times_[static_cast<std::size_t>(k)] = times[kStretch - 1 - k];
  }
  return true;
}

void ChannelScanner::add(const double* times, const double* values, const double* positions, Index count) {
  for (Index s = 0; s < count;) {
    if (s >= kReach && s + kStretch <= count &&
        add_plain(times + s, values + s, positions != nullptr ? positions + s : nullptr)) {
      s += kStretch;
      continue;
    }
    const Index end = std::min(count, s < kReach ? kReach : s + kStretch);
    for (; s < end; ++s) add_one(times[s], values[s], positions != nullptr ? positions[s] : 0);
  }
}

ChannelScan ChannelScanner::result() const {
  ChannelScanner end = *this;
  end.end_hold(past_times_[0], past_times_[0], last_, last_position_);
  ChannelScan scan = end.scan_;
  scan.mean_step = steps_ > 0 ? step_sum_ / static_cast<double>(steps_) : 0;
  scan.top = {top_.value, top_.count, top_.next_count, top_.time};
  scan.bottom = {-bottom_.value, bottom_.count, bottom_.next_count, bottom_.time};
  scan.highest = scan.top.value;
  scan.lowest = scan.bottom.value;
  scan.quantum = quantum_of(kept_steps_.kept());
  scan.changes = steps_ - scan.equal_neighbours;
  scan.mean_fall = scan.falls > 0 ? fall_sum_ / static_cast<double>(scan.falls) : 0;
  if (const std::vector<double>& kept = kept_values_.kept(); !kept.empty()) {
    const Eigen::Map<const Eigen::ArrayXd> values(kept.data(), static_cast<Index>(kept.size()));
    scan.deviation = std::sqrt((values - values.mean()).square().mean());
    scan.near_zero = (values.abs() <= kNearZero * values.abs().maxCoeff()).cast<double>().mean();
  }
  scan.excursions = excursions_;
  std::sort(scan.excursions.begin(), scan.excursions.end(), is_larger);
  return scan;
}

}  // namespace steelyard::doctor
