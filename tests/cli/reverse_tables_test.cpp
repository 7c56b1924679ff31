// Tables of g(q) and M(q) as people write them wrongly: the program ends with 2 or 3 and reports what is
// wrong.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "in_folder.hpp"
#include "program.hpp"

namespace reverse_tables_test {

using program::Outcome;
using ::testing::HasSubstr;

const std::string kRoot = STEELYARD_SOURCE_DIR;
const std::string kVendor = kRoot + "/examples/lwr-reverse/vendor.yml";

class ReverseTables : public program::InFolder {
 protected:
  // A table of this kind, fitted with the LWR's geometry.
  Outcome fit(const std::string& kind, const std::string& source_keys = "", int count = 60,
              const std::string& more = "") {
    write(kind, count, "table.csv");
    std::ofstream(folder_ / "study.yaml")
        << "robot: " << kRoot << "/robots/lwr4.yaml\nreport: false\nreverse:\n  source: {table: table.csv"
        << source_keys << "}\n"
        << more;
    return program::steelyard(
        {"reverse", (folder_ / "study.yaml").string(), "--out", (folder_ / "out").string()});
  }
  void write(const std::string& kind, int count, const std::string& name) {
    const Outcome table =
        program::run({VENDOR_TABLE, kVendor, std::to_string(count), kind}, (folder_ / name).string());
    ASSERT_EQ(table.code, 0) << table.err;
  }
};

TEST_F(ReverseTables, AGoodOneIsFittedInEveryFormThatIsDeclared) {
  EXPECT_EQ(fit("good").code, 0);
  EXPECT_EQ(fit("degrees", ", units: {position: deg}").code, 0);
  EXPECT_EQ(fit("by-rows", ", columns: {inertia: \"m{k}\"}").code, 0);
  EXPECT_EQ(fit("by-columns", ", columns: {inertia: \"m{k}\", order: columns}").code, 0);
}

TEST_F(ReverseTables, WrongUnitsAndOrdersEndWithThreeAndTheirName) {
  const auto expect = [&](const std::string& kind, const std::string& keys, const std::string& finding) {
    const Outcome outcome = fit(kind, keys);
    EXPECT_EQ(outcome.code, 3) << kind << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(finding)) << kind;
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out/result.json")) << kind;
    std::filesystem::remove_all(folder_ / "out");
  };
  expect("degrees", "", "position-unit");
  expect("reversed", "", "joint-order");
  expect("exchanged", "", "joints 4 and 5 swapped");
  expect("by-columns", ", columns: {inertia: \"m{k}\"}", "triangle-order");  // a triangle read transposed
  expect("negative", "", "inertia-not-positive");
  expect("other-gravity", "", "gravity-inertia-differ");
}

TEST_F(ReverseTables, HalfAMatrixEndsWithTwoAndNothingWritten) {
  const auto expect = [&](const std::string& kind, const std::string& keys, const std::string& words) {
    const Outcome outcome = fit(kind, keys);
    EXPECT_EQ(outcome.code, 2) << kind;
    EXPECT_THAT(outcome.err, HasSubstr(words)) << kind;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out")) << kind;
  };
  expect("half", "", "a triangle is not filled");
  expect("short", ", columns: {inertia: \"m{k}\"}", "23");
  expect("unsymmetric", "", "M21");
}

TEST_F(ReverseTables, TooFewConfigurationsEndWithThreeAndTheNumberThatWouldDo) {
  const Outcome outcome = fit("good", "", 1);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.out, HasSubstr("too-few-configurations"));
  EXPECT_THAT(outcome.out, HasSubstr("3 well chosen"));
}

TEST_F(ReverseTables, ALoadedTableIsExaminedAsWell) {
  write("degrees", 40, "loaded.csv");
  const Outcome outcome = fit("good", "", 40, "  loaded: {source: {table: loaded.csv}}\n");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.out, HasSubstr("position-unit"));
  EXPECT_THAT(outcome.out, HasSubstr("loaded: "));
}

TEST_F(ReverseTables, CoefficientsOfOthersStandBesideOurs) {
  std::ofstream(folder_ / "theirs.yml") << "base: {mz2: {value: -3.5, sigma: 0.01}, mx7: 0.1}\n";
  const std::string keys = "  reference: {file: theirs.yml, label: handbook}\n";
  const Outcome outcome = fit("good", "", 40, keys);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("handbook"));
  EXPECT_THAT(outcome.out, HasSubstr("No such table identifies m1, "));
  std::ifstream file(folder_ / "out/result.json");
  const auto result = nlohmann::json::parse(file);
  EXPECT_EQ(result["reverse"]["reference"]["values"].size(), 2U);
  std::ofstream(folder_ / "theirs.yml") << "base: {mz9: 1}\n";
  const Outcome wrong = fit("good", "", 40, keys);
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("mz9"));
}

TEST_F(ReverseTables, AResultOfOneTableIsAReferenceForAnother) {
  EXPECT_EQ(fit("good", "", 40).code, 0);
  std::filesystem::rename(folder_ / "out/result.json", folder_ / "first.json");
  std::filesystem::remove_all(folder_ / "out");
  const Outcome outcome = fit("good", "", 50, "  reference: {file: first.json, label: first}\n");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::ifstream file(folder_ / "out/result.json");
  const auto result = nlohmann::json::parse(file);
  EXPECT_EQ(result["reverse"]["reference"]["values"].size(), 43U);
  for (const auto& set : result["reverse"]["errors"])
    if (set["role"] == "reference") {
      EXPECT_LT(set["relative"], 1e-9);  // twelve digits
    }
}

}  // namespace reverse_tables_test
