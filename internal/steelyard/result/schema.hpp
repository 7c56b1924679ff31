// docs/result.schema.json, made from the description of a result.
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

std::string result_schema();

}  // namespace STEELYARD_ABI
}  // namespace steelyard
