// What a feasible fit minimises: a sum of squares over all columns, and optionally a pull towards known
// bodies.
//
//   φ(x) = ‖R x − z‖² + constant + Σ_j w_j D(P_j ‖ P_j⁰)
//   D(P ‖ P⁰) = tr(P⁰⁻¹ P) − log det(P⁰⁻¹ P) − 4      log-det divergence; ≥ 0, zero for P = P⁰ only
//
// φ2, torque: R and z from the factor of the estimate (weights and priors included), with the columns of a
// base regrouped as π_b = K π: ‖R_b K x − z‖² is the weighted residual of the rows for every x. φ1,
// coefficients: ‖W (K x − π̂_b)‖² with W = 1, or WᵀW the inverse covariance. Coefficients with a relative
// standard deviation above a limit may be left out of φ1.
//
// Columns without rows are zero in R: the objective does not depend on them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/feasible/options.hpp"
#include "steelyard/feasible/quantities.hpp"
#include "steelyard/regressor/base.hpp"

namespace steelyard::inline STEELYARD_ABI {

// w D(P ‖ P⁰) of one link.
struct BodyPull {
  int link = 0;
  double weight = 0;
  Inertia reference;  // positive definite P⁰
};

struct Objective {
  std::vector<std::string> columns;  // those of the Quantities, in their order
  MatrixXd R;
  VectorXd z;
  double constant = 0;
  std::vector<BodyPull> pulls;

  // +∞ where a pulled body has no positive definite P.
  double value(const VectorXd& x) const;
  VectorXd gradient(const VectorXd& x) const;
  double squares(const VectorXd& x) const;                      // ‖R x − z‖² + constant only
  double effort() const { return z.squaredNorm() + constant; }  // at x = 0
};

// Further columns that the objective needs beside the standard ones: those of the base that are not
// standard, and those of the factor that neither base nor robot know.
Quantities quantities_of(const Robot& robot, const BaseParameters& base, const Fold& factor);
Quantities quantities_of(const Robot& robot, const BaseParameters& base,
                         const std::vector<std::string>& columns);

// φ2. `factor` is Estimate::factor (one effort): a column named as a base parameter's lead stands for the
// whole combination; other columns are kept. Throws InputError for a column that the quantities
// do not have.
Objective torque_objective(const Fold& factor, const BaseParameters& base, const Quantities& quantities);

// The same from folds of all standard columns, where a column stands for itself.
Objective torque_objective(const Fold& factor, const Quantities& quantities);

// φ1 from an estimate of the base's lead columns. Coefficients without a finite standard deviation are left
// out when weighed by covariance.
struct CoefficientObjective {
  Objective objective;
  std::vector<std::string> left_out;  // leads
};
CoefficientObjective coefficient_objective(const Estimate& estimate, const BaseParameters& base,
                                           const Quantities& quantities,
                                           const CoefficientOptions& options = {});

// φ1 from given values of the base parameters, one per lead (a published table).
Objective coefficient_objective(const VectorXd& values, const BaseParameters& base,
                                const Quantities& quantities);

// Adds rows weight · (x_k − reference_k) / scale_k with the natural scale of the column (m: m⁰, mx: m⁰ ℓ,
// J: m⁰ ℓ², m⁰ the reference's mass): a Euclidean pull. `links` empty: all. `reference` is in the order of
// the quantities; only columns of links are pulled.
void pull_euclidean(Objective& objective, const Quantities& quantities, const VectorXd& reference,
                    double weight, const std::vector<int>& links = {});

// Adds weight · D(P_j ‖ P_j(reference)). Throws InputError when a reference is not positive definite.
void pull_bodies(Objective& objective, const Quantities& quantities, const VectorXd& reference, double weight,
                 const std::vector<int>& links = {});

}  // namespace steelyard
