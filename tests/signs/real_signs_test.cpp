// |torque| of public logs of real robots against their own signs; the table is made by bench/signs_bench
// real.
#include "signs/real_signs.hpp"

#include <gtest/gtest.h>

#include "oracle/data_folder.hpp"

namespace steelyard {
namespace {

using namespace sign_cases;

const std::string kRobots = std::string(STEELYARD_SOURCE_DIR) + "/robots/";

void expect_as_good_as_with_signs(const RealScore& found) {
  EXPECT_GE(found.score.kept, 0.55);
  EXPECT_GE(found.score.decided_share, 0.8);
  EXPECT_LE(found.score.wrong_share, 0.01);
  EXPECT_LE(found.found, 1.1 * found.with_signs);
  // |τ| that was held out says so without knowing a sign.
  EXPECT_TRUE(found.helps);
}

TEST(RealSigns, OfThePandaGiveAModelAsGoodAsThatOfTheSignedLog) {
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  const std::string folder = (*data / "franka_panda_gaz2019").string();
  expect_as_good_as_with_signs(
      try_real_log({kRobots + "panda.yaml", folder + "/panda_excitation_traj1.csv", 5}));
}

TEST(RealSigns, OfTheUr10GiveAModelAsGoodAsThatOfTheSignedLog) {
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  const std::string folder = (*data / "ur10_unisa").string();
  expect_as_good_as_with_signs(try_real_log({kRobots + "ur10.yaml", folder + "/ur10_exciting_125Hz.csv", 8}));
}

// The first run with few fits, to be quick; all three with more in the table of the bench.
TEST(RealSigns, OfTheLwr4AreRightOrUndecided) {
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  const std::string folder = (*data / "kuka_lwr4_flobaroid").string();
  const RealScore found = try_real_log({folder + "/kuka_lwr4.urdf", folder + "/lwr4_hw1_200Hz.csv", 8, 60});
  for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(found.wrong[j], 0) << "joint " << j + 1;
  EXPECT_LE(found.score.wrong_share * found.score.decided_share, 0.02);
}

}  // namespace
}  // namespace steelyard
