// Step 4 of a study: parameters from folds, and estimators that need more than the folds of the first pass.
//
//   fit_rows       weighted least squares on the folds of the fit runs
//   iv             instruments from simulations with the current parameters until the estimate converges; every
//                  iteration is a pass over the fit runs, one more reads the motion
//   huber          weights of single rows until the estimate converges; every iteration is a pass over the fit runs
//   essential      parameters are eliminated one by one
#pragma once

#include <optional>
#include <vector>

#include "steelyard/estimate/estimate.hpp"
#include "steelyard/estimate/instrument.hpp"
#include "steelyard/identify/folded.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Fit {
  std::vector<Fold> folds;  // of the fit runs, block by block
  std::vector<Fold> priors;
  Estimate estimated;
  std::optional<InstrumentEstimate> instrument;  // method iv
  std::vector<Fold> instrument_folds;            // with instrument columns
  // Blocks of the fit runs as methods iv and huber fold them; empty: those of the runs' rows.
  std::vector<std::vector<FoldBlock>> estimator_blocks;
  std::optional<Estimate> before_elimination;  // of essential parameters
  EstimatorSummary estimator;
  bool with_springs = false;  // values from the equations of elastic joints: the rows are not refitted
  std::vector<Finding> findings;

  // The estimate that intervals refer to.
  const Estimate& full() const { return before_elimination ? *before_elimination : estimated; }
};

Fit fit_rows(const Setup& setup, const Runs& runs, const std::vector<RunRows>& rows);

// Its parts, each on the estimate by row that the fit has.
Fit with_instruments(const Setup& setup, const std::vector<RunRows>& runs, Fit fit);
Fit with_row_weights(const Setup& setup, const std::vector<RunRows>& runs, Fit fit);

// Strength and bias into the summary, and findings about them.
void report_instruments(const InstrumentEstimate& found, InstrumentSummary& summary,
                        std::vector<Finding>& findings);

// Largest |a − b| / σ over columns with a standard deviation.
double change_in_sigma(const Estimate& before, const Estimate& after);

// Values in the order of the plan's columns; those the estimate lacks are zero.
VectorXd values_for(const Plan& plan, const Estimate& estimate);

// Refits without each group, by the estimator that the fit comes from: with its instruments, or its weights
// of single rows, as the fit on everything left them. `blocks` are those of the runs' rows, as they are
// predicted.
CrossValidation cross_validate_estimator(const Setup& setup, const Fit& fit,
                                         const std::vector<std::vector<FoldBlock>>& blocks,
                                         const BlockGroups& groups);

}  // namespace steelyard
