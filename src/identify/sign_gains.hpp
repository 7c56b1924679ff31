// Drive gains that a study finds together with the signs: `signs: {gains: …}` (signs/unknown_gains.hpp).
//
//   |effort| × a-priori gains → signs and gains → the runs are opened once more with the gains that were
//   found
//
// From there on the study works on efforts as if the gains had been given.
#pragma once

#include <vector>

#include "steelyard/result/result.hpp"
#include "steelyard/signs/recover.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct StudyState;

// Found, restored or assumed, one per joint. Throws InputError for lists of the wrong length.
VectorXd gains_of_signs(const StudyState& state);

// Finds them, opens the runs with them and multiplies what their SignedRun holds. Returns what is to be told.
std::vector<SignGain> find_sign_gains(StudyState& state, const std::vector<Fold>& folds,
                                      const std::vector<SignSegment>& segments, const VectorXd& weights,
                                      const SignOptions& options);

// Those of a model that was found before.
void restore_sign_gains(const Result& model, StudyState& state);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
