// The zero of an encoder as a cause. Folds do not contain the effect of another zero: the columns of
// its log at shifted positions are folded again and tested like the other causes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fleet/causes.hpp"
#include "fleet/scatter.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/fleet/compare.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kAngle = 0.02, kWay = 0.002;  // [rad], [m] by which positions are shifted at first
constexpr double kMax = 25;                    // times that: a parabola does not hold that far

// What is left of a robot's products when its parameters are free within the fleet's scatter.
double held_residual(const MatrixXd& products, const MatrixXd& T_inverse) {
  const Index p = T_inverse.rows(), last = products.rows() - 1;
  const Eigen::VectorXd b = products.col(last).head(p);
  const Cholesky held(products.topLeftCorner(p, p) + T_inverse);
  return products(last, last) - b.dot(held.solve(b));
}

// J over the zero, through three points `step` apart.
struct Parabola {
  double middle = 0, best = 0, curvature = 0, gain = 0;  // gain: J(middle) − J(best)
};

Parabola parabola(double middle, double step, double before, double at, double after) {
  Parabola out{middle, middle, (before + after - 2 * at) / (step * step), 0};
  if (!(out.curvature > 0)) return out;
  const double slope = (after - before) / (2 * step);
  out.best = middle - slope / out.curvature;
  out.gain = slope * slope / (2 * out.curvature);
  return out;
}

double best_worth(const FleetInput& input, const FleetResult& result, const MatrixXd& products, double rows) {
  const Reduced robot = reduce(products, result.values.size(), result.scatter_inverse);
  double best = 0;
  for (const Suspect& suspect : suspects(input, result.values)) {
    const Trial trial = try_suspect(suspect, robot);
    if (is_plausible(suspect, trial)) best = std::max(best, worth(trial.gain, suspect.numbers, rows));
  }
  return best;
}

}  // namespace

std::optional<ZeroCause> zero_cause(const FleetInput& input, const FleetResult& result,
                                    const FleetRobot& robot, const ShiftedFolds& shifted) {
  const OwnFit fit = own_fit(input, robot);
  const MatrixXd products = robot_products(input, robot, fit, result.values);
  const double as_given = held_residual(products, result.scatter_inverse);
  const auto residual = [&](std::size_t row, double zero) {
    FleetRobot other;
    other.folds = shifted(row, zero);
    return held_residual(robot_products(input, other, fit, result.values), result.scatter_inverse);
  };
  const auto is_angle = [&](std::size_t row) {
    return input.robot.joints[static_cast<std::size_t>(input.row_numbers[row] - 1)].kind ==
           JointKind::revolute;
  };
  std::size_t row = 0;
  Parabola best;
  for (std::size_t k = 0; k < input.row_joints.size(); ++k) {
    const double step = is_angle(k) ? kAngle : kWay;
    const Parabola one = parabola(0, step, residual(k, -step), as_given, residual(k, step));
    if (one.gain > best.gain) best = one, row = k;
  }
  if (!(best.gain > 0)) return std::nullopt;
  const double step = is_angle(row) ? kAngle : kWay;
  const double near = std::clamp(best.best, -kMax * step, kMax * step);
  const double at = residual(row, near);
  const Parabola last = parabola(near, step, residual(row, near - step), at, residual(row, near + step));
  if (!(last.curvature > 0) || std::abs(last.best) > kMax * step) return std::nullopt;
  ZeroCause out;
  out.cause.kind = CauseKind::zero;
  out.cause.of = input.row_joints[row];
  out.cause.amount = -last.best;  // the log reads as much too high as it has to be lowered
  out.cause.sigma = std::sqrt(2 / last.curvature);
  out.cause.gain = as_given - residual(row, last.best);
  out.cause.text =
      fmt::format("the position of joint '{}' reads {:.2g} {} too {}: its zero is off", out.cause.of,
                  std::abs(out.cause.amount), is_angle(row) ? "rad" : "m", last.best < 0 ? "high" : "low");
  out.better = worth(out.cause.gain, 1, fit.rows) - best_worth(input, result, products, fit.rows);
  return out;
}

}  // namespace steelyard
