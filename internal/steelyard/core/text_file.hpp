// Whole text files: robots, studies, results. Logs are streamed instead (log/).
#pragma once

#include <string>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

// The file's bytes, at most 16 MiB. `kind` names it in messages ("robot file"). Throws InputError when it is
// missing, no ordinary file or too large, MachineError when it cannot be read.
std::string read_text_file(const std::string& path, const std::string& kind);

}  // namespace steelyard
