// Rows of a run as they are fitted to |effort|: every column of the regressor passes the filter of |effort|, so that
// both sides of the equation have the same band, and one sample in `factor` is a row.
//
//   filter(s |τ|) = filter(Y) π        where s is constant over the filter's memory
//
// Memory: 8 bytes for every row and column; while they are made also for every sample and column of one joint.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/fold.hpp"
#include "steelyard/fold/layout.hpp"
#include "steelyard/log/chunks.hpp"
#include "steelyard/log/options.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/regressor/plan.hpp"

namespace steelyard::inline STEELYARD_ABI {

// How |effort| was filtered, and which samples are rows.
struct RowBand {
  double rate = 0;                // [Hz]
  FilterOptions filter = {4, 0};  // cutoff 0: none
  Index factor = 1;

  // Rows per independent row, at least 1: white noise behind the filter.
  double correlation() const;
  void pass(double* data, Index samples, Index columns) const;  // the filter, in place, column by column
};

// One row in rate / (10 cut-off) samples: five per independent one.
RowBand row_band(double rate, const FilterOptions& filter);

// The columns of a plan's rows, and a run's further ones behind them.
struct RowColumns {
  RowColumns() = default;
  RowColumns(const Plan& rows, std::vector<ExtraColumns> further = {})  // NOLINT: a plan is one
      : plan(&rows), extra(std::move(further)) {}

  const Plan* plan = nullptr;
  std::vector<ExtraColumns> extra;
};

struct SignRows {
  RowBand band;
  RowColumns of;
  std::vector<MatrixXd> columns;  // per row of the plan: its columns at samples 0, factor, 2 factor …
};
SignRows make_sign_rows(const RowColumns& of, const SampleBlock& samples, const RowBand& band);

// Adds the rows of one joint within these samples, where `mask` (of all samples of the run; null: everywhere) is not
// zero; `effort`: of all samples.
void add_rows(const SignRows& rows, Index joint, Range range, const std::uint8_t* mask, const double* effort,
              Fold& fold);

}  // namespace steelyard
