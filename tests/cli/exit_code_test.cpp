// Exit codes: 0 done, 2 bad input with nothing on standard output, 3 not trustworthy, 4 the machine failed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace {

using program::Outcome;
using program::robot;
using program::steelyard;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST(ExitCode, OfTheProgramAloneIsZeroWithHelpAndExamples) {
  const Outcome outcome = steelyard({});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("Examples:\n  steelyard "));
  EXPECT_EQ(steelyard({"--help"}).code, 0);
  EXPECT_EQ(steelyard({"model", "--help"}).code, 0);
  EXPECT_EQ(steelyard({"--version"}).code, 0);
}

TEST(ExitCode, OfEveryBadRobotIsTwoWithFileAndLine) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(program::fixture(""))) {
    const std::string path = entry.path().string();
    const Outcome outcome = steelyard({"model", path});
    EXPECT_EQ(outcome.code, 2) << path << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << path;
    EXPECT_THAT(outcome.err, ContainsRegex(entry.path().filename().string() + ":[0-9]+")) << path;
    ++files;
  }
  EXPECT_GE(files, 50);
}

TEST(ExitCode, OfAWrongCommandLineIsTwo) {
  const std::vector<std::vector<std::string>> commands = {
      {"modell"},
      {"model"},
      {"model", "no_such_robot.yaml"},
      {"model", STEELYARD_SOURCE_DIR},
      {"model", robot("panda"), "--jsno"},
      {"model", robot("panda"), "--rows", "torques"},
      {"model", robot("panda"), "--zero", "Jxz9"},
      {"model", robot("panda"), "--isa", "mmx"},
      {"model", robot("panda"), "extra"},
  };
  for (const auto& command : commands) {
    const Outcome outcome = steelyard(command);
    EXPECT_EQ(outcome.code, 2) << testing::PrintToString(command);
    EXPECT_EQ(outcome.out, "") << testing::PrintToString(command);
    EXPECT_NE(outcome.err, "") << testing::PrintToString(command);
  }
}

TEST(ExitCode, OfAMisspelledNameComesWithTheNearestOne) {
  EXPECT_THAT(steelyard({"model", robot("panda"), "--rows", "torques"}).err,
              HasSubstr("did you mean 'torque'?"));
  EXPECT_THAT(steelyard({"model", robot("panda"), "--zero", "Jzx7"}).err, HasSubstr("did you mean"));
}

constexpr const char* kImpossible = R"(<robot name="thin">
  <link name="base"/>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="5" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="j1" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>
)";

TEST(ExitCode, OfAnImpossibleInertiaIsZeroWithAWarningThatNamesTheLaw) {
  const std::string path = program::write_file("thin.urdf", kImpossible);
  const Outcome outcome = steelyard({"model", path});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("warning: "));
  EXPECT_THAT(outcome.err, ContainsRegex("thin.urdf:[0-9]+, 'arm': impossible inertia, triangle inequality"));
  EXPECT_THAT(outcome.err, HasSubstr("5"));
  EXPECT_EQ(steelyard({"model", path, "--quiet"}).err, "");
  EXPECT_EQ(program::model({path}).at("warnings").size(), 1u);
}

// Twelve arms side by side on nearly upright axes, tilted by 0.03, 0.03², … rad, their frames 30 m off the
// axis: gravity's share fades into rounding noise without a clear end.
std::string fading_robot() {
  std::string text = "convention: standard_dh\njoints:\n";
  double tilt = 1;
  for (int j = 1; j <= 12; ++j) {
    const std::string number = std::to_string(j);
    char alpha[32];
    std::snprintf(alpha, sizeof alpha, "%.17g", tilt *= 3e-2);
    text += "  - {name: tilt" + number + ", kind: fixed, parent: base, a: 0, alpha: " + alpha + ", d: 0}\n";
    text += "  - {name: joint" + number + ", parent: tilt" + number + ", a: 30, alpha: 0, d: 0}\n";
  }
  return text;
}

TEST(ExitCode, OfARankWithoutAGapIsThreeWithBothCandidates) {
  const std::string path = program::write_file("fading.yaml", fading_robot());
  const auto printed = program::model({path}, 3);
  EXPECT_TRUE(printed.at("ambiguous").get<bool>());
  EXPECT_LT(printed.at("gap").get<double>(), 1e3);
  EXPECT_TRUE(printed.at("base").empty());
  const std::string first = std::to_string(printed.at("base_count").get<int>());
  const std::string second = std::to_string(printed.at("other_base_count").get<int>());
  EXPECT_NE(first, second);
  const Outcome text = steelyard({"model", path});
  EXPECT_EQ(text.code, 3);
  EXPECT_THAT(text.err, HasSubstr("ambiguous rank: " + first + " or " + second));
}

TEST(ExitCode, OfAFullDiskIsFour) {
  for (const char* option : {"--json", "--latex"}) {
    const Outcome outcome = steelyard({"model", robot("panda"), option}, "/dev/full");
    EXPECT_EQ(outcome.code, 4) << option;
    EXPECT_THAT(outcome.err, HasSubstr("standard output cannot be written"));
  }
  EXPECT_EQ(
      program::run({"sh", "-c", "exec \"$0\" model \"$1\" >&-", STEELYARD_PROGRAM, robot("panda")}).code, 4);
}

}  // namespace
