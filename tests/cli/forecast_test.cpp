// steelyard forecast: motions that nobody has measured, from studies without efforts and from plain files.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace forecast_test {

namespace fs = std::filesystem;
using program::Outcome;
using program::steelyard;
using ::testing::HasSubstr;

const std::string kSource = STEELYARD_SOURCE_DIR;

class ForecastProgram : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("steelyard_cli_forecast_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "study.yaml")
        << head()
        << "runs:\n  - label: made\n    simulate: {rate: 100, effort_noise: 0.05, "
           "motion: {multi_sine: {harmonics: 4, period: 10, center: [0, 0], "
           "reach: 1.5, seed: 3}}}\n";
    const Outcome run = steelyard({"run", path("study.yaml"), "--out", path("result"), "--quiet"});
    ASSERT_EQ(run.code, 0) << run.err;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string head() {
    return "robot: " + kSource +
           "/robots/two_r.yaml\nprepare: {filter: {order: 4, cutoff: 8}, columns: filtered}\n"
           "estimate: {intervals: {method: classical, bias_check: false}}\n";
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // Ten seconds of a slow swing of both joints.
  void write_motion(const std::string& name, const std::string& header) {
    std::ofstream file(folder_ / name);
    if (!header.empty()) file << header << "\n";
    for (int k = 0; k <= 1000; ++k) {
      const double t = 0.01 * k;
      file << t << "," << std::sin(t) << "," << 0.7 * std::cos(1.3 * t) << "\n";
    }
  }

  // Expected share of the effort.
  double expected(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"forecast", path("result/result.json")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.emplace_back("--json");
    const Outcome outcome = steelyard(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    if (outcome.code != 0) return 0;
    return nlohmann::json::parse(outcome.out)["runs"][0]["forecast"]["expected"].get<double>();
  }

  fs::path folder_;
};

TEST_F(ForecastProgram, TakesMotionsWithoutEfforts) {
  write_motion("planned.csv", "t_s,q1_rad,q2_rad");
  std::ofstream(folder_ / "motion.yaml")
      << head()
      << "runs:\n  - file: planned.csv\n    columns: {time: t_s, position: "
         "\"q{j}_rad\"}\n";
  const double by_study = expected({path("motion.yaml")});
  EXPECT_GT(by_study, 0);
  EXPECT_LT(by_study, 1);
  EXPECT_EQ(expected({path("study.yaml"), path("planned.csv")}), by_study);
  write_motion("named.csv", "time,joint1,joint2");
  EXPECT_EQ(expected({path("study.yaml"), path("named.csv")}), by_study);
  write_motion("bare.csv", "");
  EXPECT_EQ(expected({path("study.yaml"), path("bare.csv")}), by_study);
  const Outcome text =
      steelyard({"forecast", path("result/result.json"), path("study.yaml"), path("bare.csv")});
  EXPECT_THAT(text.out, HasSubstr("Effort that will be unexplained on 'bare.csv'"));
  EXPECT_THAT(text.out, HasSubstr("worst joints there: joint"));
  // Everything but a forecast needs efforts.
  const Outcome refused = steelyard({"run", path("motion.yaml"), "--out", path("out")});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("motion.yaml:6"));
  EXPECT_THAT(refused.err, HasSubstr("columns has no torque"));
}

TEST_F(ForecastProgram, ConvertsTheUnitsOfNames) {
  write_motion("planned.csv", "t_s,q1_rad,q2_rad");
  const double wanted = expected({path("study.yaml"), path("planned.csv")});
  std::ofstream file(folder_ / "degrees.csv");
  file << "t_ms,q1_deg,q2_deg\n";
  for (int k = 0; k <= 1000; ++k) {
    const double t = 0.01 * k, degree = 180 / M_PI;
    file.precision(12);
    file << 10 * k << "," << degree * std::sin(t) << "," << degree * 0.7 * std::cos(1.3 * t) << "\n";
  }
  file.close();
  EXPECT_NEAR(expected({path("study.yaml"), path("degrees.csv")}), wanted, 1e-3 * wanted);
}

TEST_F(ForecastProgram, NamesWhatAMotionLacks) {
  const auto refusal = [&](const std::string& header) {
    write_motion("bad.csv", header);
    const Outcome outcome =
        steelyard({"forecast", path("result/result.json"), path("study.yaml"), path("bad.csv")});
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  EXPECT_THAT(refusal("when,q1_rad,q2_rad"), HasSubstr("no column looks like time"));
  EXPECT_THAT(refusal("t_s,q1_rad,other"), HasSubstr("positions of the robot's 2 joints"));
  const Outcome missing =
      steelyard({"forecast", path("result/result.json"), path("study.yaml"), path("none.csv")});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("none.csv"));
}

}  // namespace forecast_test
