// Findings that others bring about.
#pragma once

#include "steelyard/doctor/doctor.hpp"

namespace steelyard::inline STEELYARD_ABI {

// One cause hides what it brings about: a position that is wrong makes the velocity look wrong, and efforts that are held are late.
void drop_consequences(Examination& examination);

}  // namespace steelyard
