#include "steelyard/core/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "steelyard/core/error.hpp"
#include "steelyard/core/pool.hpp"

namespace steelyard {
namespace {

using Words = std::array<std::uint32_t, 4>;

// Known answers published with the generator (Random123, philox4x32 with 10 rounds).
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, DependsOnSeedPurposeAndIndexOnly) {
  const auto draw = [](std::uint64_t seed, const char* purpose, std::uint64_t index) {
    return Random(seed, purpose, index).bits();
  };
  EXPECT_EQ(draw(1, "noise", 2), draw(1, "noise", 2));
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed : {0, 1, 2}) {
    for (const char* purpose : {"", "noise", "bootstrap", "noisf"}) {
      for (std::uint64_t index = 0; index < 100; ++index) seen.insert(draw(seed, purpose, index));
    }
  }
  EXPECT_EQ(seen.size(), 3u * 4u * 100u);
}

TEST(Random, SameNumbersInEveryOrderAndThread) {
  constexpr Index kCount = 200;
  const auto draw = [](Index i) {
    Random random(5, "order", static_cast<std::uint64_t>(i));
    return random.normal() + random.uniform() + random.normal();
  };
  std::vector<double> forward(kCount), backward(kCount), threaded(kCount);
  for (Index i = 0; i < kCount; ++i) forward[static_cast<std::size_t>(i)] = draw(i);
  for (Index i = kCount; i-- > 0;) backward[static_cast<std::size_t>(i)] = draw(i);
  parallel_for(kCount, 4, [&](Index i) { threaded[static_cast<std::size_t>(i)] = draw(i); });
  EXPECT_EQ(forward, backward);
  EXPECT_EQ(forward, threaded);
}

TEST(Random, CopiesContinueAlike) {
  Random a(1, "copy");
  a.normal();
  Random b = a;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(a.normal(), b.normal());
}

// Pinned: a change here changes every simulated log and every bootstrap of our users.
TEST(Random, FirstNumbersOfAStreamStayAsTheyAre) {
  Random random(42, "pinned", 7);
  EXPECT_EQ(random.bits(), 11438556887128591727u);
  EXPECT_EQ(random.bits(), 8142249461084213378u);
  EXPECT_EQ(random.bits(), 8940073342510567119u);
}

// Bounds at 5 standard deviations of the estimator; the seeds are fixed, so the test either always or never
// fails.
TEST(Random, UniformHasTheMomentsOfUniform) {
  constexpr int kCount = 200000;
  Random random(11, "uniform");
  double sum = 0, squares = 0, lag = 0, last = 0.5;
  for (int i = 0; i < kCount; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += (u - 0.5) * (u - 0.5);
    lag += (u - 0.5) * (last - 0.5);
    last = u;
  }
  const double root = std::sqrt(kCount);
  EXPECT_NEAR(sum / kCount, 0.5, 5 * std::sqrt(1.0 / 12) / root);
  EXPECT_NEAR(squares / kCount, 1.0 / 12, 5 * std::sqrt(1.0 / 180) / root);
  EXPECT_NEAR(lag / kCount, 0, 5 * (1.0 / 12) / root);
}

TEST(Random, NormalFollowsTheNormalDistribution) {
  constexpr int kCount = 200000;
  Random random(12, "normal");
  double sum = 0, squares = 0, fourth = 0, pairs = 0, last = 0;
  int beyond_two = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
    pairs += x * last;
    last = x;
    beyond_two += std::abs(x) > 2;
  }
  const double root = std::sqrt(kCount);
  const double tail = std::erfc(2 / std::sqrt(2.0));
  EXPECT_NEAR(sum / kCount, 0, 5 / root);
  EXPECT_NEAR(squares / kCount, 1, 5 * std::sqrt(2.0) / root);
  EXPECT_NEAR(fourth / kCount, 3, 5 * std::sqrt(96.0) / root);  // Var x^4 = 105 - 9
  EXPECT_NEAR(pairs / kCount, 0, 5 / root);
  EXPECT_NEAR(beyond_two / double{kCount}, tail, 5 * std::sqrt(tail) / root);
}

TEST(Random, BelowIsEven) {
  constexpr int kCount = 70000;
  Random random(13, "below");
  std::array<int, 7> hits{};
  for (int i = 0; i < kCount; ++i) ++hits[random.below(7)];
  for (const int count : hits) EXPECT_NEAR(count, kCount / 7, 5 * std::sqrt(kCount / 7.0));
  EXPECT_EQ(random.below(1), 0u);
}

// With 3·2^62 values, taking remainders or high halves without refusal would make a third twice as likely.
TEST(Random, BelowIsEvenForHugeCounts) {
  constexpr std::uint64_t kHuge = std::uint64_t{3} << 62;
  constexpr int kCount = 30000;
  Random random(14, "huge");
  std::array<int, 3> hits{};
  for (int i = 0; i < kCount; ++i) ++hits[random.below(kHuge) >> 62];
  for (const int count : hits) EXPECT_NEAR(count, kCount / 3, 5 * std::sqrt(kCount / 3.0));
}

TEST(Random, UniformStaysBetweenItsBounds) {
  Random random(15, "bounds");
  for (int i = 0; i < 1000; ++i) {
    const double x = random.uniform(-1e308, 1e308);
    EXPECT_TRUE(std::isfinite(x) && std::abs(x) <= 1e308);
  }
  EXPECT_EQ(random.uniform(2, 2), 2);
  EXPECT_THROW(random.uniform(1, 0), InternalError);
  EXPECT_THROW(random.below(0), InternalError);
}

}  // namespace
}  // namespace steelyard
