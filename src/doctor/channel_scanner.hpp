// Collects a ChannelScan from values that come one after the other.
#pragma once

#include <array>
#include <vector>

#include "steelyard/doctor/signals.hpp"

namespace steelyard::doctor {

// Every stride-th value, the stride doubled when there are too many.
class Thinned {
 public:
  void add(double value);
  void add(const double* values, Index count);
  const std::vector<double>& kept() const { return kept_; }

 private:
  std::vector<double> kept_;
  Index stride_ = 1, seen_ = 0;  // a power of two
};

class ChannelScanner {
 public:
  // `positions`: of the same joint at the same times; null: there are none.
  void add(const double* times, const double* values, const double* positions, Index count);
  ChannelScan result() const;

 private:
  static constexpr Index kStretch = 64;
  static constexpr Index kReach = kLongestExcursion + 1;  // values before the one behind an excursion
  using Stretch = Eigen::Array<double, kStretch, 1>;

  void add_one(double time, double value, double position);
  // A section after values[-kReach] that is finite, moves with every sample, avoids zero and the extremes and
  // has no excursion to keep, as most do; false: it is not, and nothing was added.
  bool add_plain(const double* times, const double* values, const double* positions);
  // At this sample; `before`: the time of the last held one.
  void end_hold(double before, double time, double value, double position);
  double floor() const;                // smaller excursions are not kept
  void keep_excursions(double value);  // those that end with this value
  bool may_have_excursions(const double* values, const Stretch& changes) const;
  void remember(double time, double value);

  // The largest value of a signal (or of its negative) with counts; values within rounding are one.
  struct Extreme {
    double value = 0, next = 0;
    Index count = 0, next_count = 0;
    double limit = -kInfinity;  // values below it change nothing
    double time = 0;
    void add(double x, double at);
  };

  ChannelScan scan_;
  Extreme top_, bottom_;
  bool started_ = false;
  double last_ = 0, last_position_ = 0;
  double hold_begin_ = 0, hold_position_ = 0;
  Index hold_ = 0, steps_ = 0;
  double step_sum_ = 0, fall_sum_ = 0;
  std::array<double, kReach> past_ = {}, past_times_ = {};  // the latest first
  std::vector<Excursion> excursions_;                       // a heap, the smallest in front
  Thinned kept_steps_, kept_values_;                        // steps that are not zero, of any sign
};

}  // namespace steelyard::doctor
