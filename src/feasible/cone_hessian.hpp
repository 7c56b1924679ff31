// Hessian of a cone program's path, and its factor.
//
//   H = 2·1_seen + w Tᵀ diag(soft) T + Σ_b Tᵀ F_b*(AᵀA F_b(T ·) AᵀA) + the ball's part
//
// with A the scaling of block b. Roots are made per group of blocks that touch the same few columns: small
// first, mapped to y once.
#pragma once

#include <Eigen/Cholesky>
#include <functional>
#include <vector>

#include "feasible/cone_program.hpp"
#include "feasible/scaling.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

class ConeHessian {
 public:
  explicit ConeHessian(const ConeProgram& program);

  // The part of the blocks alone; `more` of the largest diagonal entry is added to all. False: no factor.
  using ScalingOf = std::function<const SmallMatrix&(std::size_t)>;
  bool factorize_blocks(const std::vector<ScaledBlock>& blocks, const ScalingOf& scaling_of, double more);

  // All of it, with the blocks' and the ball's present scalings and the weight w.
  bool factorize(const std::vector<ScaledBlock>& blocks, const ScaledBall& ball, double weight);

  Eigen::VectorXd solve(const Eigen::VectorXd& rhs) const { return llt_.solve(rhs); }

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
  void add_blocks(const std::vector<ScaledBlock>& blocks, const ScalingOf& scaling_of);
  void add_ball(const ScaledBall& ball);

  const ConeProgram& program_;
  std::vector<Group> groups_;
  Index root_rows_ = 0;
  Eigen::MatrixXd ball_gram_, roots_, hessian_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
