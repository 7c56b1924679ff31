#include "signs/crossings.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kDeviations = 3;
// A jump from −A to A within the filter's memory leaves a dip of depth D, (A − D) / D times as high as a change of sign at
// constant slope: dips of a fifth and more are recognized.
constexpr double kMargin = 4;

// RMS within `half` samples on both sides.
VectorXd moving_rms(const VectorXd& x, Index half) {
  const Index count = x.size();
  VectorXd sums(count + 1);
  sums[0] = 0;
  for (Index s = 0; s < count; ++s) sums[s + 1] = sums[s] + x[s] * x[s];
  VectorXd out(count);
  for (Index s = 0; s < count; ++s) {
    const Index begin = std::max<Index>(0, s - half), end = std::min(count, s + half + 1);
    out[s] = std::sqrt(std::max(0.0, sums[end] - sums[begin]) / static_cast<double>(end - begin));
  }
  return out;
}

double median(const VectorXd& x) {
  std::vector<double> values(x.begin(), x.end());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

CrossingShape crossing_shape(const RowBand& band) {
  CrossingShape shape;
  const Index half = static_cast<Index>(std::ceil(8 * band.rate / band.filter.cutoff)), count = 2 * half + 1;
  MatrixXd both =
      MatrixXd::Zero(count, 2);  // an impulse and |t|, of constant slope beyond the filter's memory
  both(half, 0) = 1;
  for (Index s = 0; s < count; ++s) both(s, 1) = static_cast<double>(std::abs(s - half));
  band.pass(both.data(), count, 2);
  const double peak = both(half, 0);
  shape.square = both(half, 1) / (2 * peak);
  shape.noise_gain = both.col(0).norm();
  both(half, 0) -= 1;
  shape.left_gain = both.col(0).norm();
  return shape;
}

EffortFloor effort_floor(const RowBand& band, const CrossingShape& shape, const double* effort,
                         const double* filtered, Index count) {
  VectorXd left(count);
  for (Index s = 0; s < count; ++s) left[s] = effort[s] - filtered[s];
  const VectorXd noise =
      moving_rms(left, static_cast<Index>(band.rate / band.filter.cutoff)) / std::max(shape.left_gain, 1e-3);
  const double filtered_noise = kDeviations * shape.noise_gain;
  return {(std::sqrt(2 / std::numbers::pi) + filtered_noise) * noise,  // the mean of |noise|, and more
          filtered_noise * median(noise)};
}

std::vector<Index> local_minima(const double* x, Index count, double rise) {
  std::vector<Index> found;
  Index lowest = 0;
  double top = count > 0 ? x[0] : 0;  // since the last minimum
  bool falling = false;               // the signal has fallen from `top` by `rise`
  for (Index s = 0; s < count; ++s) {
    if (!falling) {
      top = std::max(top, x[s]);
      if (top - x[s] >= rise) {
        falling = true;
        lowest = s;
      }
      continue;
    }
    if (x[s] < x[lowest]) lowest = s;
    if (x[s] - x[lowest] < rise) continue;
    found.push_back(lowest);
    falling = false;
    top = x[s];
  }
  return found;
}

std::vector<Index> crossings(const CrossingShape& shape, const EffortFloor& floor, const double* filtered,
                             Index count) {
  std::vector<Index> found;
  for (const Index s : local_minima(filtered, count, floor.ripple)) {
    if (s == 0 || s + 1 >= count) continue;
    const double curvature = filtered[s - 1] - 2 * filtered[s] + filtered[s + 1];
    if (filtered[s] <= floor.sign[s] + kMargin * shape.square * curvature) found.push_back(s);
  }
  return found;
}

}  // namespace steelyard
