#include "steelyard/doctor/coarse.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "steelyard/core/error.hpp"
#include "steelyard/log/forwarding_source.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

PrepareOptions coarse_preparation(const TimeScan& time, const CoarseOptions& options) {
  PrepareOptions prepare;
  const UniformGrid grid = uniform_grid(time);
  prepare.filter = {4, std::min(options.cutoff, 0.125 / grid.step)};
  prepare.filtered = {std::string(channel::kPosition), options.effort};
  prepare.filtered.insert(prepare.filtered.end(), options.also.begin(), options.also.end());
  prepare.measured_velocity = false;
  if (options.effort_delay.size() > 0)
    prepare.shifts = {{options.effort, options.effort, options.effort_delay}};
  prepare.decimation = std::max<Index>(1, (grid.samples + options.samples - 1) / options.samples);
  return prepare;
}

void keep(const SampleBlock& block, int channel, const std::vector<Index>& kept, Index begin, Index row,
          MatrixXd& out) {
  for (Index j = 0; j < block.joints(); ++j)
    for (std::size_t k = 0; k < kept.size(); ++k)
      out(row + static_cast<Index>(k), j) = block.row(channel, j)[kept[k] - begin];
}

// The kept samples of a range that the log really has: none in gaps, as in the fit (log/prepare.hpp).
std::vector<Index> logged_samples(const Preparation& preparation, Range range) {
  std::vector<Index> kept = preparation.decimation.kept(range);
  std::erase_if(kept, [&](Index sample) { return is_bridged(preparation, sample); });
  return kept;
}

// Only what is requested: an acceleration column of the log must not stand in for the differences.
class SomeChannels : public ForwardingSource {
 public:
  SomeChannels(std::unique_ptr<SampleSource> source, const CoarseOptions& options)
      : ForwardingSource(std::move(source)), channels_{std::string(channel::kPosition), options.effort} {
    const SampleBlock names(source_->channels(), source_->joints());
    for (const std::string& name : channels_)
      if (names.find(name) < 0)
        throw InputError({"the run has no channel '" + name + "'", {source_->name(), 0, 0, {}}, {}, {}});
    for (const std::string& name : options.also)
      if (names.find(name) >= 0) channels_.push_back(name);
  }
  const std::vector<std::string>& channels() const override { return channels_; }
  void read(Index samples, SampleBlock& block) override {
    source_->read(samples, all_);
    block = SampleBlock(channels_, joints(), all_.size());
    std::copy_n(all_.time(), all_.size(), block.time());
    for (std::size_t c = 0; c < channels_.size(); ++c)
      for (Index j = 0; j < joints(); ++j)
        std::copy_n(all_.row(all_.find(channels_[c]), j), all_.size(), block.row(static_cast<int>(c), j));
  }

 private:
  std::vector<std::string> channels_;
  SampleBlock all_;
};

}  // namespace

CoarseRun coarse_run(std::unique_ptr<SampleSource> source, const std::string& label, const TimeScan& time,
                     const CoarseOptions& options) {
  auto channels = std::make_unique<SomeChannels>(std::move(source), options);
  const std::vector<std::string> names = channels->channels();
  const std::string file = channels->name();
  CoarseOptions own = options;
  own.also.assign(names.begin() + 2, names.end());
  PreparedRun run(std::move(channels), {label, RunRole::fit, ""}, coarse_preparation(time, own));
  const Preparation& preparation = run.preparation();
  const auto count = static_cast<Index>(logged_samples(preparation, {0, preparation.grid.samples}).size());
  if (count == 0)
    throw InputError({"gaps leave no samples of the run", {file, 0, 0, {}}, {}, "use a longer run"});
  CoarseRun coarse;
  coarse.label = label;
  coarse.time = preparation.time;
  coarse.step = preparation.grid.step * static_cast<double>(preparation.decimation.factor);
  coarse.stamps.resize(count);
  coarse.also_names = own.also;
  coarse.also.resize(own.also.size());
  Index row = 0;
  run.rewind();
  for (RawChunk raw; run.read(raw);) {
    PreparedChunk chunk = run.prepare(std::move(raw));
    const SampleBlock& block = chunk.samples;
    const Index begin = chunk.chunk.halo.begin;
    if (coarse.q.rows() == 0) {
      for (MatrixXd* out : {&coarse.q, &coarse.qd, &coarse.qdd, &coarse.effort})
        out->resize(count, block.joints());
      for (MatrixXd& out : coarse.also) out.resize(count, block.joints());
    }
    const int effort = block.find(options.effort);
    const std::vector<Index> kept = logged_samples(preparation, chunk.chunk.core);
    keep(block, block.find(channel::kPosition), kept, begin, row, coarse.q);
    keep(block, block.find(channel::kVelocity), kept, begin, row, coarse.qd);
    keep(block, block.find(channel::kAcceleration), kept, begin, row, coarse.qdd);
    keep(block, effort, kept, begin, row, coarse.effort);
    for (std::size_t c = 0; c < own.also.size(); ++c)
      keep(block, block.find(own.also[c]), kept, begin, row, coarse.also[c]);
    for (const Index k : kept) coarse.stamps[row++] = static_cast<double>(k) * preparation.grid.step;
    raw = {};
  }
  require(row == count, "a coarse run has another number of samples than planned");
  return coarse;
}

}  // namespace steelyard
