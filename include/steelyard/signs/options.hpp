// How |effort| is cut into segments of one sign, and how far the search for their signs goes (docs/signs.md).
#pragma once

#include <cstdint>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/options.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct SegmentOptions {
  FilterOptions filter = {4, 5};                    // of |effort|; cutoff 0: none
  VectorXd threshold = VectorXd::Constant(1, 0.5);  // one for all joints, or one per joint
  bool relative = true;                             // thresholds are shares of the filtered signal's RMS
  Index shortest = 8;                               // samples
  double low_minimum = 0.8;                         // of RMS: local minima below are cuts; 0: none
  double prominence = 0.05;                         // of RMS: by how much both sides rise above a minimum
  Index trim = kAutomatic;                          // samples at an edge; automatic: ⌈rate / 4 cutoff⌉
  bool at_reversals = false;
  std::vector<bool> has_sign;  // joints that are logged with sign; empty: none

  void validate() const;  // throws InputError
};

struct SignOptions {
  std::uint64_t max_nodes = 2'000'000;  // of the tree, 24 bytes each
  int max_fits = 400;                   // convex fits
  double max_seconds = 0;               // 0: no limit; otherwise the result depends on the machine
  double correlation = 1;               // rows per independent row: rate / (2 cut-off) of the filter
  double min_confidence = 4;            // standard deviations
  double min_ratio = 1.2;               // of costs, for flips of a third of a joint or more
  double min_share = 0.3;               // of the effort
  Index beam = 64;                      // width of the beam search when the tree is not exhausted
  double fit_gap = 1e-5;                // of the convex fits that compare patterns

  void validate() const;  // throws InputError
};

}  // namespace steelyard
