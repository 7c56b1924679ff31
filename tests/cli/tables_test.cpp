// What `run` prints on a terminal: the values that the study asked for, in at most 80 columns.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "in_folder.hpp"
#include "program.hpp"

namespace tables_test {

using nlohmann::json;
using program::Outcome;
using program::steelyard;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

const std::string kRoot = STEELYARD_SOURCE_DIR;
constexpr int kWidest = 80;  // of a terminal

class Tables : public program::InFolder {
 protected:
  std::string printed(const std::string& study) {
    const Outcome outcome = steelyard({"identify", study, "--out", (folder_ / "out").string()});
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    std::ifstream file(folder_ / "out/result.json");
    result_ = json::parse(file);
    expect_narrow(outcome.out);
    return outcome.out;
  }
  static void expect_narrow(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }), kWidest)
          << line;
  }
  // As the tables write it.
  static std::string digits(int count, double value) {
    std::ostringstream text;
    text.precision(count);
    text << value;
    return text.str();
  }
  static std::string four(double value) { return digits(4, value); }
  // The line of a table that begins with this name.
  static std::string line_of(const std::string& out, const std::string& table, const std::string& name) {
    const std::size_t head = out.find(table), begin = out.find("\n  " + name + " ", head);
    if (head == std::string::npos || begin == std::string::npos)
      return "no line of " + name + " under " + table;
    return out.substr(begin + 1, out.find('\n', begin + 1) - begin - 1);
  }
  json result_;
};

// Wide tables are divided, each part with the names; expressions go on below themselves.
TEST_F(Tables, OfOtherVerbsFitATerminal) {
  const std::string out = (folder_ / "out").string(), two_r = kRoot + "/examples/two-r-retrieve/";
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"reverse", kRoot + "/examples/lwr-reverse/study.yaml", "--out", out},
           {"retrieve", two_r + "shapes.yaml", "--base", two_r + "base.yml", "--out", out},
           {"signs", kRoot + "/examples/kr5-signs/study.yaml"},
           {"check", kRoot + "/examples/kr5-signs/study.yaml"},
           {"model", kRoot + "/robots/tx40.yaml"},
           {"model", kRoot + "/robots/panda.yaml", "--rows", "gravity"}}) {
    const Outcome outcome = steelyard(words);
    EXPECT_EQ(outcome.code, 0) << words[0] << outcome.err;
    expect_narrow(outcome.out.substr(0, outcome.out.find("\nWritten: ")));
    std::filesystem::remove_all(folder_ / "out");
  }
}

TEST_F(Tables, OfGainsAndLoadsHaveTheirValuesAndIntervals) {
  const std::string out = printed(kRoot + "/examples/tx40-gains/study.yaml");
  EXPECT_THAT(out, AllOf(HasSubstr("\nDrive gains"), HasSubstr("\nLoads, in the tool frame")));
  const std::string used = result_["gains"]["used"];
  int intervals = 0;
  for (const json& joint : result_["gains"][used]["joints"]) {
    const std::string line = line_of(out, "\nDrive gains", joint["name"]);
    if (joint.contains("value")) {
      EXPECT_THAT(line, HasSubstr("  " + four(joint["value"].get<double>()) + "  "));
    }
    if (!joint.contains("interval")) continue;
    ++intervals;
    EXPECT_THAT(line, HasSubstr("  " + four(joint["interval"][0].get<double>()) + "  "));
    EXPECT_THAT(line, HasSubstr("  " + four(joint["interval"][1].get<double>()) + "  "));
  }
  EXPECT_EQ(intervals, 6);
  EXPECT_THAT(out, HasSubstr("  with the …hed load  ")) << "the middle of a long label gives way";
  for (const json& load : result_["payloads"])
    EXPECT_THAT(out, HasSubstr(four(load["parameters"]["m"]["value"].get<double>())));
}

TEST_F(Tables, OfSignsAndLinksHaveTheirValues) {
  const std::string out = printed(kRoot + "/examples/kr5-signs/study.yaml");
  EXPECT_THAT(out, HasSubstr("\nSigns: " + std::to_string(result_["signs"]["segments"].size()) + " of "));
  EXPECT_THAT(out, HasSubstr("feasible-optimal"));
  EXPECT_THAT(out, HasSubstr("\nFeasible links"));
  for (const json& link : result_["links"]) {
    const std::string line = line_of(out, "\nFeasible links", link["name"]);
    EXPECT_THAT(line, HasSubstr("  " + four(link["mass"].get<double>()) + "  "));
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_THAT(line, HasSubstr("  " + digits(3, link["com"][axis].get<double>()) + "  "));
  }
  EXPECT_THAT(out, HasSubstr("φ1: " + digits(3, result_["feasible"]["moved_sigma"].get<double>()) + " σ"));
  EXPECT_THAT(out, HasSubstr("φ2 = " + digits(6, result_["signs"]["cost"].get<double>()) +
                             "; no pattern has less than " +
                             digits(6, result_["signs"]["lower_bound"].get<double>())));
  for (const json& joint : result_["residual"]["per_joint"]) {
    double least = 2, at = -1;
    for (const json& segment : result_["signs"]["segments"])
      if (segment["joint"] == joint["name"] && segment["probability"].get<double>() < least)
        least = segment["probability"].get<double>(), at = segment["start"].get<double>();
    std::ostringstream missing;
    missing.precision(1);
    missing << 1 - least;
    EXPECT_THAT(out, HasSubstr("least sure 1 - " + missing.str() + " at " + four(at) + " s"))
        << joint["name"];
  }
}

TEST_F(Tables, OfElasticJointsHaveStiffnessesWithTheEndsOfTheirIntervals) {
  const std::string out = printed(kRoot + "/examples/elastic-arm/study.yaml");
  for (const json& joint : result_["elastic"]["joints"]) {
    const std::string line = line_of(out, "\nElastic joints", joint["name"]);
    for (const double value : {joint["K"].get<double>(), joint["K_interval"][0].get<double>(),
                               joint["K_interval"][1].get<double>()})
      EXPECT_THAT(line, HasSubstr("  " + digits(6, value) + "  "));
    EXPECT_THAT(line, HasSubstr("  " + four(joint["B"].get<double>()) + "  "));
  }
}

TEST_F(Tables, OfTheInstallationHaveVersionThreadsAndEngines) {
  const Outcome text = steelyard({"about"});
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, AllOf(HasSubstr("instructions"), HasSubstr("engines")));
  const json about = json::parse(steelyard({"about", "--json"}).out);
  EXPECT_GE(about["threads"].get<int>(), 1);
  EXPECT_EQ(about["engines"].size(), 4U);
  for (const auto& [name, there] : about["engines"].items())
    if (there.get<bool>()) {
      const std::string version = about["engine_versions"][name];
      EXPECT_THAT(version, MatchesRegex("[0-9]+\\.[0-9.]+")) << name;
      EXPECT_THAT(text.out, HasSubstr(name + " " + version));
    }
  for (const char* library : {"Eigen", "fmt", "nlohmann-json"})
    EXPECT_THAT(text.out,
                HasSubstr(std::string(library) + " " + about["libraries"][library].get<std::string>()));
  EXPECT_THAT(text.out, HasSubstr(about["version"].get<std::string>()));
}

TEST_F(Tables, AnOutputFolderNeedsAName) {
  const Outcome outcome = steelyard({"run", kRoot + "/examples/demo/study.yaml", "--out", ""});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--out"));
}

}  // namespace tables_test
