// Checks of numbers and lists in options.
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class Bound { finite, not_negative, positive, positive_or_infinite };

// Throws InputError, with `name` for the quantity, when the value is outside the bound.
void check_number(double value, Bound bound, const std::string& name);

// The list as one number per joint: none gives `fallback`, one is used for all. Throws InputError for other
// lengths and for values outside the bound.
VectorXd per_joint(const VectorXd& list, Index joints, double fallback, Bound bound, const std::string& name);

// Throws InputError unless the matrix has this size and finite entries.
void check_matrix(const MatrixXd& matrix, Index rows, Index columns, const std::string& name);

}  // namespace steelyard
