// Logs through the program: every format that is written reads back as the same table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace convert_test {

namespace fs = std::filesystem;
using program::Outcome;
using program::steelyard;
using ::testing::HasSubstr;

const std::string kDemo = std::string(STEELYARD_SOURCE_DIR) + "/examples/demo/study.yaml";

class ConvertProgram : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("steelyard_cli_convert_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string content(const std::string& name) const {
    std::ifstream stream(folder_ / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  // The program's complaint; the exit code must be that of bad input, and nothing may be written.
  std::string refusal(const std::string& in, const std::string& out) const {
    const Outcome outcome = steelyard({"convert", path(in), path(out)});
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_FALSE(fs::exists(path(out)));
    return outcome.err;
  }

  fs::path folder_;
};

TEST_F(ConvertProgram, LeadsBackToTheSameTable) {
  write("log.csv",
        "t_s,q1_rad,q2_rad,dq1_radps,dq2_radps,tau1_Nm,tau2_Nm\n0,0.1,-2,1e-3,3.25,7,0.3333333333333333\n"
        "0.001,0.2,-1,2e-3,4.25,8,0.6666666666666666\n0.0025,0.3,0,0,-5.5,9,1e-300\n");
  ASSERT_EQ(steelyard({"convert", path("log.csv"), path("first.csv")}).code, 0);
  for (const std::string middle : {"log.npz", "log.mcap"}) {
    const Outcome there = steelyard({"convert", path("log.csv"), path(middle)});
    ASSERT_EQ(there.code, 0) << there.err;
    EXPECT_THAT(there.out, HasSubstr("columns: {time: "));
    EXPECT_EQ(there.err, "");
    const Outcome back = steelyard({"convert", path(middle), path("back.csv"), "--replace"});
    ASSERT_EQ(back.code, 0) << back.err;
    EXPECT_EQ(content("back.csv"), content("first.csv")) << middle;
  }
}

TEST_F(ConvertProgram, TakesARunOfAStudyAndSaysWhatIsNotCarried) {
  write("log.csv", "clock;a;b;c;d\n0;10;20;1;2\n5;11;21;3;4\n");
  write("study.yaml",
        "robot: " + program::robot("two_r") +
            "\nruns:\n  - file: log.csv\n    label: mine\n"
            "    columns: {time: clock, position: [a, b], torque: [c, d], acceleration: [1, 2]}\n"
            "    units: {time: ms, position: deg}\n");
  // Two channels on one column are refused, so the third one needs columns of its own.
  EXPECT_THAT(refusal("study.yaml", "out.mcap"), HasSubstr("is used twice"));
  write("log.csv", "clock;a;b;c;d;e;f\n0;10;20;1;2;5;6\n5;11;21;3;4;7;8\n");
  write("study.yaml",
        "robot: " + program::robot("two_r") +
            "\nruns:\n  - file: log.csv\n    label: mine\n"
            "    columns: {time: clock, position: [a, b], torque: [c, d], acceleration: [e, f]}\n"
            "    units: {time: ms, position: deg}\n");
  const Outcome mcap = steelyard({"convert", path("study.yaml"), path("out.mcap"), "--run", "mine"});
  ASSERT_EQ(mcap.code, 0) << mcap.err;
  EXPECT_THAT(mcap.err, HasSubstr("not carried: acceleration"));
  const Outcome json = steelyard({"convert", path("study.yaml"), path("out.npz"), "--json"});
  ASSERT_EQ(json.code, 0) << json.err;
  const auto parsed = nlohmann::json::parse(json.out);
  EXPECT_TRUE(parsed["not_carried"].empty());
  EXPECT_EQ(parsed["columns"]["acceleration"][0], "acceleration[{j}]");
  // A study on the bag: joints by their names, no columns needed but those that the bag has.
  write("bag.yaml",
        "robot: " + program::robot("two_r") +
            "\nruns:\n  - {file: out.mcap, topic: /joint_states, columns: {time: stamp, position: "
            "\"position[{name}]\", torque: \"effort[{name}]\"}}\n");
  const Outcome table = steelyard({"convert", path("bag.yaml"), path("out.csv")});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_THAT(content("out.csv"), HasSubstr("\n0.005,0.1919862177193"));  // 11°
  write("wrong.yaml",
        "robot: " + program::robot("two_r") + "\nruns:\n  - {file: out.mcap, topic: /joints}\n");
  EXPECT_THAT(refusal("wrong.yaml", "none.csv"),
              HasSubstr("'/joint_states' (sensor_msgs/msg/JointState, 2 messages)"));
  write("wrong.yaml", "robot: " + program::robot("two_r") +
                          "\nruns:\n  - {file: out.csv, topic: /joints, columns: {time: t_s, position: "
                          "\"q{j}\", torque: \"tau{j}\"}}\n");
  EXPECT_THAT(refusal("wrong.yaml", "none.csv"), HasSubstr("'topic'"));
}

TEST_F(ConvertProgram, WritesASimulatedRunAsSimulateDoes) {
  const Outcome all = steelyard({"convert", kDemo, path("out.npz")});
  EXPECT_EQ(all.code, 2);
  EXPECT_THAT(all.err, HasSubstr("name one with --run"));
  ASSERT_EQ(steelyard({"simulate", kDemo, "--out", path("logs")}).code, 0);
  ASSERT_EQ(steelyard({"convert", kDemo, path("out.npz"), "--run", "excitation"}).code, 0);
  ASSERT_EQ(steelyard({"convert", path("out.npz"), path("out.csv")}).code, 0);
  EXPECT_EQ(content("out.csv"), content("logs/excitation.csv"));
}

TEST_F(ConvertProgram, OverwritesOnlyWhenToldSo) {
  write("log.csv", "t_s,q1_rad\n0,1\n1,2\n");
  write("mine.csv", "my own log\n");
  for (const char* out : {"mine.csv", "log.csv"}) {
    const Outcome refused = steelyard({"convert", path("log.csv"), path(out)});
    EXPECT_EQ(refused.code, 2) << out;
    EXPECT_THAT(refused.err, HasSubstr(std::string(out) + ": the file already exists")) << out;
  }
  EXPECT_EQ(content("mine.csv"), "my own log\n");
  EXPECT_EQ(steelyard({"convert", path("log.csv"), path("mine.csv"), "--replace"}).code, 0);
  EXPECT_THAT(content("mine.csv"), HasSubstr("t_s,q1_rad"));
}

TEST_F(ConvertProgram, RefusesWhatItCannotTellOrWrite) {
  write("log.csv", "time_of_day,angle,current\n0,1,2\n1,2,3\n");
  EXPECT_THAT(refusal("log.csv", "out.npz"), HasSubstr("describe the log in a study"));
  write("log.csv", "t_s,q1_rad\n0,1\n1,2\n");
  EXPECT_THAT(refusal("log.csv", "out.mat"), HasSubstr(".csv, .npz or .mcap"));
  EXPECT_THAT(refusal("none.csv", "out.npz"), HasSubstr("the file does not exist"));
  const Outcome packing = steelyard({"convert", path("log.csv"), path("out.mcap"), "--packing", "zip"});
  EXPECT_EQ(packing.code, 2);
  EXPECT_FALSE(fs::exists(path("out.mcap")));
}

}  // namespace convert_test
