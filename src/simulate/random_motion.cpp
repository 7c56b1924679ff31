#include "steelyard/simulate/trajectory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "simulate/lists.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kPointsPerHarmonic = 256;
constexpr double kTwoPi = 2 * std::numbers::pi;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Extremes over a period of the sines without centre and of their two derivatives.
struct Extremes {
  double q = 0, qd = 0, qdd = 0;
};

Extremes extremes(const VectorXd& omega, const VectorXd& amplitude, const VectorXd& phase) {
  const Index points = kPointsPerHarmonic * omega.size();
  Extremes most;
  for (Index i = 0; i < points; ++i) {
    const double t = kTwoPi / omega[0] * static_cast<double>(i) / static_cast<double>(points);
    double q = 0, qd = 0, qdd = 0;
    for (Index l = 0; l < omega.size(); ++l) {
      const double angle = omega[l] * t + phase[l];
      q += amplitude[l] * std::sin(angle);
      qd += amplitude[l] * omega[l] * std::cos(angle);
      qdd -= amplitude[l] * omega[l] * omega[l] * std::sin(angle);
    }
    most.q = std::max(most.q, std::abs(q));
    most.qd = std::max(most.qd, std::abs(qd));
    most.qdd = std::max(most.qdd, std::abs(qdd));
  }
  return most;
}

}  // namespace

MultiSine random_multi_sine(const RandomMotion& options, std::uint64_t seed) {
  const Index joints = options.center.size();
  if (options.harmonics < 1 || options.harmonics > 1000 || joints == 0 || options.reach.size() == 0) {
    throw InputError({fmt::format("a random multi-sine has {} harmonics, {} joints, {} reaches",
                                  options.harmonics, joints, options.reach.size()),
                      {},
                      "1 … 1000 harmonics, a centre per joint, a reach",
                      {}});
  }
  check_number(options.period, Bound::positive, "period of the random multi-sine");
  check_number(options.duration, Bound::not_negative, "duration of the random multi-sine");
  check_matrix(options.center, joints, 1, "centre of the random multi-sine");
  const VectorXd reach = per_joint(options.reach, joints, 0, Bound::positive, "reach");
  const VectorXd velocity =
      per_joint(options.velocity, joints, kInfinite, Bound::positive_or_infinite, "velocity limit");
  const VectorXd acceleration =
      per_joint(options.acceleration, joints, kInfinite, Bound::positive_or_infinite, "acceleration limit");

  MultiSine sines;
  const Index count = options.harmonics;
  sines.omega = kTwoPi / options.period * VectorXd::LinSpaced(count, 1, static_cast<double>(count));
  sines.amplitude.resize(count, joints);
  sines.phase.resize(count, joints);
  sines.center = options.center;
  sines.duration = options.duration > 0 ? options.duration : options.period;
  // Between two of N = 256 L points, L harmonics lose at most (π L / N)²/2 of their extreme.
  const double grid = std::numbers::pi / kPointsPerHarmonic;
  const double share = 1 - grid * grid / 2;
  for (Index j = 0; j < joints; ++j) {
    Random random(seed, "simulate: multi-sine of a joint", static_cast<std::uint64_t>(j));
    for (Index l = 0; l < count; ++l) {
      sines.amplitude(l, j) = random.normal() / std::sqrt(static_cast<double>(l + 1));
      sines.phase(l, j) = random.uniform(-std::numbers::pi, std::numbers::pi);
    }
    const Extremes most = extremes(sines.omega, sines.amplitude.col(j), sines.phase.col(j));
    const double factor = std::min({reach[j] / most.q, velocity[j] / most.qd, acceleration[j] / most.qdd});
    sines.amplitude.col(j) *= share * factor;
  }
  return sines;
}

}  // namespace steelyard
