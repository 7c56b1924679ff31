// The published tree search (T-PBPR), kept as a baseline that can be reproduced: a beam over segments.
//
// Segments come in a fixed order. The first `start` give 2^start nodes, and from then on the `width` nodes of
// least cost have two children each, one per sign of the next segment. Cost of a node, with the rows Y, τ of
// its segments and π̂ their least squares (smallest norm where they do not determine it):
//   retrieval                φ1 = min over feasible p of ‖π(p) − π̂‖², as it is printed
//   torque                   φ2 = min over feasible p of ‖Y π(p) − τ‖²
//   residual                 ‖Y π̂ − τ‖²
//   residual_and_retrieval   ‖Y π̂ − τ‖² / ‖τ‖² + φ1 / ‖π̂‖²
// Both minima are convex and found exactly; with `penalty` φ1 is found as published, by penalties from random starts
// (feasible/penalty.hpp). The
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

// A node that was kept.
struct TreeNode {
  double cost = 0;
  int parent = -1;  // among the nodes kept on the level before; on the first level −1
  int sign = 1;     // of the segment that the level added; on the first level of its last segment
};
struct TreeLevel {
  Index segments = 0;           // that the nodes have signs for
  std::vector<TreeNode> nodes;  // best first
};

struct TreeSearch {
  VectorXd signs;                        // one per segment, as the segments are given
  std::vector<Index> order;              // of the segments in the tree
  std::vector<TreeLevel> levels;         // from the first, of `start` segments, on
  int start = 0;                         // s0
  std::uint64_t nodes = 0;               // nodes with a computed cost
  double cost = 0;                       // φ2 of all rows
  VectorXd x;                            // feasible parameters, those of φ2
  std::vector<std::string> columns;      // of x
  VectorXd values;                       // π̂ of all rows
  VectorXd relative_sigma;               // of each; +∞ where it is not determined
  std::vector<std::string> significant;  // names of those within max_relative_sigma
};

std::vector<Index> order_segments(const std::vector<Fold>& folds, const std::vector<SignSegment>& segments,
                                  const VectorXd& weights, SegmentOrder order, std::uint64_t seed = 1);

// The smallest s0 with which the rows of the first segments determine all columns that all segments do, with a
// condition number below kWellConditioned of columns of norm one; at most kMostStart.
inline constexpr double kWellConditioned = 1e4;
inline constexpr int kMostStart = 12;
int smallest_start(const std::vector<Fold>& folds, const std::vector<SignSegment>& segments,
                   const VectorXd& weights, const std::vector<Index>& order);

// Known signs are kept.
TreeSearch search_tree(const std::vector<Fold>& folds, const std::vector<SignSegment>& segments,
                       const VectorXd& weights, const SignPhysics& physics, const TreeOptions& options = {});

}  // namespace steelyard
