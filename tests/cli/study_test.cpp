// Studies through the program: what is written, what is refused, and that nothing is left half-done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace study_test {

namespace fs = std::filesystem;
using program::Outcome;
using program::steelyard;
using ::testing::HasSubstr;

const std::string kSource = STEELYARD_SOURCE_DIR;
const std::string kDemo = kSource + "/examples/demo/study.yaml";

std::string content(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

class StudyProgram : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("steelyard_cli_study_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string out() const { return (folder_ / "out").string(); }

  // A study of two_r on a log with this content; no filter.
  std::string study_on(const std::string& log,
                       const std::string& columns = "time: t, position: \"q{j}\", torque: \"tau{j}\"") {
    std::ofstream(folder_ / "log.csv", std::ios::binary) << log;
    std::ofstream(folder_ / "study.yaml")
        << "robot: " << kSource << "/robots/two_r.yaml\nruns:\n  - file: log.csv\n    columns: {" << columns
        << "}\n";
    return (folder_ / "study.yaml").string();
  }

  // Runs the study and expects exit code 2, these words on standard error, nothing elsewhere.
  void expect_refused(const std::string& study, const std::vector<std::string>& words) {
    const Outcome outcome = steelyard({"run", study, "--out", out()});
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    for (const std::string& word : words) EXPECT_THAT(outcome.err, HasSubstr(word));
    EXPECT_FALSE(fs::exists(out()));
    for (const auto& entry : fs::directory_iterator(folder_))
      EXPECT_EQ(entry.path().filename().string().find("partial"), std::string::npos) << entry.path();
  }

  fs::path folder_;
};

TEST_F(StudyProgram, DemoWritesResultReportAndRun) {
  const Outcome outcome = steelyard({"run", kDemo, "--out", out()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Verdict: good"));
  EXPECT_THAT(outcome.out, HasSubstr("Written: "));
  EXPECT_THAT(outcome.out, HasSubstr("report.html"));
  const auto result = nlohmann::json::parse(content(fs::path(out()) / "result.json"));
  EXPECT_EQ(result["base"].size(), 64u);
  EXPECT_EQ(result["verdict"]["level"], "good");
  EXPECT_LT(result["validation"][1]["residual"]["prepared"], 0.002);
  EXPECT_THAT(content(fs::path(out()) / "report.html"), HasSubstr("<html"));
  const auto run = nlohmann::json::parse(content(fs::path(out()) / "run.json"));
  EXPECT_GT(run["seconds"], 0);
}

TEST_F(StudyProgram, SameStudySameBytesWhateverTheThreads) {
  std::string results, reports;
  for (const char* threads : {"1", "2", "4"}) {
    ASSERT_EQ(steelyard({"run", kDemo, "--out", out(), "--threads", threads}).code, 0);
    const std::string result = content(fs::path(out()) / "result.json");
    const std::string report = content(fs::path(out()) / "report.html");
    if (!results.empty()) {
      EXPECT_EQ(result, results) << threads;
      EXPECT_EQ(report, reports) << threads;
    }
    results = result;
    reports = report;
  }
}

TEST_F(StudyProgram, AnotherSeedIsAnotherNoise) {
  ASSERT_EQ(steelyard({"identify", kDemo, "--out", out()}).code, 0);
  const std::string first = content(fs::path(out()) / "result.json");
  EXPECT_FALSE(fs::exists(fs::path(out()) / "report.html"));
  ASSERT_EQ(steelyard({"identify", kDemo, "--out", out(), "--seed", "2"}).code, 0);
  EXPECT_NE(content(fs::path(out()) / "result.json"), first);
}

TEST_F(StudyProgram, AModelIsTriedOnOtherRunsWithoutFitting) {
  ASSERT_EQ(steelyard({"identify", kDemo, "--out", out()}).code, 0);
  const std::string model = (fs::path(out()) / "result.json").string();
  const std::string again = (folder_ / "again").string();
  // Other noise on the same motions: what was found holds, and nothing is fitted to the new runs.
  ASSERT_EQ(steelyard({"validate", model, kDemo, "--seed", "7", "--out", again}).code, 0);
  const auto before = nlohmann::json::parse(content(model));
  const auto after = nlohmann::json::parse(content(fs::path(again) / "result.json"));
  EXPECT_EQ(after["base"], before["base"]);
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(after["validation"][r]["fresh"], true);
    EXPECT_NE(after["validation"][r]["residual"], before["validation"][r]["residual"]);
    EXPECT_LT(after["validation"][r]["residual"]["prepared"], 0.002);
  }
  // The first is the fitted motion with other noise, and with the same noise the fitted run itself.
  const auto findings = [](const nlohmann::json& result) {
    std::string list;
    for (const auto& finding : result["findings"])
      list += finding["code"].get<std::string>() + " (" + finding["joint"].get<std::string>() + ") ";
    return list;
  };
  EXPECT_THAT(findings(after), HasSubstr("repeated-motion (excitation)"));
  EXPECT_EQ(after["verdict"]["level"], "usable");
  ASSERT_EQ(steelyard({"validate", model, kDemo, "--out", again}).code, 0);
  const auto same = nlohmann::json::parse(content(fs::path(again) / "result.json"));
  EXPECT_THAT(findings(same), HasSubstr("fitted-run (excitation)"));
  EXPECT_EQ(same["validation"][0]["fresh"], false);
  EXPECT_EQ(same["verdict"]["level"], "usable");
}

TEST_F(StudyProgram, AModelOfAnotherRobotIsRefused) {
  ASSERT_EQ(steelyard({"identify", kDemo, "--out", out()}).code, 0);
  const std::string study = study_on("t,q1,q2,tau1,tau2\n0,0,0,0,0\n1,0,0,0,0\n");
  const Outcome outcome = steelyard(
      {"validate", (fs::path(out()) / "result.json").string(), study, "--out", (folder_ / "no").string()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("not one of this robot"));
  EXPECT_FALSE(fs::exists(folder_ / "no"));
}

TEST_F(StudyProgram, JsonOnStandardOutputIsTheFile) {
  const Outcome outcome = steelyard({"identify", kDemo, "--out", out(), "--json"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, content(fs::path(out()) / "result.json"));
}

TEST_F(StudyProgram, SimulatedLogsGiveTheSameModelWhenReadBack) {
  ASSERT_EQ(steelyard({"simulate", kDemo, "--out", (folder_ / "logs").string()}).code, 0);
  std::ofstream(folder_ / "study.yaml")
      << "robot: " << kSource
      << "/robots/panda.yaml\ndrives: {friction: [viscous, coulomb, offset]}\nruns:\n"
         "  - file: logs/excitation.csv\n"
         "    label: excitation\n"
         "    columns: {time: t_s, position: \"q{j}_rad\", torque: \"tau{j}_Nm\"}\n"
         "prepare: {filter: {order: 4, cutoff: 10}, columns: filtered}\n"
         "estimate: {method: wls}\n";
  ASSERT_EQ(steelyard({"identify", (folder_ / "study.yaml").string(), "--out", out()}).code, 0);
  const auto from_file = nlohmann::json::parse(content(fs::path(out()) / "result.json"));
  ASSERT_EQ(steelyard({"identify", kDemo, "--out", out()}).code, 0);
  const auto direct = nlohmann::json::parse(content(fs::path(out()) / "result.json"));
  ASSERT_EQ(from_file["base"].size(), direct["base"].size());
  for (std::size_t b = 0; b < direct["base"].size(); ++b)
    EXPECT_EQ(from_file["base"][b]["value"], direct["base"][b]["value"]) << direct["base"][b]["name"];
}

TEST_F(StudyProgram, FoldsAreWrittenForEveryRun) {
  const Outcome outcome = steelyard({"fold", kDemo, "--out", out()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(fs::path(out()) / "excitation.fold"));
  EXPECT_TRUE(fs::exists(fs::path(out()) / "another_motion.fold"));
}

TEST_F(StudyProgram, TooLittleMotionIsNotTrustworthyWithExitCodeThree) {
  std::string log = "t,q1,q2,tau1,tau2\n";
  for (int k = 0; k < 400; ++k)
    log += std::to_string(0.01 * k) + ",0.5,0.2,0.1," + std::to_string(18 + 0.01 * (k % 7)) + "\n";
  const Outcome outcome = steelyard({"run", study_on(log), "--out", out()});
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Verdict: not trustworthy"));
  EXPECT_TRUE(fs::exists(fs::path(out()) / "result.json"));
}

TEST_F(StudyProgram, BadLogsAreRefusedWithPlaceAndRemedy) {
  const std::string header = "t,q1,q2,tau1,tau2\n";
  const std::string good = "0,0,0,0,0\n0.01,0.1,0.1,0,0\n0.02,0.2,0.1,0,0\n";
  expect_refused(study_on("t,q1,qq2,tau1,tau2\n" + good), {"log.csv", "q2", "did you mean"});
  const std::string rest = "0.02,0,0,0,0\n0.03,0,0,0,0\n";
  expect_refused(study_on(header + "0,0,0,0,0\n0.01,0,0,0\n" + rest), {"log.csv:3"});
  expect_refused(study_on(header + "0,0,0,0,0\n0.01,0,abc,0,0\n" + rest), {"log.csv:3", "q2"});
  expect_refused(study_on(header + "0,0,0,0,0\n0.01,0,nan,0,0\n" + rest), {"log.csv:3"});
  expect_refused(study_on(header + "0,0,0,0,0\n0.02,0,0,0,0\n0.01,0,0,0,0\n"), {"log.csv:4"});
  expect_refused(study_on(header), {"log.csv"});
  expect_refused(study_on(header + "0,0,0,0,0\n"), {"log.csv"});
  expect_refused(study_on(""), {"log.csv"});
  expect_refused(study_on(header + good, "time: t, position: [q1, q1], torque: \"tau{j}\""), {"q1"});
  expect_refused(study_on(header + std::string(20 << 20, '1')), {"log.csv"});
}

TEST_F(StudyProgram, AMissingLogOrStudyIsRefused) {
  const std::string study = study_on("");
  fs::remove(folder_ / "log.csv");
  expect_refused(study, {"log.csv"});
  expect_refused((folder_ / "nothing.yaml").string(), {"nothing.yaml"});
}

TEST_F(StudyProgram, AnOutputFolderThatCannotBeIsTheMachinesFault) {
  const Outcome outcome = steelyard({"identify", kDemo, "--out", "/proc/steelyard-result"});
  EXPECT_EQ(outcome.code, 4) << outcome.err;
}

}  // namespace study_test
