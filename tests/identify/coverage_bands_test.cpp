// Prediction bands of studies: they hold 90 to 98 % of held-out samples of every joint.
#include <gtest/gtest.h>

#include "oracle/data_folder.hpp"
#include "steelyard/identify/run.hpp"

namespace steelyard {
namespace coverage_bands_test {

const std::string kSource = STEELYARD_SOURCE_DIR;

void expect_bands(const Result& result, std::size_t joints) {
  ASSERT_EQ(result.bands.size(), joints);
  for (const JointBand& band : result.bands) {
    EXPECT_GE(band.coverage, 0.90) << band.joint;
    EXPECT_LE(band.coverage, 0.98) << band.joint;
    EXPECT_GT(band.half_width, band.parameter_part) << band.joint;
  }
}

TEST(Bands, HoldHeldOutSamplesOfASimulatedRobotAndAFreshMotion) {
  Study study = read_study(kSource + "/examples/demo/study.yaml");
  study.intervals.bias_check = false;
  const Result result = run_study(study).result;
  expect_bands(result, 7);
  // White noise of 0.05 N m, and a quantised encoder: a little more than 1.96 of those.
  for (const JointBand& band : result.bands) EXPECT_NEAR(band.half_width, 0.1, 0.02) << band.joint;
  ASSERT_EQ(result.validation[1].band_coverage.size(), 7u);
  for (const double share : result.validation[1].band_coverage) EXPECT_NEAR(share, 0.95, 0.03);
}

class BandsOnRealLogs : public testing::TestWithParam<std::pair<const char*, std::size_t>> {};

TEST_P(BandsOnRealLogs, HoldHeldOutSamplesOfEveryJoint) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  ::setenv("STEELYARD_DATA", oracle::data_folder()->c_str(), 1);
  Study study = read_study(kSource + "/examples/" + GetParam().first);
  study.intervals.bias_check = false;
  expect_bands(run_study(study).result, GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(Logs, BandsOnRealLogs,
                         testing::Values(std::pair{"panda-identify/study.yaml", std::size_t{7}},
                                         std::pair{"ur10-real/linear.yaml", std::size_t{6}},
                                         std::pair{"tx40-real/study.yaml", std::size_t{6}},
                                         std::pair{"lwr4-real/study.yaml", std::size_t{7}}));

}  // namespace coverage_bands_test
}  // namespace steelyard
