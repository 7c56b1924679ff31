#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <complex>
#include <functional>

#include "core/random_expression.hpp"
#include "steelyard/core/expression.hpp"

namespace steelyard {
namespace expression_gradient_test {

using testing::kRandomVariables;
using testing::random_expression;
using Complex = std::complex<double>;

const std::vector<std::string> kNames{"x", "y"};

std::vector<double> gradient(const std::string& text, const std::vector<double>& values) {
  std::vector<double> result(values.size());
  Expression::parse(text, kNames).evaluate(values, result);
  return result;
}

// f'(x) = Im f(x + ih)/h without cancellation: exact to rounding for h = 1e-100.
TEST(ExpressionGradient, AgreesWithTheComplexStep) {
  const std::vector<std::pair<const char*, std::function<Complex(Complex, Complex)>>> cases{
      {"x + y", [](Complex x, Complex y) { return x + y; }},
      {"x - y", [](Complex x, Complex y) { return x - y; }},
      {"x * y", [](Complex x, Complex y) { return x * y; }},
      {"x / y", [](Complex x, Complex y) { return x / y; }},
      {"x^y", [](Complex x, Complex y) { return std::pow(x, y); }},
      {"pow(x, 3)", [](Complex x, Complex) { return x * x * x; }},
      {"-x", [](Complex x, Complex) { return -x; }},
      {"sin(x * y)", [](Complex x, Complex y) { return std::sin(x * y); }},
      {"cos(x - y)", [](Complex x, Complex y) { return std::cos(x - y); }},
      {"tan(x)", [](Complex x, Complex) { return std::tan(x); }},
      {"asin(x)", [](Complex x, Complex) { return std::asin(x); }},
      {"acos(x)", [](Complex x, Complex) { return std::acos(x); }},
      {"atan(x * y)", [](Complex x, Complex y) { return std::atan(x * y); }},
      {"atan2(y, x)", [](Complex x, Complex y) { return std::atan(y / x); }},
      {"hypot(x, y)", [](Complex x, Complex y) { return std::sqrt(x * x + y * y); }},
      {"sinh(x)", [](Complex x, Complex) { return std::sinh(x); }},
      {"cosh(x)", [](Complex x, Complex) { return std::cosh(x); }},
      {"tanh(x * y)", [](Complex x, Complex y) { return std::tanh(x * y); }},
      {"exp(x / y)", [](Complex x, Complex y) { return std::exp(x / y); }},
      {"log(x + y)", [](Complex x, Complex y) { return std::log(x + y); }},
      {"log10(x)", [](Complex x, Complex) { return std::log10(x); }},
      {"log2(x)", [](Complex x, Complex) { return std::log(x) / std::log(2.0); }},
      {"sqrt(x)", [](Complex x, Complex) { return std::sqrt(x); }},
      {"fmod(x, 0.125) + fmod(5, y)",
       [](Complex x, Complex y) { return x + 5.0 - std::trunc(5.0 / y.real()) * y; }},
  };
  constexpr std::uint64_t kSeed = 4;
  SCOPED_TRACE(kSeed);
  constexpr double kStep = 1e-100;
  Random random(kSeed, "complex step");
  for (const auto& [text, function] : cases) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      const std::vector<double> values{random.uniform(0.1, 0.9), random.uniform(0.5, 2)};
      const auto slopes = gradient(text, values);
      const double dx = function({values[0], kStep}, values[1]).imag() / kStep;
      const double dy = function(values[0], {values[1], kStep}).imag() / kStep;
      // Both sides are a handful of library calls with an error of an ulp or two each.
      EXPECT_NEAR(slopes[0], dx, 64 * DBL_EPSILON * (1 + std::abs(dx))) << text << " at " << values[0];
      EXPECT_NEAR(slopes[1], dy, 64 * DBL_EPSILON * (1 + std::abs(dy))) << text << " at " << values[0];
    }
  }
}

