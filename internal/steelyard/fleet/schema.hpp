// docs/fleet.schema.json, made from the description of a fleet's summary.
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

std::string fleet_schema();

}  // namespace steelyard
