#include <map>

#include "estimate/solve.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/estimate/bootstrap.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Smallest tolerance for singular values that count: that of the estimate's own default.
constexpr double kMomentRank = 1e-12;

// What the left side (Z or Y) and the right side Y are multiplied by.
struct Whitening {
  MatrixXd left;   // columns × rank; empty: as on the right
  MatrixXd right;  // columns × rank; also the root of the moments
};

struct MomentSum {
  MatrixXd A;  // its lower triangle only when both sides are the same
  VectorXd g;
};

// Of the columns of one layout.
struct Side {
  std::vector<Index> own, other, places;
  MatrixXd left, right;  // rows of the whitening
};

// `name_of(column)` is the column of the fold on the left side.
template <typename NameOf>
Side side_of(const Layout& layout, const Estimate& estimate, const Whitening& white, const NameOf& name_of) {
  Side side;
  for (std::size_t k = 0; k < estimate.columns.size(); ++k) {
    const Index at = layout.find(estimate.columns[k]);
    if (at < 0) continue;
    side.own.push_back(at);
    side.other.push_back(layout.find(name_of(estimate.columns[k])));
    side.places.push_back(static_cast<Index>(k));
  }
  side.right = white.right(side.places, Eigen::all);
  if (white.left.size() > 0) side.left = white.left(side.places, Eigen::all);
  return side;
}

// Adds weight² leftᵀ[right | residual].
void accumulate(const Fold& fold, const Estimate& estimate, const Side& side, double weight, MomentSum& sum) {
  const Index n = side.right.cols();
  if (sum.A.size() == 0) {
    sum.A = MatrixXd::Zero(n, n);
    sum.g = VectorXd::Zero(n);
  }
  const MatrixXd R = weight * fold.R();
  const MatrixXd Y = R(Eigen::all, side.own);
  const VectorXd residual = R.rightCols(1) - Y * estimate.values(side.places);
  const MatrixXd right = Y * side.right;
  if (side.left.size() == 0) {
    sum.A.selfadjointView<Eigen::Lower>().rankUpdate(right.transpose());
    sum.g.noalias() += right.transpose() * residual;
    return;
  }
  const MatrixXd left = R(Eigen::all, side.other) * side.left;
  sum.A.noalias() += left.transpose() * right;
  sum.g.noalias() += left.transpose() * residual;
}

template <typename NameOf>
BlockMoments sum_by_block(std::span<const Fold> folds, const Estimate& estimate, const Whitening& white,
                          std::span<const Fold> priors, const NameOf& name_of) {
  require(estimate.weights.size() == folds.size(), "an estimate has one weight per fold");
  const bool is_symmetric = white.left.size() == 0;
  std::map<const Layout*, Side> sides;
  std::map<Index, MomentSum> by_block;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const Layout& layout = folds[f].layout();
    if (folds[f].depth() == 0) continue;
    if (!sides.contains(&layout)) sides.emplace(&layout, side_of(layout, estimate, white, name_of));
    accumulate(folds[f], estimate, sides.at(&layout), estimate.weights[f], by_block[folds[f].block()]);
  }
  MomentSum prior;
  const auto itself = [](const std::string& column) { return column; };
  for (const Fold& fold : priors)
    if (fold.depth() > 0)
      accumulate(fold, estimate, side_of(fold.layout(), estimate, white, itself), 1, prior);
  BlockMoments out;
  out.root = white.right;
  out.is_symmetric = is_symmetric;
  const auto whole = [&](const MatrixXd& A) {
    return is_symmetric ? MatrixXd(A.selfadjointView<Eigen::Lower>()) : A;
  };
  for (auto& [block, sum] : by_block) {
    out.numbers.push_back(block);
    out.A.push_back(whole(sum.A));
    out.g.push_back(std::move(sum.g));
  }
  const Index n = white.right.cols();
  out.prior = prior.A.size() > 0 ? whole(prior.A) : MatrixXd::Zero(n, n);
  return out;
}

}  // namespace

BlockMoments block_moments(std::span<const Fold> folds, const Estimate& estimate,
                           std::span<const Fold> priors) {
  const Solution solution = solve(estimate.factor.columns(), estimate.factor.efforts().col(0), kMomentRank);
  const Whitening white{{}, solution.root};
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
  white.right = PivotedQr(A).solve(MatrixXd::Identity(A.rows(), A.rows()));
  return sum_by_block(folds, estimate, white, priors, instrument_name);
}

}  // namespace steelyard
