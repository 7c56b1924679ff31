// Pages of results that were found before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "in_folder.hpp"
#include "program.hpp"

namespace report_test {

namespace fs = std::filesystem;
using program::Outcome;
using program::steelyard;
using ::testing::HasSubstr;

const std::string kDemo = std::string(STEELYARD_SOURCE_DIR) + "/examples/demo/study.yaml";

std::string text_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

using ReportProgram = program::InFolder;

TEST_F(ReportProgram, OneResultGivesItsPageAndSeveralAComparison) {
  const std::string monday = (folder_ / "monday").string();
  ASSERT_EQ(steelyard({"identify", kDemo, "--out", monday}).code, 0);
  fs::copy(folder_ / "monday", folder_ / "tuesday");
  const std::string page = (folder_ / "page.html").string();
  ASSERT_EQ(steelyard({"report", monday, "--page", page}).code, 0);
  EXPECT_THAT(text_of(page), HasSubstr("<html"));
  EXPECT_THAT(text_of(page), HasSubstr("steelyard report " + monday));
  ASSERT_EQ(steelyard({"report", monday + "/result.json", "--page", page}).code, 0);
  EXPECT_THAT(text_of(page), HasSubstr("steelyard report " + monday + "/result.json"));

  const Outcome both = steelyard({"report", monday, (folder_ / "tuesday").string(), "--page", page});
  if (both.code == 4) GTEST_SKIP() << "built without web/: " << both.err;
  ASSERT_EQ(both.code, 0) << both.err;
  EXPECT_THAT(text_of(page), HasSubstr("<title>monday, tuesday"));
}

TEST_F(ReportProgram, RefusesWhatIsNoResult) {
  std::ofstream(folder_ / "result.json") << "{}";
  const Outcome outcome = steelyard({"report", folder_.string(), "--page", (folder_ / "p.html").string()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_FALSE(fs::exists(folder_ / "p.html"));
  EXPECT_EQ(steelyard({"report", (folder_ / "nothing.json").string()}).code, 2);
}

}  // namespace report_test
