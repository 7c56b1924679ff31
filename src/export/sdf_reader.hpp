// An SDF model that we wrote, read back as a robot of its own.
#pragma once

#include <string>

#include "steelyard/export/model.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Largest difference of efforts (bodies, damping, dry friction) over export_states, over the largest effort.
double sdf_error(const std::string& text, const ExportModel& model);

}  // namespace steelyard
