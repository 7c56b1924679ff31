#include "steelyard/log/differences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

// The weights are derivatives of the Lagrange polynomials at `at`; with integers they come out exact to
// rounding.
VectorXd difference_weights(int derivative, int points, int at) {
  require(derivative == 1 || derivative == 2, "only first and second differences exist");
  VectorXd weights = VectorXd::Zero(points);
  for (int i = 0; i < points; ++i) {
    double scale = 1;
    for (int k = 0; k < points; ++k) {
      if (k != i) scale *= i - k;
    }
    // Derivative of Π (x − k) over k ≠ i: the sum over one or two factors left out.
    double sum = 0;
    for (int left = 0; left < points; ++left) {
      for (int other = 0; other < points; ++other) {
        if (left == i || other == i) continue;
        if (derivative == 1 ? other != left : other == left) continue;
        double product = 1;
        for (int k = 0; k < points; ++k) {
          if (k != i && k != left && k != other) product *= at - k;
        }
        sum += product;
      }
    }
    weights(i) = sum / scale;
  }
  return weights;
}

void differentiate(int derivative, int order, const double* x, Index samples, Index columns, Index stride,
                   double step, double* out, Index out_stride) {
  if (order != 2 && order != 4 && order != 6) {
    throw InputError({fmt::format("the order of the differences is {}", order), {}, "2, 4 or 6", {}});
  }
  const int points = order + 1;
  const int half = order / 2;
  if (samples < points) {
    throw InputError({fmt::format("the run has {} samples", samples),
                      {},
                      fmt::format("at least {} for differences of order {}", points, order),
                      {}});
  }
  require(step > 0, "the sampling step is positive");
  std::vector<VectorXd> weights;
  for (int at = 0; at < points; ++at) {
    weights.push_back(difference_weights(derivative, points, at) / (derivative == 1 ? step : step * step));
  }
  const auto apply = [&](const double* from, int at) {
    double sum = 0;
    for (int p = 0; p < points; ++p) sum += weights[at](p) * from[p];
    return sum;
  };
  for (Index c = 0; c < columns; ++c) {
    const double* column = x + c * stride;
    double* to = out + c * out_stride;
    for (int i = 0; i < half; ++i) {
      to[i] = apply(column, i);
      to[samples - 1 - i] = apply(column + samples - points, points - 1 - i);
    }
    std::fill(to + half, to + samples - half, 0.0);
    for (int p = 0; p < points; ++p) {
      const double w = weights[half](p);
      if (w == 0) continue;
      const double* from = column + p;
      for (Index i = half; i < samples - half; ++i) to[i] += w * from[i - half];
    }
  }
}

}  // namespace steelyard
