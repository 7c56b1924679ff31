// Tiles and gradients of one evaluation.
#pragma once

#include <vector>

#include "excite/basis.hpp"
#include "steelyard/regressor/adjoint.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline Samples samples_of(const GridMotion& motion) {
  return {motion.q.data(), motion.qd.data(), motion.qdd.data(), motion.q.rows(), motion.q.rows()};
}

// The regressor along a motion.
class RegressorTile {
 public:
  RegressorTile(const Plan& plan, const GridMotion& motion)
      : samples_(samples_of(motion)),
        stride_(tile_stride(motion.q.rows())),
        data_(static_cast<std::size_t>(stride_ * plan.stored_columns)) {
    evaluate(plan, samples_, data_.data(), stride_);
  }

  void soften(const RegressorAdjoint& adjoint) { adjoint.soften_signs(samples_, data_.data(), stride_); }

  using Column = Eigen::Map<const VectorXd>;
  using Block = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  Column column(Index k) const { return {data_.data() + k * stride_, samples_.count}; }
  Block row(const Row& row) const {
    return {data_.data() + row.offset * stride_, samples_.count, static_cast<Index>(row.columns.size()),
            Eigen::OuterStride<>(stride_)};
  }
  Index count() const { return samples_.count; }

 private:
  Samples samples_;
  Index stride_;
  std::vector<double> data_;
};

// What the function gains per q, q̇, q̈ of every sample and independent joint.
struct ProblemWork {
  ProblemWork(Index samples, Index joints)
      : q(MatrixXd::Zero(samples, joints)),
        qd(MatrixXd::Zero(samples, joints)),
        qdd(MatrixXd::Zero(samples, joints)) {}

  // Adds what weighted entries of the regressor gain.
  void add(const RegressorAdjoint& adjoint, const GridMotion& motion, const MatrixXd& weights) {
    MatrixXd a(q.rows(), q.cols()), b(q.rows(), q.cols()), c(q.rows(), q.cols());
    adjoint.gradient(samples_of(motion), weights.data(), weights.rows(),
                     {a.data(), b.data(), c.data(), a.rows()});
    q += a;
    qd += b;
    qdd += c;
  }

  MatrixXd q, qd, qdd;
};

}  // namespace steelyard
