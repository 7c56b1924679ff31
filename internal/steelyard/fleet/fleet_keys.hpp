// Every key of the section `fleet` of a study (core/describe.hpp).
#pragma once

#include "steelyard/core/describe.hpp"
#include "steelyard/fleet/fleet.hpp"

namespace steelyard::inline STEELYARD_ABI {

void describe(Fields& fields, FleetSpec& spec);

}  // namespace steelyard
