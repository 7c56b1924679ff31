// Samples that are no measurements, as their scan shows, and a source without them.
#pragma once

#include <memory>

#include "steelyard/core/finding.hpp"
#include "steelyard/doctor/signals.hpp"
#include "steelyard/log/source.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr double kFarPosition = 8;   // mean changes from which a position stands apart
inline constexpr double kImpossible = 1e9;  // of any channel, in SI units

inline constexpr double kManyRepeated = 0.1;  // share of rows from which repeats are more than a note
double repeated_share(const SignalScan& scan);

// Excursions of a joint's channel that neither motion nor noise explains.
struct Spike {
  int channel = 0, joint = 0;
  Index count = 0;
  double size = 0, time = 0;  // of the largest
  double far = 0;             // larger excursions are spikes
  bool is_full = false;       // there may be more than the scan has kept
  Severity severity = Severity::error;
};
Spike spike_of(const SignalScan& scan, int channel, int joint, const SignalUse& use);

// Spikes and efforts that are missing are few and known: the log without them can be examined.
bool can_be_repaired(const SignalScan& scan, const SignalUse& use);

// The samples that are spikes, and zeros of efforts that are missing, have the value before them; of many rows that repeat the one
// before there are none.
std::unique_ptr<SampleSource> repaired(std::unique_ptr<SampleSource> source, const SignalScan& scan,
                                       const SignalUse& use);

}  // namespace steelyard
