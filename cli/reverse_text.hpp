// Results of a study of g(q) and M(q) as text.
#pragma once

#include <string>

#include "steelyard/result/result.hpp"

namespace cli {

// Fits, errors by component, payload, tilt; findings and verdict are those of every study.
std::string reverse_text(const steelyard::Result& result);

}  // namespace cli
