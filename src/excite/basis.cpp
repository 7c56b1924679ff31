#include "excite/basis.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kSamplesPerPeriod = 20;  // of the highest harmonic
constexpr double kSamplesPerMove = 30;

}  // namespace

GridMotion sample_motion(const Trajectory& trajectory, const VectorXd& time) {
  const Index n = time.size(), columns = trajectory.joints();
  GridMotion out{MatrixXd(n, columns), MatrixXd(n, columns), MatrixXd(n, columns)};
  trajectory.evaluate(time.data(), n, out.q.data(), out.qd.data(), out.qdd.data(), n);
  return out;
}

MotionBasis::MotionBasis(const ExciteOptions& options, Index joints) : options_(options), joints_(joints) {
  duration_ = options.duration;
  if (options.kind == MotionKind::fourier) {
    size_ = 2 * options.harmonics + 1;
    const double between = options.duration - 2 * options.lead;
    omega_ = 2 * std::numbers::pi * (options.frequency > 0 ? options.frequency : 1 / between);
    step_ = 2 * std::numbers::pi / (omega_ * options.harmonics * kSamplesPerPeriod);
  } else {
    size_ = options.points - (options.start ? 1 : 0) - (options.finish ? 1 : 0);
    step_ = options.duration / (static_cast<double>(options.points - 1) * kSamplesPerMove);
  }
}

// `ends`: two rows, start and finish of each joint, used as far as they are given.
DesignedMotion MotionBasis::shape(const MatrixXd& x, const MatrixXd& ends) const {
  if (options_.kind == MotionKind::fourier) {
    const Index L = options_.harmonics;
    RestToRest motion;
    FourierSeries& series = motion.series;
    series.omega = omega_;
    series.duration = options_.duration - 2 * options_.lead;
    const VectorXd omega = omega_ * VectorXd::LinSpaced(L, 1, static_cast<double>(L));
    series.a = omega.asDiagonal() * x.topRows(L);
    series.b = omega.asDiagonal() * x.middleRows(L, L);
    series.q0 = x.row(2 * L).transpose();
    motion.lead = options_.lead;
    if (options_.start) motion.start = ends.row(0).transpose();
    if (options_.finish) motion.finish = ends.row(1).transpose();
    return motion;
  }
  PointToPoint motion;
  if (options_.start) motion.points.emplace_back(ends.row(0).transpose());
  for (Index k = 0; k < x.rows(); ++k) motion.points.emplace_back(x.row(k).transpose());
  if (options_.finish) motion.points.emplace_back(ends.row(1).transpose());
  const double points = options_.points;
  motion.time.setConstant(1, (options_.duration - points * options_.dwell) / (points - 1));
  if (options_.dwell > 0) motion.dwell.setConstant(1, options_.dwell);
  return motion;
}

GridMotion MotionBasis::columns(const VectorXd& time) const {
  return sample_motion(to_trajectory(shape(MatrixXd::Identity(size_, size_), MatrixXd::Zero(2, size_))),
                       time);
}

GridMotion MotionBasis::fixed(const VectorXd& time) const {
  MatrixXd ends = MatrixXd::Zero(2, joints_);
  if (options_.start) ends.row(0) = options_.start->transpose();
  if (options_.finish) ends.row(1) = options_.finish->transpose();
  return sample_motion(to_trajectory(shape(MatrixXd::Zero(size_, joints_), ends)), time);
}

VectorXd MotionBasis::grid(double step) const {
  const Index steps = static_cast<Index>(std::ceil(duration_ / step - 1e-9));
  return VectorXd::LinSpaced(steps + 1, 0, duration_);
}

VectorXd MotionBasis::speed(Index derivative) const {
  const GridMotion all = columns(grid(step_));
  return (derivative == 1 ? all.qd : all.qdd).cwiseAbs().colwise().maxCoeff().transpose();
}

DesignedMotion MotionBasis::motion(const MatrixXd& x) const {
  MatrixXd ends = MatrixXd::Zero(2, joints_);
  if (options_.start) ends.row(0) = options_.start->transpose();
  if (options_.finish) ends.row(1) = options_.finish->transpose();
  return shape(x, ends);
}

MatrixXd MotionBasis::coefficients(const DesignedMotion& motion) const {
  const auto refuse = [] {
    throw InputError({"the initial motion has another shape than the one to be optimised",
                      {},
                      "the same kind, joints, harmonics or points",
                      "leave it out, or request a motion of the same shape"});
  };
  MatrixXd x(size_, joints_);
  if (const auto* rest = std::get_if<RestToRest>(&motion)) {
    const FourierSeries& series = rest->series;
    const Index L = options_.harmonics;
    if (options_.kind != MotionKind::fourier || series.a.rows() != L || series.a.cols() != joints_ ||
        series.b.rows() != L || series.b.cols() != joints_ || series.q0.size() != joints_)
      refuse();
    const VectorXd period = (omega_ * VectorXd::LinSpaced(L, 1, static_cast<double>(L))).cwiseInverse();
    x.topRows(L) = period.asDiagonal() * series.a;
    x.middleRows(L, L) = period.asDiagonal() * series.b;
    x.row(2 * L) = series.q0.transpose();
    return x;
  }
  const auto& moves = std::get<PointToPoint>(motion);
  if (options_.kind != MotionKind::points || static_cast<int>(moves.points.size()) != options_.points)
    refuse();
  const std::size_t first = options_.start ? 1 : 0;
  for (Index k = 0; k < size_; ++k) {
    const VectorXd& point = moves.points[first + static_cast<std::size_t>(k)];
    if (point.size() != joints_) refuse();
    x.row(k) = point.transpose();
  }
  return x;
}

MatrixXd MotionBasis::still(const VectorXd& pose) const {
  MatrixXd x = MatrixXd::Zero(size_, joints_);
  if (options_.kind == MotionKind::fourier)
    x.row(size_ - 1) = pose.transpose();
  else
    x.rowwise() = pose.transpose();
  return x;
}

}  // namespace steelyard
