// Verbs excite and next through the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "in_folder.hpp"
#include "program.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using program::Outcome;
using program::steelyard;
using ::testing::HasSubstr;

class ExciteProgram : public program::InFolder {
 protected:
  std::string study(const std::string& excite, const std::string& runs = "") {
    std::ofstream(folder_ / "study.yaml") << "robot: " STEELYARD_SOURCE_DIR "/robots/two_r.yaml\n"
                                          << "drives: {friction: [viscous, coulomb, offset]}\n"
                                          << runs << "excite: " << excite << "\n";
    return (folder_ / "study.yaml").string();
  }
  std::string out() const { return (folder_ / "out").string(); }
};

TEST_F(ExciteProgram, WritesTheMotionInAllFormatsTheSameForAnyThreads) {
  const std::string path = study("{duration: 10, starts: 2, iterations: 10}");
  const Outcome one = steelyard({"excite", path, "--json", "--threads", "1", "--out", out()});
  ASSERT_EQ(one.code, 0) << one.err;
  for (const char* name : {"motion.csv", "motion.json", "motion.yaml", "motion-study.yaml", "excite.json"})
    EXPECT_TRUE(fs::exists(fs::path(out()) / name)) << name;
  const json result = json::parse(one.out);
  EXPECT_EQ(result["time_limit_reached"], false);
  EXPECT_GT(result["after"]["log_det"], result["before"]["log_det"]);
  const auto page = [&] {
    std::ifstream stream(fs::path(out()) / "report.html", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const std::string first = page();
  // Programs built without web/ have no page.
  if (!first.empty()) {
    EXPECT_THAT(first, HasSubstr("{\"design\":{"));
    EXPECT_THAT(first, HasSubstr("steelyard excite " + path));
  }
  const Outcome two = steelyard({"excite", path, "--json", "--threads", "2", "--out", out()});
  EXPECT_EQ(page(), first);
  EXPECT_EQ(one.out, two.out);
}

TEST_F(ExciteProgram, RefusesWhatCannotBe) {
  const Outcome brief = steelyard({"excite", study("{duration: 1}"), "--out", out()});
  EXPECT_EQ(brief.code, 2);
  EXPECT_THAT(brief.err, HasSubstr("too short"));
  EXPECT_FALSE(fs::exists(out()));
  const Outcome outside = steelyard(
      {"excite", study("{duration: 10, limits: [{position: [-1, 1]}], start: [0, 2]}"), "--out", out()});
  EXPECT_EQ(outside.code, 2);
  EXPECT_THAT(outside.err, HasSubstr("position of joint2 is 2"));
  const auto refused = [&](const std::string& excite, const std::string& says) {
    const Outcome outcome = steelyard({"excite", study(excite), "--out", out()});
    EXPECT_EQ(outcome.code, 2) << excite;
    EXPECT_THAT(outcome.err, HasSubstr(says)) << excite;
  };
  refused("{limits: [{joint: joint1, velocity: 0}]}", "velocity = 0");
  refused("{limits: [{position: [1, 1]}]}", "position");
  refused("{workspace: {table: 5}}", "'tool and table' is violated at 400 of 400");
  refused("{limits: [{effort: 1e-6}]}", "'effort of joint");
  refused("{frequency: 0.01}", "at least 102 s");
  refused("{motion: points, points: 10, dwell: 3}", "too short");
}

TEST_F(ExciteProgram, NextSaysWhatShrinksAndSetsItAgainstWhatWasPredicted) {
  const std::string runs =
      "runs:\n  - simulate:\n      motion: {multi_sine: {center: [0, 0], reach: 0.3}}\n"
      "      rate: 100\n      effort_noise: 0.1\n"
      "prepare: {decimate: 5}\n";
  const std::string path = study("{duration: 10, starts: 1, iterations: 10, configurations: 4}", runs);
  const Outcome first = steelyard({"next", path, "--json", "--out", out()});
  ASSERT_EQ(first.code, 0) << first.err;
  const json next = json::parse(first.out);
  EXPECT_EQ(next["candidates"].size(), 3U);
  EXPECT_GT(next["candidates"][0]["factor"], 1);
  EXPECT_TRUE(fs::exists(fs::path(out()) / "fourier.csv"));
  fs::rename(fs::path(out()) / "next.json", folder_ / "before.json");
  const Outcome again =
      steelyard({"next", path, "--json", "--previous", (folder_ / "before.json").string(), "--out", out()});
  ASSERT_EQ(again.code, 0) << again.err;
  // Nothing was run in between: nothing shrank.
  const json repeated = json::parse(again.out);
  ASSERT_FALSE(repeated["achieved"].empty());
  for (const json& one : repeated["achieved"]) EXPECT_NEAR(one["achieved"], 1, 1e-9);
  const Outcome text =
      steelyard({"next", path, "--previous", (folder_ / "before.json").string(), "--out", out()});
  EXPECT_THAT(text.out, HasSubstr("predicted"));
  EXPECT_THAT(text.out, HasSubstr("of what was predicted"));
}

}  // namespace
