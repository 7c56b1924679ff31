// The child's side of isolated_file.hpp, and the protocol between the two sides.
//
//   answer   kind (one byte), length (64 bits), then that many bytes; numbers as this machine has them
//   request  number of an array (64 bits); the end of the input ends the child
#pragma once

#include <cstdint>

#include "isolated_file.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class Answer : char {
  contents = 'C',     // byte: last index is fastest; 64 bits: arrays; each: name, type, numeric, rank, sizes
  numbers = 'N',      // doubles
  input_error = 'I',  // what, limit, remedy
  machine_error = 'M',  // what, limit, remedy
};

inline constexpr std::uint64_t kLongestAnswer = std::uint64_t{64} << 20;  // of contents and errors

// Never returns: serves requests until the input ends, then ends the process.
[[noreturn]] void serve_array_file(const OpenArrayFile& open, const std::string& path, int in, int out);

}  // namespace steelyard
