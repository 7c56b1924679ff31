// Prior knowledge as rows: a prior, a weighed payload, an equality between parameters.
//
//   known with standard deviation σ:  (1/σ) π_k = (1/σ) value          equality:  (1/σ) aᵀπ = (1/σ) value
//
// Such rows stand beside measured rows that are divided by their own standard deviation; beside rows that are
// not, 1/σ is merely a weight. They are independent of each other and of the measurements.
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/fold.hpp"

namespace steelyard::inline STEELYARD_ABI {

// A layout with the columns of another, one effort "torque" or as there, row `row`, unit "1".
Layout prior_layout(const Layout& layout, const std::string& row = "prior");

// One row for each column with a finite standard deviation; mean and sigma are one per column. The layout has
// one effort.
Fold prior(const Layout& layout, const VectorXd& mean, const VectorXd& sigma);

// Rows W π = W mean: a prior with the information WᵀW, which may be singular.
Fold prior(const Layout& layout, const VectorXd& mean, const MatrixXd& W);

// One parameter by name.
Fold known_value(const Layout& layout, const std::string& column, double value, double sigma);

// aᵀπ = value.
Fold linear_equality(const Layout& layout, const VectorXd& a, double value, double sigma);

}  // namespace steelyard
