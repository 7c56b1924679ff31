// Signs of efforts that were logged without (docs/signs.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct SegmentSummary {
  std::string run;
  std::string joint;
  std::int64_t from = 0;  // samples of the run's grid, `to` not included
  std::int64_t to = 0;
  double start = 0;  // the same in seconds of the run
  double end = 0;
  int sign = 1;
  std::optional<double> confidence;  // deviations; absent: known beforehand
  bool decided = false;
};

// Samples outside the decided segments (signs/complete.hpp).
struct CompletedSummary {
  bool used = false;                 // by the fit
  std::vector<std::string> guessed;  // joints without one decided segment that are part of it
  double sure_share = 0;             // of the samples of its joints: signs decided or sure
  double held_out = 0;               // |effort| that was held out, deviations
  double held_out_segments = 0;      // the same for the decided segments alone
};

// A drive gain that was found with the signs.
struct SignGain {
  std::string joint;
  std::string status;   // "identified", "given" (the fixed joint), "not_identifiable" (the a-priori value)
  double value = 1;     // effort per logged unit
  double a_priori = 1;  // the same as the study has it
  std::optional<double> sigma;
  std::optional<std::pair<double, double>> interval;
};

struct SignsSummary {
  std::vector<SegmentSummary> segments;
  std::string certified;     // "feasible-optimal", "residual-optimal", "bound-only"
  double kept_share = 0;     // of all samples of the joints
  double decided_share = 0;  // of the kept samples
  double cost = 0;           // φ2, weighted squares
  double lower_bound = 0;    // of φ2 over all patterns
  std::int64_t nodes = 0;
  std::int64_t fits = 0;
  std::optional<CompletedSummary> completed;
  std::vector<SignGain> gains;  // empty: none were wanted
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
