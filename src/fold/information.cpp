#include "fold/information.hpp"

#include <algorithm>
#include <cmath>

#include "fold/tiles.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kWeak = 0.05;           // of a column's norm is left after the earlier columns
constexpr std::size_t kMaxReplaced = 8;  // each costs as much as two columns of G
constexpr double kLargestFactor = 100;   // Σ |c_j| ‖a_j‖ / ‖a_k‖: roundings of a'_k, in those of a_k
constexpr double kProbeInverse = 10 * kLargestInverse;  // a probe is more or less like the whole
constexpr Index kTilesOfPart = 10;

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

// trace (R̂ᵀR̂)⁻¹ = ‖R̂⁻¹‖²; columns of zeros (diagonal 0) do not count. Infinity for a singular R̂.
template <typename Matrix>
double inverse_trace(const Matrix& R, const std::vector<double>& norms) {
  const auto n = static_cast<Index>(norms.size());
  MatrixXd inverse = MatrixXd::Zero(n, n);  // column by column, by substitution
  for (Index j = 0; j < n; ++j) {
    if (norms[static_cast<std::size_t>(j)] == 0) continue;
    inverse(j, j) = 1 / static_cast<double>(R(j, j));
    for (Index i = j - 1; i >= 0; --i) {
      if (norms[static_cast<std::size_t>(i)] == 0) continue;
      double sum = 0;
      for (Index k = i + 1; k <= j; ++k) sum += static_cast<double>(R(i, k)) * inverse(k, j);
      inverse(i, j) = -sum / static_cast<double>(R(i, i));
    }
  }
  const double trace = inverse.squaredNorm();
  return std::isfinite(trace) ? trace : kInfinity;
}

// The upper Cholesky factor; false when a pivot is not positive.
bool cholesky(const LongMatrix& G, const std::vector<double>& norms, LongMatrix& R) {
  const Index n = G.rows();
  R = LongMatrix::Zero(n, n);
  for (Index j = 0; j < n; ++j) {
    if (norms[static_cast<std::size_t>(j)] == 0) continue;
    for (Index i = 0; i <= j; ++i) {
      if (norms[static_cast<std::size_t>(i)] == 0) continue;
      long double rest = G(i, j);
      for (Index k = 0; k < i; ++k) rest -= R(k, i) * R(k, j);
      if (i < j) {
        R(i, j) = rest / R(i, i);
      } else if (rest > 0) {
        R(j, j) = std::sqrt(rest);
      } else {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

Information::Information(const Fold& probe)
    : size_(probe.size()), stride_(fold_kernels::padded_size(probe.size())) {
  if (probe.depth() < size_) return;
  usable_ = replace_weak(probe.R());
  if (!usable_) return;
  part_.assign(static_cast<std::size_t>(stride_ * stride_), 0.0);
  total_ = part_;
  zeros_.assign(static_cast<std::size_t>(kTileSamples), 0.0);
}

// Which columns to replace, by which others; false when what is left is still not independent.
bool Information::replace_weak(const MatrixXd& R) {
  MatrixXd scaled = R;
  std::vector<double> norms;
  std::vector<Index> kept;
  for (Index k = 0; k < size_; ++k) {
    const double norm = R.col(k).norm();
    if (norm > 0 && R(k, k) < kWeak * norm) {
      Replaced weak{k, kept, std::vector<double>(kept.size())};
      double largest = 0;
      for (std::size_t i = kept.size(); i-- > 0;) {
        double rest = R(kept[i], k);
        for (std::size_t j = i + 1; j < kept.size(); ++j) rest -= R(kept[i], kept[j]) * weak.factors[j];
        weak.factors[i] = rest / R(kept[i], kept[i]);
        largest += std::abs(weak.factors[i]) * R.col(kept[i]).norm();
      }
      if (!(largest <= kLargestFactor * norm) || replaced_.size() == kMaxReplaced) return false;
      for (std::size_t i = 0; i < kept.size(); ++i) scaled.col(k) -= weak.factors[i] * R.col(kept[i]);
      replaced_.push_back(std::move(weak));
      // A column that depends exactly leaves roundings, which may do so among themselves: the sums decide.
      if (scaled.col(k).norm() < 1e-12 * norm) scaled.col(k).setZero();
    } else if (norm > 0) {
      kept.push_back(k);
    }
    norms.push_back(scaled.col(k).norm());
    if (norms.back() > 0) scaled.col(k) /= norms.back();
  }
  return inverse_trace(scaled, norms) <= kProbeInverse;
}

void Information::add(std::span<double* const> columns, Index count, Index valid) {
  if (valid <= 0) return;
  const fold_kernels::Kernels& kernels = fold_kernels_in_use();
  const Index samples = fold_kernels::padded_size(count);
  std::vector<const double*> from;
  for (auto weak = replaced_.rbegin(); weak != replaced_.rend(); ++weak) {
    from.clear();
    for (const Index k : weak->from) from.push_back(columns[static_cast<std::size_t>(k)]);
    kernels.subtract({from.data(), weak->factors.data(), static_cast<fold_kernels::Size>(from.size()),
                      columns[static_cast<std::size_t>(weak->column)], samples});
  }
  std::vector<double*> padded(columns.begin(), columns.end());
  padded.resize(static_cast<std::size_t>(stride_), zeros_.data());
  kernels.gram({padded.data(), samples, size_, part_.data(), stride_});
  rows_ += valid;
  if (++tiles_ == kTilesOfPart) flush();
}

void Information::flush() {
  for (std::size_t k = 0; k < part_.size(); ++k) total_[k] += part_[k];
  std::fill(part_.begin(), part_.end(), 0.0);
  tiles_ = 0;
}

std::optional<MatrixXd> Information::factor() {
  if (rows_ < size_) return std::nullopt;
  flush();
  std::vector<double> norms;
  for (Index k = 0; k < size_; ++k)
    norms.push_back(std::sqrt(total_[static_cast<std::size_t>(k * stride_ + k)]));
  LongMatrix scaled = LongMatrix::Zero(size_, size_), R;
  for (Index i = 0; i < size_; ++i) {
    for (Index j = i; j < size_; ++j) {
      const long double norm =
          static_cast<long double>(norms[static_cast<std::size_t>(i)]) * norms[static_cast<std::size_t>(j)];
      if (!std::isfinite(norm)) return std::nullopt;
      if (norm > 0) scaled(i, j) = total_[static_cast<std::size_t>(i * stride_ + j)] / norm;
    }
  }
  if (!cholesky(scaled, norms, R) || !(inverse_trace(R, norms) <= kLargestInverse)) return std::nullopt;
  MatrixXd out = MatrixXd::Zero(size_, size_);
  for (Index j = 0; j < size_; ++j) {
    for (Index i = 0; i <= j; ++i)
      out(i, j) = static_cast<double>(R(i, j) * norms[static_cast<std::size_t>(j)]);
  }
  for (const Replaced& weak : replaced_) {
    for (std::size_t i = 0; i < weak.from.size(); ++i)
      out.col(weak.column) += weak.factors[i] * out.col(weak.from[i]);
  }
  return out;
}

}  // namespace steelyard
