// Drive gains that a study identifies together with the signs: `signs: {gains: …}` (signs/unknown_gains.hpp).
//
//   |effort| × a-priori gains → signs and gains → the runs are opened again with the gains that were
//   found
//
// From there on the study works on efforts as if the gains had been given.
#pragma once

#include <vector>

#include "steelyard/identify/setup.hpp"
#include "steelyard/result/result.hpp"
#include "steelyard/signs/recover.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Estimated, from a model, or assumed, one per joint. Throws InputError for lists of the wrong length.
VectorXd gains_of_signs(const Setup& setup);

struct SignGains {
  std::vector<SignGain> gains;  // for the result
  VectorXd factors;             // on the assumed ones
  VectorXd values;
  std::string scale;  // joint whose unknown gain counts as 1; empty: it is known
  std::vector<Finding> findings;
};
SignGains identify_sign_gains(const Setup& setup, const SignPhysics& physics, const std::vector<Fold>& folds,
                              const std::vector<SignSegment>& segments, const VectorXd& weights,
                              const SignOptions& options);

// Those of an earlier model.
VectorXd sign_gains_of(const Result& model, const Setup& setup);

}  // namespace steelyard
