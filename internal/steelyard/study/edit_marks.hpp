// Lines of a study and its robot that `steelyard init` left to edit, still marked.
#pragma once

#include <vector>

#include "steelyard/study/study.hpp"

namespace steelyard::inline STEELYARD_ABI {

std::vector<Finding> edit_mark_findings(const Study& study);

}  // namespace steelyard
