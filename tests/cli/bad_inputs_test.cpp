// Five hundred inputs that are wrong by construction: the program reports what, where and what to do, and
// ends with 2, 3 or 4, never with 0 (nothing noticed) or 1 (our bug), never by a signal, and within five
// seconds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "damage.hpp"
#include "oracle/sanitized.hpp"
#include "program.hpp"

namespace bad_inputs_test {

using damage::Damaged;
using program::Outcome;
using program::steelyard;

const double kMaxSeconds = steelyard::oracle::is_sanitized() ? 60 : 5;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string source(const std::string& path) {
  return content(std::string(STEELYARD_SOURCE_DIR) + "/" + path);
}

// A log of the two-joint robot: a slow double sine, efforts of about the right size.
std::string good_log() {
  std::string text = "t,q1,q2,tau1,tau2\n";
  for (int k = 0; k < 120; ++k) {
    const double t = 0.01 * k;
    char line[160];
    std::snprintf(line, sizeof line, "%.4f,%.6f,%.6f,%.6f,%.6f\n", t, std::sin(5 * t), std::cos(7 * t),
                  std::cos(5 * t), 9 * std::sin(7 * t) - 20);
    text += line;
  }
  return text;
}

constexpr const char* kStudy = R"(robot: two_r.yaml
seed: 1
drives: {friction: [viscous, coulomb]}
runs:
  - file: log.csv
    label: excitation
    columns: {time: t, position: "q{j}", torque: "tau{j}"}
    units: {position: rad, torque: N*m}
prepare:
  filter: {order: 4, cutoff: 10}
  columns: filtered
estimate: {method: wls}
)";

// Where the error line of the program names the file, and whether it ends with advice.
void expect_refused(const Outcome& outcome, const std::string& file, const Damaged& damaged, double seconds) {
  SCOPED_TRACE(damaged.what);
  EXPECT_TRUE(outcome.code == 2 || outcome.code == 3 || outcome.code == 4) << outcome.code << "\n"
                                                                           << outcome.err;
  EXPECT_LT(seconds, kMaxSeconds);
  const std::size_t at = outcome.err.rfind("steelyard: ");
  ASSERT_NE(at, std::string::npos) << outcome.err;
  const std::string message = outcome.err.substr(at);
  EXPECT_THAT(message, testing::HasSubstr(file)) << "no place";
  if (damaged.at_line) {
    EXPECT_TRUE(std::regex_search(message, std::regex(file + ":[0-9]+")))
        << "no line: " << message.substr(0, 400);
  }
  EXPECT_TRUE(std::regex_search(message, std::regex("; [^ ]"))) << "no remedy: " << message.substr(0, 400);
}

class BadInputs : public testing::Test {
 protected:
  // Robot, log and a study of both; returns the study's path.
  static std::string write_good_files() {
    program::write_file("two_r.yaml", source("robots/two_r.yaml"));
    program::write_file("log.csv", good_log());
    return program::write_file("study.yaml", kStudy);
  }

  // The damaged file under this name, others good beside it; then the program on `arguments`, which takes the
  // file as it was before the damage.
  void expect_all_refused(const std::string& name, const std::string& good,
                          const std::vector<damage::Operator>& operators, int cases,
                          const std::vector<std::string>& arguments) {
    std::filesystem::current_path(std::filesystem::path(write_good_files()).parent_path());
    program::write_file(name, good);
    const Outcome accepted = steelyard(arguments);
    EXPECT_THAT(accepted.code, testing::AnyOf(0, 3));
    EXPECT_THAT(accepted.err, testing::Not(testing::HasSubstr("steelyard: ")));
    for (int k = 0; k < cases && !testing::Test::HasFatalFailure(); ++k) {
      const Damaged damaged = damage::damage(good, operators, k);
      program::write_file(name, damaged.text);
      const auto begin = std::chrono::steady_clock::now();
      const Outcome outcome = steelyard(arguments);
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
      expect_refused(outcome, name, damaged, time.count());
    }
    std::filesystem::current_path(before_);
  }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

TEST_F(BadInputs, NinetyRobotsAreRefused) {
  expect_all_refused("bad.yaml", source("robots/two_r.yaml"), damage::yaml_operators(), 60,
                     {"model", "bad.yaml"});
  expect_all_refused("bad.yaml", source("tests/data/arm4.yaml"), damage::yaml_operators(), 30,
                     {"model", "bad.yaml"});
}

TEST_F(BadInputs, NinetyStudiesAreRefused) {
  expect_all_refused("bad.yaml", kStudy, damage::yaml_operators(), 90, {"check", "bad.yaml"});
}

TEST_F(BadInputs, AHundredLogsAreRefused) {
  expect_all_refused("log.csv", good_log(), damage::csv_operators(), 100, {"check", "study.yaml"});
}

TEST_F(BadInputs, SeventyBagsAreRefused) {
  const std::string bag = program::write_file("good.mcap", "");
  const Outcome made = steelyard({"convert", write_good_files(), bag, "--run", "excitation", "--replace"});
  ASSERT_EQ(made.code, 0) << made.err;
  expect_all_refused("bad.mcap", content(bag), damage::bag_operators(), 35,
                     {"convert", "bad.mcap", "out.csv", "--replace"});
  expect_all_refused("bad.db3", source("tests/fuzz/corpus/db3/states"), damage::db3_operators(), 35,
                     {"convert", "bad.db3", "out.csv", "--replace"});
}

TEST_F(BadInputs, ThirtyFoldFilesAreRefused) {
  const std::string study = write_good_files();
  const std::string out = std::filesystem::path(study).parent_path() / "folds";
  const Outcome made = steelyard({"fold", study, "--out", out});
  ASSERT_EQ(made.code, 3) << made.err;  // no robot made this log: folded, with findings, not to be trusted
  std::string of_folds = kStudy;
  const std::size_t runs = of_folds.find("  - file"), rest = of_folds.find("prepare:");
  program::write_file("folds.yaml", of_folds.replace(runs, rest - runs, "  - folds: bad.fold\n"));
  expect_all_refused("bad.fold", content(out + "/excitation.fold"), damage::fold_operators(), 30,
                     {"check", "folds.yaml"});
}

TEST_F(BadInputs, FiftyUrdfsAndThirtyMjcfsAreRefused) {
  expect_all_refused("bad.urdf", source("tests/fuzz/corpus/urdf/arm"), damage::xml_operators(), 50,
                     {"model", "bad.urdf"});
  expect_all_refused("bad.mjcf", source("tests/data/arm4.xml"), damage::xml_operators(), 30,
                     {"model", "bad.mjcf"});
}

TEST_F(BadInputs, FortyResultsAreRefused) {
  expect_all_refused("bad.json", source("tests/fuzz/corpus/result/two_r"), damage::json_operators(), 40,
                     {"report", "bad.json", "--page", "page.html"});
}

}  // namespace bad_inputs_test
