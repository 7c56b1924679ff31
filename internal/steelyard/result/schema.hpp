// docs/result.schema.json, made from the description of a result.
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

std::string result_schema();

}  // namespace steelyard
