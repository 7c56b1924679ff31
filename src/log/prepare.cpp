#include "steelyard/log/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "steelyard/core/error.hpp"
#include "steelyard/log/differences.hpp"
#include "steelyard/log/shift.hpp"
#include "steelyard/log/stamps.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kSmallChunk = 16384;

void check_filter(const FilterOptions& filter) {
  if (filter.cutoff == 0) return;
  if (!(filter.cutoff > 0) || !std::isfinite(filter.cutoff) || filter.order < 1 || filter.order > 10) {
    throw InputError({fmt::format("a filter has order {} and cut-off {} Hz", filter.order, filter.cutoff),
                      {},
                      "order 1 to 10 and a positive cut-off",
                      "order 4 is a good choice; a cut-off of 0 is no filter"});
  }
}

void check_at_least(Index value, Index minimum, const char* what) {
  if (value == kAutomatic || value >= minimum) return;
  throw InputError({fmt::format("the {} is {}", what, value),
                    {},
                    fmt::format("at least {}, or automatic", minimum),
                    "omit it to choose it automatically"});
}

// Halos are computed by both neighbours: at least four times as much between them, eight times when that is
// still little memory.
Index automatic_chunk(Index halo) {
  const Index wanted = std::max<Index>(4096, 4 * halo);
  const auto size = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(wanted)));
  return halo > 0 && size <= kSmallChunk ? 2 * size : size;
}

VectorXd per_joint(const VectorXd& given, Index joints) {
  if (given.size() == 0) return VectorXd::Zero(joints);
  if (given.size() == 1) return VectorXd::Constant(joints, given(0));
  if (given.size() == joints) return given;
  throw InputError({fmt::format("{} velocity limits are given, the run has {} joints", given.size(), joints),
                    {},
                    fmt::format("one for all joints, or {}", joints),
                    {}});
}

// Where the longest step is; reads the source.
std::string longest_gap(SampleSource& source, const TimeScan& time) {
  SampleBlock block;
  source.rewind();
  Index samples = 0;
  double before = time.first;
  for (source.read(4096, block); block.size() > 0; source.read(4096, block))
    for (Index s = 0; s < block.size(); ++s, ++samples) {
      if (samples > 0 && block.time()[s] - before >= time.longest_step)
        return fmt::format("after sample {}, at {:.6g} s", samples, before);
      before = block.time()[s];
    }
  return "somewhere";
}

// A preparation that the stamps do not allow: reports the log and the likely reason.
[[noreturn]] void refuse_stamps(SampleSource& source, const TimeScan& time, Complaint complaint) {
  constexpr double kSlow = 0.5;   // [s] between samples: hardly a motion
  constexpr double kPause = 100;  // times the usual step
  if (complaint.place.file.empty()) complaint.place.file = source.name();
  if (time.longest_step > kPause * time.median_step) {
    complaint.what += fmt::format("; there is a gap of {:.4g} s {}, the usual step is {:.4g} s",
                                  time.longest_step, longest_gap(source, time), time.median_step);
    complaint.remedy = "cut it there with `windows`";
  } else if (time.median_step > kSlow) {
    complaint.what += fmt::format("; its stamps are {:.4g} s apart", time.median_step);
    complaint.remedy = time_unit_remedy(time.median_step);
  }
  throw InputError(complaint);
}

}  // namespace

void PrepareOptions::validate() const {
  if (!(rate >= 0) || !std::isfinite(rate)) {
    throw InputError({fmt::format("the sampling rate is {} Hz", rate),
                      {},
                      "a positive number, or 0: automatic",
                      "omit it to use the rate of the log"});
  }
  check_filter(filter);
  check_filter(column_filter);
  if (difference_order != 2 && difference_order != 4 && difference_order != 6) {
    throw InputError({fmt::format("the order of the differences is {}", difference_order),
                      {},
                      "2, 4 or 6",
                      "4 is a good choice"});
  }
  check_at_least(decimation, 1, "decimation");
  check_at_least(trim, 0, "number of trimmed samples");
  check_at_least(chunk_size, 1, "chunk size");
  for (const double limit : velocity_below) {
    if (limit >= 0 && std::isfinite(limit)) continue;
    throw InputError(
        {fmt::format("a velocity limit is {}", limit), {}, "zero or positive", "0 rejects nothing"});
  }
}

