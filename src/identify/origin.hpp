// Where the ten parameters of a feasible link come from: measured, inferred or chosen.
//
// At the links x that were found, three things keep them where they are; with the stiffness of each,
//
//   K = H + C + B
//   H   2 RᵀR, what the efforts say                                        measured
//   C   w G, the pull towards the reference body                           chosen
//   B   constraints that are active, and what the pull is stiffer where
//       the body has less than a tenth of the reference, close to none       inferred
//
// the shares of a link are the means over its ten parameters of the diagonals of K^(−1/2) {H, C, B} K^(−1/2), in
// coordinates in which the reference's G is one. They are not negative and their sum is one: of two links whose sum
// alone is measured each has a half.
#pragma once

#include <vector>

#include "identify/feasible.hpp"

namespace steelyard::inline STEELYARD_ABI {

// One per link; empty where there are no feasible parameters, or nothing they were fitted to.
std::vector<LinkOrigin> link_origins(const Robot& robot, const FeasibleModel& feasible);

}  // namespace steelyard
