// Formats that describe bodies accept only physically possible ones.
#pragma once

#include <string>

#include "steelyard/robot/inertia.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Throws InputError naming the link and the law.
void require_body(const Inertia& inertia, const std::string& link);

}  // namespace steelyard
