// Which form of friction a joint has, and where its refinement begins: from one fold with a small dictionary.
//
//   dictionary of a joint   q̇, sign(q̇), 1  (columns fv, fc, fo of the plan)  and  tanh(q̇/v_k), k = 1 … 6
//   linear                  q̇, sign, 1
//   sigmoid                 q̇, 1, tanh(q̇/v_k)                                φ2 = 2/v_k, φ3 = 0
//   stribeck                q̇, sign, 1, tanh(q̇/v_k), the last one negative    sign − tanh is a bump at rest
//   with load               S |τ_load|: S = sign(q̇), of a sigmoid tanh(q̇/v_k)     μ, to first order
//   with load_directional   the same, and its part where the load drives the gear    μd, μb − μd
//
// τ_load is that of a fit with linear friction, which is known before the dictionary is folded.
//
// The v_k are spread from 1/100 to 1 of the joint's fastest velocity. Groups of blocks are held out in turn
// and the candidates are compared by the residuals of the held-out rows, every row kind divided by its
// standard deviation. A form with more terms is chosen only when it wins by more than two standard errors of
// the groups' differences; asymmetric Coulomb has the span of sign and 1 and data cannot distinguish them.
// A form that has the simpler one and one coefficient more (Stribeck beside linear, load, its direction) is also
// chosen where it lowers the held-out error and the coefficient is three standard deviations from zero, by the
// jackknife over the groups: what shows in few of the groups varies too much among them for the rule above.
//
// Joints are chosen one after the other, twice, the others as chosen so far. Everything works on sums of
// small Grams of scaled columns: parameters are not read from them, only which candidate is better.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/cross_validation.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/estimate/friction.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr int kDictionarySize = 6;

// v_k of a joint, k = 0 … 5.
double dictionary_velocity(const FrictionJoint& joint, int k);

// tanh columns of the joints: "ft3.1" … "ft3.6".
std::vector<ExtraColumns> dictionary_columns(const std::vector<FrictionJoint>& joints);

// S |τ_load| of the joints, "fl3.0" … "fl3.6" with S = sign, tanh(q̇/v_1) …, and their parts where the load
// drives the gear, "fb3.0" …
ExtraColumns load_dictionary(const std::vector<FrictionJoint>& joints, const GearOutput& output);

// What is requested for a joint.
struct FrictionRequest {
  std::optional<FrictionForm>
      form;             // nothing: choose between linear, sigmoid and stribeck, with load or without
  bool viscous = true;  // beside a form that is given
  bool coulomb = true;  // only for forms that have it
  bool offset = true;
  LoadFriction load = LoadFriction::none;  // beside a form that is given
  bool may_load = true;                    // of a form that is chosen: joints whose load is in the folds

  bool needs_load() const { return form ? load != LoadFriction::none : may_load; }
};

struct FrictionChoice {
  FrictionModel model;        // with starting values
  double linear = 0;          // unexplained share of held-out rows, all joints: linear here
  double chosen = 0;          // the same with the chosen form
  double standard_error = 0;  // of their difference
  std::string reason;         // one sentence; empty when the form was given
};

// `runs`: folds with the dictionary's columns and fv, fc, fo of these joints; `groups` as in cross_validate.
std::vector<FrictionChoice> choose_friction(const std::vector<FrictionJoint>& joints,
                                            const std::vector<FrictionRequest>& requests,
                                            const std::vector<std::vector<FoldBlock>>& runs,
                                            const BlockGroups& groups, const EstimateOptions& options = {});

}  // namespace steelyard
