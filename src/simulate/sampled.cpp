// Motions through given samples, as polynomials between stamps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulate/lists.hpp"
#include "simulate/shape.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Slopes and second derivatives of the cubic spline through one joint's samples, not-a-knot ends: the first
// two pieces are one polynomial, the last two as well. Three-term recursion for the second derivatives.
void fit_spline(const VectorXd& time, Eigen::Ref<const VectorXd> q, Eigen::Ref<VectorXd> slope,
                Eigen::Ref<VectorXd> second) {
  const Index n = time.size(), last = n - 1;
  const VectorXd h = time.tail(last) - time.head(last);
  const VectorXd chord = (q.tail(last) - q.head(last)).cwiseQuotient(h);
  VectorXd upper(n), right(n);
  const double front = h[0] / h[1], back = h[last - 1] / h[last - 2];
  for (Index i = 1; i < last; ++i) {
    double below = h[i - 1], middle = 2 * (h[i - 1] + h[i]), above = h[i];
    if (i == 1) {
      middle += h[0] * (1 + front);
      above -= h[0] * front;
    }
    if (i == last - 1) {
      middle += h[i] * (1 + back);
      below -= h[i] * back;
    }
    const double pivot = i == 1 ? middle : middle - below * upper[i - 1];
    upper[i] = above / pivot;
    right[i] = (6 * (chord[i] - chord[i - 1]) - (i == 1 ? 0 : below * right[i - 1])) / pivot;
  }
  second[last - 1] = right[last - 1];
  for (Index i = last - 2; i >= 1; --i) second[i] = right[i] - upper[i] * second[i + 1];
  second[0] = (1 + front) * second[1] - front * second[2];
  second[last] = (1 + back) * second[last - 1] - back * second[last - 2];
  for (Index i = 0; i < last; ++i) slope[i] = chord[i] - h[i] * (2 * second[i] + second[i + 1]) / 6;
  slope[last] = chord[last - 1] + h[last - 1] * (second[last - 1] + 2 * second[last]) / 6;
}

class Sampled : public MotionShape {
 public:
  Sampled(SampledMotion motion, bool is_quintic) : m_(std::move(motion)), is_quintic_(is_quintic) {}

  Index joints() const override { return m_.q.cols(); }
  double duration() const override { return m_.time[m_.time.size() - 1]; }

  void evaluate(const double* time, Index count, const StateTarget& out) const override {
    for (Index s = 0; s < count; ++s) {
      const double t = std::clamp(time[s], 0.0, duration());
      const double* begin = m_.time.data();
      const Index after = std::upper_bound(begin, begin + m_.time.size(), t) - begin;
      const Index piece = std::min(after, m_.time.size() - 1) - 1;
      for (Index j = 0; j < joints(); ++j) put(piece, t - m_.time[piece], j, j * out.stride + s, out);
    }
  }

 private:
  void put(Index i, double u, Index j, Index at, const StateTarget& out) const {
    const double h = m_.time[i + 1] - m_.time[i];
    const double q = m_.q(i, j), v = m_.qd(i, j), a = m_.qdd(i, j);
    double c3 = (m_.qdd(i + 1, j) - a) / (6 * h), c4 = 0, c5 = 0;
    if (is_quintic_) {
      const double D = m_.q(i + 1, j) - (q + v * h + a * h * h / 2);
      const double V = (m_.qd(i + 1, j) - v - a * h) * h;
      const double A = (m_.qdd(i + 1, j) - a) * h * h;
      c3 = (10 * D - 4 * V + A / 2) / (h * h * h);
      c4 = (-15 * D + 7 * V - A) / (h * h * h * h);
      c5 = (6 * D - 3 * V + A / 2) / (h * h * h * h * h);
    }
    out.q[at] = q + u * (v + u * (a / 2 + u * (c3 + u * (c4 + u * c5))));
    out.qd[at] = v + u * (a + u * (3 * c3 + u * (4 * c4 + u * 5 * c5)));
    out.qdd[at] = a + u * (6 * c3 + u * (12 * c4 + u * 20 * c5));
  }

  SampledMotion m_;  // qd and qdd filled in, time from 0
  bool is_quintic_;
};

void check(const SampledMotion& motion) {
  const Index n = motion.time.size(), joints = motion.q.cols();
  const bool is_quintic = motion.qd.size() > 0 && motion.qdd.size() > 0;
  if (n < (is_quintic ? 2 : 4) || joints == 0) {
    throw InputError({fmt::format("a sampled motion has {} samples of {} joints", n, joints),
                      {},
                      "at least four samples of one joint, or two with velocity and acceleration",
                      {}});
  }
  check_matrix(motion.time, n, 1, "time of the sampled motion");
  check_matrix(motion.q, n, joints, "q of the sampled motion");
  for (Index i = 1; i < n; ++i) {
    if (motion.time[i] > motion.time[i - 1]) continue;
    throw InputError(
        {fmt::format("the time of the sampled motion does not increase: {} after {} at sample {}",
                     motion.time[i], motion.time[i - 1], i + 1),
         {},
         "stamps that increase",
         {}});
  }
}

MatrixXd channel_matrix(const SampleBlock& block, int channel) {
  using Strided = Eigen::Map<const MatrixXd, 0, Eigen::OuterStride<>>;
  return Strided(block.row(channel), block.size(), block.joints(), Eigen::OuterStride<>(block.stride()));
}

}  // namespace

ShapePointer make_shape(const SampledMotion& given) {
  check(given);
  SampledMotion motion = given;
  const Index n = given.time.size(), joints = given.q.cols();
  motion.time.array() -= given.time[0];
  const bool is_quintic = given.qd.size() > 0 && given.qdd.size() > 0;
  if (is_quintic) {
    check_matrix(given.qd, n, joints, "q̇ of the sampled motion");
    check_matrix(given.qdd, n, joints, "q̈ of the sampled motion");
  } else {
    motion.qd.resize(n, joints);
    motion.qdd.resize(n, joints);
    for (Index j = 0; j < joints; ++j)
      fit_spline(motion.time, motion.q.col(j), motion.qd.col(j), motion.qdd.col(j));
  }
  return std::make_shared<Sampled>(std::move(motion), is_quintic);
}

SampledMotion sampled_motion(const Run& run) {
  const SampleBlock& block = run.samples;
  const int position = block.find(channel::kPosition);
  if (position < 0) {
    throw InputError({"the run to be followed has no channel 'position'",
                      {},
                      {},
                      "give the columns of the joint positions, on the joint side"});
  }
  SampledMotion motion;
  motion.time = Eigen::Map<const VectorXd>(block.time(), block.size());
  motion.q = channel_matrix(block, position);
  const int velocity = block.find(channel::kVelocity), acceleration = block.find(channel::kAcceleration);
  if (velocity >= 0 && acceleration >= 0) {
    motion.qd = channel_matrix(block, velocity);
    motion.qdd = channel_matrix(block, acceleration);
  }
  return motion;
}

}  // namespace steelyard
