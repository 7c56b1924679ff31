// Fold files: the folds of a run on disk, for estimates without the log.
//
//   "STEELYARD FOLD\n"  14 + 1 bytes
//   header              u32 version, u64 length of the text, text: JSON with layouts, slots and what the run
//   was triangles           doubles, little endian: of every block, core then gap, of every row, depth × size
//   upper part SHA-256             32 bytes over everything before
//
// A file is read whole and believed only when its checksum is right; versions other than ours are refused.
// Folds give back least squares and what follows from it; other cut-offs, delays, curves and raw residuals
// need the log.
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/pass.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

inline constexpr std::uint32_t kFoldFileVersion = 1;

struct FoldFile {
  std::string label;  // of the run
  Index samples = 0;  // of its grid
  double step = 0;    // [s] of the grid
  Index slot_samples = 0;
  Index slots = 0;
  std::vector<FoldBlock> blocks;
};

FoldFile to_fold_file(const FoldPass& pass, const std::string& label, double step);

// Appears complete or not at all. Throws MachineError.
void write_fold_file(const FoldFile& file, const std::string& path);

// Throws InputError for files that are missing, foreign, truncated, damaged or of another version.
FoldFile read_fold_file(const std::string& path);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
