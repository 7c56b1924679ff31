// docs/excite.schema.json and docs/next.schema.json, made from the descriptions of motions.
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

std::string excite_schema();
std::string next_schema();

}  // namespace steelyard
