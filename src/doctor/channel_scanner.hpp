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
  void end_hold(double time, double value, double position);
  void keep_step(double step);

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
