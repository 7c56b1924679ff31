// From numbers to formulas: a coefficient seen at many geometries becomes a short polynomial, or nothing.
#pragma once

#include <optional>
#include <vector>

#include "regressor/base/geometry.hpp"
#include "regressor/base/polynomial.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace base {

inline constexpr int kHeldOut = 8;  // geometries kept for verification: the last ones of every series

// What a coefficient may be made of: monomials of one degree in some lengths times products of sin/cos of at
// most two angles. Values at all geometries are computed once and shared by all coefficients with the same
// symbols.
struct Dictionary {
  std::vector<std::vector<Factor>> atoms;
  MatrixXd values;   // geometries × atoms
  MatrixXd centred;  // those for the search with zero mean and unit norm: squares of lengths all have a mean
                     // in common
};

Dictionary make_dictionary(const std::vector<Symbol>& symbols, int degree, const SymbolSeries& geometries);

// `coefficient` has one value per geometry; the last kHeldOut serve only to verify. A formula is returned
// when it has at most eight terms with small rational numbers and is right everywhere to 1e-10 of the
// coefficient's size.
std::optional<Polynomial> fit_polynomial(const Dictionary& dictionary, const VectorXd& coefficient);

// Are these values of a formula the coefficient, at every geometry, to the same accuracy?
bool is_coefficient(const VectorXd& values, const VectorXd& coefficient);

}  // namespace base
}  // namespace steelyard
