#include "steelyard/log/differences.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard {
namespace {

TEST(Differences, OrderTwoIsTheWellKnownOne) {
  EXPECT_EQ(difference_weights(1, 3, 1), (VectorXd(3) << -0.5, 0, 0.5).finished());
  EXPECT_EQ(difference_weights(2, 3, 1), (VectorXd(3) << 1, -2, 1).finished());
  EXPECT_TRUE(difference_weights(1, 5, 2).isApprox((VectorXd(5) << 1, -8, 0, 8, -1).finished() / 12, 1e-15));
}

// A polynomial of degree `order` has exact first derivatives everywhere, and exact second ones too; inside
// one degree more is exact for the second derivative.
TEST(Differences, PolynomialsUpToTheOrderAreExact) {
  for (const int order : {2, 4, 6}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(testing::Message() << "order " << order << " seed " << seed);
      Random random(seed, "polynomial");
      VectorXd p(order + 1);
      for (double& c : p) c = random.normal();
      const double step = 0.05;
      const int samples = 20;
      std::vector<double> x(samples), first(samples), second(samples), out(samples);
      for (int i = 0; i < samples; ++i) {
        const double t = step * i;
        for (int k = order; k >= 0; --k) {
          second[i] = second[i] * t + 2 * first[i];
          first[i] = first[i] * t + x[i];
          x[i] = x[i] * t + p(k);
        }
      }
      // Rounding: a few dozen eps of |x| ≤ ~10, divided by the step or its square.
      differentiate(1, order, x.data(), samples, 1, samples, step, out.data(), samples);
      for (int i = 0; i < samples; ++i) EXPECT_NEAR(out[i], first[i], 1e-13 / step * 10) << i;
      differentiate(2, order, x.data(), samples, 1, samples, step, out.data(), samples);
      for (int i = 0; i < samples; ++i) EXPECT_NEAR(out[i], second[i], 1e-13 / (step * step) * 10) << i;
    }
  }
}

TEST(Differences, ErrorsFallWithTheOrder) {
  for (const int order : {2, 4, 6}) {
    const auto worst = [&](int derivative, double step) {
      const int samples = 41;
      std::vector<double> x(samples), out(samples);
      for (int i = 0; i < samples; ++i) x[i] = std::sin(step * (i - 20));
      differentiate(derivative, order, x.data(), samples, 1, samples, step, out.data(), samples);
      return derivative == 1 ? std::abs(out[20] - 1) : std::abs(out[24] + std::sin(4 * step));
    };
    // Half the step: 2^order less. The second derivative is taken where its error has 4 · step as a factor as
    // well.
    EXPECT_NEAR(std::log2(worst(1, 0.2) / worst(1, 0.1)), order, 0.1);
    EXPECT_NEAR(std::log2(worst(2, 0.1) / worst(2, 0.05)), order + 1, 0.2);
  }
}

TEST(Differences, ColumnsAreIndependentAndTheirPaddingUntouched) {
  const Index samples = 9, stride = 12;
  std::vector<double> x(2 * stride, 77), out(2 * stride, 55), alone(samples);
  for (Index i = 0; i < samples; ++i) x[i] = std::sin(0.3 * i), x[stride + i] = std::cos(0.2 * i);
  differentiate(1, 4, x.data(), samples, 2, stride, 0.1, out.data(), stride);
  for (Index c = 0; c < 2; ++c) {
    differentiate(1, 4, x.data() + c * stride, samples, 1, samples, 0.1, alone.data(), samples);
    for (Index i = 0; i < samples; ++i) EXPECT_EQ(out[c * stride + i], alone[i]);
    for (Index i = samples; i < stride; ++i) EXPECT_EQ(out[c * stride + i], 55);
  }
}

TEST(Differences, RefusesOddOrdersAndShortRuns) {
  double x[10] = {}, out[10];
  EXPECT_THROW(differentiate(1, 3, x, 10, 1, 10, 0.1, out, 10), InputError);
  EXPECT_THROW(differentiate(1, 4, x, 4, 1, 10, 0.1, out, 10), InputError);
  EXPECT_NO_THROW(differentiate(1, 4, x, 5, 1, 10, 0.1, out, 10));
}

}  // namespace
}  // namespace steelyard
