// Least squares from folds: parameters, their standard deviations, condition numbers, residuals.
//
//   min Σ_g w_g² ‖Y_g π − τ_g‖² + ‖priors‖²      over groups g of rows: joints, or joints and time blocks
//
// Only the folds are read, so the cost does not depend on the number of rows. Weights:
//
//   none               ordinary least squares: w = 1
//   by_row             weighted: w = 1/σ of the row kind, σ from the residuals of the ordinary solution
//   by_row_iterated    the same, with σ from the weighted solution, iterated until convergence
//   by_row_and_block   also per block of a row kind: w = √min(1, c/u) / σ (Huber), u = rms residual of the
//                      block / σ, σ the median over blocks; bad blocks get less weight
//
// σ² of a group is ‖residual‖² / (rows − h) with h = ‖w_g R_g R⁻¹‖², the group's share of the parameters (Σ h
// = their number without priors). With few rows and very different noise levels by_row overestimates the
// small ones, because noisy rows disturb the ordinary solution; by_row_iterated does not.
//
// The covariance is σ²(RᵀR)⁻¹, valid only for rows with independent errors: decimate filtered rows to about
// twice the cut-off first. It does not include errors in the regressor (noisy positions), which bias the
// values.
//
// Columns are scaled to norm one before rank and condition are judged. No column is dropped: the status is
// zero or dependent where it applies; dependent ones get the minimum-norm solution (in scaled columns) as
// value and an infinite standard deviation. Predictions do not depend on this choice.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/fold.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class Weighting { none, by_row, by_row_iterated, by_row_and_block };
const char* to_string(Weighting weighting);

struct EstimateOptions {
  Weighting weighting = Weighting::none;
  double rank_tolerance =
      1e-12;           // singular values of the scaled columns below this share of the largest are zero
  double huber = 1.5;  // c: blocks with residuals beyond this many σ lose weight
  int max_iterations = 100;
  double tolerance = 1e-10;  // relative change of weights at convergence
  bool conditions = true;    // false: condition numbers stay 0, which saves two singular value decompositions

  void validate() const;  // throws InputError
};

enum class ColumnStatus {
  determined,
  zero,        // the column is zero in all rows: not identifiable
  dependent,   // only together with other columns
  eliminated,  // set to zero as not essential (docs/estimate.md)
};
const char* to_string(ColumnStatus status);

// Residuals of one row kind, or of all row kinds of one unit.
struct Residual {
  std::string row;  // row kind; empty for totals
  std::string unit;
  Index rows = 0;
  double norm = 0;      // ‖Y π − τ‖
  double effort = 0;    // ‖τ‖
  double relative = 0;  // norm / effort; 0 when both are 0
  double rms = 0;       // norm / √rows
  double sigma = 0;     // by which the row kind was divided; 0 for totals
};

enum class EstimateStatus {
  solved,
  deficient,      // solved, but not all columns are determined
  not_converged,  // weights still changed after max_iterations
  too_few_rows,   // no more rows than parameters: values without standard deviations
};
const char* to_string(EstimateStatus status);

struct Estimate {
  EstimateStatus status = EstimateStatus::solved;
  std::vector<std::string> columns;
  VectorXd values;
  VectorXd sigma;           // infinite for columns that are not determined, NaN when there are too few rows
  VectorXd relative_sigma;  // sigma / |value|
  std::vector<ColumnStatus> column_status;
  MatrixXd covariance;  // over all columns; rows and columns that are not determined are zero
  Index rank = 0;
  double condition = 0;         // of the weighted rows and priors; infinite when a column is not determined
  double condition_scaled = 0;  // the same with all columns scaled to norm one
  Index rows = 0;               // measured, without priors
  double degrees = 0;           // rows − effective number of parameters
  double sigma_rows = 0;        // √(weighted residual² / degrees): 1 when weights are right
  std::vector<Residual> per_row;
  std::vector<Residual> totals;  // one per unit
  double residual_weighted = 0;  // ‖w (Y π − τ)‖ / ‖w τ‖ over everything
  std::vector<double> weights;   // of the folds as given
  int iterations = 0;
  // Everything folded together, weighted, priors included: R of [Y | τ] in the union of the columns. Empty
  // without folds.
  Fold factor;

  // Index of a column, −1 when there is none.
  Index find(const std::string& column) const;
  std::string brief() const;
};

// The folds have one effort column, the same in all; row kinds may have different columns. Folds with equal
// rows (layout().row) are one kind, regardless of their blocks. `priors` keep their own weights. Throws
// InputError for incompatible folds, and when there are no rows.
Estimate estimate(std::span<const Fold> folds, const EstimateOptions& options = {},
                  std::span<const Fold> priors = {});

// Residuals of given parameters on folds: by row kind, then totals by unit. Columns missing in `columns`
// count as zero.
struct Residuals {
  std::vector<Residual> per_row;
  std::vector<Residual> totals;
};
Residuals residuals(std::span<const Fold> folds, const std::vector<std::string>& columns,
                    const VectorXd& values);

// The estimators by name: one table for studies, results, Python and texts (docs/estimate.md).

struct EstimatorMethod {
  const char* name;
  Weighting weighting;
  bool single_rows;  // needs the samples: weights of single rows
  bool instruments;  // needs the samples: instruments from a simulated motion
};

inline constexpr EstimatorMethod kEstimatorMethods[] = {
    {"ols", Weighting::none, false, false},
    {"wls", Weighting::by_row, false, false},
    {"irls", Weighting::by_row_iterated, false, false},
    {"irls_blocks", Weighting::by_row_and_block, false, false},
    {"huber", Weighting::by_row_and_block, true, false},
    {"iv", Weighting::by_row_iterated, false, true},
};

// The line of the table with these properties; instruments count before single rows.
const EstimatorMethod& estimator_method(Weighting weighting, bool single_rows, bool instruments);
// Methods that fit folds alone, by name. Throws InputError for others.
Weighting parse_fold_method(const std::string& name);

}  // namespace steelyard
