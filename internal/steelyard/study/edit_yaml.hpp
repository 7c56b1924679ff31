// A value of a YAML text set by its path, every other byte and comment as it was.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Path of keys, and of numbers of a list's items from 0; what is not there is added. `value` is YAML on one line. `name`
// stands for the file in messages. Throws InputError for texts that are no YAML, for paths through values that are neither
// maps nor lists, and for values in a form that cannot be replaced (block text).
std::string set_yaml(const std::string& text, const std::string& name, const std::vector<std::string>& path,
                     const std::string& value);

}  // namespace steelyard
