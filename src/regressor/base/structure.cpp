#include "regressor/base/structure.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace base {
namespace {

constexpr double kZeroColumn = 1e-10;  // of the natural scale
constexpr double kMinGap = 1e3;
constexpr double kNoise = 1e-15;      // rounding level of a factor with columns of unit norm
constexpr double kZeroEntry = 1e-10;  // of an entry of K between columns of unit norm

// Pivots of a column-pivoted QR of columns of unit norm; the rank is where the largest gap is. Rounding noise
// stands behind the last pivot, so that independent columns have their gap there.
Pivots decide_rank(const MatrixXd& R) {
  Pivots result;
  if (R.cols() == 0) return result;
  const VectorXd diagonal = PivotedQr(R).packed().diagonal().cwiseAbs();
  std::vector<double> pivots(diagonal.data(), diagonal.data() + diagonal.size());
  pivots.push_back(kNoise);
  double best = 0, second = 0;
  for (std::size_t k = 1; k < pivots.size(); ++k) {
    const double gap = pivots[k - 1] / std::max(pivots[k], 0.01 * kNoise);
    if (gap > best) {
      second = best;
      result.other_rank = result.rank;
      best = gap;
      result.rank = static_cast<int>(k);
      result.threshold = std::sqrt(pivots[k - 1] * std::max(pivots[k], kNoise));
    } else if (gap > second) {
      second = gap;
      result.other_rank = static_cast<int>(k);
    }
  }
  result.gap = best;
  return result;
}

// Goes through the columns of R in order of priority and keeps those independent of the ones kept before
// (Gram-Schmidt, twice, so that the remainder of a dependent column is rounding noise and nothing else).
std::vector<int> choose_leads(const MatrixXd& R, const std::vector<int>& order, double threshold) {
  MatrixXd basis(R.rows(), 0);
  std::vector<int> leads;
  for (int k : order) {
    VectorXd rest = R.col(k);
    for (int pass = 0; pass < 2; ++pass) rest -= basis * (basis.transpose() * rest);
    const double norm = rest.norm();
    if (norm <= threshold) continue;
    leads.push_back(k);
    basis.conservativeResize(Eigen::NoChange, basis.cols() + 1);
    basis.rightCols<1>() = rest / norm;
  }
  return leads;
}

std::vector<int> by_priority(const std::vector<Column>& columns, const std::vector<int>& seen) {
  std::vector<int> order = seen;
  std::sort(order.begin(), order.end(),
            [&](int a, int b) { return columns[a].priority < columns[b].priority; });
  return order;
}

std::vector<int> seen_columns(const RandomRows& rows) {
  std::vector<int> seen;
  for (Index k = 0; k < rows.magnitude.size(); ++k)
    if (rows.magnitude[k] > kZeroColumn) seen.push_back(static_cast<int>(k));
  return seen;
}

MatrixXd unit_columns(const MatrixXd& R, const std::vector<int>& seen) {
  MatrixXd result(R.rows(), static_cast<Index>(seen.size()));
  for (std::size_t k = 0; k < seen.size(); ++k)
    result.col(static_cast<Index>(k)) = R.col(seen[k]).normalized();
  return result;
}

}  // namespace

bool Structure::is_ambiguous() const {
  if (seen.empty()) return false;  // nothing can be known, and that is clear
  return pivots.gap < kMinGap || static_cast<int>(leads.size()) != pivots.rank;
}

MatrixXd regrouping(const MatrixXd& R, const std::vector<int>& leads, const std::vector<int>& seen) {
  const Index rank = static_cast<Index>(leads.size());
  VectorXd norms = R.colwise().norm();
  MatrixXd lead_columns(R.rows(), rank);
  for (Index l = 0; l < rank; ++l) lead_columns.col(l) = R.col(leads[l]) / norms[leads[l]];
  const Qr qr(lead_columns);
  const std::set<int> is_lead(leads.begin(), leads.end());
  MatrixXd K = MatrixXd::Zero(rank, R.cols());
  for (int k : seen) {
    if (is_lead.contains(k) || norms[k] == 0) continue;
    const VectorXd b = qr.solve(R.col(k) / norms[k]);
    for (Index l = 0; l < rank; ++l)
      if (std::abs(b[l]) > kZeroEntry) K(l, k) = b[l] * norms[k] / norms[leads[l]];
  }
  for (Index l = 0; l < rank; ++l) K(l, leads[l]) = 1;
  return K;
}

Structure derive_structure(const Robot& robot, const BaseOptions& options,
                           const std::vector<Column>& columns) {
  Structure result;
  result.rows = base::factor_of_random_rows(robot, options, columns, kOwnSeries);
  result.seen = seen_columns(result.rows);
  result.pivots = decide_rank(unit_columns(result.rows.R, result.seen));
  MatrixXd unit = result.rows.R;
  for (int k : result.seen) unit.col(k).normalize();
  result.leads = choose_leads(unit, by_priority(columns, result.seen), result.pivots.threshold);
  return result;
}

}  // namespace base
}  // namespace steelyard
