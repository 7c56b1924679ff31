#include "steelyard/validate/forecast.hpp"

#include <algorithm>
#include <cmath>

#include "steelyard/core/statistics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Σ of the rows of one kind, or of one unit: squares of the error's parts.
struct Sums {
  Index rows = 0;
  double effort = 0, noise = 0;  // squares
  MatrixXd K;                    // of all d, those of the scatter first
};

void add(const Sums& part, Sums& sum) {
  sum.rows += part.rows;
  sum.effort += part.effort;
  sum.noise += part.noise;
  sum.K = sum.K.size() == 0 ? part.K : MatrixXd(sum.K + part.K);
}

double fisher_quantile(double p, double k, double degrees) {
  double lower = 1e-6, upper = 1e6;
  for (int step = 0; step < 80; ++step) {
    const double middle = std::sqrt(lower * upper);
    (fisher_tail(middle, k, degrees) > 1 - p ? lower : upper) = middle;
  }
  return std::sqrt(lower * upper);
}

ForecastRow row_of(const Sums& sums, Index groups, double level) {
  ForecastRow out;
  out.rows = sums.rows;
  out.effort = std::sqrt(sums.effort);
  const double trace = sums.K.size() > 0 ? sums.K.trace() : 0;
  out.expected = out.lower = out.upper = std::sqrt(sums.noise + trace);
  if (!(trace > 0)) return out;
  const VectorXd s = sums.K.diagonal().head(std::min(groups, sums.K.rows()));
  const double of_scatter = s.sum();
  const double by_error = trace * trace / sums.K.squaredNorm();
  double by_scatter = 1;
  if (groups > 1 && of_scatter > 0)
    by_scatter = std::clamp(3 * of_scatter * of_scatter / s.squaredNorm() - 3, 1.0,
                            std::max(1.0, static_cast<double>(groups) - 1));
  out.upper = std::sqrt(sums.noise + trace * fisher_quantile(level, by_error, by_scatter));
  out.lower = std::sqrt(sums.noise + trace * fisher_quantile(1 - level, by_error, by_scatter));
  return out;
}

Sums sums_of(const Fold& fold, const ParameterSpread& spread, const MatrixXd& D) {
  Sums out;
  out.rows = fold.rows();
  for (const RowNoise& noise : spread.noise)
    if (noise.row == fold.layout().row) out.noise = noise.rms * noise.rms * static_cast<double>(fold.rows());
  out.effort = fold.efforts().squaredNorm();
  const MatrixXd R = fold.columns();
  MatrixXd own = MatrixXd::Zero(R.cols(), D.cols());
  VectorXd values = VectorXd::Zero(R.cols());
  for (Index c = 0; c < R.cols(); ++c) {
    const auto found = std::find(spread.columns.begin(), spread.columns.end(),
                                 fold.layout().columns[static_cast<std::size_t>(c)]);
    if (found == spread.columns.end()) continue;
    own.row(c) = D.row(found - spread.columns.begin());
    if (spread.values.size() > 0) values[c] = spread.values[found - spread.columns.begin()];
  }
  if (spread.values.size() > 0) out.effort = (R * values).squaredNorm();
  const MatrixXd moved = R * own;
  out.K = moved.transpose() * moved;
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

Forecast forecast(std::span<const Fold> motion, const ParameterSpread& spread, double level) {
  const Index columns = static_cast<Index>(spread.columns.size());
  MatrixXd D = MatrixXd::Zero(columns, spread.scatter.cols() + spread.expected.cols());
  if (spread.scatter.size() > 0) D.leftCols(spread.scatter.cols()) = spread.scatter;
  if (spread.expected.size() > 0) D.rightCols(spread.expected.cols()) = spread.expected;
  std::vector<std::pair<std::string, Sums>> rows, units;
  std::vector<std::string> unit_of_row;
  for (const Fold& fold : motion) {
    if (fold.rows() == 0) continue;
    const Sums part = sums_of(fold, spread, D);
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
