#include "estimate/held_out_grams.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

std::vector<Fold> all_folds(const std::vector<std::vector<FoldBlock>>& runs) {
  std::vector<Fold> folds;
  for (const std::vector<FoldBlock>& run : runs) {
    for (const FoldBlock& block : run) {
      for (Fold& fold : block.all()) folds.push_back(std::move(fold));
    }
  }
  return folds;
}

}  // namespace

HeldOutGrams::HeldOutGrams(const std::vector<std::vector<FoldBlock>>& runs, const BlockGroups& groups,
                           const EstimateOptions& options) {
  require(runs.size() == groups.size(), "groups of every run");
  EstimateOptions quick = options;
  quick.conditions = false;
  const Estimate fit = estimate(all_folds(runs), quick);
  columns_ = fit.columns;
  std::vector<double> weights;
  for (const Residual& row : fit.per_row) {
    rows_.push_back(row.row);
    weights.push_back(row.sigma > 0 ? 1 / row.sigma : 1);
  }
  std::set<int> numbers;
  for (const std::vector<int>& run : groups) numbers.insert(run.begin(), run.end());
  numbers.erase(numbers.begin(), numbers.lower_bound(0));
  tested_.assign(numbers.begin(), numbers.end());
  const auto size = static_cast<Index>(columns_.size()) + 1;
  training_.assign(tested_.size(), Eigen::MatrixXd::Zero(size, size));
  test_ = training_;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    require(runs[r].size() == groups[r].size(), "a group of every block");
    for (std::size_t b = 0; b < runs[r].size(); ++b) {
      const int own = groups[r][b], next = b + 1 < runs[r].size() ? groups[r][b + 1] : own;
      add(runs[r][b].core, own, own, weights);
      add(runs[r][b].gap, own, next, weights);
    }
  }
  scale();
}

Index HeldOutGrams::find(const std::string& column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  return found == columns_.end() ? -1 : found - columns_.begin();
}

// Rows between groups a and b: tested when both are left out, trained on when neither is.
void HeldOutGrams::add(const std::vector<Fold>& folds, int a, int b, const std::vector<double>& weights) {
  for (const Fold& fold : folds) {
    const auto row = std::find(rows_.begin(), rows_.end(), fold.layout().row);
    require(row != rows_.end(), "a row kind that was estimated");
    const double weight = weights[static_cast<std::size_t>(row - rows_.begin())];
    std::vector<Index> places;
    for (const std::string& column : fold.layout().columns) places.push_back(find(column));
    places.push_back(static_cast<Index>(columns_.size()));
    const Eigen::MatrixXd R = weight * fold.R();
    const Eigen::MatrixXd gram = R.transpose() * R;
    for (std::size_t g = 0; g < tested_.size(); ++g) {
      if ((a == tested_[g]) != (b == tested_[g])) continue;
      (a == tested_[g] ? test_ : training_)[g](places, places) += gram;
    }
  }
}

void HeldOutGrams::scale() {
  const auto size = static_cast<Index>(columns_.size()) + 1;
  VectorXd squares = VectorXd::Zero(size);
  for (const Eigen::MatrixXd& gram : test_) squares += gram.diagonal();
  effort_ = squares[size - 1];
  VectorXd inverse = VectorXd::Ones(size);
  for (Index k = 0; k + 1 < size; ++k) inverse[k] = squares[k] > 0 ? 1 / std::sqrt(squares[k]) : 0;
  for (auto* grams : {&training_, &test_}) {
    for (Eigen::MatrixXd& gram : *grams) gram = inverse.asDiagonal() * gram * inverse.asDiagonal();
  }
  scale_ = inverse;
}

HeldOutScore HeldOutGrams::score(const std::vector<Index>& used) const {
  const auto effort = static_cast<Index>(columns_.size());
  const auto count = static_cast<Index>(used.size());
  HeldOutScore out;
  out.squares.resize(groups());
  out.coefficients.setZero(count);
  out.deviations.setZero(count);
  std::vector<Eigen::VectorXd> fits;  // of groups with rows
  for (std::size_t g = 0; g < test_.size(); ++g) {
    Eigen::MatrixXd A = training_[g](used, used);
    // Keeps zero and dependent columns from breaking the factor; far below the resolution of the comparison.
    A.diagonal().array() += 1e-12;
    const Eigen::VectorXd b = training_[g](used, effort);
    const Eigen::VectorXd x = Cholesky(A).solve(b);
    const Eigen::MatrixXd T = test_[g](used, used);
    const Eigen::VectorXd t = test_[g](used, effort);
    out.squares[static_cast<Index>(g)] = x.dot(T * x) - 2 * x.dot(t) + test_[g](effort, effort);
    if (test_[g](effort, effort) > 0) fits.push_back(x);
  }
  const auto left_out = static_cast<double>(fits.size());
  for (const Eigen::VectorXd& x : fits) out.coefficients += x / left_out;
  for (const Eigen::VectorXd& x : fits) out.deviations += (x - out.coefficients).cwiseAbs2();
  out.deviations = ((left_out - 1) / std::max(1.0, left_out) * out.deviations).cwiseSqrt();
  for (Index k = 0; k < count; ++k) {
    const double scale = scale_[used[static_cast<std::size_t>(k)]];
    out.coefficients[k] *= scale;
    out.deviations[k] *= scale;
  }
  return out;
}

}  // namespace steelyard
