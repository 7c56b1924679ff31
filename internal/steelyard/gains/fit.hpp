// Gains, base parameters and loads together from currents.
//
//   ls, wls            eqs. (15)–(16): V g − W χ − W_u χ_u = W_k χ_k by least squares; weights 1/σ by joint.
//                      Noise of currents stands in the columns V: gains come out too small.
//   tls                eqs. (17)–(23): min ‖W_tot x‖² / xᵀD x with x = (g, χ, χ_u, 1), rows weighted as in
//                      wls, D the diagonal of what noise adds to W_totᵀW_tot (errors.hpp; the columns' own
//                      squares when that is not known). Columns without errors are projected out first
//                      (mixed LS–TLS), then SVD of the scaled rest: the last right singular vector.
//   tls_rows           the same as it is printed: rows weighted, D one for every column.
//   prediction_error   min Σ_j w_j² ‖v_j − (unmix · (W χ + W_L χ_L))_j / g_j‖² over motor rows, by
//                      Gauss-Newton: currents are the noisy outputs, which is where their noise is. Needs a
//                      regressor that is good (filtered positions).
//
// Standard deviations: `sigma_classical` is σ²(WᵀW)⁻¹, for tls eqs. (21)–(23); `sigma` and the intervals come
// from a bootstrap over time blocks, linear in each block's influence, and contain the standard deviation of
// weighed masses. A gain whose standard deviation is above `max_relative_sigma` of itself is not
// identifiable: it has no interval. For ls and wls what errors of the columns take from it counts as well, and a gain that
// loses more than half a standard deviation is biased: no interval either.
// Directions that tls leaves open count with the length that changes a gain by itself.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/bootstrap.hpp"
#include "steelyard/gains/options.hpp"
#include "steelyard/gains/problem.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class GainStatus {
  identified,
  prior,            // mostly what was given beforehand
  biased,           // errors of the columns take more from it than half its standard deviation; no interval
  not_identifiable  // the runs do not determine it; no interval
};
const char* to_string(GainStatus status);

// What total least squares takes for D: the errors of the columns, the columns' own squares, or one for each.
enum class ColumnScale { noise, own, none };

struct GainOptions {
  double level = 0.95;
  BootstrapOptions bootstrap;
  bool spread = true;                        // false: values only
  double max_relative_sigma = 0.25;          // of a gain
  double min_gap = 1.5;                      // s_(c−1)/s_c of tls below this: the solution is not separated
  ColumnScale columns = ColumnScale::noise;  // of tls
  RowSide rows = RowSide::joint;             // of ls, wls, tls; the prediction error has motor rows
  int max_iterations = 100;

  void validate() const;  // throws InputError
};

struct GainFit {
  GainMethod method = GainMethod::wls;
  bool converged = true;
  std::vector<std::string> columns;  // gain_columns()
  Index gains = 0;                   // the first of the columns
  VectorXd values;
  VectorXd sigma;                    // empty without spread
  VectorXd sigma_classical;          // NaN where there is none
  VectorXd lower, upper;             // NaN where there is no interval
  MatrixXd covariance;               // behind `sigma`
  std::vector<std::string> weighed;  // masses with a standard deviation: "m_plate"
  VectorXd weighed_sigma;
  MatrixXd by_mass;                // change of the values by one of them, a column per mass
  VectorXd attenuation;            // ls, wls: bias by noise in the columns; empty: not known
  std::vector<GainStatus> status;  // of the gains
  VectorXd singular;               // tls: of the scaled rest, falling
  double gap = 0;                  // tls: s_(c−1) / s_c; infinite when s_c is 0
  std::vector<double> row_sigma;   // by which the rows of each joint were divided; prediction error: in A
  int iterations = 0;

  Index find(const std::string& column) const;  // −1: absent
  VectorXd gain_values() const { return values.head(gains); }
};

GainFit fit_gains(const GainProblem& problem, GainMethod method, const GainOptions& options = {});

bool is_total(GainMethod method);  // one of the total least squares

// How well currents are predicted: ‖v − v̂‖ / ‖v‖ of each joint, over the runs of a problem.
struct CurrentResidual {
  VectorXd norm;      // ‖v − v̂‖, per joint
  VectorXd current;   // ‖v‖
  VectorXd relative;  // their ratio
  VectorXd rows;
  double total = 0;  // √(Σ norm² / Σ current²) with every joint's current scaled to rms one
};
CurrentResidual current_residual(const GainProblem& problem, const GainFit& fit);

}  // namespace steelyard
