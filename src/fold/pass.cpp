#include "steelyard/fold/pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "fold/aligned.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/fold/samples.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr Index kShortestSlot = 64;  // samples; fewer make blocks with hardly a row

// What all chunks of a pass share.
struct Pass {
  const Plan& plan;
  const Preparation& preparation;
  const FoldSet& set;
  std::string effort;
  Index slot_samples = 0;
  Index memory = 0;  // samples of a gap
};

Index memory_of(const Preparation& preparation) {
  Index memory = 0;
  if (preparation.filter) memory = std::max(memory, preparation.filter->memory);
  if (preparation.column_filter) memory = std::max(memory, preparation.column_filter->memory);
  return memory;
}

// Chunks are powers of two, so that slots divide them; a chunk of another size is one slot.
Index slot_samples_of(Index chunk, Index memory) {
  const Index least = std::max(kShortestSlot, 5 * memory);
  Index size = chunk;
  while (size % 2 == 0 && size / 2 >= least) size /= 2;
  return size;
}

// Columns of all rows over a chunk's window: the rows' own columns one after the other, then the efforts;
// filtered when the preparation says so.
struct Columns {
  AlignedBuffer data;
  Index stride = 0;
  const double* column(Index k) const { return data.get() + k * stride; }
};

Columns make_columns(const Pass& pass, const PreparedChunk& chunk) {
  const SampleBlock& block = chunk.samples;
  const Index samples = block.size();
  const Index joints = block.joints();
  Columns result;
  result.stride = tile_stride(samples);
  result.data = aligned_buffer(result.stride * (pass.plan.stored_columns + joints));
  const auto row = [&](std::string_view name) { return block.row(block.find(name)); };
  constexpr Index kStrip = 192;  // samples at a time: the links' state stays in the cache
  for (Index first = 0; first < samples; first += kStrip) {
    const Index count = std::min(kStrip, samples - first);
    evaluate(pass.plan,
             {row(channel::kPosition) + first, row(channel::kVelocity) + first,
              row(channel::kAcceleration) + first, block.stride(), count},
             result.data.get() + first, result.stride);
  }
  for (Index j = 0; j < joints; ++j)
    std::copy_n(block.row(block.find(pass.effort), j), samples,
                result.data.get() + (pass.plan.stored_columns + j) * result.stride);
  if (pass.preparation.column_filter)
    filter_zero_phase(*pass.preparation.column_filter, result.data.get(), samples,
                      pass.plan.stored_columns + joints, result.stride, chunk.chunk.ends);
  return result;
}

// Rows of the kept samples into one fold a row of the plan.
void fold_kept(const Pass& pass, const PreparedChunk& chunk, const Columns& columns,
               const std::vector<Index>& kept, std::vector<Fold>& folds) {
  if (kept.empty()) return;
  const SampleBlock& block = chunk.samples;
  const int velocity = block.find(channel::kVelocity);
  std::vector<std::vector<double>> gathered;
  std::vector<const double*> pointers;
  for (std::size_t r = 0; r < pass.plan.rows.size(); ++r) {
    const Row& row = pass.plan.rows[r];
    const double limit =
        pass.preparation.velocity_below.size() > 0 ? pass.preparation.velocity_below[row.i] : 0;
    std::vector<Index> at;
    for (Index sample : kept) {
      const Index s = sample - chunk.chunk.halo.begin;
      if (!(std::abs(block.row(velocity, row.i)[s]) < limit)) at.push_back(s);
    }
    gathered.assign(row.columns.size() + 1, std::vector<double>(at.size()));
    pointers.clear();
    for (std::size_t k = 0; k <= row.columns.size(); ++k) {
      const bool is_effort = k == row.columns.size();
      const double* column =
          columns.column(is_effort ? pass.plan.stored_columns + row.i : row.offset + static_cast<Index>(k));
      for (std::size_t s = 0; s < at.size(); ++s) gathered[k][s] = column[at[s]];
      pointers.push_back(gathered[k].data());
    }
    folds[r].add(Tile{pointers, static_cast<Index>(at.size())});
  }
}

