// Matrix blocks of the scaling. Sizes are known at compile time inside: most blocks are 1 × 1 or 4 × 4, and
// loops of unknown length over so few numbers cost more than the numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "feasible/scaling.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// N × N, or up to the largest block where N is Eigen::Dynamic.
template <int N>
using Square = Eigen::Matrix<double, N, N, Eigen::ColMajor, N == Eigen::Dynamic ? kLargestBlock : N,
                             N == Eigen::Dynamic ? kLargestBlock : N>;

template <int N>
Eigen::Map<const Square<N>> view(const SmallMatrix& matrix) {
  return Eigen::Map<const Square<N>>(matrix.data(), matrix.rows(), matrix.cols());
}

template <int N>
void copy(const Square<N>& from, SmallMatrix& to) {
  to.resize(from.rows(), from.cols());
  Eigen::Map<Square<N>>(to.data(), from.rows(), from.cols()) = from;
}

// f(std::integral_constant<int, N>).
template <class F>
auto with_size(int size, const F& f) {
  if (size == 1) return f(std::integral_constant<int, 1>());
  if (size == 4) return f(std::integral_constant<int, 4>());
  return f(std::integral_constant<int, Eigen::Dynamic>());
}

// Largest α with 1 + α M ⪰ 0.
template <int N>
double step_of(const Square<N>& M) {
  const Square<N> far = Square<N>::Identity(M.rows(), M.rows()) + kLongEnough * M;
  if (is_positive(far)) return kFarthest;
  const double smallest = small_eigenvalues(M)[0];
  return smallest < 0 ? -1 / smallest : kFarthest;
}

}  // namespace

ScaledBlock::ScaledBlock(const Block& block) : size_(block.size()), columns_(block.columns) {
  for (const SmallMatrix& part : block.parts) {
    for (int i = 0; i < size_; ++i)
      for (int j = 0; j <= i; ++j)
        if (part(i, j) != 0) entries_.push_back({i, j, part(i, j)});
    ends_.push_back(entries_.size());
  }
}

template <int N>
bool ScaledBlock::rescale_as() {
  if constexpr (N == 1) {
    const double s = S(0, 0), z = Z(0, 0);
    if (!(s > 0) || !(z > 0)) return false;
    lambda_[0] = std::sqrt(s * z);
    R_inverse_(0, 0) = std::sqrt(std::sqrt(z / s));
    return lambda_[0] > 0;
  } else {
    Square<N> L;
    if (!lower_root(Square<N>(view<N>(S)), L)) return false;
    const Square<N> product = L.transpose() * view<N>(Z) * L;
    const auto eigen = small_eigen(product);
    if (!(eigen.values[0] > 0)) return false;
    const auto lambda = eigen.values.cwiseSqrt().eval();
    Square<N> inverse = Square<N>::Identity(size_, size_);
    L.template triangularView<Eigen::Lower>().solveInPlace(inverse);
    lambda_ = lambda;
    const Square<N> scaled = Square<N>(lambda.cwiseSqrt().asDiagonal() * eigen.vectors.transpose()) * inverse;
    copy<N>(scaled, R_inverse_);
    return true;
  }
}

bool ScaledBlock::rescale() {
  lambda_.resize(size_);
  R_inverse_.resize(size_, size_);
  return with_size(size_, [this](auto n) { return rescale_as<n>(); });
}

void ScaledBlock::root(const SmallMatrix& A, Index first, const std::vector<Index>& places,
                       Eigen::MatrixXd& U) const {
  constexpr double kRoot2 = 1.4142135623730950488;
  std::size_t e = 0;
  for (std::size_t k = 0; k < ends_.size(); ++k) {
    double* column = U.col(places[k]).data() + first;
    for (; e < ends_[k]; ++e) {
      const double* a = A.data() + entries_[e].row * size_;
      const double* b = A.data() + entries_[e].col * size_;
      const double value = entries_[e].row == entries_[e].col ? 0.5 * entries_[e].value : entries_[e].value;
      Index row = 0;
      for (int i = 0; i < size_; ++i) {
        for (int j = 0; j < i; ++j) column[row++] += kRoot2 * value * (a[i] * b[j] + b[i] * a[j]);
        column[row++] += 2 * value * a[i] * b[i];
      }
    }
  }
}

