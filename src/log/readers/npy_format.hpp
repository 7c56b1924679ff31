// NumPy's .npy: "\x93NUMPY", version (two bytes), length of the header (16 bits, from version 2 on 32),
// header, data.
//
// The header is a Python dictionary: {'descr': '<f8', 'fortran_order': False, 'shape': (3441, 6), }. Read are
// numbers of one type, in either byte order; tables with named fields, objects and texts are listed only.
#pragma once

#include <cstdint>
#include <string>

#include "array_file.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct NpyHeader {
  ArrayInfo info;  // name empty
  bool fortran_order = false;
  char kind = 0;  // f, i, u; 0: not a number that can be read
  int size = 0;   // [bytes] of an element
  bool big_endian = false;
  std::uint64_t data_at = 0;
};

inline constexpr std::size_t kLongestNpyHeader = 1 << 16;

// From the first bytes of a member: all of it, or at least kLongestNpyHeader of them. Throws InputError;
// `name` is the member's, for messages.
NpyHeader parse_npy_header(const std::string& bytes, const std::string& path, const std::string& name);

// Elements as they lie in memory; `bytes` are info.count() · size of them.
void convert_npy(const NpyHeader& header, const char* bytes, double* values);

std::string make_npy_header(const std::string& descr, bool fortran_order, const std::string& shape);

}  // namespace steelyard
