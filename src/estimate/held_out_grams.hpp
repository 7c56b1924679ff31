// Grams of the rows trained on and of the rows left out, for every group of blocks: many subsets of columns
// can be fitted and tested from them at the cost of one small Cholesky each.
//
// Columns are scaled to norm one, so that squaring loses no more than the scaled condition allows: good for
// comparing models, not for reading parameters.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/cross_validation.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard::inline STEELYARD_ABI {

// What a subset of the columns leaves of the rows left out.
struct HeldOutScore {
  VectorXd squares;       // weighted residual² of each group
  VectorXd coefficients;  // of the columns, mean of the groups' fits
  VectorXd deviations;    // their standard deviations by the jackknife over the groups

  double total() const { return squares.sum(); }
};

class HeldOutGrams {
 public:
  // Rows are divided by the standard deviation of their kind that `options` give on all folds together.
  HeldOutGrams(const std::vector<std::vector<FoldBlock>>& runs, const BlockGroups& groups,
               const EstimateOptions& options);

  const std::vector<std::string>& columns() const { return columns_; }
  Index find(const std::string& column) const;  // −1: absent
  Index groups() const { return static_cast<Index>(test_.size()); }
  double effort() const { return effort_; }  // weighted effort² of all rows left out

  HeldOutScore score(const std::vector<Index>& used) const;

 private:
  void add(const std::vector<Fold>& folds, int a, int b, const std::vector<double>& weights);
  void scale();

  std::vector<std::string> columns_;
  std::vector<std::string> rows_;
  std::vector<int> tested_;  // group numbers
  std::vector<Eigen::MatrixXd> training_, test_;
  VectorXd scale_;  // of the columns: 1 / norm
  double effort_ = 0;
};

}  // namespace steelyard
