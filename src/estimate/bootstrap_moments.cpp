#include <Eigen/QR>
#include <map>

#include "estimate/solve.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/estimate/bootstrap.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// Smallest tolerance for singular values that count: that of the estimate's own default.
constexpr double kMomentRank = 1e-12;

// What the left side (Z or Y) and the right side Y are multiplied by.
struct Whitening {
  MatrixXd left;   // columns × rank
  MatrixXd right;  // columns × rank; also the root of the moments
};

struct MomentSum {
  MatrixXd A;
  VectorXd g;
};

// Adds weight² leftᵀ[right | residual].
void add_moments(const MatrixXd& left, const MatrixXd& right, const VectorXd& residual, double weight,
                 MomentSum& sum) {
  const double w = weight * weight;
  if (sum.A.size() == 0) {
    sum.A = MatrixXd::Zero(left.cols(), right.cols());
    sum.g = VectorXd::Zero(left.cols());
  }
  sum.A.noalias() += w * left.transpose() * right;
  sum.g.noalias() += w * left.transpose() * residual;
}

// `name_of(column)` is the column of the fold whose values stand on the left.
template <typename NameOf>
void accumulate(const Fold& fold, const Estimate& estimate, const Whitening& white, double weight,
                const NameOf& name_of, MomentSum& sum) {
  std::vector<Index> own, other, places;
  for (std::size_t k = 0; k < estimate.columns.size(); ++k) {
    const Index at = fold.layout().find(estimate.columns[k]);
    if (at < 0) continue;
    own.push_back(at);
    other.push_back(fold.layout().find(name_of(estimate.columns[k])));
    places.push_back(static_cast<Index>(k));
  }
  const MatrixXd R = fold.R();
  const MatrixXd Y = R(Eigen::all, own);
  const VectorXd residual = R.rightCols(1) - Y * estimate.values(places);
  add_moments(R(Eigen::all, other) * white.left(places, Eigen::all), Y * white.right(places, Eigen::all),
              residual, weight, sum);
}

template <typename NameOf>
BlockMoments sum_by_block(std::span<const Fold> folds, const Estimate& estimate, const Whitening& white,
                          std::span<const Fold> priors, const NameOf& name_of) {
  require(estimate.weights.size() == folds.size(), "an estimate has one weight per fold");
  std::map<Index, MomentSum> by_block;
  for (std::size_t f = 0; f < folds.size(); ++f)
    if (folds[f].depth() > 0)
      accumulate(folds[f], estimate, white, estimate.weights[f], name_of, by_block[folds[f].block()]);
  MomentSum prior;
  const auto itself = [](const std::string& column) { return column; };
  for (const Fold& fold : priors)
    if (fold.depth() > 0) accumulate(fold, estimate, white, 1, itself, prior);
  BlockMoments out;
  out.root = white.right;
  for (auto& [block, sum] : by_block) {
    out.numbers.push_back(block);
    out.A.push_back(std::move(sum.A));
    out.g.push_back(std::move(sum.g));
  }
  const Index n = white.right.cols();
  out.prior = prior.A.size() > 0 ? prior.A : MatrixXd::Zero(n, n);
  return out;
}

}  // namespace

BlockMoments block_moments(std::span<const Fold> folds, const Estimate& estimate,
                           std::span<const Fold> priors) {
  const Solution solution = solve(estimate.factor.columns(), estimate.factor.efforts().col(0), kMomentRank);
  const Whitening white{solution.root, solution.root};
  return sum_by_block(folds, estimate, white, priors, [](const std::string& column) { return column; });
}

// With Z = Q R_z and A = QᵀY: R_z⁻ᵀ ZᵀY A⁻¹ = I, and A is R_z⁻ᵀ ZᵀY of the factor.
BlockMoments block_moments(std::span<const Fold> folds, const InstrumentEstimate& instruments,
                           std::span<const Fold> priors) {
  const Estimate& estimate = instruments.estimate;
  const MatrixXd R = instruments.all.R();
  std::vector<Index> y, z;
  for (const std::string& column : estimate.columns) {
    y.push_back(instruments.all.layout().find(column));
    z.push_back(instruments.all.layout().find(instrument_name(column)));
  }
  const MatrixXd Z = R(Eigen::all, z), Y = R(Eigen::all, y);
  Whitening white;
  white.left = solve(Z, VectorXd::Zero(Z.rows()), kMomentRank).root;
  const MatrixXd A = white.left.transpose() * (Z.transpose() * Y);
  white.right = Eigen::ColPivHouseholderQR<MatrixXd>(A).solve(MatrixXd::Identity(A.rows(), A.rows()));
  BlockMoments out = sum_by_block(folds, estimate, white, priors, instrument_name);
  out.is_symmetric = false;
  return out;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
