// Fourier series and multi-sines: q = offset + Σ_k S_k sin(ω_k t) + C_k cos(ω_k t).
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "simulate/lists.hpp"
#include "simulate/shape.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kBlock = 64;  // samples whose sines are kept at a time

class Harmonic : public MotionShape {
 public:
  Harmonic(VectorXd omega, MatrixXd sine, MatrixXd cosine, VectorXd offset, double duration)
      : omega_(std::move(omega)),
        sine_(std::move(sine)),
        cosine_(std::move(cosine)),
        offset_(std::move(offset)),
        duration_(duration) {}

  Index joints() const override { return offset_.size(); }
  double duration() const override { return duration_; }

  void evaluate(const double* time, Index count, const StateTarget& out) const override {
    Eigen::ArrayXXd sines(kBlock, omega_.size()), cosines(kBlock, omega_.size());
    for (Index first = 0; first < count; first += kBlock) {
      const Index n = std::min(kBlock, count - first);
      for (Index k = 0; k < omega_.size(); ++k) {
        for (Index s = 0; s < n; ++s) {
          const double angle = omega_[k] * time[first + s];
          sines(s, k) = std::sin(angle);
          cosines(s, k) = std::cos(angle);
        }
      }
      for (Index j = 0; j < joints(); ++j) sum_up(sines, cosines, j, n, j * out.stride + first, out);
    }
  }

 private:
  void sum_up(const Eigen::ArrayXXd& sines, const Eigen::ArrayXXd& cosines, Index j, Index count, Index at,
              const StateTarget& out) const {
    Eigen::Map<Eigen::ArrayXd> q(out.q + at, count), qd(out.qd + at, count), qdd(out.qdd + at, count);
    q.setConstant(offset_[j]);
    qd.setZero();
    qdd.setZero();
    for (Index k = 0; k < omega_.size(); ++k) {
      const double w = omega_[k], S = sine_(k, j), C = cosine_(k, j);
      const auto s = sines.col(k).head(count), c = cosines.col(k).head(count);
      q += S * s + C * c;
      qd += (w * S) * c - (w * C) * s;
      qdd -= (w * w * S) * s + (w * w * C) * c;
    }
  }

  VectorXd omega_;   // sines
  MatrixXd sine_;    // sines × joints
  MatrixXd cosine_;  // sines × joints
  VectorXd offset_;
  double duration_;
};

}  // namespace

ShapePointer make_shape(const FourierSeries& series) {
  const Index harmonics = series.a.rows(), joints = series.q0.size();
  check_number(series.omega, Bound::positive, "frequency ω of the Fourier series");
  check_number(series.duration, Bound::not_negative, "duration of the Fourier series");
  check_matrix(series.q0, joints, 1, "q0 of the Fourier series");
  check_matrix(series.a, harmonics, joints, "a of the Fourier series");
  check_matrix(series.b, harmonics, joints, "b of the Fourier series");
  const VectorXd omega = series.omega * VectorXd::LinSpaced(harmonics, 1, static_cast<double>(harmonics));
  const MatrixXd sine = omega.cwiseInverse().asDiagonal() * series.a;
  const MatrixXd cosine = omega.cwiseInverse().asDiagonal() * -series.b;
  const double period = 2 * std::numbers::pi / series.omega;
  return std::make_shared<Harmonic>(omega, sine, cosine, series.q0,
                                    series.duration > 0 ? series.duration : period);
}

ShapePointer make_shape(const MultiSine& sines) {
  const Index count = sines.omega.size(), joints = sines.center.size();
  check_number(sines.duration, Bound::positive, "duration of the multi-sine");
  check_matrix(sines.omega, count, 1, "ω of the multi-sine");
  check_matrix(sines.center, joints, 1, "centre of the multi-sine");
  check_matrix(sines.amplitude, count, joints, "amplitude of the multi-sine");
  check_matrix(sines.phase, count, joints, "phase of the multi-sine");
  const MatrixXd sine = sines.amplitude.array() * sines.phase.array().cos();
  const MatrixXd cosine = sines.amplitude.array() * sines.phase.array().sin();
  return std::make_shared<Harmonic>(sines.omega, sine, cosine, sines.center, sines.duration);
}

}  // namespace steelyard
