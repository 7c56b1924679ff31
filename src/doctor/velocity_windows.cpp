#include "doctor/velocity_windows.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::doctor {
namespace {

constexpr double kWindow = 0.05;            // [s]
constexpr double kBin = 0.02 * (1 - 1e-6);  // [s]; stamps are rounded

constexpr Index kEvery = 4;  // bins; neighbours are nearly equal

}  // namespace

VelocityWindows::VelocityWindows(Index joints)
    : cross_(MatrixXd::Zero(joints, joints)),
      motion_(VectorXd::Zero(joints)),
      velocity_(VectorXd::Zero(joints)),
      past_motion_(MatrixXd::Zero(2 * kPast, joints)),
      past_velocity_(MatrixXd::Zero(2 * kPast, joints)),
      differences_(VectorXd::Zero(joints)) {
  lags_.motion_velocity = lags_.velocity_squared = MatrixXd::Zero(kPast, joints);
  lags_.motion_squared = VectorXd::Zero(joints);
}

void VelocityWindows::start(double time, const VectorXd& q) {
  open_ = true;
  integral_.setZero(q.size());
  window_ = bin_ = {time, q, integral_};
  past_ = 0;
}

void VelocityWindows::end_window(const VectorXd& q) {
  const VectorXd change = q - window_.q, integral = integral_ - window_.integral;
  cross_ += change * integral.transpose();
  motion_ += change.cwiseAbs2();
  velocity_ += integral.cwiseAbs2();
}

// Every change of position is compared with the integrals from kLagBins before to kLagBins after it.
void VelocityWindows::end_bin(double time, const VectorXd& q) {
  const Index at = past_++ % kPast;
  for (const Index row : {at, at + kPast}) {
    past_motion_.row(row) = (q - bin_.q).transpose();
    past_velocity_.row(row) = (integral_ - bin_.integral).transpose();
  }
  if (past_ < kPast || past_ % kEvery != 0) return;
  const auto velocities = past_velocity_.middleRows(at + 1, kPast);
  const auto changes = past_motion_.row(at + 1 + kLagBins);
  for (Index j = 0; j < changes.size(); ++j) {
    lags_.motion_velocity.col(j) += velocities.col(j) * changes[j];
    lags_.velocity_squared.col(j) += velocities.col(j).cwiseAbs2();
    lags_.motion_squared[j] += changes[j] * changes[j];
  }
  lags_.seconds += time - bin_.time;
  ++lags_.bins;
}

// Three samples further on a motion is known from the samples before; what is not is noise.
void VelocityWindows::add_noise(double step, const VectorXd& q) {
  constexpr double kEven = 0.1;
  const auto is_even = [&](double other) { return std::abs(other - step) < kEven * step; };
  if (even_ >= 3 && is_even(steps_[0]) && is_even(steps_[1])) {
    differences_ += (q - 3 * before_[0] + 3 * before_[1] - before_[2]).cwiseAbs2();
    ++rows_;
  }
  before_[2].swap(before_[1]);
  before_[1].swap(before_[0]);
  before_[0] = q;
  steps_ = {step, steps_[0]};
  ++even_;
}

void VelocityWindows::add(double time, const VectorXd& q, const VectorXd& qd) {
  if (!q.allFinite() || !qd.allFinite()) {
    open_ = false;
    even_ = 0;
    return;
  }
  add_noise(time - last_time_, q);
  if (!open_ || time - last_time_ > kWindow) {
    start(time, q);
  } else {
    integral_ += 0.5 * (time - last_time_) * (qd + last_velocity_);
    if (time - window_.time >= kWindow) {
      end_window(q);
      window_ = {time, q, integral_};
    }
    if (time - bin_.time >= kBin) {
      end_bin(time, q);
      bin_ = {time, q, integral_};
    }
  }
  last_time_ = time;
  last_velocity_ = qd;
}

void VelocityWindows::result(SignalScan& scan) const {
  scan.motion_velocity = cross_;
  scan.motion_squared = motion_;
  scan.velocity_squared = velocity_;
  scan.lags = lags_;
  constexpr double kSquares = 20;  // Σ of the third difference's squared factors
  scan.position_noise =
      (differences_ / (kSquares * static_cast<double>(std::max<Index>(1, rows_)))).cwiseSqrt();
}

}  // namespace steelyard::doctor
