// What is left of a factor when its linear columns are projected out: cost, and the normal step of the
// shapes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/estimate/friction.hpp"
#include "steelyard/fold/fold.hpp"

namespace steelyard::inline STEELYARD_ABI {

using RowWeights = std::map<std::string, double>;  // by row kind

// All folds together, every row kind times its weight.
Fold weighted_factor(const std::vector<Fold>& folds, const RowWeights& weights);

// Weights of the row kinds by the estimator's own rule, for the columns that the models use.
RowWeights row_weights(const std::vector<Fold>& folds, const std::vector<std::string>& used,
                       const EstimateOptions& options);

// Columns of the folds that the models use, without tangents: not fv, fc, fo that a model does not name.
std::vector<std::string> used_columns(const Layout& all, const std::vector<FrictionJoint>& joints,
                                      const std::vector<FrictionModel>& models);

struct Projection {
  MatrixXd R22;           // tangents in the order of the joints, of each the shape's before those of μ
  VectorXd r2;            // per tangent
  double cost = 0;        // ‖r2‖² + ρ²
  VectorXd heights;       // of every joint's own column; 0 where there is none
  VectorXd height_roots;  // √ of the diagonal of (AᵀA)⁻¹ at the heights
  double degrees = 1;     // rows − columns
  std::vector<std::string> columns;  // linear ones, and their values with the tangents at zero
  VectorXd x;
  MatrixXd R11;
  MatrixXd by_tangents;  // R11⁻¹ R12: x falls by this times the tangents' coefficients
};

Projection project(const Fold& factor, Index rows, const std::vector<FrictionJoint>& joints,
                   const std::vector<FrictionModel>& models, double rank_tolerance);

}  // namespace steelyard
