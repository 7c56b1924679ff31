// A robot against the others along one direction: the probability that a healthy robot is as far out.
//
//   a_s = dᵀ score_s / dᵀ information_s d       estimate of every robot s along d, with σ_s
//   t²  = (a_r − ā)² / (f (σ_r² + 1 / Σ 1/σ_s²)),   ā and f = Σ (a_s − ā)²/σ_s² / (n − 1) over the n others
//
// The others are those without findings, without r itself: a robot cannot widen the spread it is compared
// with, and a T that is wrong by a factor changes nothing. d is the best of k dimensions for r, so that t² is
// at most k F(k, n − 1): exact for one dimension and normal robots, for any number of robots.
#pragma once

#include <vector>

#include "fleet/scatter.hpp"
#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// `direction`: on [parameters | gains]; `numbers`: k. 1 when fewer than two others identify the direction.
double leave_one_out_chance(const std::vector<Reduced>& robots, std::size_t robot,
                            const std::vector<std::size_t>& others, const VectorXd& direction, int numbers);

// From how many standard deviations of the healthy scatter on a cause of k numbers has a chance below p, with
// n others.
double least_deviations(double p, int numbers, Index others);

}  // namespace steelyard
