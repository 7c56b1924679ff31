// From segments to the quadratic form of their signs.
//
//   Y π = Σ_i s_i e_i   with one effort column e_i per segment (zero outside it), rows weighted
//
//   QR of [Y | E] = ( R_YY  R_YE )        residual(s) = min_π ‖Y π − E s‖² = ‖R_EE s‖²
//                   (  0    R_EE )        π(s) = R_YY⁻¹ R_YE s
//
// R_EE is computed by reflections from the folds of the segments, so the form is positive semidefinite by
// construction and a bound on it is a proof; above `kReflectedSegments` segments this needs too much memory
// (rows of all folds × segments), and R_EE is the Cholesky factor of EᵀE − (QᵀE)ᵀ(QᵀE). In both cases
// residual(s) is known up to rounding.
//
// Weights are initially one over the RMS effort of the joint: they define what "best fit" means, and
// reweigh() replaces them by those of the residuals. Unknown gains of a robot are factors on the columns of
// E.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/fold.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/signs/segments.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr Index kReflectedSegments = 160;

// One fold per segment: rows of its joint, in the band of |τ|, effort |τ| as it is. Layouts are those of the plan's torque rows
// with one effort. The block holds position, velocity and acceleration of the whole run.
std::vector<Fold> fold_segments(const Plan& plan, const std::vector<Layout>& layouts,
                                const SampleBlock& samples, const SegmentedRun& run);
// The same from rows that are there already.
std::vector<Fold> fold_segments(const SignRows& rows, const std::vector<Layout>& layouts,
                                const SegmentedRun& run);

struct SignProblem {
  std::vector<std::string> columns;  // of Y
  std::vector<SignSegment> segments;
  std::vector<Index> rows_of;  // per segment
  MatrixXd R_YY;               // rank × columns
  MatrixXd R_YE;               // rank × segments
  MatrixXd R_EE;               // segments × segments, upper triangular
  VectorXd weight;             // per joint: rows were multiplied by it
  double effort = 0;           // ‖E s‖², the same for every s
  double rounding = 0;         // of residual(s)
  Index rows = 0;

  Index size() const { return static_cast<Index>(segments.size()); }
  double residual(const VectorXd& signs) const { return (R_EE * signs).squaredNorm(); }
  // Least squares, smallest norm where columns are not determined.
  VectorXd values(const VectorXd& signs) const;
  // σ² of a row under these signs: residual over rows − rank.
  double variance(const VectorXd& signs) const;
};

// Weights per joint; a joint without segments has none.
VectorXd rms_weights(const SegmentedRun& run);
SignProblem make_sign_problem(const std::vector<Fold>& folds, const std::vector<SignSegment>& segments,
                              const VectorXd& weights);

// One over the RMS residual of each joint under these signs; 0 where a joint has no segment.
VectorXd residual_weights(const std::vector<Fold>& folds, const SignProblem& problem, const VectorXd& signs);

// The problem with the efforts of joint j multiplied by gains[j].
SignProblem with_gains(const SignProblem& problem, const VectorXd& gains);

// Folds with the sign of their segment, those with sign 0 left out: what estimators take.
std::vector<Fold> signed_folds(const std::vector<Fold>& folds, const VectorXd& signs);

}  // namespace steelyard
