// KDL, MuJoCo and DART on random chains and trees.
#include <gtest/gtest.h>

#include <iostream>

#include "agreement.hpp"
#include "compare.hpp"

namespace steelyard {
namespace engines_test {

constexpr std::uint64_t kRobots = 60;

// All work in doubles; measured 4e-15 (KDL, DART) and 1.5e-14 (MuJoCo, through quaternions) of the natural
// scale.
constexpr double kTolerance = 1e-12;

void expect_agreement(std::unique_ptr<oracle::Engine> (*make)(const Robot&)) {
  oracle::Disagreement worst;
  oracle::for_random_robots(kRobots, [&](oracle::RandomCase& c) {
    const std::unique_ptr<oracle::Engine> engine = make(c.robot);
    for (int sample = 0; sample < 5; ++sample) {
      const oracle::State x = oracle::random_state(c.random, c.robot.size());
      const oracle::Disagreement difference = oracle::disagreement(*engine, c.robot, x);
      EXPECT_LE(difference.effort, kTolerance);
      EXPECT_LE(difference.mass, kTolerance);
      worst.add(difference);
    }
  });
  std::cout << "seeds 1 to " << kRobots << ", five states each: " << worst.to_string() << "\n";
}

TEST(Engines, KdlAgreesOnRandomRobots) {
  expect_agreement(oracle::make_kdl);
}

TEST(Engines, MujocoAgreesOnRandomRobots) {
  expect_agreement(oracle::make_mujoco);
}

TEST(Engines, DartAgreesOnRandomRobots) {
  expect_agreement(oracle::make_dart);
}

}  // namespace engines_test
}  // namespace steelyard
