// Fold files: the folds of runs on disk, for estimates without the log.
//
//   "STEELYARD FOLD\n"  14 + 1 bytes
//   header              u32 version, u64 length of the text, text: JSON with layouts, slots and the runs
//   triangles           doubles, little endian: of every run, block, core then gap, row: the upper part
//   SHA-256             32 bytes over everything before
//
// A file is read whole and accepted only when its checksum is right. Versions 2 to 4 are read, too: they lack
// the log's hash, 2 and 3 the motion, and 2 the findings of the examination. Others are refused. Folds give back least
// squares and what follows from it; other cut-offs, delays, curves and raw residuals need the log.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/fold/fold_set.hpp"
#include "steelyard/log/options.hpp"
#include "steelyard/log/run.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr std::uint32_t kFoldFileVersion = 5;

// The same rows with instrument columns behind the others ("iv:m4"), for instrumental variables.
struct FoldedInstruments {
  double cutoff = 0;              // [Hz] of the reference motion
  bool simulated = false;         // the instruments are of a simulated motion, not of the reference itself
  std::vector<FoldBlock> blocks;  // empty: none
};

struct FoldedRun {
  std::string label;
  std::string log = {};  // identity_of_log() of what was folded; empty: in files before version 5
  Index samples = 0;     // of its grid
  double step = 0;       // [s] of the grid
  // As they were used; a cut-off of zero: none.
  FilterOptions filter, column_filter;
  Index decimation = 1;
  double kept_share = 0;         // of the rows: not rejected
  std::optional<double> period;  // of the motion [samples], 0: it has none; absent: not determined
  // What is behind the layouts' hash of the preparation: the options as text, and the expressions of extra
  // columns, known efforts and friction ("joint2:spring=q2^2;"); absent: not written before.
  std::string prepare;
  std::optional<std::string> columns = {};
  Index slot_samples = 0;
  Index gap = 0;
  Index slots = 0;
  Index slots_per_block = 1;
  std::vector<FoldBlock> blocks;
  FoldedInstruments instruments = {};
  // What the examination of the log found (docs/doctor.md), without the run's name in the evidence; absent:
  // not examined.
  std::optional<std::vector<Finding>> findings = {};
  std::optional<FoldedMotion> motion = {};  // absent: in files before version 4
};

// The log was examined, before it was folded.
bool is_examined(const FoldedRun& run);

// Also in findings about the run as a whole, and in the names of its own columns ("fo2@monday").
void relabel(FoldedRun& run, const std::string& label);

// Appears complete or not at all. Throws MachineError.
void write_fold_file(std::span<const FoldedRun> runs, const std::string& path);

// Throws InputError for files that are missing, foreign, truncated, damaged or of another version.
std::vector<FoldedRun> read_fold_file(const std::string& path);

// Why runs cannot be estimated together: "row 2: column 3 is 'mx4' here and 'my4' there". Columns of
// one run only (offsets "fo2@monday") may differ.
std::optional<std::string> first_difference(const FoldedRun& here, const FoldedRun& there);

// Which expressions differ, where the hashes of the preparation do and the options do not.
std::string expression_difference(const std::optional<std::string>& here,
                                  const std::optional<std::string>& there);

// Joins neighbouring blocks until there are at most so many, as a longer run would have. Throws InputError
// for fewer than one.
void join_blocks(FoldedRun& run, Index max_blocks);

}  // namespace steelyard
