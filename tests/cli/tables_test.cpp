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

const std::string kRoot = STEELYARD_SOURCE_DIR;
constexpr int kWidest = 110;  // lines with two forecasts

class Tables : public program::InFolder {
 protected:
  std::string printed(const std::string& study) {
    const Outcome outcome = steelyard({"identify", study, "--out", (folder_ / "out").string()});
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    std::ifstream file(folder_ / "out/result.json");
    result_ = json::parse(file);
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }), kWidest)
          << line;
    return outcome.out;
  }
  // As the tables write it: four digits.
  static std::string four(double value) {
    std::ostringstream text;
    text.precision(4);
    text << value;
    return text.str();
  }
  json result_;
};

TEST_F(Tables, OfGainsAndLoadsHaveTheirValuesAndIntervals) {
  const std::string out = printed(kRoot + "/examples/tx40-gains/study.yaml");
  EXPECT_THAT(out, AllOf(HasSubstr("\nDrive gains"), HasSubstr("\nLoads, in the tool frame")));
  const std::string used = result_["gains"]["used"];
  for (const json& joint : result_["gains"][used]["joints"])
    if (joint.contains("value")) {
      EXPECT_THAT(out, HasSubstr(four(joint["value"].get<double>())));
    }
  for (const json& load : result_["payloads"])
    EXPECT_THAT(out, HasSubstr(four(load["parameters"]["m"]["value"].get<double>())));
}

TEST_F(Tables, OfSignsAndLinksHaveTheirValues) {
  const std::string out = printed(kRoot + "/examples/kr5-signs/study.yaml");
  EXPECT_THAT(out, HasSubstr("\nSigns: " + std::to_string(result_["signs"]["segments"].size()) + " of "));
  EXPECT_THAT(out, HasSubstr("feasible-optimal"));
  EXPECT_THAT(out, HasSubstr("\nFeasible links"));
  for (const json& link : result_["links"]) EXPECT_THAT(out, HasSubstr(four(link["mass"].get<double>())));
}

TEST_F(Tables, OfTheInstallationHaveVersionThreadsAndEngines) {
  const Outcome text = steelyard({"about"});
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, AllOf(HasSubstr("instructions"), HasSubstr("engines")));
  const json about = json::parse(steelyard({"about", "--json"}).out);
  EXPECT_GE(about["threads"].get<int>(), 1);
  EXPECT_EQ(about["engines"].size(), 4U);
  EXPECT_THAT(text.out, HasSubstr(about["version"].get<std::string>()));
}

TEST_F(Tables, AnOutputFolderNeedsAName) {
  const Outcome outcome = steelyard({"run", kRoot + "/examples/demo/study.yaml", "--out", ""});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--out"));
}

}  // namespace tables_test
