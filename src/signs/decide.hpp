// Which segments have certain signs, and groups of segments that the data couple weakly to the others. `gram`
// is RᵀR of the problem's R_EE.
#pragma once

#include <vector>

#include "signs/feasible_cost.hpp"
#include "steelyard/signs/recover.hpp"

namespace steelyard::inline STEELYARD_ABI {

// The segments of each joint, of each set of joints in a row from the last one, of a joint in one direction
// of its motion, and the components of the form under a threshold; without doubles, without that of all
// segments.
std::vector<std::vector<Index>> sign_groups(const SignProblem& problem, const Eigen::MatrixXd& gram);

// Patterns that differ from `signs` by groups of joints, all sets of up to seven joints; those with a
// residual below `limit` only, after flips of single segments. For many segments sets of joints are single
// ones and ends of the chain.
struct GroupFlip {
  VectorXd signs;
  double residual = 0;
};
std::vector<GroupFlip> group_flips(const SignProblem& problem, const Eigen::MatrixXd& gram,
                                   const VectorXd& signs, const std::vector<int>& known,
                                   const std::vector<std::vector<Index>>& groups, double limit);

// Fills result.segments.
void decide_segments(const SignProblem& problem, const Eigen::MatrixXd& gram, FeasibleCost& cost,
                     const std::vector<int>& known, const std::vector<std::vector<Index>>& groups,
                     const SignOptions& options, SignSearch& result);

}  // namespace steelyard
