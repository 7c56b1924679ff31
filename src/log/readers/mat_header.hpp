// Is this a complete MATLAB file? Checked before matio, which guesses and trusts what it reads.
//
//   bytes 0-115    text
//   bytes 124-127  version (0x0100: 5 to 7, 0x0200: 7.3) and byte order ("MI" in the writer's order)
//   version 5-7    elements from byte 128: type and length, four bytes each, then the data
//   version 7.3    HDF5 from byte 512
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Throws InputError for files of other formats, of version 4, and for truncated files.
void check_mat_layout(const std::string& path);

}  // namespace steelyard
