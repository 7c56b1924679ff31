// Why constraints cannot be satisfied: an irreducible set of them, with a proof.
//
// Deletion filter: constraints are dropped one after the other in their order, and stay dropped when the
// rest is still infeasible; again, until a pass drops none. What remains is infeasible as a whole and
// feasible without any one of its members. Other irreducible sets may exist.
//
// Proof (Farkas): constraints F(x) = F⁰ + Σ x_k F_k ⪰ 0 have no solution when there is a Z ⪰ 0 with
// ⟨F_k, Z⟩ = 0 for all k and ⟨F⁰, Z⟩ < 0. In numbers ⟨F_k, Z⟩ is not quite 0, so the proof holds for
// |x_k| ≤ within · scale_k, with `within` computed from the residuals: for all practical bodies when it is
// above 100. Sets that contradict each other only in the limit (m > 0 and m = 0) have none and count as
// `thin`.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/feasible/constraints.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct ConflictMember {
  std::string name;
  double weight = 0;  // share of the member in the proof: tr Z of its blocks, all add up to 1
};

struct Conflict {
  bool feasible = true;
  std::vector<ConflictMember> members;  // empty when feasible
  bool irreducible = false;             // checked: without any one member the rest is feasible
  double violation = 0;  // −⟨F⁰, Z⟩ for tr Z = 1: at every x at least one is violated by this much (scaled)
  double residual = 0;             // Σ_k scale_k |⟨F_k, Z⟩|
  double within = 0;               // the proof holds for |x_k| ≤ within · scale_k
  double smallest_eigenvalue = 0;  // of Z, over all blocks: not negative

  std::string brief() const;  // "'total mass' and 'bound m3' contradict each other"
};

Conflict find_conflict(const std::vector<Constraint>& constraints, const Robot& robot,
                       const std::vector<std::string>& further_columns = {});

}  // namespace steelyard