// Consecutive samples without a filter on columns.
void fold_range(const Pass& pass, const PreparedChunk& chunk, Range range, std::vector<Fold>& folds) {
  const SampleBlock& block = chunk.samples;
  const Index first = range.begin - chunk.chunk.halo.begin, count = range.size();
  const auto row = [&](std::string_view name) { return block.row(block.find(name)) + first; };
  const VectorXd& limits = pass.preparation.velocity_below;
  std::vector<std::uint8_t> mask;
  if (limits.size() > 0 && (limits.array() > 0).any()) {
    mask.resize(static_cast<std::size_t>(count * block.joints()));
    reject_slow(row(channel::kVelocity), count, block.stride(), limits, mask.data(), count);
  }
  std::vector<RowInput> inputs;
  for (const Row& plan_row : pass.plan.rows)
    inputs.push_back({{block.row(block.find(pass.effort), plan_row.i) + first},
                      mask.empty() ? nullptr : mask.data() + plan_row.i * count});
  fold_samples(
      pass.plan,
      {row(channel::kPosition), row(channel::kVelocity), row(channel::kAcceleration), block.stride(), count},
      inputs, folds);
}

std::vector<FoldSlot> fold_chunk(const Pass& pass, const PreparedChunk& chunk) {
  const Decimation& decimation = pass.preparation.decimation;
  const bool direct = !pass.preparation.column_filter && decimation.factor == 1;
  Columns columns;
  if (!direct) columns = make_columns(pass, chunk);

  std::vector<FoldSlot> slots;
  const Range core = chunk.chunk.core;
  for (Index begin = core.begin; begin < core.end; begin += pass.slot_samples) {
    const Index end = std::min(begin + pass.slot_samples, core.end);
    const Index border = std::max(begin, end - pass.memory);
    FoldSlot slot{pass.set.empty_folds(), {}};
    const auto add = [&](Range range, std::vector<Fold>& folds) {
      if (!direct) return fold_kept(pass, chunk, columns, decimation.kept(range), folds);
      range.begin = std::max(range.begin, decimation.trim);
      range.end = std::min(range.end, decimation.samples - decimation.trim);
      if (range.begin < range.end) fold_range(pass, chunk, range, folds);
    };
    add({begin, border}, slot.core);
    if (border < end) {
      slot.gap = pass.set.empty_folds();
      add({border, end}, slot.gap);
    }
    slots.push_back(std::move(slot));
  }
  return slots;
}

void check(const PreparedRun& run, const Plan& plan, const PreparedChunk& chunk, const std::string& effort) {
  if (chunk.samples.find(effort) < 0)
    throw InputError({fmt::format("run '{}' has no channel '{}'", run.label().label, effort),
                      {},
                      "",
                      "name its columns in the study"});
  if (chunk.samples.joints() != plan.joints)
    throw InputError({fmt::format("run '{}' has {} joints, the robot {}", run.label().label,
                                  chunk.samples.joints(), plan.joints),
                      {},
                      "one column per joint",
                      "check the columns of the run"});
}

Index count_rows(const std::vector<FoldSlot>& slots) {
  Index rows = 0;
  for (const FoldSlot& slot : slots) {
    for (const Fold& fold : slot.core) rows += fold.rows();
    for (const Fold& fold : slot.gap) rows += fold.rows();
  }
  return rows;
}

}  // namespace

RunFolds fold_run(PreparedRun& run, const Plan& plan, const std::vector<Layout>& layouts,
                  const PassOptions& options) {
  RunFolds result{FoldSet(layouts), 0, run.plan().samples, 0, 0};
  const Preparation& preparation = run.preparation();
  const Index memory = memory_of(preparation);
  result.slot_samples = slot_samples_of(run.plan().size, memory);
  result.candidates = (result.samples + preparation.decimation.factor - 1) / preparation.decimation.factor *
                      static_cast<Index>(plan.rows.size());
  const Pass pass{plan, preparation, result.folds, options.effort, result.slot_samples, memory};

  // A few chunks are read one after the other, then worked on at once; their slots are appended in order.
  const Index batch = std::max(1, options.threads);
  run.rewind();
  for (bool more = true; more;) {
    std::vector<RawChunk> raw;
    while (static_cast<Index>(raw.size()) < batch) {
      RawChunk chunk;
      more = run.read(chunk);
      if (!more) break;
      raw.push_back(std::move(chunk));
    }
    std::vector<std::vector<FoldSlot>> slots(raw.size());
    parallel_for(static_cast<Index>(raw.size()), options.threads, [&](Index k) {
      const PreparedChunk chunk = run.prepare(std::move(raw[static_cast<std::size_t>(k)]));
      check(run, plan, chunk, options.effort);
      slots[static_cast<std::size_t>(k)] = fold_chunk(pass, chunk);
    });
    for (std::vector<FoldSlot>& of_chunk : slots) {
      result.rows += count_rows(of_chunk);
      for (FoldSlot& slot : of_chunk) result.folds.append(std::move(slot));
    }
    if (options.progress)
      options.progress(static_cast<double>(result.folds.slots() * result.slot_samples) /
                       static_cast<double>(std::max<Index>(1, result.samples)));
  }
  return result;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
