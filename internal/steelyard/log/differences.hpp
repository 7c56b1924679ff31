// Derivatives of uniformly sampled signals by finite differences on 2m + 1 points.
//
//   order 2:  ẋ ≈ (x₊₁ − x₋₁) / 2h,   ẍ ≈ (x₊₁ − 2 x₀ + x₋₁) / h²           errors h²/6 x⃛ and h²/12 x⁗
//   order 4 and 6: the same with five and seven points, errors of h⁴ and h⁶.
//
// The first and last m samples of the array use the same points off centre; there ẋ keeps its order and ẍ
// loses one. Differences amplify noise up to the Nyquist frequency: filter before.
#pragma once

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// First (derivative = 1) or second derivative of each column; column c is x[c * stride …], out likewise; out
// must not overlap x. Throws InputError for orders other than 2, 4, 6 and for fewer than order + 1 samples.
void differentiate(int derivative, int order, const double* x, Index samples, Index columns, Index stride,
                   double step, double* out, Index out_stride);

// Weights of the derivative at point `at` of points 0 … points − 1, one apart. For tests and special
// stencils.
VectorXd difference_weights(int derivative, int points, int at);

}  // namespace steelyard
