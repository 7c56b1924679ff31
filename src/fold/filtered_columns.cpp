#include "fold/filtered_columns.hpp"

#include <algorithm>

#include "fold/extra_places.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Samples whose columns are computed at once: with some 200 columns they stay in the second cache.
constexpr Index kColumnTile = 256;

// Share of what a row averages over in which its joint must move.
constexpr double kMovingShare = 0.9;

Index column_count(const Pass& pass, Index joints) {
  const auto efforts = static_cast<Index>(pass.options.effort_channels.size());
  return pass.plan.stored_columns + (efforts + 1) * joints + count_columns(pass.options.extra);
}

// All columns at samples [first, first + count) of the chunk's block, not yet filtered.
void fill(const Pass& pass, const SampleBlock& block, Index first, Index count, double* to, Index stride) {
  const Index joints = block.joints(), stored = pass.plan.stored_columns;
  const auto from = [&](std::string_view name) { return block.row(channel_of(block, name)) + first; };
  const double* qd = from(channel::kVelocity);
  evaluate(pass.plan, {from(channel::kPosition), qd, from(channel::kAcceleration), block.stride(), count}, to,
           stride);
  double* efforts = to + stored * stride;
  double* next = efforts;
  const auto copy = [&](const double* channel) {
    for (Index j = 0; j < joints; ++j, next += stride) std::copy_n(channel + j * block.stride(), count, next);
  };
  for (const std::string& name : pass.options.effort_channels) copy(from(name));
  if (!pass.options.known.empty()) subtract_known(pass, block, first, count, efforts, stride);
  copy(from(deciding_channel(pass.run.preparation())));
  fill_columns(pass.options.extra, block, first, count, next, stride);
}

// Filtered columns of kept samples [first, first + count).
struct Part {
  Index first = 0;
  Index count = 0;
};

// The window around them, filtered; then the kept samples.
void filter_window(const Pass& pass, const PreparedChunk& chunk, Index columns, Part part, Kept& kept) {
  if (part.count == 0) return;
  const LowPass& filter = *pass.run.preparation().column_filter;
  const Range halo = chunk.chunk.halo;
  const auto sample = [&](Index k) { return kept.samples[static_cast<std::size_t>(k)]; };
  const Index begin = std::max(halo.begin, sample(part.first) - filter.halo),
              end = std::min(halo.end, sample(part.first + part.count - 1) + 1 + filter.halo);
  const RunEnds ends{chunk.chunk.ends.begin && begin == halo.begin, chunk.chunk.ends.end && end == halo.end};
  const Index size = end - begin, stride = tile_stride(size);
  const Windows::Lease window(pass.windows, columns * stride);
  fill(pass, chunk.samples, begin - halo.begin, size, window.get(), stride);
  filter_zero_phase(filter, window.get(), size, columns, stride, ends);
  for (Index c = 0; c < columns; ++c)
    for (Index k = part.first; k < part.first + part.count; ++k)
      kept.columns.get()[c * kept.stride + k] = window.get()[c * stride + sample(k) - begin];
}

// Block by block between kept samples; only the sums of the blocks are remembered.
void filter_blocks(const Pass& pass, const PreparedChunk& chunk, Index columns, Part part, Kept& kept) {
  if (part.count == 0) return;
  const DecimatingFilter& filter = *pass.decimating;
  const SampleBlock& block = chunk.samples;
  const Index D = filter.factor,
              first = kept.samples[static_cast<std::size_t>(part.first)] - chunk.chunk.halo.begin;
  const Index before = first / D, begin = first - before * D;  // in the chunk's block
  const Index blocks = (block.size() - begin) / D, at_once = std::max<Index>(1, kColumnTile / D);
  const Index stride = tile_stride(at_once * D), width = filter.sums() * columns;
  const Windows::Lease memory(pass.windows, columns * stride + blocks * width + columns);
  double* tile = memory.get();
  double* sums = tile + columns * stride;
  double* last = sums + blocks * width;
  for (Index b = 0; b < blocks; b += at_once) {
    const Index some = std::min(at_once, blocks - b), count = some * D;
    fill(pass, block, begin + b * D, count, tile, stride);
    block_sums(filter, tile, columns, stride, some, sums + b * width);
    for (Index c = 0; c < columns; ++c) last[c] = tile[c * stride + count - 1];
  }
  filtered_from_sums(filter, sums, last, columns, blocks, before, part.count, kept.columns.get() + part.first,
                     kept.stride);
}

