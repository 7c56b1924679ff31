// JSON texts: of what is described as a result is, and inside a result (the study's options).
#pragma once

#include <string>

#include "steelyard/core/describe.hpp"
#include "steelyard/core/json_writer.hpp"

namespace steelyard::inline STEELYARD_ABI {

// What is not known is absent, or null where its key is nullable.
std::string json_text(const Fields::Part& part, JsonStyle style = JsonStyle::readable);

// Writes the value that `text` holds in the writer's own style. Throws InternalError when it is no JSON
// object.
void write_options(JsonWriter& json, const std::string& text);

}  // namespace steelyard
