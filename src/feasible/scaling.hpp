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

namespace steelyard::inline STEELYARD_ABI {

inline constexpr double kFarthest = 1e30;     // no limit
inline constexpr double kLongEnough = 1.125;  // steps are at most one, after a caution of at least 0.9

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

  // Writes U with UᵀU this block's part of a Hessian from row `first` on: column k of the block is
  // svec(A F_k Aᵀ), √2 off the diagonal, and goes to column places[k].
  void root(const SmallMatrix& A, Index first, const std::vector<Index>& places, Eigen::MatrixXd& U) const;
  const SmallMatrix& scaling() const { return R_inverse_; }  // A of the method's Hessian

  // Λ ⊘ D, D = target 1 − Λ² − corrector, brought back: the part of ΔZ that does not depend on ΔS.
  SmallMatrix pull(double target, bool corrected) const;
  // Given ΔS and that part, the whole ΔZ; keeps the scaled steps for the corrector and the step length.
  SmallMatrix finish(const SmallMatrix& dS, double target, bool corrected);
  // Steps longer than kLongEnough are not distinguished.
  StepLengths longest_step() const;
  void remember_predictor() { corrector_ = 0.5 * (dS_ * dZ_ + dZ_ * dS_); }

  // Σ_k x_k F_k, without the constant.
  SmallMatrix direction(const Eigen::VectorXd& x) const;
  // by_x[k] += factor ⟨F_k, matrix⟩ for every column.
  void add_slopes(const SmallMatrix& matrix, double factor, Eigen::VectorXd& by_x) const;

 private:
  template <int N>
  bool rescale_as();
  template <int N>
  Eigen::Matrix<double, N, N> divided(double target, bool corrected) const;
  template <int N>
  StepLengths longest_step_as() const;

  int size_;
  std::vector<Index> columns_;
  std::vector<Entry> entries_;  // of all parts, one after the other
  std::vector<std::size_t> ends_;
  SmallMatrix R_inverse_;
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
  Eigen::VectorXd times_inverse(const Eigen::VectorXd& x) const;  // W⁻¹ x
  Eigen::VectorXd pull(double target, bool corrected) const;
  Eigen::VectorXd finish(const Eigen::VectorXd& ds, double target, bool corrected);
  StepLengths longest_step() const;
  void remember_predictor();

 private:
  Eigen::VectorXd divided(double target, bool corrected) const;

  Eigen::VectorXd v_, lambda_, ds_, dz_, corrector_;
  double beta_ = 1;
};

}  // namespace steelyard
