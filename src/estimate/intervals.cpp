#include "steelyard/estimate/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "steelyard/core/error.hpp"
#include "steelyard/core/statistics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

bool is_determined(const Estimate& estimate, Index k) {
  return estimate.column_status[static_cast<std::size_t>(k)] == ColumnStatus::determined;
}

// Independent rows that would give the standard deviations of the bootstrap: the geometric mean over the
// parameters.
double rows_of_spread(const Estimate& estimate, const VectorXd& sigma) {
  double sum = 0;
  Index count = 0;
  for (Index k = 0; k < sigma.size(); ++k) {
    if (!is_determined(estimate, k) || !(sigma[k] > 0) || !(estimate.sigma[k] > 0)) continue;
    sum += 2 * std::log(estimate.sigma[k] / sigma[k]);
    ++count;
  }
  const auto rows = static_cast<double>(estimate.rows);
  return count > 0 ? std::min(rows, rows * std::exp(sum / static_cast<double>(count))) : rows;
}

void put_interval(double value, double sigma, double degrees, double level, double& lower, double& upper) {
  const double half = student_quantile(0.5 + level / 2, std::min(degrees, 1e6)) * sigma;
  lower = value - half;
  upper = value + half;
}

}  // namespace

const char* to_string(IntervalMethod method) {
  return method == IntervalMethod::classical ? "classical" : "bootstrap";
}

void IntervalOptions::validate() const {
  bootstrap.validate();
  if (!(level >= 0.5 && level <= 0.999))
    throw InputError({fmt::format("intervals with level {}", level), {}, "0.5 to 0.999", "0.95 is typical"});
  if (!(effective_share > 0 && effective_share <= 1))
    throw InputError(
        {fmt::format("effective fraction of the rows is {}", effective_share), {}, "0 to 1", ""});
}

Intervals intervals(const Estimate& estimate, const BlockMoments* moments, const IntervalOptions& options) {
  options.validate();
  const Index n = estimate.values.size();
  Intervals out;
  out.level = options.level;
  out.sigma = out.sigma_classical = out.lower = out.upper = VectorXd::Constant(n, kUnknown);
  if (estimate.status == EstimateStatus::too_few_rows) return out;
  out.effective_rows = options.effective_share * static_cast<double>(estimate.rows);
  out.covariance = estimate.covariance / options.effective_share;
  const auto used = static_cast<double>(estimate.rows) - estimate.degrees;  // parameters
  VectorXd degrees = VectorXd::Constant(n, std::max(1.0, out.effective_rows - used));
  VectorXd sigma = estimate.sigma / std::sqrt(options.effective_share);
  if (options.method == IntervalMethod::bootstrap && moments != nullptr) {
    out.blocks = moments->blocks();
    if (out.blocks >= kTooFewBlocks) {
      const Bootstrap spread = bootstrap(*moments, options.bootstrap);
      out.method = IntervalMethod::bootstrap;
      sigma = spread.sigma;
      degrees = spread.degrees;
      out.covariance = spread.covariance;
      out.effective_rows = rows_of_spread(estimate, sigma);
    }
  }
  for (Index k = 0; k < n; ++k) {
    if (!is_determined(estimate, k)) {
      out.covariance.row(k).setZero();
      out.covariance.col(k).setZero();
      continue;
    }
    out.sigma_classical[k] = estimate.sigma[k] / std::sqrt(options.effective_share);
    out.sigma[k] = sigma[k];
    put_interval(estimate.values[k], sigma[k], degrees[k], options.level, out.lower[k], out.upper[k]);
  }
  return out;
}

// Simpson's rule on a thousand panels: |H|⁴ is smooth, and falls below 1e-6 within the Nyquist band or is cut
// off there.
double effective_share(const LowPass& filter, Index decimation) {
  constexpr int kPanels = 1000;
  const double nyquist = filter.rate / 2, step = nyquist * (1 - 1e-9) / kPanels;
  double integral = 0;
  for (int k = 0; k <= kPanels; ++k) {
    const double gain = magnitude(filter, k * step);
    const double weight = k == 0 || k == kPanels ? 1 : k % 2 == 1 ? 4 : 2;
    integral += weight * gain * gain * gain * gain;
  }
  integral *= step / 3;
  return std::min(1.0, 2 * integral * static_cast<double>(decimation) / filter.rate);
}

}  // namespace steelyard