PreparedRun::PreparedRun(std::unique_ptr<SampleSource> source, RunLabel label, const PrepareOptions& options)
    : label_(std::move(label)),
      filtered_(options.filtered),
      differentiated_(options.differentiated),
      difference_order_(options.difference_order),
      measured_velocity_(options.measured_velocity) {
  options.validate();
  const SampleBlock names(source->channels(), source->joints());
  if (names.find(channel::kPosition) < 0) {
    throw InputError({"the run has no positions",
                      {source->name(), 0, 0, {}},
                      {},
                      "give the columns of 'position', or of 'motor_position' and a transmission"});
  }
  for (const std::string& name : options.differentiated)
    if (names.find(name) < 0)
      throw InputError({fmt::format("the run has no channel '{}'", name),
                        {source->name(), 0, 0, {}},
                        {},
                        fmt::format("give its columns: `columns: {{{}: ...}}`", name)});
  preparation_.velocity_is_measured = measured_velocity_ && names.find(channel::kVelocity) >= 0;
  preparation_.acceleration_is_measured = names.find(channel::kAcceleration) >= 0;
  preparation_.velocity_below = per_joint(options.velocity_below, names.joints());
  require(options.standstill.size() == 0 || options.standstill.size() == names.joints(),
          "shares of standstill are given joint by joint");
  shifts_ = shifts_of_run(options.shifts, names, source->name());
  const bool presumed = presume(*source, options);
  if (presumed) {
    auto checked = std::make_unique<CheckedStamps>(std::move(source), preparation_.time);
    presumed_ = checked.get();
    source = std::move(checked);
  } else {
    preparation_.time = scan_time(*source, options.threads);
    plan_run(*source, options);
  }
  source_ = on_grid(std::move(source), preparation_.time, preparation_.grid);
  preparation_.standstill = standstill_of(*source_, preparation_.grid.step, options.standstill);
  shared_ = SampleBlock(source_->channels(), source_->joints());
  rewind();
  passes_ = presumed ? 0 : 1;
}

// What presumed stamps do not allow is left to a full scan, which has more information.
bool PreparedRun::presume(SampleSource& source, const PrepareOptions& options) {
  const auto* stamps = options.presume_uniform ? dynamic_cast<StampSource*>(&source) : nullptr;
  const std::optional<TimeScan> presumed = stamps ? stamps->presume_stamps() : std::nullopt;
  if (!presumed) return false;
  preparation_.time = *presumed;
  try {
    plan_run(source, options);
  } catch (const InputError&) {
    return false;
  }
  return preparation_.grid.interpolation == Interpolation::none;
}

void PreparedRun::confirm_stamps() {
  source_->read(1, piece_);  // nothing, or the check throws
  preparation_.time = presumed_->result();
  presumed_->is_known();
  presumed_ = nullptr;
}

void PreparedRun::plan_run(SampleSource& source, const PrepareOptions& options) {
  const auto plan = [&](const auto& step) {
    try {
      step();
    } catch (const InputError& error) {
      refuse_stamps(source, preparation_.time, error.complaint());
    }
  };
  plan([&] { preparation_.grid = uniform_grid(preparation_.time, options.rate, options.interpolation); });
  if (preparation_.grid.samples <= options.difference_order) {
    throw InputError({fmt::format("the run has {} samples", preparation_.grid.samples),
                      {source.name(), 0, 0, {}},
                      fmt::format("at least {}", options.difference_order + 1),
                      "use a longer run"});
  }
  plan([&] { plan_filters(options); });
  plan_rows(source.name(), options);
}

