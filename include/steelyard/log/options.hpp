// How a log is prepared for the regressor: grid, filters, differences, which samples become rows
// (docs/log.md).
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class Interpolation { none, linear, cubic };

inline constexpr Index kAutomatic = -1;

struct FilterOptions {
  int order = 4;
  double cutoff = 0;  // [Hz]; 0: no filter
};

// Channel `to` at time t is channel `from` at t + seconds, which has one value per joint.
struct ChannelShift {
  std::string from, to;  // may be the same
  VectorXd seconds;
};

struct PrepareOptions {
  double rate = 0;  // [Hz]; 0: one over the median step
  Interpolation interpolation = Interpolation::cubic;
  FilterOptions filter;  // of the channels in `filtered`
  std::vector<std::string> filtered = {"position", "velocity", "acceleration"};
  // Channels that get "<name>_velocity" and "<name>_acceleration" by differences, behind the filter.
  std::vector<std::string> differentiated;
  FilterOptions column_filter;  // of the regressor's columns and the efforts; lowered to 0.8 of the Nyquist
                                // frequency of a decimation that is given
  bool own_shifts = false;      // of a study: every run has shifts of its own, by its estimated delay
  std::vector<ChannelShift> shifts;  // in this order, before all filters
  int difference_order = 2;          // 2, 4 or 6
  bool measured_velocity = true;     // false: differences of the position even if the log has velocities
  Index decimation = kAutomatic;     // by the lowest cut-off; 1 without filters
  Index trim = kAutomatic;           // samples at both ends: the memory of the slower filter
  VectorXd velocity_below;  // rows with slower joints are rejected; empty: none, one for all, or per joint
  // Share of a joint's largest velocity below which it stands still and gives no rows. 0: as the noise and the resolution
  // of its positions show; negative, or empty: never.
  VectorXd standstill;
  Index chunk_size =
      kAutomatic;   // power of two, at least four halos (eight up to 32768 samples), at least 4096
  int threads = 1;  // for the time stamps of long text logs; results do not depend on it
  // Of long text logs: stamps as uniform as a few of them need no pass of their own. The first pass over the
  // samples compares; callers must retry without it when they differ.
  bool presume_uniform = false;

  void validate() const;  // throws InputError
};

}  // namespace steelyard
