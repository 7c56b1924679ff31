// JSON texts inside a result (the study's options) and parsing: the one place that knows the JSON library.
#pragma once

#include <string>

#include "steelyard/core/json_writer.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Writes the value that `text` holds in the writer's own style. Throws InternalError when it is no JSON
// object.
void write_options(JsonWriter& json, const std::string& text);

}  // namespace steelyard
