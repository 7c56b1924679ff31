// The published tree search (T-PBPR), kept as a baseline that can be reproduced: a beam over segments.
//
// Segments come in a fixed order. The first `start` give 2^start nodes, and from then on the `width` nodes of
// least cost have two children each, one per sign of the next segment. Cost of a node, with the rows Y, τ of
// its segments and π̂ their least squares (smallest norm where they do not determine it):
//   retrieval                φ1 = min over feasible p of ‖π(p) − π̂‖², as it is printed
//   torque                   φ2 = min over feasible p of ‖Y π(p) − τ‖²
//   residual                 ‖Y π̂ − τ‖²
//   residual_and_retrieval   ‖Y π̂ − τ‖² / ‖τ‖² + φ1 / ‖π̂‖²
// Both minima are convex and found exactly, where the publication has penalties and random restarts. The
// residual is the same for s and −s: the sign of the first segment is then held, and φ2 of the two shows at
// the end. Ties go to the node that came first.
//
// There is no proof, a node that was dropped never comes back, and φ1 prefers wrong patterns whose π̂ happens
// to be feasible: recover_signs (recover.hpp) is the search to use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/signs/recover.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class NodeCost { retrieval, torque, residual, residual_and_retrieval };
const char* to_string(NodeCost cost);  // "phi1", "phi2", "residual", "residual + phi1"

// longest      most samples first
// distal       from the last joint to the first, longest first in each
// time         as they were logged
// informative  each adds most to log det of the information of the columns
enum class SegmentOrder { longest, distal, time, informative };
const char* to_string(SegmentOrder order);

struct TreeOptions {
  NodeCost cost = NodeCost::retrieval;
  SegmentOrder order = SegmentOrder::longest;
  int start = 5;                     // s0, segments of the first level
  int width = 5;                     // w, nodes that have children
  double max_relative_sigma = 0.25;  // coefficients above are not significant
  double fit_gap = 1e-5;             // of the convex fits

  void validate() const;  // throws InputError
};

struct TreeSearch {
  VectorXd signs;                        // one per segment, as the segments are given
  std::vector<Index> order;              // of the segments in the tree
  std::vector<double> path;              // least cost of each level, from the first on
  std::uint64_t nodes = 0;               // nodes with a computed cost
  double cost = 0;                       // φ2 of all rows
  VectorXd x;                            // feasible parameters, those of φ2
  std::vector<std::string> columns;      // of x
  VectorXd values;                       // π̂ of all rows
  VectorXd relative_sigma;               // of each; +∞ where it is not determined
  std::vector<std::string> significant;  // names of those within max_relative_sigma
};

std::vector<Index> order_segments(const std::vector<Fold>& folds, const std::vector<SignSegment>& segments,
                                  const VectorXd& weights, SegmentOrder order);

// Known signs are kept.
TreeSearch search_tree(const std::vector<Fold>& folds, const std::vector<SignSegment>& segments,
                       const VectorXd& weights, const SignPhysics& physics, const TreeOptions& options = {});

}  // namespace steelyard
