// Statistics of a log's signals without a model: one pass over a source, in constant memory.
//
// Per channel and joint: range, samples that are not finite, equal neighbours, the longest hold of one value
// and the step behind it, how often the extreme values occur, the largest excursions of a few samples, and
// the quantum: the number of which (nearly) all steps between neighbours are multiples. Per joint: steps of
// whole turns in the position, and the velocity column against the position,
//   V = ∫ q̇ dt,  Δq  over windows of 50 ms;   factor = Σ Δq V / Σ Δq²,   agreement = (Σ Δq V)² / (Σ Δq² Σ V²)
// which needs no derivative of noisy positions. Windows with a step of more than 50 ms are left out. The same
// over bins of 20 ms, earlier and later ones, gives the delay of the velocity.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/log/resample.hpp"
#include "steelyard/log/run_file.hpp"
#include "steelyard/log/source.hpp"

namespace steelyard::inline STEELYARD_ABI {

// How often a channel takes its largest (or smallest) value, and the next one.
struct ExtremeScan {
  double value = 0;
  Index count = 0;
  Index next_count = 0;
  double time = 0;  // [s] of the first
};

// One to three samples that differ from the previous and the next one in the same direction.
struct Excursion {
  double size = 0;  // from the nearer of the two
  double time = 0;  // [s] of the first sample
  bool is_dip = false;
};
inline constexpr Index kLongestExcursion = 3;  // samples
inline constexpr Index kKeptExcursions = 32;   // the largest ones

// Rows that are zero in all channels, one behind the other.
struct ZeroRows {
  double time = 0;  // [s] of the first
  Index count = 0;
  VectorXd leap;  // per joint: |position| in the previous row or behind, the larger
};

// A value that a channel keeps; a long one lasts `kHeldSamples` samples and `kLongHold`.
struct Hold {
  Index samples = 0;
  double begin = 0, seconds = 0;
  double value = 0;
  double motion = 0;       // |change of the joint's position| over the hold and the step behind it
  double step_behind = 0;  // of the value
};
inline constexpr Index kHeldSamples = 20;
inline constexpr double kLongHold = 0.1;  // [s]

struct ChannelScan {
  double lowest = 0;
  double highest = 0;
  double mean_step = 0;  // mean |difference| of neighbours
  Index not_finite = 0;
  Index zeros = 0;
  double smallest = kInfinity;  // |value| but for zeros
  Index moving_zeros = 0;       // those behind which the joint has just moved
  Index falls = 0;              // sections of these
  double mean_fall = 0;         // |value| before them
  Index equal_neighbours = 0;
  Index longest_hold = 0;  // samples with one value
  Hold hold;               // of the long ones that over which the joint moves most
  ExtremeScan top, bottom;
  double quantum = 0;                 // 0: none found
  Index changes = 0;                  // neighbours that differ
  double deviation = 0;               // of some 2000 values in equal distances
  double near_zero = 0;               // share of these within a twentieth of the largest
  std::vector<Excursion> excursions;  // the largest first

  // Mean |difference| of neighbours that differ.
  double mean_change() const;
  double range() const { return highest - lowest; }
};

// Two joints whose values of a channel are the same numbers, but for a few samples.
struct AlikeColumns {
  int channel = 0;
  int first = 0, second = 0;  // joints
  Index differing = 0;        // samples
};

// ∫ q̇ dt of bins of 20 ms against Δq of the bin and of those before and behind it. Row kLagBins + k has
// integrals that are k bins later than the change of position; joints in columns.
inline constexpr Index kLagBins = 10;
struct VelocityLags {
  MatrixXd motion_velocity, velocity_squared;  // Σ Δq V, Σ V²
  VectorXd motion_squared;                     // Σ Δq²
  Index bins = 0;
  double seconds = 0;  // of all bins
};

struct SignalScan {
  TimeScan time;
  Index samples = 0;
  Index repeated_rows = 0;  // all channels equal to the previous row
  Index zero_rows = 0;
  std::vector<ZeroRows> zeros;  // the first ones
  std::vector<std::string> channels;
  std::vector<std::vector<ChannelScan>> scans;  // [channel][joint]
  std::vector<Index> wraps;                     // per joint: steps of ±1, ±2, … turns
  MatrixXd motion_velocity;                     // Σ Δq_i V_j; empty without a velocity channel
  VectorXd motion_squared, velocity_squared;    // Σ Δq², Σ V²
  VelocityLags lags;                            // likewise
  VectorXd position_noise;  // per joint, standard deviation: what three samples before do not say; likewise
  std::vector<AlikeColumns> alike;

  int find(std::string_view channel) const;
};

// One pass from the source's beginning. Throws InputError for fewer than two samples.
SignalScan scan_signals(SampleSource& source, const std::vector<LogJoint>& joints);

// The source, and the scan of all that was read of it since it was rewound last: the scan of signals without
// a pass of its own. Samples behind the last one that was read are not in it.
struct SignalWatch {
  std::unique_ptr<SampleSource> source;
  std::function<SignalScan()> scan;  // may outlive the source
};
SignalWatch watch_signals(std::unique_ptr<SampleSource> source, std::vector<LogJoint> joints);

// What the study takes from a log.
struct SignalUse {
  bool effort_signs = true;  // false: the run is known to have |effort| only
  bool velocity = true;      // false: velocities are computed from the positions
  double rate = 0;           // [Hz] that the study states; 0: none
};

// `run`: its label, for findings about all joints. Findings are named in docs/findings.md.
std::vector<Finding> signal_findings(const SignalScan& scan, const std::vector<LogJoint>& joints,
                                     const std::string& run, const SignalUse& use = {});

}  // namespace steelyard
