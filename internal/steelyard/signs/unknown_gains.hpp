// Signs when the drive gains are not known either: raw currents, torque constants from a data sheet.
//
//   τ_j = g_j |i_j| s,  residual(s, g) = ‖R_EE D(g) s‖²,  D(g) the gain of each segment's joint
//
// One common factor of all gains is harmless: it scales the model, not the signs. Ratios between joints do
// matter, and enter as unknowns: for given signs they are the smallest generalised eigenvector of
//   A g = λ E g,  A_jk = Σ s_i Q_il s_l over segments i of joint j and l of joint k,  E_j the joint's energy
// (noise in proportion to each joint's effort; least squares with one gain fixed would shrink the others),
// and for given gains the signs come from recover_signs. The start is the spectrum of the form, where unknown
// signs and unknown gains are the same thing: one factor per segment.
//
// Gains are positive: the sign of a drive is part of the segments' signs, or of the a-priori values that the
// efforts were multiplied by. One joint keeps the gain one, the given one or that with the largest effort. A joint
// that is not coupled to any other has an arbitrary gain; it then keeps its a-priori value (`determined`).
//
// Refined gains. E stands for the noise of each joint, which is in proportion to its effort only by guess; a
// joint whose noise is taken too large comes out with too large a gain. Once signs are found, rows are
// weighted by each joint's residual and E_j is replaced by what noise has left in its efforts, rows_j / g_j²,
// until the gains converge.
//
// Standard deviations. With M = (1 − YY⁺) Z, Z the signed efforts joint by joint, an error ε of the efforts
// (times their gains) moves the gains by −H⁻¹ Mᵀε to first order, H = A − λE without the fixed joint, so that
//   cov g = c H⁻¹ (Σ_j v_j M_jᵀM_j) H⁻¹
// with v_j the variance of joint j's residual and c rows per independent one. What a model lacks is not independent from
// row to row: where the sums over segments scatter more than that, their scatter counts instead; and how far the
// gains move when the noise of one joint is twice or half of what it seems to be is added. Signs are taken as certain.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/signs/recover.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct GainSearchOptions {
  Index fixed = -1;  // joint whose gain is one; −1: that with the largest effort
  int max_rounds = 8;
};

struct GainSearch {
  VectorXd gains;                // per joint, true over assumed; 1 where a joint has no segment
  std::vector<bool> determined;  // per joint
  Index fixed = 0;               // the joint that has the gain one
  SignProblem problem;           // with these gains
  SignSearch search;
  int rounds = 0;
  bool converged = false;  // the signs converged
};

// `problem` as made by make_sign_problem with the a-priori gains. Throws InputError when the fixed joint has
// no segment.
GainSearch recover_signs_and_gains(const SignProblem& problem, const SignPhysics& physics,
                                   const SignOptions& options = {}, const GainSearchOptions& gains = {});

// The gains that fit these signs best, scaled as above; `noise`: E, the joints' energies when it is empty.
VectorXd gains_for_signs(const SignProblem& problem, const VectorXd& signs, Index fixed,
                         std::vector<bool>* determined = nullptr, const VectorXd& noise = {});

// The joint with the largest RMS effort in its segments.
Index strongest_joint(const SignProblem& problem);

struct GainEstimate {
  VectorXd gains;
  VectorXd sigma;                // 0 for the fixed joint, +∞ for those that are not determined
  std::vector<bool> determined;  // per joint
};

// Refined gains of recovered signs. Folds and problem with the a-priori gains; `correlation` as in
// SignOptions.
GainEstimate refine_gains(const std::vector<Fold>& folds, const SignProblem& problem, const GainSearch& found,
                          double correlation);

}  // namespace steelyard
