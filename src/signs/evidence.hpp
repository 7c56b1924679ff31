// How sure signs are, from the errors that the model has.
//
// Two patterns s, s′ differ in the direction d = R (s′ − s) of their residuals r = R s, r + d. If s is right, r is error,
// and its part along d has a variance v; if s′ is right, r + d is. In units of that variance the two errors are
//   a = (r·d)² / (v d²)        b = ((r + d)·d)² / (v d²) + (φ2(s′) − residual(s′) − φ2(s) + residual(s)) / v
// the last part of b being what s′ lacks in feasibility. Under Student's law with ν degrees of freedom, for errors of
// a model have longer tails than noise, the odds of s against s′ are ((ν + b) / (ν + a))^((ν + 1) / 2).
//
// v comes from the segments themselves. Each is predicted by a model of all others; the error along its own effort is
// g_k / √Q_kk with g = Q s, Q = RᵀR, and the mean of its squares over a joint is v, never below that of independent
// rows. A model error that lasts for a segment counts in full there, however many rows the segment has; what a model
// lacks may last longer, so that the errors of segments that are flipped together are correlated. The sign of
// another segment j that is right with probability p adds its own variance, 4 p (1 − p) (RᵀR (s′ − s))_j² / d².
//
// The best pattern was chosen for small errors, and a model that lacks something may fit other signs better than the right ones. So
// the errors of the flipped segments count as no more than those of few: the odds are at most
// (1 + (φ2(s′) − φ2(s)) / Σ g_k² / Q_kk)^(5/2), the sum over the flipped segments.
#pragma once

#include <vector>

#include "steelyard/signs/recover.hpp"

namespace steelyard::inline STEELYARD_ABI {

class SignEvidence {
 public:
  // `noise`: variance of independent rows.
  SignEvidence(const SignProblem& problem, const Eigen::MatrixXd& gram, const SignSearch& best, double noise);

  // Logarithm of the odds of the best pattern against another with this φ2. `probability` of the other signs, as far as
  // it is known already; empty: they are taken as right.
  double log_odds(const VectorXd& signs, double residual, double cost,
                  const VectorXd& probability = {}) const;

  // Share of a segment's effort that the others predict; 0 where they say nothing of it.
  double share(Index segment) const { return share_[segment]; }
  // RMS error of the joint's segments when each is left out, over their effort.
  double misfit(Index joint) const { return misfit_[joint]; }

 private:
  double flipped_squares(const VectorXd& signs) const;
  // v and ν for a flip of these segments.
  std::pair<double, double> error_of(const VectorXd& signs) const;

  const SignProblem& problem_;
  const Eigen::MatrixXd& gram_;
  const SignSearch& best_;
  VectorXd share_, squares_;            // by segment
  VectorXd variance_, count_, misfit_;  // by joint
};

}  // namespace steelyard
