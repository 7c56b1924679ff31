// Huber's weights for single rows: outliers (spikes, a collision) lose their influence on the parameters.
//
//   u = (τ − Y π) / σ        w = 1 for |u| ≤ c,   c/|u| beyond,   0 beyond `far`
//   σ = 1.4826 · median |τ − Y π| of the row kind: half of the rows may be anything
//
// A fold cannot give back single rows, so this needs further passes over the log: a RowWeigher is handed to
// the pass (fold/pass.hpp), which folds √w times each row; at the same time it counts the residuals, from
// which the next σ comes. Counting is by a histogram of log |residual| with 64 bins per factor of two: memory
// does not grow with the run, the median is right to 0.6 %, and sums of counts do not depend on threads.
//
// Rows behind a filter share their errors with their neighbours: one spike of the log spoils as many rows as
// the filter smears it over. Weights of the order of the model's own error (friction that the model lacks)
// are no proof of outliers. Standard deviations: Huber's asymptotic variance σ² E ψ² / (E ψ')² with ψ = w u.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/estimate/options.hpp"
#include "steelyard/fold/layout.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Residuals of one row kind as a pass saw them.
struct RowScale {
  std::string row;
  double sigma = 0;     // from this pass's residuals; for the next one
  Index rows = 0;       // all rows
  Index reduced = 0;    // with a weight below 1
  Index far = 0;        // of these, with weight 0
  double variance = 1;  // Huber's over that of weighted least squares with these weights
};

// Histogram of the residuals; filled from several threads and runs.
class ResidualCounts {
 public:
  explicit ResidualCounts(const std::vector<std::string>& rows);

  void add(Index row, double residual);
  // `sigma`: by which the weights of the counted pass were made; empty: there were none.
  std::vector<RowScale> scales(const std::vector<double>& sigma, const RobustOptions& options) const;

 private:
  static constexpr int kPerOctave = 64;
  static constexpr int kBins = kPerOctave * 256;  // |residual| from 2^-128 to 2^128
  using Bins = std::array<std::atomic<std::uint64_t>, kBins>;

  static double middle(int bin);

  std::vector<std::string> rows_;
  std::vector<std::unique_ptr<Bins>> bins_;
};

// Weights for one pass over one run. May be called from several threads at once.
class RowWeigher {
 public:
  // `columns`, `values`: parameters of the residuals; columns that a row does not have are passed over,
  // columns of a row without value count as zero. `sigma`: of each row kind; empty: all weights are 1,
  // residuals are counted only. `counts` outlives the weigher.
  RowWeigher(const std::vector<Layout>& layouts, const std::vector<std::string>& columns,
             const VectorXd& values, std::vector<double> sigma, const RobustOptions& options,
             ResidualCounts& counts);

  // Weights √w of `count` samples of a row kind; columns in the order of its layout, then the effort.
  // Samples whose `mask` is 0 are no rows (null: all are).
  void weigh(Index row, std::span<const double* const> columns, Index count, const std::uint8_t* mask,
             double* weight) const;

 private:
  std::vector<VectorXd> values_;  // of each row, in the order of its columns
  std::vector<double> sigma_;
  RobustOptions options_;
  ResidualCounts& counts_;
};

// Scales standard deviations and covariance of an estimate from weighted rows to Huber's asymptotic variance.
void correct_deviations(const std::vector<RowScale>& scales, Estimate& estimate);

}  // namespace steelyard
