// steelyard export as its users see it.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>

#include "in_folder.hpp"
#include "program.hpp"

namespace export_test {

namespace fs = std::filesystem;
using program::Outcome;
using program::steelyard;
using testing::HasSubstr;

const std::string kDemo = std::string(STEELYARD_SOURCE_DIR) + "/examples/demo/study.yaml";

class Export : public testing::Test {
 protected:
  // The demo's result, made once.
  static void SetUpTestSuite() {
    folder_ = fs::temp_directory_path() / ("steelyard-export-" + std::to_string(getpid()));
    made_ = steelyard({"identify", kDemo, "--out", (folder_ / "demo").string(), "--quiet"}).code;
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static std::string result() { return (folder_ / "demo" / "result.json").string(); }
  static std::string out() { return (folder_ / "out").string(); }

  static inline fs::path folder_;
  static inline int made_ = -1;
};

// The comment above every function against its lines, each of which is one operation.
void expect_counted_operations(const std::string& path) {
  std::ifstream file(path);
  const std::regex counted(
      "/\\* (\\d+) multiplications, (\\d+) divisions, (\\d+) additions, (\\d+) sines and cosines \\*/");
  const std::regex multiplied(" = \\S+\\*\\S+;$"), added(" = \\S+ [+-] \\S+;$"), turned(" = (sin|cos)\\(");
  std::smatch found;
  int functions = 0;
  for (std::string line; std::getline(file, line);) {
    if (!std::regex_match(line, found, counted)) continue;
    ++functions;
    const int claimed[] = {std::stoi(found[1]), std::stoi(found[3]), std::stoi(found[4])};
    int lines[] = {0, 0, 0};
    for (std::string own; std::getline(file, own) && own != "}";) {
      lines[0] += std::regex_search(own, multiplied);
      lines[1] += std::regex_search(own, added);
      lines[2] += std::regex_search(own, turned);
    }
    for (int k = 0; k < 3; ++k) EXPECT_EQ(lines[k], claimed[k]) << "function " << functions << ", kind " << k;
  }
  EXPECT_GE(functions, 4);  // torques, M, C, g at least
}

TEST_F(Export, WritesCodeThatWasCompiledAndCompared) {
  ASSERT_EQ(made_, 0);
  const Outcome outcome = steelyard({"export", result(), kDemo, "--c", "panda", "--out", out(), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto exported = nlohmann::json::parse(outcome.out)["exports"][0];
  EXPECT_EQ(exported["format"], "c");
  EXPECT_EQ(exported["checked_by"], nlohmann::json::array({"C compiler"}));
  EXPECT_LT(exported["max_error"], 1e-10);
  std::ostringstream header;
  header << std::ifstream(out() + "/panda.h").rdbuf();
  EXPECT_THAT(header.str(), HasSubstr("void panda_inverse_dynamics(const double q[7]"));
  EXPECT_THAT(header.str(), HasSubstr("#define PANDA_PARAMETERS 64"));
  EXPECT_TRUE(fs::exists(out() + "/panda.c"));
  expect_counted_operations(out() + "/panda.c");
}

TEST_F(Export, TwoFilesWithOneNameAreRefused) {
  ASSERT_EQ(made_, 0);
  const Outcome outcome = steelyard({"export", result(), kDemo, "--yaml", "panda.yaml", "--json-file",
                                     "panda.yaml", "--out", out() + "-one"});
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("'panda.yaml' would be written twice, as yaml and as json"));
  EXPECT_FALSE(fs::exists(out() + "-one"));
}

TEST_F(Export, NeedsFeasibleLinksForBodies) {
  const Outcome outcome = steelyard(
      {"export", result(), kDemo, "--urdf", "new.urdf", "--from", "old.urdf", "--out", out() + "-none"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("feasible"));
  EXPECT_FALSE(fs::exists(out() + "-none"));
}

TEST_F(Export, SaysWhatIsMissingOrWrong) {
  EXPECT_EQ(steelyard({"export", result(), kDemo, "--out", out()}).code, 2);
  EXPECT_EQ(steelyard({"export", result(), kDemo, "--urdf", "new.urdf", "--out", out()}).code, 2);
  EXPECT_EQ(steelyard({"export", result(), kDemo, "--c", "7panda", "--out", out()}).code, 2);
  EXPECT_EQ(steelyard({"export", result(), kDemo, "--c", "../panda", "--out", out()}).code, 2);
  EXPECT_EQ(steelyard({"export", kDemo, kDemo, "--c", "panda", "--out", out()}).code, 2);
}

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Small studies of simulated runs, with feasible links.
class ExportOfStudies : public program::InFolder {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }

  void study(const std::string& name, const std::string& robot, const std::string& runs,
             const std::string& keys) const {
    write(name, "robot: " + robot + "\nruns:\n" + runs + keys +
                    "prepare: {filter: {order: 4, cutoff: 8}, columns: filtered}\nfeasible: {}\n"
                    "estimate: {method: wls, intervals: {method: classical, bias_check: false}}\n");
  }
  static std::string run_of(const std::string& label, int seed, const std::string& more) {
    return "  - label: " + label +
           "\n    simulate:\n      rate: 200\n      effort_noise: 0.02\n      seed: " + std::to_string(seed) +
           "\n" + more +
           "      motion: {multi_sine: {harmonics: 4, period: 5, center: [0, 0], reach: 1.5, seed: " +
           std::to_string(seed) + "}}\n";
  }
  // Notes of all formats that are asked for, as one text.
  std::string notes(const std::string& name, const std::vector<std::string>& formats) const {
    const Outcome made = steelyard({"run", path(name), "--out", path("run"), "--quiet"});
    EXPECT_THAT(made.code, testing::AnyOf(0, 3)) << made.err;
    std::vector<std::string> command = {"export", path("run/result.json"), path(name),
                                        "--out",  path("files"),           "--json"};
    command.insert(command.end(), formats.begin(), formats.end());
    const Outcome outcome = steelyard(command);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::string text;
    const auto said = nlohmann::json::parse(outcome.out);
    for (const auto& item : said["exports"])
      text += item["format"].get<std::string>() + item["notes"].dump() + "\n";
    not_carried_ = said["exports"].back()["not_carried"];
    return text;
  }
  mutable nlohmann::json not_carried_;  // of the last of them
};

TEST_F(ExportOfStudies, CarriesKnownEffortsIntoCodeAndSaysWhereItCannot) {
  study("known.yaml", program::robot("two_r"), run_of("a", 3, ""),
        "known: [{joint: joint2, expression: \"0.5*sin(q2)\"}]\n");
  const std::string said = notes("known.yaml", {"--c", "two", "--yaml", "two.yaml", "--sdf", "two.sdf"});
  EXPECT_THAT(said, HasSubstr("c[]"));
  ASSERT_EQ(not_carried_.size(), 1u);  // of the SDF
  EXPECT_EQ(not_carried_[0]["joint"], "joint2");
  EXPECT_EQ(not_carried_[0]["what"], "known effort 0.5*sin(q2)");
  EXPECT_NEAR(not_carried_[0]["effort"].get<double>(), 0.5, 0.01);
  EXPECT_THAT(text_of(path("files/two.h")), HasSubstr("known 1"));
  EXPECT_THAT(text_of(path("files/two.c")), HasSubstr("sin(q[1])"));
}

TEST_F(ExportOfStudies, CarriesTheMeanOffsetOfTheRuns) {
  study("runs.yaml", program::robot("two_r"),
        run_of("a", 3, "      friction: {offset: 0.5}\n") + run_of("b", 4, "      friction: {offset: 0.1}\n"),
        "drives: {offset: per_run}\n");
  const std::string said = notes("runs.yaml", {"--c", "two", "--yaml", "two.yaml", "--sdf", "two.sdf"});
  EXPECT_THAT(said, HasSubstr("c[\"the offset of joint1 is the mean of 2 runs"));
  EXPECT_THAT(said, HasSubstr("yaml[\"the offset of joint1 is the mean of 2 runs"));
  EXPECT_THAT(text_of(path("files/two.h")), HasSubstr("fo1 fo2 */"));
  const std::string numbers = text_of(path("files/two.parameters.yaml"));
  const std::size_t at = numbers.find("\"fo1\": ");
  ASSERT_NE(at, std::string::npos);
  EXPECT_NEAR(std::stod(numbers.substr(at + 7)), 0.3, 0.01);
}

TEST_F(ExportOfStudies, SaysThatAJointOfSdfFollowsNone) {
  const std::string limit = "<limit lower=\"-2\" upper=\"2\" velocity=\"10\" effort=\"500\"/></joint>";
  std::string urdf = "<robot name=\"gripper\"><link name=\"base\"/>";
  for (const char* link : {"arm", "left", "right"})
    urdf += std::string("<link name=\"") + link +
            "\"><inertial><origin xyz=\"0.1 0.02 0.01\"/><mass value=\"2\"/><inertia ixx=\"0.02\" ixy=\"0\" "
            "ixz=\"0\" iyy=\"0.02\" iyz=\"0\" izz=\"0.02\"/></inertial></link>";
  const auto joint = [&](const std::string& name, const std::string& parent, const std::string& link,
                         const std::string& more) {
    return "<joint name=\"" + name + "\" type=\"revolute\"><parent link=\"" + parent + "\"/><child link=\"" +
           link + "\"/><origin xyz=\"0.3 0 0\"/><axis xyz=\"0 1 0\"/>" + more + limit;
  };
  urdf += joint("lift", "base", "arm", "") + joint("close", "arm", "left", "") +
          joint("finger", "arm", "right", "<mimic joint=\"close\" multiplier=\"-1\"/>") + "</robot>";
  write("gripper.urdf", urdf);
  study("gripper.yaml", path("gripper.urdf"), run_of("a", 3, ""), "");
  EXPECT_THAT(notes("gripper.yaml", {"--sdf", "gripper.sdf"}),
              HasSubstr("not carried: joint 'finger' follows 'close'"));
}

TEST_F(ExportOfStudies, RefusesAnotherRobotThanTheResults) {
  const std::string original = text_of(program::robot("two_r"));
  write("robot.yaml", original);
  study("study.yaml", "robot.yaml", run_of("a", 3, ""), "");
  const auto exported = [&] {
    return steelyard(
        {"export", path("run/result.json"), path("study.yaml"), "--c", "two", "--out", path("o")});
  };
  ASSERT_THAT(steelyard({"run", path("study.yaml"), "--out", path("run"), "--quiet"}).code,
              testing::AnyOf(0, 3));
  EXPECT_EQ(exported().code, 0);
  std::string longer = original;
  longer.replace(longer.find("a: 0.8"), 6, "a: 0.9");
  write("robot.yaml", longer);
  Outcome outcome = exported();
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("has other terms"));
  write("robot.yaml", original + "gravity: [0, 0, 9.81]\n");
  outcome = exported();
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("another robot file"));
}

// Each run has its own offset; a run of another label is predicted with their mean.
TEST_F(ExportOfStudies, AndValidateTakesOffsetsOfSingleRuns) {
  const std::string a = run_of("a", 3, "      friction: {offset: 0.5}\n"),
                    b = run_of("b", 4, "      friction: {offset: 0.1}\n"),
                    fresh = run_of("fresh", 5, "      friction: {offset: 0.3}\n"),
                    keys = "drives: {offset: per_run}\n";
  std::string held = fresh;
  held.insert(held.find("    simulate"), "    role: validate\n");
  study("study.yaml", program::robot("two_r"), a + b + held, keys);
  study("fresh.yaml", program::robot("two_r"), fresh, keys);
  const auto residuals = [&](const std::vector<std::string>& command) {
    const Outcome outcome = steelyard(command);
    EXPECT_THAT(outcome.code, testing::AnyOf(0, 3)) << outcome.err;
    std::vector<double> list;
    const auto made = nlohmann::json::parse(text_of(command.back() + "/result.json"));
    for (const auto& run : made["validation"])
      for (const auto& residual : {run["residual"], run["feasible"]["residual"]})
        list.push_back(residual["prepared"]);
    return list;
  };
  const auto fitted = residuals({"run", path("study.yaml"), "--quiet", "--out", path("run")});
  const std::string result = path("run/result.json");
  const auto again = residuals({"validate", result, path("study.yaml"), "--quiet", "--out", path("again")});
  const auto alone = residuals({"validate", result, path("fresh.yaml"), "--quiet", "--out", path("alone")});
  ASSERT_EQ(fitted.size(), 6U);
  ASSERT_EQ(again.size(), 6U);
  ASSERT_EQ(alone.size(), 2U);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(again[k], fitted[k], 1e-9) << k;
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(alone[k], fitted[4 + k], 1e-9) << k;
}

}  // namespace export_test
