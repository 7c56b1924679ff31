// Collects a ChannelScan from values that come one after the other.
#pragma once

#include <vector>

#include "steelyard/doctor/signals.hpp"

namespace steelyard::doctor {

class ChannelScanner {
 public:
  // `positions`: of the same joint at the same times; null: there are none.
  void add(const double* times, const double* values, const double* positions, Index count);
  ChannelScan result() const;

 private:
  static constexpr Index kStretch = 64;
  using Stretch = Eigen::Array<double, kStretch, 1>;

  void add_one(double time, double value, double position);
  // A stretch behind values[-1] that is finite, moves with every sample and stays off zero and the extremes,
  // as most do; false: it is not such a one, and nothing was added.
  bool add_plain(const double* times, const double* values, const double* positions);
  void end_hold(double time, double value, double position);
  void keep_step(double step);
  void keep_steps(const Stretch& steps);

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
  double step_sum_ = 0;
  std::vector<double> kept_;     // steps that are not zero, every stride_-th of them
  Index stride_ = 1, seen_ = 0;  // a power of two
};

}  // namespace steelyard::doctor
