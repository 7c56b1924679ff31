#include "fleet/chance.hpp"

#include <cmath>

#include "steelyard/core/statistics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// A robot's estimate along a direction.
struct Along {
  double amount = 0;
  double information = 0;  // 1/σ²
};

Along along(const Reduced& robot, const VectorXd& direction) {
  Along out;
  out.information = direction.dot(robot.information * direction);
  if (out.information > 0) out.amount = direction.dot(robot.score) / out.information;
  return out;
}

}  // namespace

double leave_one_out_chance(const std::vector<Reduced>& robots, std::size_t robot,
                            const std::vector<std::size_t>& others, const VectorXd& direction, int numbers) {
  const Along own = along(robots[robot], direction);
  if (!(own.information > 0) || !std::isfinite(own.amount)) return 1;
  std::vector<Along> seen;
  double weights = 0, sum = 0;
  for (const std::size_t s : others) {
    if (s == robot) continue;
    const Along one = along(robots[s], direction);
    if (!(one.information > 0) || !std::isfinite(one.amount)) continue;
    seen.push_back(one);
    weights += one.information;
    sum += one.information * one.amount;
  }
  if (seen.size() < 2) return 1;
  const double middle = sum / weights, degrees = static_cast<double>(seen.size()) - 1;
  double factor = 0;
  for (const Along& one : seen)
    factor += one.information * (one.amount - middle) * (one.amount - middle) / degrees;
  const double variance = factor * (1 / own.information + 1 / weights);
  const double square = (own.amount - middle) * (own.amount - middle);
  if (!(variance > 0)) return square > 0 ? 0 : 1;
  return fisher_tail(square / variance / numbers, numbers, degrees);
}

double least_deviations(double p, int numbers, Index others) {
  const double n = static_cast<double>(others);
  if (others < 2) return kInfinity;
  double low = 0, high = 1e9;  // of the logarithm's argument: t
  for (int k = 0; k < 100; ++k) {
    const double t = std::sqrt(std::max(low, 1e-3) * high);
    (fisher_tail(t * t / numbers, numbers, n - 1) > p ? low : high) = t;
  }
  return high * std::sqrt(1 + 1 / n);
}

}  // namespace steelyard
