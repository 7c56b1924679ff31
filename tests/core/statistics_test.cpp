#include "steelyard/core/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace steelyard::statistics_test {
namespace {

// Simpson's rule on a density, in long double: an oracle that shares nothing with series and fractions. The
// upper limit is reached by x = u², which takes away the root singularities at 0.
template <typename Density>
long double integral(Density density, long double from, long double to) {
  const int n = 20000;
  const long double h = (to - from) / n;
  long double sum = density(from) + density(to);
  for (int k = 1; k < n; ++k) sum += (k % 2 == 1 ? 4 : 2) * density(from + k * h);
  return sum * h / 3;
}

TEST(Statistics, ChiSquaredIsTheIntegralOfItsDensity) {
  for (const double degrees : {1.0, 2.0, 3.0, 7.0, 43.0, 300.0}) {
    for (const double x : {0.1 * degrees, degrees, 2.5 * degrees}) {
      const long double half = degrees / 2.0L;
      const auto density = [&](long double u) -> long double {
        if (u == 0) return degrees == 1 ? 2 * std::exp(-half * std::log(2.0L) - std::lgamma(half)) : 0;
        return 2 *
               std::exp((2 * half - 1) * std::log(u) - u * u / 2 - half * std::log(2.0L) - std::lgamma(half));
      };
      // Simpson with 20000 steps on a smooth density: far below 1e-11.
      EXPECT_NEAR(chi_squared_cdf(x, degrees), static_cast<double>(integral(density, 0, std::sqrt(x))), 1e-11)
          << degrees << " " << x;
    }
  }
}

TEST(Statistics, StudentIsTheIntegralOfItsDensity) {
  for (const double degrees : {1.0, 2.0, 5.0, 30.0, 1000.0}) {
    for (const double t : {-3.0, -0.5, 0.0, 0.7, 4.0}) {
      const long double n = degrees;
      const auto density = [&](long double u) -> long double {
        return std::exp(std::lgamma((n + 1) / 2) - std::lgamma(n / 2) - (n + 1) / 2 * std::log1p(u * u / n)) /
               std::sqrt(n * std::acos(-1.0L));
      };
      EXPECT_NEAR(student_cdf(t, degrees), static_cast<double>(0.5L + integral(density, 0, t)), 1e-11);
    }
  }
}

TEST(Statistics, QuantilesInvertTheDistributions) {
  for (const double p : {1e-9, 0.01, 0.025, 0.3, 0.5, 0.8, 0.975, 0.9999}) {
    EXPECT_NEAR(normal_cdf(normal_quantile(p)), p, 1e-12 * p + 1e-15);
    for (const double degrees : {0.7, 1.0, 9.0, 64.0, 1e4}) {
      EXPECT_NEAR(chi_squared_cdf(chi_squared_quantile(p, degrees), degrees), p, 1e-10 * p);
      EXPECT_NEAR(student_cdf(student_quantile(p, degrees), degrees), p, 1e-10 * p);
    }
  }
}

TEST(Statistics, TheTailOfFIsStudentsForOneAndAPowerForTwo) {
  for (const double degrees : {1.0, 4.5, 50.0})
    for (const double t : {0.3, 2.0, 9.0}) {
      EXPECT_NEAR(fisher_tail(t * t, 1, degrees), 2 * student_cdf(-t, degrees), 1e-13);
      // Two degrees: (1 + 2f/ν)^(−ν/2).
      const double power = std::pow(1 + 2 * t / degrees, -degrees / 2);
      EXPECT_NEAR(fisher_tail(t, 2, degrees) / power, 1, 1e-11);
    }
  EXPECT_EQ(fisher_tail(0, 3, 7), 1);
}

TEST(Statistics, ClosedFormsHold) {
  EXPECT_NEAR(chi_squared_quantile(0.95, 2), -2 * std::log(0.05), 1e-12);  // exponential distribution
  EXPECT_NEAR(student_quantile(0.975, 1), std::tan(0.475 * std::acos(-1.0)), 1e-10);  // Cauchy distribution
  EXPECT_NEAR(chi_squared_quantile(0.9, 1), std::pow(normal_quantile(0.95), 2), 1e-12);
}

}  // namespace
}  // namespace steelyard::statistics_test