void PreparedRun::plan_filters(const PrepareOptions& options) {
  const double rate = 1 / preparation_.grid.step;
  if (options.filter.cutoff >= rate / 2 && options.filter.cutoff == 2 * options.column_filter.cutoff)
    throw InputError({fmt::format("the cut-off is {} Hz at a sampling rate of {:.6g} Hz",
                                  options.column_filter.cutoff, rate),
                      {},
                      fmt::format("below a quarter of the rate, {:.4g} Hz: positions are filtered an octave "
                                  "above the columns",
                                  rate / 4),
                      "choose a lower cut-off, or give `position_cutoff`"});
  if (options.filter.cutoff > 0) {
    preparation_.filter = design_low_pass(options.filter.order, options.filter.cutoff, rate);
  }
  if (options.column_filter.cutoff > 0) {
    // Decimation that was requested must not alias: the columns are filtered as low as it needs.
    double cutoff = options.column_filter.cutoff;
    if (options.decimation > 1)
      cutoff = std::min(cutoff, kCutoffOfDecimated * rate / static_cast<double>(options.decimation));
    preparation_.column_filter = design_low_pass(options.column_filter.order, cutoff, rate);
  }
  const Index halo = preparation_.column_filter ? preparation_.column_filter->halo : 0;
  // A full stencil also where the run ends just behind the window.
  preparation_.reach = (preparation_.filter ? preparation_.filter->halo : 0) + options.difference_order;
  if (is_tested(options.standstill))
    preparation_.reach = std::max(preparation_.reach, 3 * half_standstill_window(preparation_.grid.step));
  preparation_.reach += longest_reach(shifts_, preparation_.grid.step);
  const Index size = options.chunk_size == kAutomatic ? automatic_chunk(std::max(halo, preparation_.reach))
                                                      : options.chunk_size;
  plan_ = plan_chunks(preparation_.grid.samples, size, halo);
}

// Ranges follow each other: gaps do, and all are as much longer.
bool is_bridged(const Preparation& preparation, Index sample) {
  const std::vector<Range>& ranges = preparation.bridged;
  const auto next = std::partition_point(ranges.begin(), ranges.end(),
                                         [&](const Range& range) { return range.end <= sample; });
  return next != ranges.end() && next->begin <= sample;
}

void PreparedRun::plan_rows(const std::string& name, const PrepareOptions& options) {
  double cutoff = 0;
  Index memory = 0;
  for (const auto& filter : {preparation_.filter, preparation_.column_filter}) {
    if (!filter) continue;
    cutoff = cutoff == 0 ? filter->cutoff : std::min(cutoff, filter->cutoff);
    memory = std::max(memory, filter->memory);
  }
  preparation_.bridged.clear();
  if (preparation_.grid.interpolation != Interpolation::none) {
    const UniformGrid& grid = preparation_.grid;
    const Index margin = memory + options.difference_order + longest_reach(shifts_, preparation_.grid.step);
    for (const TimeGap& gap : preparation_.time.longest_gaps) {
      if (gap.length < kShortGap) continue;
      const double first = (gap.begin - grid.start) / grid.step;
      preparation_.bridged.push_back(
          {static_cast<Index>(std::floor(first)) - margin + 1,
           static_cast<Index>(std::ceil(first + gap.length / grid.step)) + margin});
    }
  }
  Decimation& rows = preparation_.decimation;
  rows.samples = preparation_.grid.samples;
  rows.factor = options.decimation;
  if (rows.factor == kAutomatic)
    rows.factor = cutoff > 0 ? automatic_decimation(cutoff, 1 / preparation_.grid.step) : 1;
  rows.trim =
      options.trim == kAutomatic ? memory + longest_reach(shifts_, preparation_.grid.step) : options.trim;
  if (rows.count() == 0) {
    throw InputError({fmt::format("no samples are left of the run: {} samples, {} trimmed at each end",
                                  rows.samples, rows.trim),
                      {name, 0, 0, {}},
                      {},
                      "use a longer run, a higher cut-off, or trim: 0"});
  }
}

void PreparedRun::rewind() {
  source_->rewind();
  shared_.resize(0);
  next_chunk_ = 0;
  ++passes_;
}

// At most: velocity, acceleration, moving, those that are shifted, and two for every channel that is differentiated.
Index PreparedRun::added_channels() const {
  return 3 + 2 * static_cast<Index>(differentiated_.size()) + static_cast<Index>(shifts_.size());
}

// For the next chunk; behind the last one nothing is kept.
SampleBlock PreparedRun::spare_block() {
  const std::scoped_lock lock(spare_->mutex);
  SampleBlock block;
  if (!spare_->blocks.empty()) {
    block = std::move(spare_->blocks.back());
    spare_->blocks.pop_back();
  }
  spare_->is_wanted = next_chunk_ + 1 < plan_.count();
  if (!spare_->is_wanted) spare_->blocks.clear();
  return block;
}

