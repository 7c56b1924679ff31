// Sums as a person writes them: a sum for each parameter, 1/2 - 1/2 cos(2 q) as a square.
#pragma once

#include <string>
#include <vector>

#include "regressor/symbolic/trigonometric.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace symbolic {

enum class Script { text, latex };

// `sums` are multiplied by the names of `factors`, and added up; an empty name is one.
std::string print(const Frame& frame, const std::vector<std::string>& leads, const std::vector<Sum>& sums,
                  const std::vector<std::string>& factors, Script script);

}  // namespace symbolic
}  // namespace steelyard
