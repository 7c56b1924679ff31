// From a source of samples to chunks that are ready for the regressor.
//
//   stamps → uniform grid → (zero-phase filter on the kinematic channels) → differences
//
// A chunk comes with q, q̇, q̈ and the efforts on its core and on the halo that the filter of the regressor's
// columns needs; columns are filtered by the caller (filter_zero_phase with `column_filter` and the
// chunk's ends), then the kept samples of the core are taken. Read windows are longer than chunks by the halo
// of the first filter and the reach of the differences; the values on a chunk are those of the whole run to
// 1e-12 of the signal (differences: to that over the step, or its square).
//
//   velocity      as measured, otherwise the first difference of the position
//   acceleration  as measured, otherwise the first difference of a measured velocity, otherwise the
//                 second one of the position
//   others        channels in `differentiated` get theirs as positions do; those in `shifts` are taken at other
//                 times first (log/shift.hpp), and as many more samples are trimmed at both ends
//
// Memory depends on the chunk size and the filters, not on the length of the run.
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/chunks.hpp"
#include "steelyard/log/low_pass.hpp"
#include "steelyard/log/options.hpp"
#include "steelyard/log/resample.hpp"
#include "steelyard/log/source.hpp"
#include "steelyard/log/standstill.hpp"

namespace steelyard::inline STEELYARD_ABI {

// The preparation that was used, for reports.
struct Preparation {
  TimeScan time;
  UniformGrid grid;
  std::optional<LowPass> filter;
  std::optional<LowPass> column_filter;
  Index reach =
      0;  // samples on each side of a chunk's window that only serve the first filter and differences
  Decimation decimation;
  // Samples of the grid that lie in gaps of kShortGap and more, or so near that a filter mixes them with the
  // interpolation: they give no rows.
  std::vector<Range> bridged;
  VectorXd velocity_below;  // per joint; zeros: nothing is rejected
  Standstill standstill;    // chunks have the channel "moving" where joints are tested
  bool velocity_is_measured = false;
  bool acceleration_is_measured = false;
};

bool is_bridged(const Preparation& preparation, Index sample);

// Samples as read for a chunk: more than its window, see Preparation::reach.
struct RawChunk {
  Chunk chunk;
  Range range;
  RunEnds ends;  // of `range`
  SampleBlock samples;
};

// Samples of chunk.halo: all channels of the source, and position, velocity and acceleration always.
struct PreparedChunk {
  Chunk chunk;
  SampleBlock samples;
};

// Time stamps are not as they were presumed, see PrepareOptions::presume_uniform.
class StampsDiffer : public std::exception {
 public:
  const char* what() const noexcept override { return "time stamps are not as they were presumed"; }
};

class CheckedStamps;

class PreparedRun {
 public:
  // Reads the time stamps (one pass, or a few rows). Throws InputError for runs that are too short for the
  // options.
  PreparedRun(std::unique_ptr<SampleSource> source, RunLabel label, const PrepareOptions& options);

  const RunLabel& label() const { return label_; }
  const Preparation& preparation() const { return preparation_; }
  const ChunkPlan& plan() const { return plan_; }
  int passes() const { return passes_; }  // over the source, the scan included

  // Begins a pass: the next chunk is the first.
  void rewind();
  // Reads the next chunk; false when all have been read. One thread at a time; preparation().time of presumed
  // stamps is that of all when the last one has been read.
  bool read(RawChunk& raw);
  // Filters and differentiates; from any thread.
  PreparedChunk prepare(RawChunk raw) const;
  // Memory of a finished chunk, for one that is read later; from any thread. New pages from the system cost
  // as much as the computation in them.
  void give_back(PreparedChunk chunk);

 private:
  void plan_run(SampleSource& source, const PrepareOptions& options);
  bool presume(SampleSource& source, const PrepareOptions& options);
  void confirm_stamps();
  void plan_filters(const PrepareOptions& options);
  void plan_rows(const std::string& name, const PrepareOptions& options);
  void shift_channels(SampleBlock& block) const;
  Index added_channels() const;
  SampleBlock spare_block();

  struct Spare {
    std::mutex mutex;
    bool is_wanted = true;  // false once the last chunk has been read
    std::vector<SampleBlock> blocks;
  };

  std::unique_ptr<SampleSource> source_;
  CheckedStamps* presumed_ = nullptr;  // within source_; null: the stamps are known
  RunLabel label_;
  std::vector<std::string> filtered_;
  std::vector<std::string> differentiated_;
  std::vector<ChannelShift> shifts_;
  int difference_order_ = 2;
  bool measured_velocity_ = true;
  Preparation preparation_;
  ChunkPlan plan_;
  int passes_ = 0;
  Index next_chunk_ = 0;
  std::unique_ptr<Spare> spare_ = std::make_unique<Spare>();
  SampleBlock shared_;  // the last samples read, which the next chunk has, too
  SampleBlock piece_;
};

}  // namespace steelyard
