#include "steelyard/regressor/gear_loads.hpp"

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

double smooth_sign(double velocity, double qd) {
  if (velocity > 0) return std::tanh(qd / velocity);
  return qd > 0 ? 1 : qd < 0 ? -1 : 0;
}

double stribeck_decay(double velocity, double qd) {
  const double x = qd / velocity;
  return std::exp(-x * x);
}

double mean_share(const GearLoad& gear, double qd) {
  return gear.peak == 0 ? gear.mean : gear.mean + gear.peak * stribeck_decay(gear.peak_velocity, qd);
}

double gear_factor(const GearLoad& gear, double qd, double load) {
  const double S = smooth_sign(gear.velocity, qd), sigma = load < 0 ? -S : S;
  const double mu = sigma > 0 ? gear.driving : gear.driven, kappa = mean_share(gear, qd);
  return 1 + (mu + 2 * kappa / (1 - kappa * sigma)) * sigma;
}

bool is_link_column(const std::string& column) {
  return !column.empty() && (column[0] == 'm' || column[0] == 'J');
}

void row_load(const Plan& plan, std::size_t row, const VectorXd& values, const double* tile,
              Index column_stride, Index count, double* load) {
  require(values.size() == static_cast<Index>(plan.columns.size()), "a value for every column of the plan");
  const Row& own = plan.rows[row];
  std::fill_n(load, count, 0.0);
  for (std::size_t k = 0; k < own.columns.size(); ++k) {
    const double value = values[own.columns[k]];
    if (value == 0 || !is_link_column(plan.columns[static_cast<std::size_t>(own.columns[k])])) continue;
    const double* column = tile + (own.offset + static_cast<Index>(k)) * column_stride;
    for (Index s = 0; s < count; ++s) load[s] += value * column[s];
  }
}

void apply_gears(const Plan& plan, const Samples& samples, double* tile, Index column_stride) {
  std::vector<double> factor(static_cast<std::size_t>(samples.count));
  for (const GearLoad& gear : plan.gears->gears) {
    const auto r = static_cast<std::size_t>(gear.row);
    const Row& row = plan.rows[r];
    row_load(plan, r, plan.gears->values, tile, column_stride, samples.count, factor.data());
    const double* qd = samples.qd + row.i * samples.stride;
    for (Index s = 0; s < samples.count; ++s) {
      double& at = factor[static_cast<std::size_t>(s)];
      at = gear_factor(gear, qd[s], at);
    }
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      if (!is_link_column(plan.columns[static_cast<std::size_t>(row.columns[k])])) continue;
      double* column = tile + (row.offset + static_cast<Index>(k)) * column_stride;
      for (Index s = 0; s < samples.count; ++s) column[s] *= factor[static_cast<std::size_t>(s)];
    }
  }
}

}  // namespace steelyard
