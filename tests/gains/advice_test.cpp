#include "steelyard/gains/advice.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "gains/tx40_case.hpp"

namespace steelyard {
namespace {

TEST(GainAdvice, ExpectedDeviationsAreThoseOfTheExperiment) {
  const tx40::Setting setting;
  const tx40::Bench bench(setting);
  const std::vector<GainAdvice> advice =
      advise_gains(bench.robot(), bench.parameters(), tx40::motion(1, setting), tx40::motion(2, setting),
                   tx40::heavy_body());
  // Mean standard deviations of bench/gains_bench.cpp by prediction error, the mass alone known [%].
  const double found[] = {1.31, 0.48, 0.38, 0.68, 0.71, 0.67};
  ASSERT_EQ(advice.size(), 6U);
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_TRUE(advice[j].identifiable);
    // Noise of positions is not in the advice: the experiment does a little worse.
    EXPECT_GT(100 * advice[j].relative_sigma, 0.5 * found[j]) << advice[j].joint;
    EXPECT_LT(100 * advice[j].relative_sigma, 1.5 * found[j]) << advice[j].joint;
  }
}

TEST(GainAdvice, ALighterLoadAndAJointThatHardlyMovesAreWorse) {
  tx40::Setting setting;
  const tx40::Bench bench(setting);
  const auto advise = [&](const Inertia& load, double reach1) {
    tx40::Setting own = setting;
    own.reach1 = reach1;
    return advise_gains(bench.robot(), bench.parameters(), tx40::motion(1, own), tx40::motion(2, own), load);
  };
  const std::vector<GainAdvice> heavy = advise(tx40::heavy_body(), 1.5),
                                light = advise(tx40::light_body(), 1.5);
  for (std::size_t j = 0; j < 6; ++j) EXPECT_LT(heavy[j].relative_sigma, light[j].relative_sigma);
  // A joint that hardly moves is known less well.
  EXPECT_GT(advise(tx40::heavy_body(), 0.02)[0].relative_sigma, heavy[0].relative_sigma);
}

}  // namespace
}  // namespace steelyard
