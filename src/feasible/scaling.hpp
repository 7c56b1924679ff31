// Nesterov-Todd scaling of one pair (S, Z): a linear map that makes both the same diagonal Λ.
//
// Matrix blocks: R with R⁻¹ S R⁻ᵀ = Rᵀ Z R = Λ. From S = L Lᵀ and LᵀZL = V Λ² Vᵀ: R = L V Λ^−½. Near the
// central path S Z ≈ μ 1, so that Λ² ≈ μ 1 and the eigenvalues are harmless however small those of S are.
// Second-order cone (s₀ ≥ ‖s₁‖): W = β (2 v vᵀ − J) with W z = W⁻¹ s = λ, J = diag(1, −1).
// Source: L. Vandenberghe, "The CVXOPT linear and quadratic cone program solvers", 2010.
//
// With scaled steps dS, dZ the method solves Λ∘(dS + dZ) = D, D = target 1 − Λ² − dS∘dZ of the predictor.
#pragma once

#include <vector>

#include "feasible/cones.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Largest steps that keep S and Z in their cones.
struct StepLengths {
  double primal = 0;
  double dual = 0;
};

// Entries of a symmetric matrix that are not zero, lower part: value at (row, col) and (col, row).
struct Entry {
  int row = 0;
  int col = 0;
  double value = 0;
};

// One block with its slack, multiplier and scaling. Sizes one to six.
class ScaledBlock {
 public:
  explicit ScaledBlock(const Block& block);

  int size() const { return size_; }
  int rows() const { return size_ * (size_ + 1) / 2; }
  SmallMatrix S, Z;

  // False when S or Z is not positive definite.
  bool rescale();
  double complementarity() const { return S.cwiseProduct(Z).sum(); }

  // Writes U with UᵀU this block's part of a Hessian: column k is svec(A F_k Aᵀ), √2 off the diagonal.
  template <class Out>
  void root(const SmallMatrix& A, Out&& out) const;
  const SmallMatrix& scaling() const { return R_inverse_; }  // A of the method's Hessian

  // Λ ⊘ D, D = target 1 − Λ² − corrector, brought back: the part of ΔZ that does not depend on ΔS.
  SmallMatrix pull(double target, bool corrected) const;
  // Given ΔS and that part, the whole ΔZ; keeps the scaled steps for the corrector and the step length.
  SmallMatrix finish(const SmallMatrix& dS, double target, bool corrected);
  StepLengths longest_step() const;
  void remember_predictor() { corrector_ = 0.5 * (dS_ * dZ_ + dZ_ * dS_); }

  // ⟨F_k, Z⟩ for every column.
  double slope(std::size_t k, const SmallMatrix& matrix) const;

 private:
  SmallMatrix divided(double target, bool corrected) const;

  int size_;
  std::vector<std::vector<Entry>> parts_;
  SmallMatrix R_, R_inverse_;
  SmallVector lambda_;
  SmallMatrix dS_, dZ_, corrector_;
};

// s = (height, A y + a) with height = h·y + h₀ at least the norm of the rest.
class ScaledBall {
 public:
  Eigen::VectorXd s, z;

  bool rescale();
  double complementarity() const { return s.dot(z); }
  // s and z as multiples: GᵀW⁻²G = (GᵀG + 4|q|² g gᵀ − 2 (g fᵀ + f gᵀ))/β² with q = J v, g = Gᵀq, f = GᵀJq.
  double beta() const { return beta_; }
  Eigen::VectorXd q() const;
  Eigen::VectorXd pull(double target, bool corrected) const;
  Eigen::VectorXd finish(const Eigen::VectorXd& ds, double target, bool corrected);
  StepLengths longest_step() const;
  void remember_predictor();

 private:
  Eigen::VectorXd times_inverse(const Eigen::VectorXd& x) const;  // W⁻¹ x
  Eigen::VectorXd divided(double target, bool corrected) const;

  Eigen::VectorXd v_, lambda_, ds_, dz_, corrector_;
  double beta_ = 1;
};

template <class Out>
void ScaledBlock::root(const SmallMatrix& A, Out&& out) const {
  constexpr double kRoot2 = 1.4142135623730950488;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    SmallMatrix U = SmallMatrix::Zero(size_, size_);
    for (const Entry& entry : parts_[k]) {
      const auto a = A.col(entry.row), b = A.col(entry.col);
      if (entry.row == entry.col) {
        U.noalias() += entry.value * a * a.transpose();
      } else {
        U.noalias() += entry.value * a * b.transpose();
        U.noalias() += entry.value * b * a.transpose();
      }
    }
    Index row = 0;
    for (int i = 0; i < size_; ++i)
      for (int j = 0; j <= i; ++j) out(row++, static_cast<Index>(k)) = i == j ? U(i, i) : kRoot2 * U(i, j);
  }
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