template <int N>
Eigen::Matrix<double, N, N> ScaledBlock::divided(double target, bool corrected) const {
  Eigen::Matrix<double, N, N> D = Eigen::Matrix<double, N, N>::Zero(size_, size_);
  if (corrected) D -= view<N>(corrector_);
  for (int i = 0; i < size_; ++i) D(i, i) += target - lambda_[i] * lambda_[i];
  for (int i = 0; i < size_; ++i)
    for (int j = 0; j < size_; ++j) D(i, j) *= 2 / (lambda_[i] + lambda_[j]);
  return D;
}

SmallMatrix ScaledBlock::pull(double target, bool corrected) const {
  SmallMatrix out;
  with_size(size_, [&](auto n) {
    const Square<n> A = view<n>(R_inverse_);
    copy<n>(A.transpose() * divided<n>(target, corrected) * A, out);
  });
  return out;
}

SmallMatrix ScaledBlock::finish(const SmallMatrix& dS, double target, bool corrected) {
  SmallMatrix out;
  with_size(size_, [&](auto n) {
    const Square<n> A = view<n>(R_inverse_);
    Square<n> scaled = A * view<n>(dS) * A.transpose();
    scaled = Square<n>(0.5 * (scaled + scaled.transpose()));
    const Square<n> rest = divided<n>(target, corrected) - scaled;
    const Square<n> dZ = A.transpose() * rest * A;
    copy<n>(scaled, dS_);
    copy<n>(rest, dZ_);
    copy<n>(0.5 * (dZ + dZ.transpose()), out);
  });
  return out;
}

template <int N>
StepLengths ScaledBlock::longest_step_as() const {
  if constexpr (N == 1) {
    const auto step = [&](double d) { return d < 0 ? -lambda_[0] / d : kFarthest; };
    return {step(dS_(0, 0)), step(dZ_(0, 0))};
  } else {
    Square<N> primal = view<N>(dS_), dual = view<N>(dZ_);
    for (int i = 0; i < size_; ++i)
      for (int j = 0; j < size_; ++j) {
        const double factor = 1 / std::sqrt(lambda_[i] * lambda_[j]);
        primal(i, j) *= factor;
        dual(i, j) *= factor;
      }
    return {step_of<N>(primal), step_of<N>(dual)};
  }
}

StepLengths ScaledBlock::longest_step() const {
  return with_size(size_, [this](auto n) { return longest_step_as<n>(); });
}

SmallMatrix ScaledBlock::direction(const Eigen::VectorXd& x) const {
  SmallMatrix out = SmallMatrix::Zero(size_, size_);
  std::size_t e = 0;
  for (std::size_t k = 0; k < ends_.size(); ++k)
    for (; e < ends_[k]; ++e) out(entries_[e].row, entries_[e].col) += x[columns_[k]] * entries_[e].value;
  for (int i = 0; i < size_; ++i)
    for (int j = 0; j < i; ++j) out(j, i) = out(i, j);
  return out;
}

void ScaledBlock::add_slopes(const SmallMatrix& matrix, double factor, Eigen::VectorXd& by_x) const {
  std::size_t e = 0;
  for (std::size_t k = 0; k < ends_.size(); ++k) {
    double sum = 0;
    for (; e < ends_[k]; ++e) {
      const Entry& entry = entries_[e];
      sum += (entry.row == entry.col ? 1 : 2) * entry.value * matrix(entry.row, entry.col);
    }
    by_x[columns_[k]] += factor * sum;
  }
}

}  // namespace steelyard
