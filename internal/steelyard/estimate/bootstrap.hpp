// Block bootstrap from folds: how estimates would scatter over other realisations of the same noise.
//
//   whitened moments of block k     A_k = B_kᵀB_k,  g_k = B_kᵀ(τ_k − Y_k π̂),  B_k = Y_k R⁻¹,  Σ A_k + P = I
//   replicate with weights m_k      (Σ m_k A_k + P) δ = Σ (m_k − 1) g_k,      π* = π̂ + R⁻¹ δ
//
// P comes from priors, which keep weight one. Blocks are sections of time with all joints (folds of equal
// block number), so errors may be correlated within a block, between joints and from sample to sample, but
// not between blocks: a block must be several times longer than the memory of the filter and of the noise. A
// replicate costs a sum of small matrices and some products with it, no pass over the log: the weights change
// at most a third of the identity.
//
// Weights are m_k = 1 ± 1/3 with equal probability, and δ is tripled. Drawing blocks with replacement (m_k =
// 0, 1, 2, …) omits a third of the blocks in every replicate; with a few dozen blocks and as many parameters
// the replicates' Gram matrices become nearly singular and intervals several times too wide.
//
// Few blocks: the spread of the scores is too small where a block determines much of a parameter, since the
// fit follows its own block. Scores are therefore those of the fit without their block,
//
//   g_k ← (I − A_k)^(−1/2) g_k         (Bell and McCaffrey 2002, bias-reduced; unbiased for independent
//                                       errors of equal standard deviation)
//
// and quantiles are Student's with the degrees of freedom from the spread of each parameter over the blocks,
//
//   ν_i = (Σ_k v_ik)² / Σ_k v_ik² − 1,    v_ik = (R⁻¹ A_k R⁻ᵀ)_ii, block k's share of the variance of i.
//
// Weights of rows (1/σ of the joint) are kept as they were estimated.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/estimate/instrument.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Moments of the blocks at an estimate, whitened.
struct BlockMoments {
  std::vector<Index> numbers;  // of the blocks
  std::vector<MatrixXd> A;
  std::vector<VectorXd> g;
  MatrixXd prior;            // P, zero without priors
  MatrixXd root;             // R⁻¹: columns of the estimate × rank
  bool is_symmetric = true;  // false for instruments

  Index blocks() const { return static_cast<Index>(A.size()); }
  Index rank() const { return root.cols(); }
};

// `folds` and `priors` are those of the estimate; blocks without rows are left out. For instruments B_kᵀ is
// replaced by Z_kᵀ in the whitening of Z: Σ ZᵀY A⁻¹ = I again.
BlockMoments block_moments(std::span<const Fold> folds, const Estimate& estimate,
                           std::span<const Fold> priors = {});
BlockMoments block_moments(std::span<const Fold> folds, const InstrumentEstimate& estimate,
                           std::span<const Fold> priors = {});

// What each block moves the estimate by, to first order: columns × blocks. Their squares add up to the
// variances; differences between two estimates of the same blocks have the squares of the differences.
MatrixXd block_influences(const BlockMoments& moments, int threads = 1);

struct BootstrapOptions {
  int replicates = 1000;
  std::uint64_t seed = 1;
  int threads = 1;

  void validate() const;  // throws InputError
};

struct Bootstrap {
  Index blocks = 0;
  VectorXd sigma;       // per column of the estimate
  VectorXd degrees;     // of Student's distribution, per column
  MatrixXd covariance;  // over all columns
  MatrixXd replicates;  // π* − π̂: columns × replicates
};

// The same bytes for any number of threads. Throws InputError for fewer than three blocks.
Bootstrap bootstrap(const BlockMoments& moments, const BootstrapOptions& options = {});

}  // namespace steelyard
