// Which form of friction a joint has, and where its refinement begins: from one fold with a small dictionary.
//
//   dictionary of a joint   q̇, sign(q̇), 1 (columns fv, fc, fo of the plan), tanh(q̇/v_k) and
//                           sign(q̇) e^(−(q̇/vs_k)²), k = 1 … 8
//   linear                  q̇, sign, 1
//   sigmoid                 q̇, 1, tanh(q̇/v_k)                                φ2 = 2/v_k, φ3 = 0
//   stribeck                q̇, sign, 1, sign(q̇) e^(−(q̇/vs_k)²)
//   with load               S |τ_load|: S = sign(q̇), of a sigmoid tanh(q̇/v_k)     μ, to first order
//   with load_directional   the same, and its part where the load drives the gear    μd, μb − μd
//   with load_stribeck      sign(q̇) |τ_load| {1, e^(−(q̇/vm_k)²)}, beside linear and stribeck (with k of vs_k)    2 κ0, 2 κs
//
// τ_load is that of a fit with linear friction, which is known before the dictionary is folded.
//
// The v_k and vm_k are spread from 1/100 to 1 of the joint's fastest velocity, the vs_k to 1/2: a shape between two of them is
// met to a few per cent of its own effort. Groups of blocks are held out in turn
// and the candidates are compared by the residuals of the held-out rows, every row kind divided by its
// standard deviation. A form with more terms is chosen only when it wins by more than two standard errors of
// the groups' differences; asymmetric Coulomb has the span of sign and 1 and data cannot distinguish them.
// A form that has the simpler one and one coefficient more (Stribeck beside linear, load, its direction) is also
// chosen where it lowers the errors of the groups as a factor, in the mean of their logarithms, by more than two
// standard errors; or at all, when the coefficient is three standard deviations from zero by the jackknife over the
// groups, which a gear's share has to be in any case. Sums of squares alone would leave the choice to the group that the
// others determine least.
//
// Joints are chosen one after the other, twice, the others as chosen so far; from a beginning with linear friction,
// with load friction everywhere and with Stribeck friction everywhere, since joints hide each other's friction. Everything works on sums of
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

inline constexpr int kDictionarySize = 8;

// v_k, vs_k and vm_k of a joint, k = 0 … 7.
double dictionary_velocity(const FrictionJoint& joint, int k);
double dictionary_peak(const FrictionJoint& joint, int k);
double dictionary_load_peak(const FrictionJoint& joint, int k);

// Columns of the joints: "ft3.1" … "ft3.8" and the peaks "fe3.1" …
std::vector<ExtraColumns> dictionary_columns(const std::vector<FrictionJoint>& joints);

// S |τ_load| of the joints, "fl3.0" … "fl3.8" with S = sign, tanh(q̇/v_1) …, their parts where the load
// drives the gear, "fb3.0" …, and their peaks near rest, "fq3.1" …
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
  bool may_direct = true;                  // likewise: load_directional, which an unknown gain looks like

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
