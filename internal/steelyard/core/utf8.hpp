// Text that users typed may be any bytes; JSON and HTML are UTF-8.
#pragma once

#include <string>
#include <string_view>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Length in bytes of the well-formed UTF-8 character at the beginning of `text`, 0 when there is none:
// overlong forms, surrogates and numbers above U+10FFFF are not well-formed.
std::size_t utf8_length(std::string_view text);

// `text` with every byte that is not part of a well-formed character replaced by U+FFFD.
std::string to_utf8(std::string_view text);

}  // namespace steelyard
