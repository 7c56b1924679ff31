// KDL, MuJoCo and DART on random chains and trees.
#include <gtest/gtest.h>

#include <iostream>

#include "agreement.hpp"
#include "compare.hpp"

namespace steelyard {
namespace {

constexpr std::uint64_t kRobots = 60;

// All work in doubles; measured 4e-15 (KDL, DART) and 1.5e-14 (MuJoCo, through quaternions) of the natural
// scale.
constexpr double kTolerance = 1e-12;

double worst_disagreement(std::unique_ptr<oracle::Engine> (*make)(const Robot&)) {
  double worst = 0;
  oracle::for_random_robots(kRobots, [&](oracle::RandomCase& c) {
    const std::unique_ptr<oracle::Engine> engine = make(c.robot);
    for (int sample = 0; sample < 5; ++sample) {
      const oracle::State x = oracle::random_state(c.random, c.robot.size());
      const double difference = oracle::disagreement(*engine, c.robot, x);
      EXPECT_LE(difference, kTolerance);
      worst = std::max(worst, difference);
    }
  });
  std::cout << "seeds 1 to " << kRobots << ", five states each: largest relative difference " << worst
            << "\n";
  return worst;
}

TEST(Engines, KdlAgreesOnRandomRobots) {
  EXPECT_LE(worst_disagreement(oracle::make_kdl), kTolerance);
}

TEST(Engines, MujocoAgreesOnRandomRobots) {
  EXPECT_LE(worst_disagreement(oracle::make_mujoco), kTolerance);
}

TEST(Engines, DartAgreesOnRandomRobots) {
  EXPECT_LE(worst_disagreement(oracle::make_dart), kTolerance);
}

}  // namespace
}  // namespace steelyard
