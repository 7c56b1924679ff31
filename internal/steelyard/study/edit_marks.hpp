// Lines of a study and its robot that `steelyard init` left to be edited, and that still have its mark.
#pragma once

#include <vector>

#include "steelyard/study/study.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

std::vector<Finding> find_edit_marks(const Study& study);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
