// Distribution functions and quantiles of the normal, χ², Student and F distributions.
//
// From the incomplete gamma and beta functions by their series and continued fractions; quantiles by
// bisection on those. Relative accuracy 1e-12 for 1e-12 < p < 1 − 1e-12 and up to 1e6 degrees of freedom. By
// hand because it is one page, and the usual library for it is a hundred megabytes of headers.
#pragma once

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

double normal_cdf(double x);
double chi_squared_cdf(double x, double degrees);
double student_cdf(double t, double degrees);

// Probability that an F(k, degrees) variable exceeds f; small ones to full relative accuracy.
double fisher_tail(double f, double k, double degrees);

// p in (0, 1) and degrees > 0, otherwise InternalError.
double normal_quantile(double p);
double chi_squared_quantile(double p, double degrees);
double student_quantile(double p, double degrees);

}  // namespace steelyard
