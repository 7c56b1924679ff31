#include "steelyard/core/statistics.hpp"

#include <cmath>
#include <limits>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Value of a continued fraction b0 + a1/(b1 + a2/(b2 + …)) by Lentz's method; term(k) gives (a_k, b_k).
template <typename Term>
double continued_fraction(double b0, Term term) {
  constexpr double kTiny = 1e-300;
  double f = b0 == 0 ? kTiny : b0, c = f, d = 0;
  for (int k = 1; k < 100000; ++k) {
    const auto [a, b] = term(k);
    d = b + a * d;
    d = 1 / (d == 0 ? kTiny : d);
    c = b + a / c;
    if (c == 0) c = kTiny;
    f *= c * d;
    if (std::abs(c * d - 1) < kEpsilon) break;
  }
  return f;
}

struct FractionTerm {
  double a, b;
};

// P(a, x), the regularised lower incomplete gamma function.
double gamma_p(double a, double x) {
  if (x <= 0) return 0;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int k = 1; k < 100000 && term > sum * kEpsilon; ++k) sum += term *= x / (a + k);
    return front * sum;
  }
  const double f = continued_fraction(x + 1 - a, [&](int k) {
    return FractionTerm{k * (a - k), x + 2 * k + 1 - a};
  });
  return 1 - front / f;
}

// I_x(a, b), the regularised incomplete beta function.
double beta_i(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - beta_i(b, a, 1 - x);
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x)) /
      a;
  const double f = continued_fraction(1, [&](int k) {
    const int half = k / 2;
    const double m = half;
    const double a_k = k % 2 == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                                  : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    return FractionTerm{a_k, 1};
  });
  return front / f;
}

// The x with cdf(x) = p between low and high.
template <typename Cdf>
double bisect(double low, double high, double p, Cdf cdf) {
  for (int k = 0; k < 200 && high - low > 2 * kEpsilon * std::abs(low + high); ++k) {
    const double middle = 0.5 * (low + high);
    (cdf(middle) < p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

void require_quantile(double p, double degrees) {
  require(p > 0 && p < 1 && degrees > 0, "quantiles need probabilities between 0 and 1");
}

}  // namespace

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

double chi_squared_cdf(double x, double degrees) {
  return gamma_p(0.5 * degrees, 0.5 * x);
}

double student_cdf(double t, double degrees) {
  // The middle and the tail each from the small argument, where nothing cancels.
  if (t * t < 1) return 0.5 + std::copysign(0.5, t) * beta_i(0.5, 0.5 * degrees, t * t / (degrees + t * t));
  const double tail = 0.5 * beta_i(0.5 * degrees, 0.5, degrees / (degrees + t * t));
  return t > 0 ? 1 - tail : tail;
}

double fisher_tail(double f, double k, double degrees) {
  return f <= 0 ? 1 : beta_i(0.5 * degrees, 0.5 * k, degrees / (degrees + k * f));
}

double normal_quantile(double p) {
  require_quantile(p, 1);
  if (p > 0.5) return -normal_quantile(1 - p);
  return bisect(-40, 0, p, normal_cdf);
}

double chi_squared_quantile(double p, double degrees) {
  require_quantile(p, degrees);
  double high = degrees + 1;
  while (chi_squared_cdf(high, degrees) < p) high *= 2;
  return bisect(0, high, p, [&](double x) { return chi_squared_cdf(x, degrees); });
}

double student_quantile(double p, double degrees) {
  require_quantile(p, degrees);
  if (p > 0.5) return -student_quantile(1 - p, degrees);
  double low = -1;
  while (student_cdf(low, degrees) > p) low *= 2;
  return bisect(low, 0, p, [&](double t) { return student_cdf(t, degrees); });
}

}  // namespace steelyard
