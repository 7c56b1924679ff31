// The velocity column against the position, from rows that come one after the other.
#pragma once

#include <array>

#include "steelyard/doctor/signals.hpp"

namespace steelyard::doctor {

class VelocityWindows {
 public:
  explicit VelocityWindows(Index joints);
  void add(double time, const VectorXd& q, const VectorXd& qd);
  void result(SignalScan& scan) const;

 private:
  struct Begin {
    double time = 0;
    VectorXd q, integral;
  };
  void start(double time, const VectorXd& q);
  void end_window(const VectorXd& q);
  void end_bin(double time, const VectorXd& q);
  void add_noise(double step, const VectorXd& q);

  static constexpr Index kPast = 2 * kLagBins + 1;

  bool open_ = false;
  double last_time_ = 0;
  VectorXd integral_, last_velocity_;
  Begin window_, bin_;
  MatrixXd cross_;
  VectorXd motion_, velocity_;
  // The latest bins, a joint in a column; all twice, so that kPast consecutive rows are the latest, the
  // oldest first.
  MatrixXd past_motion_, past_velocity_;
  Index past_ = 0;
  VelocityLags lags_;
  // Of the latest samples, the newest first, and Σ of squares of the positions' third differences.
  std::array<VectorXd, 3> before_;
  std::array<double, 2> steps_ = {0, 0};
  VectorXd differences_;
  Index even_ = 0, rows_ = 0;
};

}  // namespace steelyard::doctor
