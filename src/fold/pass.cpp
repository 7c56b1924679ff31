#include "steelyard/fold/pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "fold/aligned.hpp"
#include "fold/chunk_work.hpp"
#include "fold/extra_places.hpp"
#include "fold/filtered_columns.hpp"
#include "fold/tiles.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/fold/samples.hpp"
#include "steelyard/fold/slots.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Filtering at kept samples only pays when there are others between them.
constexpr Index kFewestBetween = 4;

void check(const Plan& plan, const std::vector<Layout>& layouts, const PassOptions& options) {
  require(layouts.size() == plan.rows.size(), "one layout per row");
  const std::vector<std::vector<Index>> extra = columns_of_rows(options.extra, layouts.size());
  for (std::size_t r = 0; r < layouts.size(); ++r)
    require(layouts[r].columns.size() == plan.rows[r].columns.size() + extra[r].size(),
            "layouts with the extra columns");
  for (std::size_t r = 0; r < layouts.size(); ++r) {
    if (plan.rows[r].kind == RowKind::inertia) {
      throw InputError({fmt::format("row {} is not in a run's channels", quoted(layouts[r].row)),
                        {},
                        "torque and gravity rows",
                        "fold inertia rows with fold_samples"});
    }
    if (layouts[r].efforts.size() == options.effort_channels.size()) continue;
    throw InputError({fmt::format("row {} has {} effort columns for {} channels", quoted(layouts[r].row),
                                  layouts[r].efforts.size(), options.effort_channels.size()),
                      {},
                      "one channel per effort column",
                      ""});
  }
}

using Mask = std::vector<std::uint8_t>;

const std::uint8_t* mask_of(const Kept& kept, const Mask& mask, const Row& row) {
  return mask.empty() || row.kind != RowKind::torque ? nullptr : mask.data() + row.i * kept.stride;
}

// Some joint is at standstill in kept samples [first, first + count), and its rows are wanted.
bool has_rest(const Pass& pass, const Kept& kept, Index first, Index count) {
  if (!pass.rest) return false;
  for (Index j = 0; j * kept.stride < static_cast<Index>(kept.rest.size()); ++j) {
    const auto begin = kept.rest.begin() + j * kept.stride + first;
    if (std::find(begin, begin + count, std::uint8_t{1}) != begin + count) return true;
  }
  return false;
}

// Calls fn for the folds of moving joints, and for those at standstill, which stand behind them.
template <typename Fn>
void by_motion(const Pass& pass, const Kept& kept, Index first, Index count, std::vector<Fold>& folds,
               const Fn& fn) {
  const auto rows = static_cast<std::ptrdiff_t>(pass.plan.rows.size());
  const auto part = [&](std::ptrdiff_t begin, const Mask& mask) {
    std::vector<Fold> own(std::make_move_iterator(folds.begin() + begin),
                          std::make_move_iterator(folds.begin() + begin + rows));
    fn(own, mask);
    std::move(own.begin(), own.end(), folds.begin() + begin);
  };
  part(0, kept.mask);
  if (has_rest(pass, kept, first, count)) part(rows, kept.rest);
}

// Extra columns and efforts without the known ones, for the core's kept samples.
void gather_extra(const Pass& pass, const PreparedChunk& chunk, Kept& kept, double* efforts) {
  const Range core = chunk.chunk.core;
  const Index first = core.begin - chunk.chunk.halo.begin, count = core.size();
  if (!pass.options.known.empty()) {
    const Index joints = chunk.samples.joints();
    MatrixXd less = MatrixXd::Zero(count, joints);
    subtract_known(pass, chunk.samples, first, count, less.data(), count);
    for (Index j = 0; j < joints; ++j) {
      for (std::size_t k = 0; k < kept.samples.size(); ++k)
        efforts[j * kept.stride + static_cast<Index>(k)] += less(kept.samples[k] - core.begin, j);
    }
  }
  const Index columns = count_columns(pass.options.extra);
  if (columns == 0) return;
  const AlignedBuffer all = aligned_buffer(columns * count);
  fill_columns(pass.options.extra, chunk.samples, first, count, all.get(), count);
  kept.extra = aligned_buffer(columns * kept.stride);
  gather(all.get(), columns, count, core.begin, kept, kept.extra.get());
}

