// Rounding of a table: recognized from the numbers, and part of every standard deviation.
#include "steelyard/reverse/rounding.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "cases.hpp"
#include "steelyard/core/statistics.hpp"

namespace rounding_test {

using namespace steelyard;

double rounded(double value, int decimals) {
  const double unit = std::pow(10.0, decimals);
  return std::strtod(std::to_string(std::lround(value * unit)).c_str(), nullptr) / unit;
}

ReverseTable rounded(ReverseTable table, int decimals, bool positions) {
  for (double& entry : table.gravity.reshaped()) entry = rounded(entry, decimals);
  for (double& entry : table.inertia.reshaped()) entry = rounded(entry, decimals);
  recognize_rounding(table);
  if (positions) {
    for (double& entry : table.q.reshaped()) entry = rounded(entry, decimals);
    table.q_rounding = rounding_of(table.q);
  }
  return table;
}

TEST(Rounding, IsRecognizedFromTheNumbers) {
  Random random(3, "numbers");
  Eigen::MatrixXd numbers(200, 1), digits(200, 1), all(200, 1);
  for (Index k = 0; k < 200; ++k) {
    const double value = std::exp(4 * random.normal());
    all(k, 0) = value;
    numbers(k, 0) = rounded(10 * random.normal(), 4);
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    digits(k, 0) = std::strtod(text, nullptr);
  }
  const Rounding decimals = rounding_of(numbers), significant = rounding_of(digits);
  EXPECT_FALSE(decimals.significant);
  EXPECT_EQ(decimals.digits, 4);
  EXPECT_DOUBLE_EQ(decimals.step(12.3), 1e-4);
  EXPECT_TRUE(significant.significant);
  EXPECT_EQ(significant.digits, 6);
  EXPECT_NEAR(significant.step(0.0123456), 1e-7, 1e-20);
  EXPECT_TRUE(rounding_of(all).is_exact());
  EXPECT_TRUE(rounding_of(Eigen::MatrixXd::Zero(5, 1)).is_exact());
}

// Intervals of 95 % over tables of one kind, all coefficients together: how many hold the truth.
struct Coverage {
  int held = 0, all = 0;
  double share() const { return static_cast<double>(held) / all; }
};

void count(const Robot& robot, int decimals, Index configurations, bool positions, Weighting weighting,
           std::uint64_t seed, Coverage& coverage) {
  const VectorXd bodies = random_bodies(robot, seed);
  const ReverseTable table =
      rounded(table_of(robot, source_of(robot, bodies), configurations, seed), decimals, positions);
  ReverseOptions options;
  options.expressions = false;
  options.estimate.conditions = false;
  options.estimate.weighting = weighting;
  const ReverseFit fit = fit_table(robot, table, options);
  const VectorXd truth = fit.base.K * bodies;
  const double quantile = student_quantile(0.975, fit.degrees);
  for (Index k = 0; k < truth.size(); ++k) {
    if (!std::isfinite(fit.sigma[k])) continue;
    ++coverage.all;
    coverage.held += std::abs(fit.values[k] - truth[k]) <= quantile * fit.sigma[k];
  }
}

// Draws of each kind of table; STEELYARD_DRAWS=400 with 1000 configurations, too: the numbers of docs/reverse.md.
int draws() {
  const char* wanted = std::getenv("STEELYARD_DRAWS");
  return wanted != nullptr ? std::atoi(wanted) : 6;
}

// 92 to 99 %: uniform errors are never beyond 1.74 standard deviations, so that sums of few hold more often than 95 %.
TEST(Rounding, IntervalsHoldForTablesOfThreeToSixDecimals) {
  const int wanted = draws();
  std::vector<Index> sizes = {3, 7, 40};
  if (wanted > 6) sizes.push_back(1000);
  for (const char* name : {"two_r", "lwr4", "panda"})
    for (const Index configurations : sizes) {
      Coverage coverage;
      const Robot robot = named(name);
      auto seed = static_cast<std::uint64_t>(configurations);
      for (int draw = 0; draw < wanted; ++draw)
        for (const int decimals : {3, 4, 5, 6})
          count(robot, decimals, configurations, draw % 2 == 1, Weighting::none, ++seed, coverage);
      std::printf("[ coverage ] %s, %d configurations: %.1f %% of %d intervals\n", name,
                  static_cast<int>(configurations), 100 * coverage.share(), coverage.all);
      // A tenth of the draws is correlated within a table: a few per cent of scatter in the short form.
      EXPECT_GE(coverage.share(), wanted > 6 ? 0.92 : 0.88) << name << ", " << configurations;
      EXPECT_LE(coverage.share(), wanted > 6 ? 0.99 : 1.0) << name << ", " << configurations;
    }
}

TEST(Rounding, AConstantEntryIsNotBelievedMoreThanItsDigits) {
  Coverage coverage;
  const Robot robot = named("lwr4");
  std::uint64_t seed = 100;
  for (const int decimals : {4, 6})
    for (int draw = 0; draw < 10; ++draw)
      count(robot, decimals, 60, false, Weighting::by_row_iterated, ++seed, coverage);
  EXPECT_GE(coverage.share(), 0.92) << coverage.all;
}

TEST(Rounding, NoiseBesideItIsStillFound) {
  const Robot robot = named("panda");
  const VectorXd bodies = random_bodies(robot, 5);
  double squares = 0;
  constexpr int kDraws = 40;
  for (std::uint64_t seed = 1; seed <= kDraws; ++seed) {
    ReverseTable table = table_of(robot, source_of(robot, bodies), 20, 1);
    Random random(seed, "noise");
    for (double& entry : table.gravity.reshaped()) entry += 0.002 * random.normal();
    for (double& entry : table.inertia.reshaped()) entry += 0.002 * random.normal();
    const ReverseFit fit = fit_table(robot, rounded(table, 3, false));
    const VectorXd z = (fit.values - fit.base.K * bodies).cwiseQuotient(fit.sigma);
    squares += z.squaredNorm() / static_cast<double>(z.size());
  }
  // 40 × 43 scores that are not independent: about 3 % scatter.
  EXPECT_NEAR(std::sqrt(squares / kDraws), 1, 0.1);
}

}  // namespace rounding_test
