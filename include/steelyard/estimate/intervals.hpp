// Intervals for parameters: value ± t_ν σ, with the method, the level and the number of rows behind them.
//
//   classical   σ² (RᵀR)⁻¹ · rows / effective rows,  ν = effective rows − parameters.
//               Filtered rows are correlated: of white noise behind a zero-phase filter with the gain |H|²
//               they hold 2 ∫|H|⁴ df independent values a second, whatever the decimation.
//               Right for white noise of the efforts only.
//   bootstrap   σ from replicates over time blocks (bootstrap.hpp), ν per parameter. Also right for coloured
//               noise and for noise that joints share, when it is short against a block.
//
// Neither knows of a bias. Positions that are noisy shrink what accelerations and velocities carry: their
// noise behind two derivatives and a cut-off f has the power f⁵, behind one f³, and the bias of least squares
// grows with it. Estimates at half and double the cut-off show it:
//   b̂ = π(f) − π(f/2)                  31/32 of a bias that grows with f⁵, 7/8 with f³
//   b̂ = (π(2f) − π(f)) / (2³ − 1)      of use for small ones: what is lost in the noise above is 7 to 31
//                                       times larger here
// Both only where the difference is more than 2.5 of its own deviations, which come from the blocks of the
// two estimates and are at most σ. A parameter with |b̂| > σ/2 is "biased by differentiation" and gets no
// interval: it would hold the truth less often than it says. Instrumental variables (instrument.hpp) have no
// such bias.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/bootstrap.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/log/low_pass.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

enum class IntervalMethod { classical, bootstrap };
const char* to_string(IntervalMethod method);

struct IntervalOptions {
  double level = 0.95;
  IntervalMethod method = IntervalMethod::bootstrap;
  BootstrapOptions bootstrap;
  double effective_share = 1;  // of the rows: independent ones over all (effective_share)

  void validate() const;  // throws InputError
};

// Fewer blocks than this: Student's quantiles are wide, and a finding says so.
inline constexpr Index kFewBlocks = 10;
// Fewer than this: no bootstrap, classical intervals take its place.
inline constexpr Index kTooFewBlocks = 5;

// In the order of the estimate's columns; NaN where nothing is known.
struct Intervals {
  IntervalMethod method = IntervalMethod::classical;  // that was used
  double level = 0;
  Index blocks = 0;           // of the bootstrap
  double effective_rows = 0;  // independent rows that give such deviations
  VectorXd sigma;
  VectorXd sigma_classical;
  VectorXd lower, upper;
  MatrixXd covariance;  // behind `sigma`
};

// `moments` may be null for classical intervals. Columns that are not determined have none.
Intervals intervals(const Estimate& estimate, const BlockMoments* moments,
                    const IntervalOptions& options = {});

// Independent values over rows, at most 1: 2 ∫|H|⁴ df · decimation / rate, H one pass of the filter.
double effective_share(const LowPass& filter, Index decimation);

// An estimate from the same blocks of the same run at another cut-off, and its block_influences().
struct OtherCutoff {
  const Estimate* estimate = nullptr;
  MatrixXd influences;
  double ratio = 1;  // of the cut-offs, the other one over that of the estimate
};

struct DifferentiationBias {
  VectorXd bias;             // b̂ in the order of the estimate's columns, the larger of the two
  std::vector<bool> biased;  // |b̂| > σ/2
};

// `sigma`: of the intervals. Ratios between 0.7 and 1.4 say nothing and are left out.
DifferentiationBias differentiation_bias(const Estimate& estimate, const MatrixXd& influences,
                                         const VectorXd& sigma, std::span<const OtherCutoff> others);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
