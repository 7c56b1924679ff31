// The period of a motion, from positions at even times, and a source that keeps such positions while others
// read through it: no pass of its own.
//
// Even in time, not in sample number: on a log whose stamps are uneven a motion that repeats does not repeat
// after a number of samples.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "steelyard/log/forwarding_source.hpp"
#include "steelyard/log/prepare.hpp"
#include "steelyard/log/run.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Period of a periodic motion in rows of `position` (samples × joints, even in time), 0 when it has none: the
// shortest lag, of at least a tenth of the run, after which all joints are where they were, to a tenth of
// their movement (RMS). A fraction of a row counts: between rows, positions are interpolated linearly.
double detect_period(const MatrixXd& position);

// Positions of about a thousand samples of a run, evenly spread, from chunks in any order and thread.
class CoarsePositions {
 public:
  CoarsePositions(Index samples, Index joints);
  void watch(const PreparedChunk& chunk);
  void watch(const SampleBlock& run);  // all of it
  void gather();                       // of all processes; a meeting of them
  double period() const;               // [samples], 0: none
  // For fold files; `step` [s] of a sample. Nothing where positions are missing or not finite.
  std::optional<FoldedMotion> motion(double step) const;

 private:
  void watch(const SampleBlock& block, Range core, Index begin);  // the block begins with sample `begin`

  Index step_;
  MatrixXd position_;  // samples × joints
};

class WatchedSource : public ForwardingSource {
 public:
  explicit WatchedSource(std::unique_ptr<SampleSource> source);

  void rewind() override;
  void read(Index samples, SampleBlock& block) override;

  // Period of the first pass [s], 0: none.
  double period() const;

 private:
  std::vector<double> kept_;  // joint by joint, sample by sample
  std::vector<double> stamps_;
  Index step_ = 1;  // samples between those kept
  Index next_ = 0;  // index of the next sample
  bool is_first_pass_ = true;
};

}  // namespace steelyard
