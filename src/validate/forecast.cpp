#include "steelyard/validate/forecast.hpp"

#include <algorithm>
#include <cmath>

#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/core/statistics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Standard deviations of logarithms of squares.
constexpr double kNoiseVaries = 0.4, kExpectedVaries = 1.5, kChangesVary = 3.5;
constexpr Index kPoints = 509;

// Σ of the rows of one kind, or of one unit: squares of the error's parts.
struct Sums {
  Index rows = 0;
  double effort = 0, noise = 0, expected = 0, changes = 0;  // squares
  MatrixXd scatter;                                         // K
};

void add(const Sums& part, Sums& sum) {
  sum.rows += part.rows;
  sum.effort += part.effort;
  sum.noise += part.noise;
  sum.expected += part.expected;
  sum.changes += part.changes;
  sum.scatter = sum.scatter.size() == 0 ? part.scatter : MatrixXd(sum.scatter + part.scatter);
}

// Points × dimensions of independent standard normal numbers: a lattice of rank one, evenly spread in all dimensions (of the
// generators, the one with the least worst-case error for smooth functions).
MatrixXd normal_points() {
  constexpr Index kDimensions = 5, kGenerator = 91;
  std::vector<double> quantiles;
  for (Index k = 0; k < kPoints; ++k)
    quantiles.push_back(normal_quantile((static_cast<double>(k) + 0.5) / static_cast<double>(kPoints)));
  MatrixXd points(kPoints, kDimensions);
  Index step = 1;
  for (Index d = 0; d < kDimensions; ++d, step = step * kGenerator % kPoints)
    for (Index k = 0; k < kPoints; ++k)
      points(k, d) = quantiles[static_cast<std::size_t>(k * step % kPoints)];
  return points;
}

// χ²/ν by the cube root, which is nearly normal (Wilson and Hilferty).
double mean_square(double degrees, double z) {
  const double variance = 2 / (9 * degrees);
  return std::pow(std::max(0.25, 1 - variance + z * std::sqrt(variance)), 3);
}

std::vector<double> squares(const Sums& sums, Index groups) {
  static const MatrixXd z = normal_points();
  const double trace = sums.scatter.size() > 0 ? sums.scatter.trace() : 0;
  double of_error = 1, of_groups = 1;
  if (trace > 0) {
    of_error = trace * trace / sums.scatter.squaredNorm();
    of_groups = std::clamp(trace * trace / sums.scatter.diagonal().squaredNorm(), 1.0,
                           std::max(1.0, static_cast<double>(groups) - 1));
  }
  std::vector<double> out;
  for (Index k = 0; k < kPoints; ++k) {
    double sum = sums.noise * std::exp(kNoiseVaries * z(k, 0)) +
                 sums.expected * std::exp(kExpectedVaries * z(k, 1)) +
                 sums.changes * std::exp(kChangesVary * z(k, 2));
    if (trace > 0)
      sum += kOwnErrors * trace * mean_square(of_error, z(k, 3)) / mean_square(of_groups, z(k, 4));
    out.push_back(sum);
  }
  std::sort(out.begin(), out.end());
  return out;
}

double quantile(const std::vector<double>& sorted, double p) {
  const double at =
      std::clamp(p * static_cast<double>(sorted.size()) - 0.5, 0.0, static_cast<double>(sorted.size() - 1));
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

ForecastRow row_of(const Sums& sums, Index groups, double level) {
  ForecastRow out;
  out.rows = sums.rows;
  out.effort = std::sqrt(sums.effort);
  const double trace = sums.scatter.size() > 0 ? kOwnErrors * sums.scatter.trace() : 0;
  out.mean = std::sqrt(sums.noise + trace + sums.expected + sums.changes);
  const std::vector<double> all = squares(sums, groups);
  out.expected = std::sqrt(quantile(all, 0.5));
  out.lower = std::sqrt(quantile(all, 1 - level));
  out.upper = std::sqrt(quantile(all, level));
  return out;
}

Sums sums_of(const Fold& fold, const ParameterSpread& spread) {
  Sums out;
  out.rows = fold.rows();
  for (const RowNoise& noise : spread.noise)
    if (noise.row == fold.layout().row) out.noise = noise.rms * noise.rms * static_cast<double>(fold.rows());
  out.effort = fold.efforts().squaredNorm();
  const MatrixXd R = fold.columns();
  std::vector<Index> at;  // of the columns in the spread
  for (const std::string& column : fold.layout().columns)
    at.push_back(std::find(spread.columns.begin(), spread.columns.end(), column) - spread.columns.begin());
  const auto moved = [&](const MatrixXd& directions) -> MatrixXd {
    MatrixXd own = MatrixXd::Zero(R.cols(), directions.cols());
    for (Index c = 0; c < R.cols(); ++c)
      if (const Index k = at[static_cast<std::size_t>(c)]; k < directions.rows())
        own.row(c) = directions.row(k);
    return R * own;
  };
  const MatrixXd scatter = moved(spread.scatter);
  out.scatter = scatter.transpose() * scatter;
  out.expected = moved(spread.expected).squaredNorm();
  out.changes = moved(spread.changes).squaredNorm();
  if (spread.values.size() > 0) out.effort = moved(spread.values).squaredNorm();
  return out;
}

template <typename Key>
Sums& entry(const Key& key, std::vector<std::pair<Key, Sums>>& list) {
  for (auto& [known, sums] : list)
    if (known == key) return sums;
  return list.emplace_back(key, Sums{}).second;
}

}  // namespace

MatrixXd jackknife(const std::vector<VectorXd>& refits) {
  if (refits.size() < 2) return {};
  const auto groups = static_cast<Index>(refits.size());
  MatrixXd values(refits.front().size(), groups);
  for (Index g = 0; g < groups; ++g) values.col(g) = refits[static_cast<std::size_t>(g)];
  const VectorXd mean = values.rowwise().mean();
  const double n = static_cast<double>(groups);
  return std::sqrt((n - 1) / n) * (values.colwise() - mean);
}

MatrixXd influences(const std::vector<GroupRows>& groups, const MatrixXd& T) {
  constexpr double kAlone = 1e-9;  // 1 − share of a direction that one group shows
  MatrixXd out(T.rows(), static_cast<Index>(groups.size()));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const SymmetricEigen eigen = symmetric_eigen(Eigen::MatrixXd(groups[g].H));
    const VectorXd factor = (1 - eigen.values.array()).max(kAlone).rsqrt();
    const VectorXd along = eigen.vectors.transpose() * groups[g].u;
    out.col(static_cast<Index>(g)) = T * (eigen.vectors * factor.cwiseProduct(along));
  }
  return out;
}

Forecast forecast(std::span<const Fold> motion, const ParameterSpread& spread, double level) {
  std::vector<std::pair<std::string, Sums>> rows, units;
  std::vector<std::string> unit_of_row;
  for (const Fold& fold : motion) {
    if (fold.rows() == 0) continue;
    const Sums part = sums_of(fold, spread);
    const std::size_t before = rows.size();
    add(part, entry(fold.layout().row, rows));
    if (rows.size() > before) unit_of_row.push_back(fold.layout().unit);
    add(part, entry(fold.layout().unit, units));
  }
  Forecast out;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    out.per_row.push_back(row_of(rows[k].second, spread.scatter.cols(), level));
    out.per_row.back().row = rows[k].first;
    out.per_row.back().unit = unit_of_row[k];
  }
  for (const auto& [unit, sums] : units) {
    out.totals.push_back(row_of(sums, spread.scatter.cols(), level));
    out.totals.back().unit = unit;
  }
  return out;
}

}  // namespace steelyard