// Calls fn(fold set of the slot, first kept sample, count) for the core and the gap of every slot of the
// chunk.
template <typename Fn>
std::vector<FoldSlot> by_slot(const Pass& pass, Range core, const std::vector<Index>& samples, const Fn& fn) {
  std::vector<FoldSlot> slots;
  const auto index = [&](Index sample) {
    return static_cast<Index>(std::lower_bound(samples.begin(), samples.end(), sample) - samples.begin());
  };
  for (Index begin = core.begin; begin < core.end; begin += pass.slot) {
    const Index end = std::min(core.end, begin + pass.slot),
                border = std::max(begin, begin + pass.slot - pass.gap);
    FoldSlot& slot = slots.emplace_back();
    slot.core = pass.set.empty_folds();
    const Index a = index(begin), b = index(std::min(end, border)), c = index(end);
    fn(slot.core, a, b - a);
    if (pass.gap == 0) continue;
    slot.gap = pass.set.empty_folds();
    fn(slot.gap, b, c - b);
  }
  return slots;
}

// q, q̇, q̈ and efforts of the kept samples, then the regressor.
std::vector<FoldSlot> fold_plain(const Pass& pass, const PreparedChunk& chunk) {
  const SampleBlock& block = chunk.samples;
  const Index joints = block.joints(), offset = chunk.chunk.halo.begin;
  Kept kept = kept_samples(pass, chunk.chunk);
  std::vector<int> channels = {channel_of(block, channel::kPosition), channel_of(block, channel::kVelocity),
                               channel_of(block, channel::kAcceleration)};
  for (const std::string& name : pass.options.effort_channels) channels.push_back(channel_of(block, name));
  const std::size_t channels_end = channels.size();
  channels.push_back(channel_of(block, deciding_channel(pass.run.preparation())));
  kept.columns = aligned_buffer(static_cast<Index>(channels.size()) * joints * kept.stride);
  std::vector<double*> rows;
  for (const int c : channels) {
    rows.push_back(kept.columns.get() + static_cast<Index>(rows.size()) * joints * kept.stride);
    gather(block.row(c), joints, block.stride(), offset, kept, rows.back());
  }
  make_mask(pass, rows.back(), kept);
  gather_extra(pass, chunk, kept, rows[3]);
  const std::vector<std::vector<Index>> extra = columns_of_rows(pass.options.extra, pass.plan.rows.size());
  return by_slot(
      pass, chunk.chunk.core, kept.samples, [&](std::vector<Fold>& folds, Index first, Index count) {
        by_motion(pass, kept, first, count, folds, [&](std::vector<Fold>& own, const Mask& mask) {
          std::vector<RowInput> inputs;
          for (const Row& row : pass.plan.rows) {
            RowInput& input = inputs.emplace_back();
            input.weigh = pass.weigh();
            for (const Index k : extra[inputs.size() - 1])
              input.extra.push_back(kept.extra.get() + k * kept.stride + first);
            for (std::size_t e = 3; e < channels_end; ++e)
              input.efforts.push_back(rows[e] + row.i * kept.stride + first);
            const std::uint8_t* of_row = mask_of(kept, mask, row);
            input.mask = of_row ? of_row + first : nullptr;
          }
          fold_samples(pass.plan, {rows[0] + first, rows[1] + first, rows[2] + first, kept.stride, count},
                       inputs, own);
        });
      });
}

std::vector<FoldSlot> fold_filtered(const Pass& pass, const PreparedChunk& chunk) {
  const Kept kept = filtered_columns(pass, chunk);
  const Index joints = chunk.samples.joints();
  const auto efforts = static_cast<Index>(pass.options.effort_channels.size());
  const std::vector<std::vector<Index>> extra = columns_of_rows(pass.options.extra, pass.plan.rows.size());
  std::vector<std::vector<const double*>> columns;
  for (const Row& row : pass.plan.rows) {
    std::vector<const double*>& own = columns.emplace_back();
    const auto at = [&](Index column) { return kept.columns.get() + column * kept.stride; };
    for (std::size_t k = 0; k < row.columns.size(); ++k)
      own.push_back(at(row.offset + static_cast<Index>(k)));
    for (const Index k : extra[columns.size() - 1])
      own.push_back(at(pass.plan.stored_columns + (efforts + 1) * joints + k));
    for (Index e = 0; e < efforts; ++e) own.push_back(at(pass.plan.stored_columns + e * joints + row.i));
  }
  return by_slot(pass, chunk.chunk.core, kept.samples,
                 [&](std::vector<Fold>& folds, Index first, Index count) {
                   by_motion(pass, kept, first, count, folds, [&](std::vector<Fold>& own, const Mask& mask) {
                     for (std::size_t r = 0; r < own.size(); ++r)
                       fold_columns(columns[r], first, count, mask_of(kept, mask, pass.plan.rows[r]), own[r],
                                    pass.weigh(), static_cast<Index>(r));
                   });
                 });
}

