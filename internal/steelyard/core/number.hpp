// Numbers in robot files: finite, independent of the locale; in YAML also constant expressions ("pi/2",
// "3/7").
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct NumberOrReason {
  double value = 0;
  std::string reason{};  // not empty: why the text is not a finite number
  std::string remedy{};  // may be empty
};

NumberOrReason number_from(const std::string& text);        // constant expression
NumberOrReason plain_number_from(const std::string& text);  // decimal number, spaces around it allowed

// Words of a text separated by white space.
std::vector<std::string> words_of(const std::string& text);

}  // namespace steelyard
