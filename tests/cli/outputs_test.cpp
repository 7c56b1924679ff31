// What outputs may take the place of: nothing a user has made is ever lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "in_folder.hpp"
#include "program.hpp"

namespace outputs_test {

namespace fs = std::filesystem;
using program::Outcome;
using program::steelyard;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string run_named(const std::string& label, int seed) {
  return "  - label: " + label + R"(
    simulate:
      motion: {multi_sine: {harmonics: 3, period: 2, duration: 2, reach: [1, 1], center: [0, 0], velocity: 2, acceleration: 8, seed: )" +
         std::to_string(seed) + R"(}}
      rate: 200
      friction: {viscous: [0.1, 0.1], coulomb: [0.2, 0.2]}
      effort_noise: 0.01
)";
}

constexpr const char* kWays =
    "drives: {friction: [viscous, coulomb]}\n"
    "prepare: {filter: {order: 4, cutoff: 10}, columns: filtered}\n";

class Outputs : public program::InFolder {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string put(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return path(name);
  }
  std::string content(const fs::path& file) const {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::string study(const std::string& name, const std::string& runs) const {
    return put(name, "robot: " + program::robot("two_r") + "\n" + kWays + "runs:\n" + runs);
  }
  // Logs of the user's own in logs/, and the study that reads them.
  std::string study_of_logs() const {
    const std::string simulated = study("simulated.yaml", run_named("a", 7) + run_named("b", 8));
    EXPECT_EQ(steelyard({"simulate", simulated, "--out", path("made"), "--quiet"}).code, 0);
    fs::create_directory(folder_ / "logs");
    for (const char* name : {"a.csv", "b.csv"}) fs::copy(folder_ / "made" / name, folder_ / "logs" / name);
    std::string runs;
    for (const char* name : {"a", "b"})
      runs += std::string("  - {label: ") + name + ", file: logs/" + name +
              ".csv, columns: {time: t_s, position: \"q{j}_rad\", torque: \"tau{j}_Nm\"}}\n";
    return study("study.yaml", runs);
  }
  // Every file below the test's folder.
  std::map<std::string, std::string> everything() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      if (entry.is_regular_file()) files[entry.path().string()] = content(entry.path());
    return files;
  }
  std::set<std::string> names(const std::string& folder) const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_ / folder))
      if (entry.path().filename() != ".steelyard") found.insert(entry.path().filename());
    return found;
  }
};

TEST_F(Outputs, WithoutANameEveryVerbHasItsOwnFolder) {
  study("study.yaml", run_named("a", 7));
  const std::string command =
      "cd \"$1\" && \"$0\" run study.yaml --quiet && \"$0\" validate steelyard-result/result.json "
      "study.yaml --quiet && \"$0\" fold study.yaml --quiet";
  const Outcome outcome = program::run({"sh", "-c", command, STEELYARD_PROGRAM, folder_.string()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(folder_ / "steelyard-result/result.json"));
  EXPECT_TRUE(fs::exists(folder_ / "steelyard-validate/result.json"));
  EXPECT_TRUE(fs::exists(folder_ / "steelyard-fold/a.fold"));
}

TEST_F(Outputs, NoVerbReplacesAFolderOfLogs) {
  const std::string study = study_of_logs(), simulated = path("simulated.yaml");
  ASSERT_EQ(steelyard({"run", study, "--out", path("out"), "--quiet"}).code, 0);
  fs::create_directory_symlink(folder_ / "logs", folder_ / "link");
  const std::string result = path("out/result.json");
  const auto before = everything();
  for (const std::string& out : {path("logs"), path("link"), path("logs/")})
    for (const std::vector<std::string>& verb : {std::vector<std::string>{"run", study},
                                                 {"identify", study},
                                                 {"fold", study},
                                                 {"simulate", simulated},
                                                 {"run", simulated},
                                                 {"validate", result, study},
                                                 {"retrieve", study},
                                                 {"export", result, study, "--c", "model"}}) {
      std::vector<std::string> command = verb;
      command.insert(command.end(), {"--out", out});
      const Outcome outcome = steelyard(command);
      EXPECT_EQ(outcome.code, 2) << verb[0];
      EXPECT_THAT(outcome.err, AllOf(HasSubstr(out), HasSubstr("a.csv"), HasSubstr("--out"))) << verb[0];
      ASSERT_EQ(everything(), before) << verb[0];
    }
}

TEST_F(Outputs, AFolderThatIsReadIsNotReplacedEvenWhenSteelyardWroteIt) {
  study_of_logs();
  std::string text = content(path("study.yaml"));
  for (std::size_t at; (at = text.find("logs/")) != std::string::npos;) text.replace(at, 4, "made");
  const std::string study = put("made.yaml", text);
  ASSERT_EQ(steelyard({"run", study, "--out", path("out"), "--quiet"}).code, 0);
  const auto before = everything();
  Outcome outcome = steelyard({"run", study, "--out", path("made")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("a.csv"), HasSubstr("which is an input here")));
  outcome = steelyard({"validate", path("out/result.json"), study, "--out", path("out")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("result.json"), HasSubstr("which is an input here")));
  EXPECT_EQ(everything(), before);
  // Files that are neither inputs nor changed are replaced.
  EXPECT_EQ(steelyard({"simulate", path("simulated.yaml"), "--out", path("made"), "--quiet"}).code, 0);
  EXPECT_EQ(steelyard({"run", study, "--out", path("out"), "--quiet"}).code, 0);
}

TEST_F(Outputs, AFleetReplacesNoFolderOfLogs) {
  const std::string fleet = std::string(STEELYARD_SOURCE_DIR) + "/examples/fleet/study.yaml";
  put("logs/robot-1.csv", "t_s,q1_rad\n0,1\n");
  const auto before = everything();
  for (const char* option : {"--out", "--logs"}) {
    const Outcome outcome = steelyard({"fleet", fleet, option, path("logs")});
    EXPECT_EQ(outcome.code, 2) << option;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(path("logs")), HasSubstr("'robot-1.csv'"))) << option;
    EXPECT_EQ(everything(), before) << option;
  }
}

