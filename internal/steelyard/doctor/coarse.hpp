// A small copy of a run, for tests that are repeated many times.
//
//   stamps → uniform grid → zero-phase low-pass on positions and efforts → differences → every k-th sample
//
// Velocities and accelerations are always differences of the positions, so a wrong velocity column has no
// effect here. Rows of samples further apart than the filter's memory are still equations: long runs are
// thinned, not filtered lower. Samples in gaps, and those that filters mix with them, are left out as in the
// fit. Memory is that of a few chunks and of the copy.
//
// The copy is for tests of the set-up, not for small parameters: friction near standstill is smeared
// by the filter on the efforts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/layout.hpp"
#include "steelyard/log/prepare.hpp"
#include "steelyard/log/source.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct CoarseOptions {
  Index samples = 800;  // at most
  double cutoff = 10;   // [Hz], lowered to an eighth of the run's rate
  std::string effort = "torque";
  std::vector<std::string> also = {};  // further channels that known efforts are made of; those the run has
  VectorXd effort_delay = {};          // [s] per joint, undone first; empty: none
};

// samples × joints each.
struct CoarseRun {
  std::string label;
  double step = 0;  // [s] between two samples
  TimeScan time;    // of the whole run
  VectorXd stamps;  // [s] from the beginning of the run
  MatrixXd q, qd, qdd;
  MatrixXd effort;

  // What the study's model has beside the robot's, as in fold/layout.hpp, but `row` is the number of a joint.
  // Functions get position, velocity, acceleration and the channels of `also`.
  std::vector<ExtraColumns> extra;  // of the same names in all runs
  std::vector<ExtraColumns> known;
  std::vector<std::string> also_names;
  std::vector<MatrixXd> also;

  Index size() const { return q.rows(); }
  Index joints() const { return q.cols(); }
};

// `time` is the scan_time of the source. Throws InputError for runs that are too short for the filter,
// or lack positions or efforts.
CoarseRun coarse_run(std::unique_ptr<SampleSource> source, const std::string& label, const TimeScan& time,
                     const CoarseOptions& options = {});

}  // namespace steelyard
