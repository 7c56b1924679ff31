// Intervals for parameters: value ± t_ν σ, with the method, the level and the number of rows behind them.
//
//   classical   σ² (RᵀR)⁻¹ · rows / effective rows,  ν = effective rows − parameters.
//               Filtered rows are correlated: of white noise behind a zero-phase filter with the gain |H|²
//               they hold 2 ∫|H|⁴ df independent values per second, regardless of the decimation.
//               Right for white noise of the efforts only.
//   bootstrap   σ from replicates over time blocks (bootstrap.hpp), ν per parameter. Also right for coloured
//               noise and for noise that joints share, when it is short against a block.
//
// Neither accounts for a bias by noisy positions: bias.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/bootstrap.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/estimate/options.hpp"
#include "steelyard/log/low_pass.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct IntervalOptions {
  double level = 0.95;
  IntervalMethod method = IntervalMethod::bootstrap;
  BootstrapOptions bootstrap;
  double effective_share = 1;  // of the rows: independent ones over all (effective_share)

  void validate() const;  // throws InputError
};

// Fewer blocks than this: Student's quantiles are wide, and a finding reports it.
inline constexpr Index kFewBlocks = 10;
// Fewer than this: no bootstrap, classical intervals take its place.
inline constexpr Index kTooFewBlocks = 5;

// In the order of the estimate's columns; NaN where nothing is known.
struct Intervals {
  IntervalMethod method = IntervalMethod::classical;  // that was used
  double level = 0;
  Index blocks = 0;           // of the bootstrap
  double effective_rows = 0;  // independent rows that give such standard deviations
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

}  // namespace steelyard
