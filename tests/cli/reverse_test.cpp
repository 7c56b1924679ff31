// Reverse engineering through the program: exit codes with their reasons, tables of configurations.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "in_folder.hpp"
#include "program.hpp"

namespace reverse_test {

namespace fs = std::filesystem;
using program::Outcome;
using program::steelyard;
using ::testing::HasSubstr;

const std::string kRoot = STEELYARD_SOURCE_DIR;

class Reverse : public program::InFolder {
 protected:
  Outcome run(const std::string& reverse, const std::vector<std::string>& more = {}) {
    std::ofstream(folder_ / "study.yaml")
        << "robot: " << kRoot << "/robots/two_r.yaml\nreport: false\nreverse:\n" + reverse;
    std::vector<std::string> arguments = {"reverse", (folder_ / "study.yaml").string(), "--out",
                                          (folder_ / "out").string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return steelyard(arguments);
  }
  Outcome run_program(const std::string& script, const std::string& more = "") {
    return run("  source: {program: [sh, -c, \"" + script + "\"]" + more +
               "}\n  configurations: {count: 20}\n");
  }
};

TEST_F(Reverse, AGoodSourceEndsWithZeroAndAResult) {
  const Outcome outcome =
      run("  source: {robot: " + kRoot + "/robots/two_r.yaml}\n  configurations: {count: 20}\n" +
          "  validation: [{label: others, count: 20}]\n");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("gravity+inertia"));
  EXPECT_THAT(outcome.out, HasSubstr("M21"));
  std::ifstream file(folder_ / "out/result.json");
  const auto result = nlohmann::json::parse(file);
  EXPECT_EQ(result["reverse"]["parts"].size(), 3U);
  EXPECT_EQ(result["reverse"]["errors"][1]["label"], "others");
}

// Gravity along all axes shows nothing; M(q) does.
TEST_F(Reverse, OfVerticalAxesTakesInertiaAlone) {
  const std::string robot = (folder_ / "planar.yaml").string();
  std::ofstream(robot) << "name: planar\nconvention: modified_dh\njoints:\n"
                          "  - {name: s, a: 0, alpha: 0, d: 0.4, link: {mass: 3, com: [0.1, 0, 0],"
                          " inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}}\n"
                          "  - {name: e, a: 0.35, alpha: 0, d: 0, link: {mass: 2, com: [0.1, 0, 0],"
                          " inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}}\n";
  const std::string study = (folder_ / "study.yaml").string(), out = (folder_ / "out").string();
  std::ofstream(study) << "robot: " << robot << "\nreport: false\nreverse:\n  source: {robot: " << robot
                       << "}\n  configurations: {count: 5}\n";
  Outcome outcome = steelyard({"reverse", study, "--out", out});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("gravity+inertia"));
  outcome = steelyard({"reverse", robot, "--configurations", "3", "--rows", "gravity"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no configuration identifies any parameter of robot 'planar'"));
  outcome = steelyard({"model", robot, "--rows", "gravity"});
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_THAT(outcome.out, ::testing::Not(HasSubstr("ambiguous rank")));
}

TEST_F(Reverse, SourcesThatFailEndWithTheirReason) {
  Outcome outcome = run_program("echo no paper >&2; exit 9");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("code 9; its last output: no paper"));
  outcome = run_program("sleep 600", ", time_limit: 0.3");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("did not answer within 0.3 s"));
  outcome = run_program("while read q; do echo M 1 0.5 0 1; done");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("not symmetric"));
  outcome = run_program("while read q; do echo M 1 2 2 1; done");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.out, HasSubstr("inertia-not-positive"));
  outcome = run("  source: {mujoco: absent.xml}\n");
  EXPECT_THAT(outcome.code, ::testing::AnyOf(2, 4));  // 4 where there is no MuJoCo
  EXPECT_FALSE(fs::exists(folder_ / "out/run.json.part"));
}

TEST_F(Reverse, TablesThatMakeNoSenseEndWithTwoOrThree) {
  std::ofstream(folder_ / "half.csv") << "q1,q2,M11,M12,M21,M22\n0.1,0.2,3,0,1,1\n0.3,-0.2,3,0,1,1\n";
  Outcome outcome = run("  source: {table: half.csv}\n");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("a triangle is not filled"));
  outcome = run("  source: {robot: " + kRoot + "/robots/two_r.yaml}\n  configurations: {count: 1}\n");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.out, HasSubstr("too-few-configurations"));
  EXPECT_EQ(steelyard({"reverse", kRoot + "/examples/demo/study.yaml"}).code, 2);
}

TEST_F(Reverse, SaysWhereToMeasure) {
  const Outcome table = steelyard({"reverse", kRoot + "/robots/two_r.yaml", "--configurations", "4"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_EQ(std::count(table.out.begin(), table.out.end(), '\n'), 5);
  EXPECT_THAT(table.out, HasSubstr("q1,q2\n"));
  const Outcome few = steelyard(
      {"reverse", kRoot + "/robots/panda.yaml", "--configurations", "1", "--json", "--rows", "gravity"});
  EXPECT_EQ(few.code, 3);
  EXPECT_LT(nlohmann::json::parse(few.out)["rank"], nlohmann::json::parse(few.out)["unknowns"]);
}

}  // namespace reverse_test
