// The kept samples of a chunk: channels or filtered columns of the regressor.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "fold/aligned.hpp"
#include "fold/windows.hpp"
#include "steelyard/fold/fold_set.hpp"
#include "steelyard/fold/pass.hpp"
#include "steelyard/log/decimating_filter.hpp"

namespace steelyard::inline STEELYARD_ABI {

// What all chunks of a pass have in common.
struct Pass {
  const PreparedRun& run;
  const Plan& plan;
  const FoldSet& set;
  const PassOptions& options;
  Index slot = 0;
  Index gap = 0;
  Windows& windows;
  std::optional<DecimatingFilter> decimating;  // of the columns, when fewer samples are kept
  bool rest = false;  // rows at standstill have folds of their own, behind the others

  const WeighRows* weigh() const { return options.weigh ? &options.weigh : nullptr; }
};

// Kept samples of a chunk: decimated channels or columns, and where each belongs.
struct Kept {
  std::vector<Index> samples;  // of the run
  Index stride = 0;            // of what follows, by column
  AlignedBuffer columns;
  std::vector<std::uint8_t> mask;  // [joint][kept sample]; empty: all are rows
  std::vector<std::uint8_t> rest;  // likewise: rows at standstill; empty: none
  AlignedBuffer extra;             // extra columns, when the columns are not filtered
};

// The samples that the pass keeps of the chunk, and nothing else yet.
Kept kept_samples(const Pass& pass, const Chunk& chunk);

// The channel that decides which rows are kept: "moving" where joints at standstill are recognised, otherwise velocities.
std::string_view deciding_channel(const Preparation& preparation);

// 1 where the joint of a row moves, or is fast enough; `deciding`: the deciding channel at the kept samples, filtered as the
// columns are.
void make_mask(const Pass& pass, const double* deciding, Kept& kept);

// Rows of a channel for the joints, samples [0, size) of which the first is `offset`.
void gather(const double* from, Index rows, Index from_stride, Index offset, const Kept& kept, double* to);

// Throws InputError with the available channels.
int channel_of(const SampleBlock& block, std::string_view name);

// Subtracts the known efforts from those of the block, which are at efforts[joint · stride + sample].
void subtract_known(const Pass& pass, const SampleBlock& block, Index first, Index count, double* efforts,
                    Index stride);

// Columns of the plan, efforts, velocities and extra columns, each filtered, at the kept samples of the core.
Kept filtered_columns(const Pass& pass, const PreparedChunk& chunk);

}  // namespace steelyard
