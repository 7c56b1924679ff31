#include "steelyard/signs/search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "steelyard/core/random.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kInverseSteps = 80;

// s with the sign that fits the known segments, by their energy; known signs are set.
void respect_known(VectorXd& signs, const VectorXd& energy, const std::vector<int>& known) {
  double vote = 0;
  for (Index k = 0; k < signs.size(); ++k) vote += energy[k] * signs[k] * known[static_cast<std::size_t>(k)];
  if (vote < 0) signs = -signs;
  for (Index k = 0; k < signs.size(); ++k)
    if (known[static_cast<std::size_t>(k)] != 0) signs[k] = known[static_cast<std::size_t>(k)];
}

// Change of ‖R s‖² by flips, from the gradient RᵀR s.
class Flips {
 public:
  Flips(const MatrixXd& R, VectorXd signs) : gram_(R.transpose() * R), signs_(std::move(signs)) {
    gradient_ = gram_ * signs_;
  }

  double one(Index i) const { return 4 * (gram_(i, i) - signs_[i] * gradient_[i]); }
  double two(Index i, Index j) const { return one(i) + one(j) + 8 * signs_[i] * signs_[j] * gram_(i, j); }
  double group(const std::vector<Index>& members) const {
    double change = 0;
    for (const Index i : members) {
      double own = 0;
      for (const Index j : members) own += gram_(i, j) * signs_[j];
      change += 4 * signs_[i] * (own - gradient_[i]);
    }
    return change;
  }
  void flip(Index i) {
    gradient_ -= 2 * signs_[i] * gram_.col(i);
    signs_[i] = -signs_[i];
  }
  const VectorXd& signs() const { return signs_; }
  double norm() const { return gram_.trace(); }

 private:
  Eigen::MatrixXd gram_;
  VectorXd signs_;
  VectorXd gradient_;
};

}  // namespace

SignPattern spectral_signs(const MatrixXd& R, const VectorXd& energy, const std::vector<int>& known,
                           VectorXd* eigenvector) {
  const Index size = R.cols();
  const VectorXd scale = energy.cwiseMax(std::numeric_limits<double>::min()).cwiseSqrt().cwiseInverse();
  Eigen::MatrixXd scaled = R * scale.asDiagonal();
  // Without noise R is singular, and any small number in place of zero gives its null vector.
  const double floor = 1e-14 * std::max(scaled.cwiseAbs().maxCoeff(), std::numeric_limits<double>::min());
  for (Index k = 0; k < size; ++k)
    if (std::abs(scaled(k, k)) < floor) scaled(k, k) = floor;
  Random random(1, "spectral signs");
  Eigen::VectorXd v(size);
  for (Index k = 0; k < size; ++k) v[k] = random.normal();
  for (int step = 0; step < kInverseSteps; ++step) {
    v = scaled.triangularView<Eigen::Upper>().transpose().solve(v);
    v = scaled.triangularView<Eigen::Upper>().solve(v);
    v.normalize();
  }
  SignPattern found;
  found.signs.resize(size);
  for (Index k = 0; k < size; ++k) found.signs[k] = v[k] < 0 ? -1 : 1;
  if (eigenvector) *eigenvector = scale.asDiagonal() * v;
  respect_known(found.signs, energy, known);
  found.residual = (R * found.signs).squaredNorm();
  return found;
}

SignPattern descend(const MatrixXd& R, SignPattern start, const std::vector<int>& known,
                    const std::vector<std::vector<Index>>& groups) {
  Flips flips(R, start.signs);
  const double threshold = -1e-12 * flips.norm();  // changes above are rounding
  const Index size = R.cols();
  const auto is_free = [&](Index k) { return known[static_cast<std::size_t>(k)] == 0; };
  for (bool better = true; better;) {
    better = false;
    for (Index i = 0; i < size; ++i)
      if (is_free(i) && flips.one(i) < threshold) {
        flips.flip(i);
        better = true;
      }
    if (better) continue;
    for (Index i = 0; i < size; ++i)
      for (Index j = i + 1; j < size; ++j)
        if (is_free(i) && is_free(j) && flips.two(i, j) < threshold) {
          flips.flip(i);
          flips.flip(j);
          better = true;
        }
    for (const std::vector<Index>& group : groups)
      if (std::all_of(group.begin(), group.end(), is_free) && flips.group(group) < threshold) {
        for (const Index i : group) flips.flip(i);
        better = true;
      }
  }
  start.signs = flips.signs();
  start.residual = (R * start.signs).squaredNorm();
  return start;
}

}  // namespace steelyard