TEST(ExpressionGradient, AgreesWithCentralDifferences) {
  constexpr std::uint64_t kSeed = 5;
  SCOPED_TRACE(kSeed);
  int compared = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    Random random(kSeed, "differences", i);
    const Expression expression = Expression::parse(random_expression(random, {3, true}), kRandomVariables);
    const std::vector<double> values{random.uniform(0.2, 0.9), random.uniform(0.2, 2), random.normal()};
    std::vector<double> slopes(3);
    try {
      const double value = expression.evaluate(values, slopes);
      EXPECT_EQ(value, expression.evaluate(values)) << expression.text();
      for (std::size_t v = 0; v < 3; ++v) {
        const auto difference = [&](double step) {
          std::vector<double> up = values, down = values;
          up[v] += step;
          down[v] -= step;
          return (expression.evaluate(up) - expression.evaluate(down)) / (up[v] - down[v]);
        };
        const double coarse = difference(2e-4), fine = difference(1e-4);
        const double slope = (4 * fine - coarse) / 3;  // error O(step^4)
        const double error = std::abs(fine - coarse);  // O(step^2): tells where differences can be trusted
        if (error > 1e-6 * (1 + std::abs(slope))) continue;
        // The remaining error of the differences, and their rounding eps·|f|/step.
        const double tolerance = 1e-7 * (1 + std::abs(slope)) + 16 * DBL_EPSILON * std::abs(value) / 1e-4;
        EXPECT_NEAR(slopes[v], slope, tolerance) << expression.text() << " by " << kRandomVariables[v];
        ++compared;
      }
    } catch (const InputError&) {
      continue;  // outside the domain
    }
  }
  EXPECT_GT(compared, 3000);
}

TEST(ExpressionGradient, IsPiecewiseAtBranches) {
  using Slopes = std::vector<double>;
  EXPECT_EQ(gradient("if(x > 0, x * y, y)", {2, 3}), (Slopes{3, 2}));
  EXPECT_EQ(gradient("if(x > 0, x * y, y)", {-2, 3}), (Slopes{0, 1}));
  EXPECT_EQ(gradient("min(x, y, 5)", {2, 3}), (Slopes{1, 0}));
  EXPECT_EQ(gradient("max(x, y, 5)", {2, 7}), (Slopes{0, 1}));
  EXPECT_EQ(gradient("max(x, y)", {4, 4}), (Slopes{1, 0}));
  EXPECT_EQ(gradient("abs(x) + abs(y)", {-2, 0}), (Slopes{-1, 0}));
  EXPECT_EQ(gradient("sign(x) + floor(y) + ceil(x) + round(y)", {2.5, 3.5}), (Slopes{0, 0}));
  EXPECT_EQ(gradient("(x < y) + (x && y) + !x", {2, 3}), (Slopes{0, 0}));
  EXPECT_EQ(gradient("hypot(x, y)", {0, 0}), (Slopes{0, 0}));
}

TEST(ExpressionGradient, TheBranchNotTakenDoesNotCount) {
  using Slopes = std::vector<double>;
  EXPECT_EQ(gradient("if(x > 0, log(x) * y, y)", {-1, 3}), (Slopes{0, 1}));
  EXPECT_EQ(gradient("if(x > 0, sqrt(x), 2 * x)", {0, 1}), (Slopes{2, 0}));
}

TEST(ExpressionGradient, ConstantsHaveNoSlope) {
  using Slopes = std::vector<double>;
  EXPECT_EQ(gradient("x^2", {0, 1}), (Slopes{0, 0}));
  EXPECT_EQ(gradient("x^2", {-3, 1}), (Slopes{-6, 0}));  // the exponent's slope is log(-3)
  EXPECT_EQ(gradient("x^0", {0, 1}), (Slopes{0, 0}));
  EXPECT_EQ(gradient("sqrt(0) * x", {1, 1}), (Slopes{0, 0}));
  EXPECT_EQ(gradient("x^y", {0, 2}), (Slopes{0, 0}));
}

TEST(ExpressionGradient, InfiniteSlopesAreErrors) {
  EXPECT_THROW(gradient("sqrt(x)", {0, 1}), InputError);
  EXPECT_THROW(gradient("asin(x)", {1, 1}), InputError);
  EXPECT_THROW(gradient("x^y", {-1, 2}), InputError);  // not differentiable in y
  EXPECT_THROW(gradient("log(x)", {-1, 2}), InputError);
}

}  // namespace expression_gradient_test
}  // namespace steelyard