// The kept samples that the ends of the run do not reach.
Part middle(const Pass& pass, const Chunk& chunk, const std::vector<Index>& samples) {
  const Index reach = pass.run.preparation().column_filter->halo;
  const Index begin = chunk.ends.begin ? chunk.halo.begin + reach : chunk.core.begin;
  const Index end = chunk.ends.end ? chunk.halo.end - reach : chunk.core.end;
  const auto first = std::lower_bound(samples.begin(), samples.end(), begin);
  const auto last = std::lower_bound(first, samples.end(), end);
  return {first - samples.begin(), last - first};
}

}  // namespace

Kept kept_samples(const Pass& pass, const Chunk& chunk) {
  Kept kept;
  kept.samples = pass.run.preparation().decimation.kept(chunk.core);
  kept.stride = tile_stride(static_cast<Index>(kept.samples.size()) + 1);
  return kept;
}

int channel_of(const SampleBlock& block, std::string_view name) {
  const int found = block.find(name);
  if (found >= 0) return found;
  throw InputError(unknown("channel of the run", name, block.channels()));
}

void gather(const double* from, Index rows, Index from_stride, Index offset, const Kept& kept, double* to) {
  for (Index j = 0; j < rows; ++j) {
    for (std::size_t k = 0; k < kept.samples.size(); ++k) {
      to[j * kept.stride + static_cast<Index>(k)] = from[j * from_stride + kept.samples[k] - offset];
    }
  }
}

std::string_view deciding_channel(const Preparation& preparation) {
  return preparation.standstill.half > 0 ? channel::kMoving : channel::kVelocity;
}

void make_mask(const Pass& pass, const double* deciding, Kept& kept) {
  const Preparation& preparation = pass.run.preparation();
  const VectorXd& limits = preparation.velocity_below;
  const bool still = preparation.standstill.half > 0;
  const bool slow = !still && limits.size() > 0 && limits.maxCoeff() > 0;
  if (!still && !slow && preparation.bridged.empty()) return;
  kept.mask.assign(static_cast<std::size_t>(limits.size() * kept.stride), 1);
  const auto samples = static_cast<Index>(kept.samples.size());
  if (still || slow)
    reject_slow(deciding, samples, kept.stride,
                still ? VectorXd(VectorXd::Constant(limits.size(), kMovingShare)) : limits, kept.mask.data(),
                kept.stride);
  if (still) {
    kept.rest.assign(kept.mask.size(), 0);
    for (Index j = 0; j < limits.size(); ++j)
      for (Index s = 0; s < samples; ++s) {
        const auto k = static_cast<std::size_t>(j * kept.stride + s);
        kept.rest[k] = kept.mask[k] == 0;
      }
  }
  for (const Range& bridged : preparation.bridged) {
    const auto first = std::lower_bound(kept.samples.begin(), kept.samples.end(), bridged.begin);
    const auto last = std::lower_bound(first, kept.samples.end(), bridged.end);
    for (std::vector<std::uint8_t>* mask : {&kept.mask, &kept.rest})
      for (Index j = 0; !mask->empty() && j < limits.size(); ++j)
        std::fill(mask->begin() + j * kept.stride + (first - kept.samples.begin()),
                  mask->begin() + j * kept.stride + (last - kept.samples.begin()), std::uint8_t{0});
  }
}

void subtract_known(const Pass& pass, const SampleBlock& block, Index first, Index count, double* efforts,
                    Index stride) {
  const MatrixXd known = evaluate_columns(pass.options.known, block, first, count);
  const std::vector<std::vector<Index>> places = columns_of_rows(pass.options.known, pass.plan.rows.size());
  for (std::size_t r = 0; r < places.size(); ++r) {
    for (const Index k : places[r]) {
      double* own = efforts + pass.plan.rows[r].i * stride;
      for (Index s = 0; s < count; ++s) own[s] -= known(s, k);
    }
  }
}

Kept filtered_columns(const Pass& pass, const PreparedChunk& chunk) {
  const Index joints = chunk.samples.joints(), columns = column_count(pass, joints);
  Kept kept = kept_samples(pass, chunk.chunk);
  kept.columns = aligned_buffer(columns * kept.stride);
  const auto all = static_cast<Index>(kept.samples.size());
  const Part inside = pass.decimating ? middle(pass, chunk.chunk, kept.samples) : Part{all, 0};
  const Index behind = inside.first + inside.count;
  filter_window(pass, chunk, columns, {0, inside.first}, kept);
  filter_blocks(pass, chunk, columns, inside, kept);
  filter_window(pass, chunk, columns, {behind, all - behind}, kept);
  const Index velocities =
      pass.plan.stored_columns + static_cast<Index>(pass.options.effort_channels.size()) * joints;
  make_mask(pass, kept.columns.get() + velocities * kept.stride, kept);
  return kept;
}

}  // namespace steelyard
