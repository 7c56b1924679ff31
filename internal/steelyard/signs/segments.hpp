// Sections of |effort| with one sign each: the unknowns of the sign search.
//
// |τ| of a joint is filtered (zero phase), and cut where its sign may change:
//   below the threshold              share of the joint's RMS, or in its unit
//   at low local minima              a change of sign that the filter has lifted above the threshold
//   at reversals of the velocity     Coulomb friction jumps there (only when the model has it)
// Edges lose `trim` samples, about half the filter's main lobe: there |τ| smeared over a change of sign is
// not ± the smeared τ. Sections shorter than `shortest` are dropped.
//
// A section with a change of sign inside makes every later method fail: unnecessary cuts are harmless, a
// missing one is not.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/chunks.hpp"
#include "steelyard/log/prepare.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/signs/options.hpp"
#include "steelyard/signs/rows.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct SignSegment {
  Index joint = 0;
  Range range;        // samples of the run
  int sign = 0;       // +1 or −1: known; 0: unknown
  int direction = 0;  // sign of the velocity, where it has one over the whole segment
};

struct SegmentedRun {
  MatrixXd effort;                    // samples × joints, filtered
  VectorXd rms;                       // per joint, of the filtered effort
  std::vector<SignSegment> segments;  // by joint, then by time
  double kept_share = 0;              // of all samples of all joints
  RowBand band;                       // of `effort`
};

// Channels "torque" (|τ|, or τ where a joint has its sign) and "velocity" of a whole run. A joint with its
// sign is one segment of sign +1. A segment has at least two rows. Throws InputError for negative efforts of a joint without sign, values that
// are not finite, and when not one segment is found.
SegmentedRun detect_segments(const SampleBlock& samples, double rate, const SegmentOptions& options = {});

// The same with segments given by hand: sorted, checked, within the run, not overlapping.
SegmentedRun use_segments(const SampleBlock& samples, double rate, std::vector<SignSegment> segments,
                          const SegmentOptions& options = {});

}  // namespace steelyard
