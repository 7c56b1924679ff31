#include "steelyard/estimate/bootstrap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/core/processes.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kWeightSpread = 1.0 / 3;  // weights are 1 ± this
constexpr Index kBatch = 16;               // pairs of replicates that are computed together
constexpr Index kFewestBlocks = 3;
// Of replicates: far below their spread, far above rounding.
constexpr double kSeriesTolerance = 1e-10;
constexpr int kMaxTerms = 40;
constexpr Index kTogether = 4;  // blocks whose signed sums are computed beforehand
// A block that alone determines a direction gives no spread there: its score is not amplified beyond this.
constexpr double kMinFreedom = 1e-2;

// Scores as those of a fit that does not know the block: (I − A)^(−1/2) g. Where A is small, as with many
// blocks, by its binomial series; each term is at most half as large as the previous one.
VectorXd freed_score(const MatrixXd& A, const VectorXd& g) {
  const MatrixXd S = (A + A.transpose()) / 2;
  if (S.norm() <= 0.5) {
    VectorXd sum = g, term = g, next(g.size());
    const double enough = 1e-17 * g.norm();
    for (double k = 1; term.norm() > enough; ++k) {
      next.noalias() = S * term;
      term = (2 * k - 1) / (2 * k) * next;
      sum += term;
    }
    return sum;
  }
  const SymmetricEigen eigen = symmetric_eigen(MatrixXd::Identity(A.rows(), A.cols()) - S);
  const VectorXd scale = eigen.values.cwiseMax(kMinFreedom).cwiseSqrt().cwiseInverse();
  return eigen.vectors * (scale.asDiagonal() * (eigen.vectors.transpose() * g));
}

// All blocks side by side: the Gram matrices (lower triangles when symmetric) and the scores. Weights of
// blocks are ±1, so that kTogether blocks have 2^kTogether sums, regardless of the number of replicates.
struct PackedMoments {
  Index entries = 0;
  std::vector<MatrixXd> grams;  // of kTogether blocks each: entries × sums
  MatrixXd scores;              // rank × blocks
};

VectorXd packed(const MatrixXd& A, bool is_symmetric) {
  const Index n = A.rows();
  VectorXd entries(is_symmetric ? n * (n + 1) / 2 : n * n);
  Index at = 0;
  for (Index j = 0; j < n; ++j) {
    const Index first = is_symmetric ? j : 0;
    entries.segment(at, n - first) = A.col(j).tail(n - first);
    at += n - first;
  }
  return entries;
}

// Column i: Σ ± A_k over the blocks from `first` on, + where bit k of i is set.
MatrixXd signed_sums(const BlockMoments& moments, Index first) {
  const Index last = std::min(first + kTogether, moments.blocks());
  MatrixXd sums;
  for (Index b = first; b < last; ++b) {
    const VectorXd own = packed(moments.A[static_cast<std::size_t>(b)], moments.is_symmetric);
    if (b == first) sums = MatrixXd::Zero(own.size(), 1);
    const Index half = sums.cols();
    sums.conservativeResize(Eigen::NoChange, 2 * half);
    for (Index i = 0; i < half; ++i) {
      sums.col(half + i) = sums.col(i) + own;
      sums.col(i) -= own;
    }
  }
  return sums;
}

PackedMoments pack(const BlockMoments& moments, int threads) {
  const Index n = moments.rank(), blocks = moments.blocks();
  PackedMoments out;
  out.entries = moments.is_symmetric ? n * (n + 1) / 2 : n * n;
  out.scores.resize(n, blocks);
  out.grams.resize(static_cast<std::size_t>((blocks + kTogether - 1) / kTogether));
  parallel_for(static_cast<Index>(out.grams.size()), threads, [&](Index group) {
    out.grams[static_cast<std::size_t>(group)] = signed_sums(moments, group * kTogether);
  });
  parallel_for(blocks, threads, [&](Index k) {
    const auto b = static_cast<std::size_t>(k);
    out.scores.col(k) = freed_score(moments.A[b], moments.g[b]);
  });
  return out;
}

// Σ ± A_k with the signs of one pair of replicates.
VectorXd signed_gram(const PackedMoments& packed, const VectorXd& signs) {
  VectorXd sum = VectorXd::Zero(packed.entries);
  for (std::size_t group = 0; group < packed.grams.size(); ++group) {
    const Index first = static_cast<Index>(group) * kTogether,
                last = std::min(first + kTogether, signs.size());
    Index column = 0;
    for (Index b = first; b < last; ++b) column |= Index{signs[b] > 0} << (b - first);
    sum += packed.grams[group].col(column);
  }
  return sum;
}

MatrixXd unpack(const VectorXd& entries, Index n, bool is_symmetric) {
  MatrixXd gram = MatrixXd::Zero(n, n);
  Index at = 0;
  for (Index j = 0; j < n; ++j) {
    const Index first = is_symmetric ? j : 0;
    gram.col(j).tail(n - first) = entries.segment(at, n - first);
    at += n - first;
  }
  return gram;
}

// ±1 per block, for a pair of replicates with opposite signs, so that their mean is that of the estimate to
// second order.
VectorXd signs_of(Index pair, Index blocks, std::uint64_t seed) {
  Random random(seed, "bootstrap", static_cast<std::uint64_t>(pair));
  VectorXd signs(blocks);
  for (double& sign : signs) sign = random.bits() >> 63 ? 1 : -1;
  return signs;
}

