// Hessian of a cone program's path, and its factor.
//
//   H = 2·1_seen + w Tᵀ diag(soft) T + Σ_b Tᵀ F_b*(AᵀA F_b(T ·) AᵀA) + the ball's part
//
// with A the scaling of block b. Roots are made per group of blocks that touch the same few columns: small
// first, mapped to y once.
#pragma once

#include <functional>
#include <vector>

#include "feasible/cone_program.hpp"
#include "feasible/scaling.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {

class ConeHessian {
 public:
  explicit ConeHessian(const ConeProgram& program);

  // The part of the blocks alone; `more` of the largest diagonal entry is added to all. False: no factor.
  using ScalingOf = std::function<const SmallMatrix&(std::size_t)>;
  bool factorize_blocks(const std::vector<ScaledBlock>& blocks, const ScalingOf& scaling_of, double more);

  // All of it, with the blocks' and the ball's present scalings and the weight w. `by_roots`: by a QR of the
  // roots, which costs more and keeps soft directions that the stiff ones' rounding hides in H itself.
  bool factorize(const std::vector<ScaledBlock>& blocks, const ScaledBall& ball, double weight,
                 bool by_roots);

  Eigen::VectorXd solve(const Eigen::VectorXd& rhs) const;

 private:
  // Blocks that touch the same few columns.
  struct Group {
    std::vector<Index> columns;
    std::vector<std::size_t> blocks;
    std::vector<std::vector<Index>> places;  // per block: its columns within the group's
    Eigen::MatrixXd T;                       // rows of T
    Index rows = 0;                          // of all roots
  };
  void group_blocks();
  void make_roots(const std::vector<ScaledBlock>& blocks, const ScalingOf& scaling_of);
  bool factorize_roots(const ScaledBall& ball, double weight);
  void add_ball(const ScaledBall& ball);

  const ConeProgram& program_;
  std::vector<Group> groups_;
  Index root_rows_ = 0;
  bool has_soft_ = false;
  Eigen::MatrixXd ball_gram_, soft_gram_, small_root_, roots_, hessian_;
  Cholesky llt_;
  PivotedQr qr_;
  bool by_roots_ = false;  // which of the two holds the factor
};

}  // namespace steelyard