void count_rows(const Preparation& preparation, FoldPass& out) {
  Index kept = 0;
  for (const Fold& fold : out.folds.total()) {
    out.kept.push_back(fold.rows());
    kept += fold.rows();
  }
  const Index possible = preparation.decimation.count() * static_cast<Index>(out.kept.size());
  out.kept_share = possible > 0 ? static_cast<double>(kept) / static_cast<double>(possible) : 0;
}

// Folds of moving joints and of those at standstill, which were folded side by side, as two sets.
void part_rest(std::size_t rows, FoldPass& out) {
  std::vector<FoldBlock> moving = out.folds.blocks(), rest = moving;
  if (moving.empty()) return;
  const auto behind = static_cast<std::ptrdiff_t>(rows);
  for (std::size_t b = 0; b < moving.size(); ++b) {
    for (std::vector<Fold>* folds : {&moving[b].core, &moving[b].gap})
      if (!folds->empty()) folds->erase(folds->begin() + behind, folds->end());
    for (std::vector<Fold>* folds : {&rest[b].core, &rest[b].gap})
      if (!folds->empty()) folds->erase(folds->begin(), folds->begin() + behind);
  }
  const Index slots = out.folds.slots(), per_block = out.folds.slots_per_block();
  out.folds = FoldSet(std::move(moving), slots, per_block);
  out.rest = FoldSet(std::move(rest), slots, per_block);
}

}  // namespace

void PassOptions::validate() const {
  const auto refuse = [](const char* name, Index value, const char* limit) {
    throw InputError({fmt::format("option {} of a pass is {}", name, value), {}, limit, ""});
  };
  if (effort_channels.empty()) refuse("effort_channels", 0, "at least one channel");
  if (!known.empty() && effort_channels.size() > 1)
    refuse("known", static_cast<Index>(known.size()), "none, or one effort channel");
  if (threads < 1) refuse("threads", threads, "at least 1");
  if (slot_samples != kAutomatic && slot_samples < 1) refuse("slot_samples", slot_samples, "at least 1");
  if (gap != kAutomatic && gap < 0) refuse("gap", gap, "zero or positive");
}

Index slot_samples(const PreparedRun& run, const PassOptions& options) {
  const Index chunk = run.plan().size;
  if (options.slot_samples != kAutomatic) {
    if (chunk % options.slot_samples == 0) return options.slot_samples;
    throw InputError({fmt::format("slots of {} samples in chunks of {}", options.slot_samples, chunk),
                      {},
                      "a divisor of the chunk size",
                      ""});
  }
  return default_slot(run);
}

FoldPass fold_run(PreparedRun& run, const Plan& plan, const std::vector<Layout>& layouts,
                  const PassOptions& options) {
  options.validate();
  check(plan, layouts, options);
  const bool rest = options.rest && run.preparation().standstill.half > 0;
  std::vector<Layout> all = layouts;
  if (rest) all.insert(all.end(), layouts.begin(), layouts.end());
  FoldPass out{
      FoldSet(std::move(all)), slot_samples(run, options), options.gap, run.plan().samples, {}, 0, {}};
  if (out.gap == kAutomatic) out.gap = filter_memory(run.preparation());
  out.gap = std::min(out.gap, out.slot_samples);
  Windows windows;
  const bool filtered = run.preparation().column_filter.has_value();
  const Index factor = run.preparation().decimation.factor;
  std::optional<DecimatingFilter> decimating;
  if (filtered && factor >= kFewestBetween)
    decimating = decimating_filter(*run.preparation().column_filter, factor);
  const Pass pass{run, plan, out.folds, options, out.slot_samples, out.gap, windows, std::move(decimating),
                  rest};
  const auto fold = [&](RawChunk raw) {
    PreparedChunk chunk = run.prepare(std::move(raw));
    if (options.watch) options.watch(chunk);
    std::vector<FoldSlot> slots = filtered ? fold_filtered(pass, chunk) : fold_plain(pass, chunk);
    run.give_back(std::move(chunk));
    return slots;
  };
  fold_chunks(run, options, fold, out.folds);
  if (rest) part_rest(layouts.size(), out);
  count_rows(run.preparation(), out);
  return out;
}

}  // namespace steelyard