void PreparedRun::give_back(PreparedChunk chunk) {
  const std::scoped_lock lock(spare_->mutex);
  if (spare_->is_wanted) spare_->blocks.push_back(std::move(chunk.samples));
}

bool PreparedRun::read(RawChunk& raw) {
  if (next_chunk_ >= plan_.count()) return false;
  raw.chunk = plan_.chunk(next_chunk_);
  const Chunk wide = plan_.chunk(next_chunk_, plan_.halo + preparation_.reach);
  raw.range = wide.halo;
  raw.ends = wide.ends;
  raw.samples = spare_block();
  raw.samples.restart(source_->channels(), source_->joints());
  raw.samples.reserve(raw.range.size(), added_channels());
  raw.samples.append(shared_, 0, shared_.size());
  while (raw.samples.size() < raw.range.size()) {
    source_->read(std::min<Index>(4096, raw.range.size() - raw.samples.size()), piece_);
    require(piece_.size() > 0, "a source gave fewer samples than before");
    raw.samples.append(piece_, 0, piece_.size());
  }
  shared_.resize(0);
  if (next_chunk_ + 1 < plan_.count()) {
    const Index next = plan_.chunk(next_chunk_ + 1, plan_.halo + preparation_.reach).halo.begin;
    shared_.append(raw.samples, next - raw.range.begin, raw.range.end - next);
  }
  ++next_chunk_;
  if (presumed_ != nullptr && next_chunk_ == plan_.count()) confirm_stamps();
  return true;
}

namespace {

int find_or_add(SampleBlock& block, std::string_view name) {
  const int found = block.find(name);
  return found >= 0 ? found : block.add_channel(std::string(name));
}

}  // namespace

void PreparedRun::shift_channels(SampleBlock& block) const {
  std::vector<double> shifted(static_cast<std::size_t>(block.size()));
  for (const ChannelShift& shift : shifts_) {
    const int from = block.find(shift.from), to = find_or_add(block, shift.to);
    for (Index j = 0; j < block.joints(); ++j) {
      if (shift.seconds[j] == 0 && from == to) continue;
      shift_samples(block.row(from, j), block.size(), shift.seconds[j] / preparation_.grid.step,
                    shifted.data());
      std::copy(shifted.begin(), shifted.end(), block.row(to, j));
    }
  }
}

PreparedChunk PreparedRun::prepare(RawChunk raw) const {
  SampleBlock& block = raw.samples;
  if (!shifts_.empty()) shift_channels(block);
  const int velocity = find_or_add(block, channel::kVelocity);
  const int acceleration = find_or_add(block, channel::kAcceleration);
  const int position = block.find(channel::kPosition);
  if (preparation_.standstill.half > 0) {
    const int moving = find_or_add(block, channel::kMoving);
    mark_moving(preparation_.standstill, block.row(position), block.size(), block.stride(),
                block.row(moving));
  }
  const auto derive = [&](int derivative, int from, int to) {
    differentiate(derivative, difference_order_, block.row(from), block.size(), block.joints(),
                  block.stride(), preparation_.grid.step, block.row(to), block.stride());
  };
  if (preparation_.filter) {
    for (std::size_t c = 0; c < block.channels().size(); ++c) {
      if (std::find(filtered_.begin(), filtered_.end(), block.channels()[c]) == filtered_.end()) continue;
      filter_zero_phase(*preparation_.filter, block.row(static_cast<Index>(c)), block.size(), block.joints(),
                        block.stride(), raw.ends);
    }
  }
  if (!preparation_.velocity_is_measured) derive(1, position, velocity);
  if (!preparation_.acceleration_is_measured) {
    preparation_.velocity_is_measured ? derive(1, velocity, acceleration) : derive(2, position, acceleration);
  }
  for (const std::string& name : differentiated_) {
    const int first = find_or_add(block, name + "_velocity"),
              second = find_or_add(block, name + "_acceleration");
    derive(1, block.find(name), first);
    derive(2, block.find(name), second);
  }
  block.drop_front(raw.chunk.halo.begin - raw.range.begin);
  block.resize(raw.chunk.halo.size());
  return {raw.chunk, std::move(block)};
}

}  // namespace steelyard
