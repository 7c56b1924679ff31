// Base parameters as a person writes them: "J2xx - J2yy + a2^2 (m2 + m3)".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "regressor/base/polynomial.hpp"
#include "regressor/base/stack.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace base {

struct PrintTerm {
  Column column;
  double coefficient = 0;
  std::optional<Polynomial> polynomial;  // none: the number is printed
};

enum class Style { text, latex };

// Terms with the same coefficient share a bracket. Inertias first, then masses, first moments, drives.
std::string print_sum(std::vector<PrintTerm> terms, Style style);

// "J3xx", "c4y m4", "m5", "fv1"; in LaTeX "J_{3xx}", "c_{4y} m_{4}".
std::string print_parameter(const std::string& machine_name, Style style);

}  // namespace base
}  // namespace steelyard
