// Seeded random expressions, written so that muParser and our grammar read them alike.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/random.hpp"

namespace steelyard::testing {

struct RandomExpressionOptions {
  int depth = 5;
  bool smooth = false;  // only functions with a derivative everywhere inside their domain
};

// Variables x, y, z1. Comparisons, choices and operands of prefixes are bracketed where the two grammars
// differ; sums, products and powers get brackets only where needed, and at random.
std::string random_expression(Random& random, const RandomExpressionOptions& options = {});

inline const std::vector<std::string> kRandomVariables{"x", "y", "z1"};

}  // namespace steelyard::testing
