// The gradient of a weighted sum of torque-row entries with respect to the motion.
//
//   f(q, q̇, q̈) = Σ_r Σ_c w_rc Y_rc(q, q̇, q̈)      →  ∂f/∂q, ∂f/∂q̇, ∂f/∂q̈, all of them in one backward sweep
//
// Row r of link i is T_r · (I A + V ×* I V) with T_r the twist of joint r, V and A velocity and acceleration
// of the link, I the inertia whose ten entries are the weights w_r. Forward: V, A, T_r link by link;
// backward: what f gains per V, A, T_r, carried from a link to its parent by the transposed transform. A
// joint's angle enters through d(X u)/dq = (X u) × S. Cost: a few regressor evaluations, regardless of the
// number of joints.
//
// sign(q̇) has no derivative where it matters. With widths w these entries are tanh(q̇/w) here and in
// soften_signs(), for a sum of two velocities with the sum of their widths; without, their derivative is
// zero.
#pragma once

#include <memory>

#include "steelyard/core/abi.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Joint j of sample s at [j * stride + s].
struct MotionGradient {
  double* q = nullptr;
  double* qd = nullptr;
  double* qdd = nullptr;
  Index stride = 0;
};

class RegressorAdjoint {
 public:
  // A plan of torque rows of this robot; widths: none, or one > 0 per joint (mimic joints too).
  RegressorAdjoint(const Robot& robot, const Plan& plan, const VectorXd& sign_widths = {});
  ~RegressorAdjoint();
  RegressorAdjoint(RegressorAdjoint&&) noexcept;
  RegressorAdjoint& operator=(RegressorAdjoint&&) noexcept;

  // Sets the gradient of Σ weights · tile for every sample; weight of stored column k and sample s is
  // weights[k * column_stride + s], as in a tile. May be called from many threads.
  void gradient(const Samples& samples, const double* weights, Index column_stride,
                const MotionGradient& out) const;

  // Replaces sign(q̇) in a tile by tanh(q̇/w); nothing without widths. Robots whose friction columns belong
  // to mimic joints are summed up likewise.
  void soften_signs(const Samples& samples, double* tile, Index column_stride) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace steelyard
