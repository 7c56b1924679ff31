#include "steelyard/estimate/bootstrap.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/core/processes.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr double kWeightSpread = 1.0 / 3;  // weights are 1 ± this
constexpr Index kBatch = 16;               // pairs of replicates that are computed together
constexpr Index kFewestBlocks = 3;
// A block that alone decides a direction says nothing about the spread there: its score is not blown up
// beyond this.
constexpr double kLeastFreedom = 1e-2;

// Scores as those of a fit that does not know the block: (I − A)^(−1/2) g. Where A is small, as with many
// blocks, by its binomial series; each term is at most half as large as the one before.
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
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(MatrixXd::Identity(A.rows(), A.cols()) - S);
  const VectorXd scale = eigen.eigenvalues().cwiseMax(kLeastFreedom).cwiseSqrt().cwiseInverse();
  return eigen.eigenvectors() * (scale.asDiagonal() * (eigen.eigenvectors().transpose() * g));
}

// All blocks side by side: the Gram matrices (lower triangles when symmetric) and the scores.
struct PackedMoments {
  MatrixXd grams;   // entries × blocks
  MatrixXd scores;  // rank × blocks
};

PackedMoments pack(const BlockMoments& moments, int threads) {
  const Index n = moments.rank(), blocks = moments.blocks();
  PackedMoments out;
  out.grams.resize(moments.is_symmetric ? n * (n + 1) / 2 : n * n, blocks);
  out.scores.resize(n, blocks);
  parallel_for(blocks, threads, [&](Index k) {
    const auto b = static_cast<std::size_t>(k);
    Index at = 0;
    for (Index j = 0; j < n; ++j) {
      const Index first = moments.is_symmetric ? j : 0;
      out.grams.col(k).segment(at, n - first) = moments.A[b].col(j).tail(n - first);
      at += n - first;
    }
    out.scores.col(k) = freed_score(moments.A[b], moments.g[b]);
  });
  return out;
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

// Whitened δ of pairs first … first + count − 1: two columns each. `mean` is Σ A_k + P.
MatrixXd replicate_pairs(const BlockMoments& moments, const PackedMoments& packed, const MatrixXd& mean,
                         Index first, Index count, std::uint64_t seed) {
  const Index n = moments.rank(), blocks = moments.blocks();
  MatrixXd signs(blocks, count);
  for (Index r = 0; r < count; ++r) signs.col(r) = signs_of(first + r, blocks, seed);
  const MatrixXd grams = packed.grams * (kWeightSpread * signs);
  const MatrixXd scores = packed.scores * signs;
  MatrixXd out(n, 2 * count), gram(n, n);
  for (Index r = 0; r < count; ++r) {
    const MatrixXd change = unpack(grams.col(r), n, moments.is_symmetric);
    for (const int sign : {1, -1}) {
      auto delta = out.col(2 * r + (sign < 0 ? 1 : 0));
      gram = mean + sign * change;
      if (moments.is_symmetric)
        delta = Eigen::LLT<Eigen::Ref<MatrixXd>>(gram).solve(sign * scores.col(r));
      else
        delta = Eigen::PartialPivLU<Eigen::Ref<MatrixXd>>(gram).solve(sign * scores.col(r));
    }
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
                    "a thousand is usual"});
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

}  // namespace STEELYARD_ABI
}  // namespace steelyard