TEST_F(Outputs, FilesOfOtherKindsAreNotOverwritten) {
  const std::string made = study("s.yaml", run_named("a", 7));
  ASSERT_EQ(steelyard({"fold", made, "--out", path("folds"), "--quiet"}).code, 0);
  ASSERT_EQ(steelyard({"run", made, "--out", path("out"), "--quiet"}).code, 0);
  const std::string fold = path("folds/a.fold"), result = path("out/result.json");
  put("page.html", "<!DOCTYPE html><title>mine</title>");
  auto before = everything();
  for (const std::vector<std::string>& command : {std::vector<std::string>{"merge", fold, "--out", made},
                                                  {"merge", fold, "--out", result},
                                                  {"report", result, "--page", made},
                                                  {"report", result, "--page", fold},
                                                  {"report", result, "--page", path("page.html")}}) {
    const Outcome outcome = steelyard(command);
    EXPECT_EQ(outcome.code, 2) << command.back();
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(command.back()), HasSubstr("already")));
    EXPECT_EQ(everything(), before) << command.back();
  }
  for (int k = 0; k < 2; ++k) {
    EXPECT_EQ(steelyard({"merge", fold, "--out", path("all.fold")}).code, 0) << k;
    EXPECT_EQ(steelyard({"report", result, "--page", path("new.html")}).code, 0) << k;
    EXPECT_EQ(steelyard({"report", result, "--page", path("out/report.html")}).code, 0) << k;
    EXPECT_EQ(steelyard({"run", made, "--out", path("out"), "--quiet"}).code, 0) << k;
  }
}

TEST_F(Outputs, LabelsThatLookAlikeAsFileNamesLoseNoRun) {
  const std::string made =
      study("s.yaml", run_named("day 1", 1) + run_named("day_1", 2) + run_named("月曜", 3) +
                          run_named("火曜", 4) + run_named("é", 5) + run_named("è", 6) + run_named("a/b", 7));
  Outcome outcome = steelyard({"fold", made, "--out", path("folds")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(names("folds"), (std::set<std::string>{"day_1.fold", "day_1-2.fold", "月曜.fold", "火曜.fold",
                                                   "é.fold", "è.fold", "a_b.fold"}));
  EXPECT_THAT(outcome.out, HasSubstr("day_1-2.fold"));
  outcome = steelyard({"simulate", made, "--out", path("logs")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(names("logs").size(), 7u);
  EXPECT_NE(content(folder_ / "logs/day_1.csv"), content(folder_ / "logs/day_1-2.csv"));
}

TEST_F(Outputs, ALabelThatIsTooLongIsToldWithItsLine) {
  const std::string made = study("s.yaml", run_named(std::string(400, 'x'), 1));
  for (const char* verb : {"fold", "simulate", "run"}) {
    const Outcome outcome = steelyard({verb, made, "--out", path("out")});
    EXPECT_EQ(outcome.code, 2) << verb;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("s.yaml:5"), HasSubstr("label of 400 bytes"))) << verb;
  }
  EXPECT_EQ(
      steelyard({"fold", study("s.yaml", run_named(std::string(200, 'x'), 1)), "--out", path("out")}).code,
      0);
}

}  // namespace outputs_test
