// How |effort| is cut into segments of one sign, and how far the search for their signs goes (docs/signs.md).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/options.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct SegmentOptions {
  FilterOptions filter = {4, 5};  // of |effort|; cutoff 0: none
  VectorXd threshold;             // one for all joints, or one per joint; empty: 0.3, and what noise hides
  bool relative = true;           // thresholds are shares of the filtered signal's RMS
  Index shortest = kAutomatic;    // samples; automatic: rate / cutoff, at least 8
  std::optional<double> low_minimum;  // of RMS: local minima below are cuts; 0: none; without: those that a
                                      // change of sign leaves behind the filter
  Index trim = kAutomatic;            // samples at an edge; automatic: ⌈rate / 4 cutoff⌉
  bool at_reversals = false;
  std::vector<bool> has_sign;  // joints that are logged with sign; empty: none

  void validate() const;  // throws InputError
};

struct SignOptions {
  std::uint64_t max_nodes = 2'000'000;  // of the tree, 24 bytes each
  int max_fits = 400;                   // convex fits
  double max_seconds = 0;               // 0: no limit; otherwise the result depends on the machine
  double correlation = 1;               // rows per independent row: rate / (2 cut-off) of the filter
  double min_probability = 0.99;        // of decided signs
  Index beam = 64;                      // width of the beam search when the tree is not exhausted
  double fit_gap = 1e-5;                // of the convex fits that compare patterns

  void validate() const;  // throws InputError
};

// The published tree search (docs/signs.md).

enum class NodeCost { retrieval, torque, residual, residual_and_retrieval };
const char* to_string(NodeCost cost);  // "phi1", "phi2", "residual", "residual + phi1"

// longest      most samples first
// distal       from the last joint to the first, longest first in each
// time         as they were logged
// informative  each adds most to log det of the information of the columns
// shuffled     by the seed
enum class SegmentOrder { longest, distal, time, informative, shuffled };
const char* to_string(SegmentOrder order);

struct TreeOptions {
  NodeCost cost = NodeCost::retrieval;
  SegmentOrder order = SegmentOrder::longest;
  int start = 5;                     // s0, segments of the first level; 0: the smallest well-conditioned set
  int width = 5;                     // w, nodes that have children
  double max_relative_sigma = 0.25;  // coefficients above are not significant
  double fit_gap = 1e-5;             // of the convex fits
  bool penalty = false;              // φ1 by penalties from random starts
  int penalty_starts = 1;            // random ones, beside the one of the reference bodies
  std::uint64_t seed = 1;            // of the order and of the starts

  void validate() const;  // throws InputError
};

}  // namespace steelyard
