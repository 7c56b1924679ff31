#include "steelyard/estimate/bias.hpp"

#include <cmath>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

bool has_value(const Estimate& estimate, Index k) {
  return k >= 0 && estimate.column_status[static_cast<std::size_t>(k)] == ColumnStatus::determined;
}

}  // namespace

VectorXd shift_by_noise(const Estimate& given, const Estimate& plus, const Estimate& minus) {
  VectorXd shift = VectorXd::Zero(given.values.size());
  for (Index k = 0; k < shift.size(); ++k) {
    const std::string& column = given.columns[static_cast<std::size_t>(k)];
    const Index p = plus.find(column), m = minus.find(column);
    if (!has_value(given, k) || !has_value(plus, p) || !has_value(minus, m)) continue;
    shift[k] = 0.5 * (plus.values[p] + minus.values[m]) - given.values[k];
  }
  return shift;
}

DifferentiationBias differentiation_bias(const Estimate& estimate, const MatrixXd& influences,
                                         const VectorXd& sigma, std::span<const OtherCutoff> others,
                                         const VectorXd& shift) {
  constexpr double kNear = 1.4;         // cut-offs closer than this factor show nothing
  constexpr double kSignificant = 2.5;  // standard deviations of a difference that count
  const Index n = estimate.values.size();
  DifferentiationBias out;
  out.bias = VectorXd::Zero(n);
  out.biased.assign(static_cast<std::size_t>(n), false);
  for (const OtherCutoff& other : others) {
    if (other.ratio < kNear && other.ratio > 1 / kNear) continue;
    require(other.influences.cols() == influences.cols(), "estimates at two cut-offs have the same blocks");
    const double gain = other.ratio > 1 ? std::pow(other.ratio, 3) - 1 : -1;
    for (Index k = 0; k < n; ++k) {
      const Index at = other.estimate->find(estimate.columns[static_cast<std::size_t>(k)]);
      if (!has_value(estimate, k) || !has_value(*other.estimate, at)) continue;
      const double moved = other.estimate->values[at] - estimate.values[k];
      // Errors of derivatives cancel from block to block, which makes the spread over blocks too large; for
      // white noise the difference to half the band has the standard deviation σ, to the double one less.
      const double spread = std::min(sigma[k], (other.influences.row(at) - influences.row(k)).norm());
      if (!(std::abs(moved) > kSignificant * spread)) continue;
      if (std::abs(moved / gain) > std::abs(out.bias[k])) out.bias[k] = moved / gain;
    }
  }
  require(shift.size() == 0 || shift.size() == n, "a shift by noise is that of the estimate's columns");
  for (Index k = 0; k < shift.size(); ++k)
    if (std::abs(shift[k]) > std::abs(out.bias[k])) out.bias[k] = shift[k];
  for (Index k = 0; k < n; ++k)
    out.biased[static_cast<std::size_t>(k)] = std::abs(out.bias[k]) > sigma[k] / 2;
  return out;
}

}  // namespace steelyard