// (I ± E) δ± = ± s for both signs. E is at most a third of the identity when blocks add up to it:
//   δ₊ = Σ_j (−E)^j s,   δ₋ = −Σ_j E^j s
// False when the series does not converge.
bool solve_by_series(const MatrixXd& E, const VectorXd& s, Eigen::Ref<MatrixXd> deltas) {
  VectorXd term = s, next(s.size());
  deltas.col(0) = s;
  deltas.col(1) = -s;
  const double enough = kSeriesTolerance * s.norm();
  for (int j = 1; j <= kMaxTerms; ++j) {
    next.noalias() = E.selfadjointView<Eigen::Lower>() * term;
    term.swap(next);
    deltas.col(0) += j % 2 == 0 ? term : -term;
    deltas.col(1) -= term;
    if (term.norm() <= enough) return true;
  }
  return false;
}

void solve_by_factors(const MatrixXd& mean, const MatrixXd& change, const VectorXd& s, bool is_symmetric,
                      Eigen::Ref<MatrixXd> deltas) {
  for (const int sign : {1, -1}) {
    const MatrixXd gram = mean + sign * change;
    auto delta = deltas.col(sign > 0 ? 0 : 1);
    if (is_symmetric)
      delta = Cholesky(gram).solve(sign * s);
    else
      delta = Lu(gram).solve(sign * s);
  }
}

// Whitened δ of pairs first … first + count − 1: two columns each. `mean` is Σ A_k + P.
MatrixXd replicate_pairs(const BlockMoments& moments, const PackedMoments& packed, const MatrixXd& mean,
                         Index first, Index count, std::uint64_t seed) {
  const Index n = moments.rank(), blocks = moments.blocks();
  const bool is_whitened =
      moments.is_symmetric && (mean - MatrixXd::Identity(n, n)).norm() <= kSeriesTolerance;
  MatrixXd signs(blocks, count);
  for (Index r = 0; r < count; ++r) signs.col(r) = signs_of(first + r, blocks, seed);
  const MatrixXd scores = packed.scores * signs;
  MatrixXd out(n, 2 * count);
  for (Index r = 0; r < count; ++r) {
    const MatrixXd change =
        unpack(kWeightSpread * signed_gram(packed, signs.col(r)), n, moments.is_symmetric);
    auto deltas = out.middleCols(2 * r, 2);
    if (!is_whitened || !solve_by_series(change, scores.col(r), deltas))
      solve_by_factors(mean, change, scores.col(r), moments.is_symmetric, deltas);
  }
  return out;
}

VectorXd degrees_of(const BlockMoments& moments) {
  VectorXd sum = VectorXd::Zero(moments.root.rows()), squares = sum;
  for (const MatrixXd& A : moments.A) {
    const VectorXd share = (moments.root * A).cwiseProduct(moments.root).rowwise().sum().cwiseMax(0.0);
    sum += share;
    squares += share.cwiseAbs2();
  }
  VectorXd degrees = VectorXd::Ones(sum.size());
  for (Index i = 0; i < sum.size(); ++i)
    if (squares[i] > 0) degrees[i] = std::max(1.0, sum[i] * sum[i] / squares[i] - 1);
  return degrees;
}

}  // namespace

MatrixXd block_influences(const BlockMoments& moments, int threads) {
  MatrixXd scores(moments.rank(), moments.blocks());
  parallel_for(moments.blocks(), threads, [&](Index k) {
    const auto b = static_cast<std::size_t>(k);
    scores.col(k) = freed_score(moments.A[b], moments.g[b]);
  });
  return moments.root * scores;
}

void BootstrapOptions::validate() const {
  if (replicates >= 20 && replicates <= 1000000 && threads >= 1) return;
  throw InputError({fmt::format("bootstrap with {} replicates on {} threads", replicates, threads),
                    {},
                    "20 to a million replicates, at least one thread",
                    "1000 is typical"});
}

Bootstrap bootstrap(const BlockMoments& moments, const BootstrapOptions& options) {
  options.validate();
  const Index blocks = moments.blocks(), n = moments.rank();
  if (blocks < kFewestBlocks)
    throw InputError({fmt::format("bootstrap over {} blocks", blocks),
                      {},
                      fmt::format("at least {}", kFewestBlocks),
                      "use longer runs or shorter blocks, or classical intervals"});
  const PackedMoments packed = pack(moments, options.threads);
  MatrixXd mean = moments.prior;
  for (const MatrixXd& A : moments.A) mean += A;
  const Index pairs = (options.replicates + 1) / 2, replicates = 2 * pairs;
  MatrixXd whitened(n, replicates);
  share((pairs + kBatch - 1) / kBatch, options.threads,
        [&](Index batch) {
          const Index first = batch * kBatch, count = std::min(kBatch, pairs - first);
          const MatrixXd found = replicate_pairs(moments, packed, mean, first, count, options.seed);
          return std::vector<double>(found.data(), found.data() + found.size());
        },
        [&](Index batch, std::span<const double> found) {
          std::copy(found.begin(), found.end(), whitened.data() + batch * 2 * kBatch * n);
        });
  Bootstrap out;
  out.blocks = blocks;
  out.replicates = moments.root * whitened;
  const MatrixXd centred = out.replicates.colwise() - out.replicates.rowwise().mean();
  out.covariance = centred * centred.transpose() / static_cast<double>(replicates - 1);
  out.sigma = out.covariance.diagonal().cwiseSqrt();
  out.degrees = degrees_of(moments);
  return out;
}

}  // namespace steelyard
