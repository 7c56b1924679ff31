// Sign patterns of small residual: ‖R s‖² over s ∈ {−1, +1}^S, R upper triangular.
//
//   spectral_signs   signs of the vector that minimises ‖R D^-½ v‖², D the energies of the segments: exact
//                    without noise, where the null vector is ±1 everywhere
//   descend          flips of one sign, of two, and of given groups until none helps
//   OrderedPatterns  all patterns one after the other in order of residual: a search tree over the rows of R
//                    from the last one up, the node with the smallest partial sum first. Partial sums only
//                    grow, so that what comes out is proven to be next, and `bound()` holds for all patterns
//                    that have not come out yet
//   widest_beam      the K best partial patterns of every level, both children of a node from one product:
//                    no proof, for problems that the tree does not finish
//
// Without a known sign s and −s have the same residual: the tree then fixes the sign of one segment, and
// every pattern stands for both. Memory of the tree: 24 bytes a node.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct SignPattern {
  VectorXd signs;
  double residual = 0;
};

// `known`: +1, −1, or 0 for unknown ones; one per segment.
SignPattern spectral_signs(const MatrixXd& R, const VectorXd& energy, const std::vector<int>& known,
                           VectorXd* eigenvector = nullptr);

// Groups: lists of segments that are flipped together. Segments with a known sign are never flipped.
SignPattern descend(const MatrixXd& R, SignPattern start, const std::vector<int>& known,
                    const std::vector<std::vector<Index>>& groups = {});

class OrderedPatterns {
 public:
  // `rounding`: what the residuals of R may be off.
  OrderedPatterns(const MatrixXd& R, const std::vector<int>& known, double rounding, std::uint64_t max_nodes);

  // The next pattern whose residual is at most `limit`; nothing when there is none, or when the nodes are
  // used up.
  std::optional<SignPattern> next(double limit);

  double bound() const;  // no pattern that is still to come has a residual below; +∞ when all came out
  bool is_exhausted() const { return exhausted_; }  // nodes used up
  std::uint64_t nodes() const { return nodes_.size(); }

 private:
  struct Node {
    double cost;
    std::int64_t parent;
    std::int32_t level;  // row of R that was decided
    std::int32_t sign;
  };
  void expand(std::int64_t node);
  void push(double cost, std::int64_t parent, std::int32_t level, std::int32_t sign);
  VectorXd pattern(std::int64_t node) const;

  double row(Index i, Index j) const {
    return rows_[static_cast<std::size_t>(i) * known_.size() + static_cast<std::size_t>(j)];
  }

  std::vector<Index> order_;  // column k of the rows is this segment
  std::vector<double> rows_;  // R in that order, row by row
  std::vector<int> known_;    // in that order
  double rounding_;
  std::uint64_t max_nodes_;
  bool exhausted_ = false;
  std::vector<Node> nodes_;
  std::vector<std::int64_t> heap_;
  std::vector<double> partial_;
};

// K best of every level, ties by index. `hypotheses`: how many were evaluated.
SignPattern widest_beam(const MatrixXd& R, const std::vector<int>& known, Index width,
                        std::uint64_t* hypotheses = nullptr);

}  // namespace steelyard
