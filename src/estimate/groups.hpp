// Folds sorted into row kinds and groups that share a weight.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "estimate/solve.hpp"
#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Folds of one layout, and where its columns are among all columns.
struct Piece {
  Fold fold;
  std::vector<Index> places;

  double residual_squared(const VectorXd& x) const;
  // ‖Y root‖²: the effective number of parameters that unweighted rows take.
  double share(const MatrixXd& root) const;
};

struct Group {
  int kind = 0;
  Index block = 0;
  std::vector<Piece> pieces;
  std::vector<std::size_t> folds;  // indices of the input
  double weight = 1;

  Index rows() const;
  double residual_squared(const VectorXd& x) const;
  double share(const MatrixXd& root) const;
};

struct Kind {
  std::string row;
  std::string unit;
  double sigma = 1;
  std::vector<std::size_t> groups;
};

struct Problem {
  std::shared_ptr<const Layout> all;
  std::vector<Kind> kinds;
  std::vector<Group> groups;
  std::vector<Fold> priors;

  Fold factor() const;  // weighted, in all columns
};

// by_block: one group per row kind and block; otherwise one per row kind.
Problem make_problem(std::span<const Fold> folds, std::span<const Fold> priors, bool by_block);

}  // namespace steelyard
