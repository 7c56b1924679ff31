// How far the parameters of a fit may be wrong (validate/forecast.hpp).
//
// Scatter: of each group of blocks, those at the same phase of a motion together, by a refit without it and by its influence. Links
// are refitted with their constraints; their influence is that on φ with its pull.
//
// Directions that the rows do not show take theirs from the bodies one would expect: with the Hessian G of Σ D(P ‖ P⁰) at the
// reference x⁰,
//
//   estimate   N K [x⁰, κ G^(−1/2)]         N: on what no row shows, where the estimate is zero
//   links      κ w (H + w G)⁻¹ G^(1/2)       H: of φ; by how much the pull w towards x⁰ ± κ G^(−1/2) errs; at most as much as
//                                            makes the pull cost what it did
//
// Friction that the rows do not show is as large as that of other joints. Of a joint that never moves, any part of it is in the
// offset, and any other part on another motion.
//
// One log does not show what changes from day to day: ± 4 % of every viscous and Coulomb value, and offsets of ± 0.5 % of the
// joint's effort, as medians (chosen on simulated robots, docs/forecast.md).
#pragma once

#include "identify/checks.hpp"
#include "steelyard/validate/forecast.hpp"

namespace steelyard::inline STEELYARD_ABI {

ParameterSpread spread_of_estimate(const Setup& setup, const HeldOut& held, const Fit& fit,
                                   const CrossValidation& refits, const std::vector<Fold>& typical);

// `refits`: x without each group.
ParameterSpread spread_of_links(const Setup& setup, const Folded& folded, const HeldOut& held, const Fit& fit,
                                const FeasibleModel& feasible, const std::vector<VectorXd>& refits,
                                const std::vector<Fold>& typical);

}  // namespace steelyard
