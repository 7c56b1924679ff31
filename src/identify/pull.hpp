// How strongly links are pulled towards reference bodies.
//
//   min φ(x) + w ‖z‖² Σ_j D(P_j ‖ P_j⁰)
//
// `weight: auto` is the strongest w on a grid that loses nothing: groups of blocks are left out in turn, the
// links are fitted to the others with every w, and w may raise the error of the rows left out above its
// smallest value by at most 0.2 % and one standard error of the difference (over groups). While links are
// implausible (plausible.hpp), by one standard error alone, if φ rises by at most 10 %, or by 0.5 % with the file's
// own bodies as reference. Where nothing can be left out, and with `weight: 0`, the strongest w that raises φ
// by at most 0.1 %: of all links that fit as well as the best, those nearest to the reference.
//
// `margin: auto` keeps bodies from being denser than matter where that raises φ by at most 2 %, or by 0.5 %
// with the file's own bodies as reference.
//
// The weight depends on data, bodies and reference, not on the study's own constraints: one that is already
// satisfied changes nothing.
#pragma once

#include <vector>

#include "identify/estimators.hpp"
#include "steelyard/feasible/constraints.hpp"
#include "steelyard/feasible/reference.hpp"
#include "steelyard/identify/folded.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard::inline STEELYARD_ABI {

Reference study_reference(const FeasibleSpec& spec, const Robot& robot, const Quantities& quantities,
                          const Objective& plain);

// Adds the pull; `weight` is relative to the effort.
void add_pull(const FeasibleSpec& spec, const Robot& robot, const Quantities& quantities,
              const Reference& reference, double weight, Objective& objective);

struct PullChoice {
  double weight = 0;
  VectorXd masses;           // for without_needles(); empty: bodies may be needles
  const char* by = "given";  // "left-out", "tolerance"
  std::vector<PullCandidate> candidates;
};
// `plain` is the objective of all rows, without a pull. `rows` may be empty.
PullChoice choose_pull(const Setup& setup, const std::vector<RunRows>& rows, const Fit& fit,
                       const Quantities& quantities, const Reference& reference, const Objective& plain);

}  // namespace steelyard
