// Signs when the drive gains are not known either: raw currents, torque constants from a data sheet.
//
//   τ_j = g_j |i_j| s,  residual(s, g) = ‖R_EE D(g) s‖²,  D(g) the gain of each segment's joint
//
// One common factor of all gains is harmless: it scales the model, not the signs. Ratios between joints do
// matter, and enter as unknowns: for given signs they are the smallest generalised eigenvector of
//   A g = λ E g,  A_jk = Σ s_i Q_il s_l over segments i of joint j and l of joint k,  E_j the joint's energy
// (noise in proportion to each joint's effort; least squares with one gain fixed would shrink the others),
// and for given gains the signs come from recover_signs. The start is the spectrum of the form, where unknown
// signs and unknown gains are the same thing: one factor a segment.
//
// Gains are positive: the sign of a drive is part of the segments' signs, or of the a-priori values that the
// efforts were multiplied by. The joint with most energy keeps the gain one. A joint that no other joint is
// tied to has any gain; it then keeps its a-priori value (`determined`).
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/signs/recover.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct GainSearch {
  VectorXd gains;                // per joint, true over assumed; 1 where a joint has no segment
  std::vector<bool> determined;  // per joint
  SignProblem problem;           // with these gains
  SignSearch search;
  int rounds = 0;
  bool converged = false;  // the signs stayed
};

// `problem` as made by make_sign_problem with the a-priori gains.
GainSearch recover_signs_and_gains(const SignProblem& problem, const SignPhysics& physics,
                                   const SignOptions& options = {}, int most_rounds = 8);

// The gains that fit these signs best, scaled as above.
VectorXd gains_for_signs(const SignProblem& problem, const VectorXd& signs,
                         std::vector<bool>* determined = nullptr);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
