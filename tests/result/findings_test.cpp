#include "steelyard/core/finding.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

namespace steelyard {
namespace {

TEST(Findings, EveryKindIsExplainedInTheDocumentation) {
  std::ifstream file(STEELYARD_SOURCE_DIR "/docs/findings.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  std::set<std::string> codes;
  for (const FindingKind& kind : finding_kinds()) {
    EXPECT_NE(page.find("### " + std::string(kind.code) + "\n"), std::string::npos) << kind.code;
    EXPECT_TRUE(codes.insert(kind.code).second) << kind.code << " is there twice";
  }
  std::size_t explained = 0;
  for (std::size_t at = page.find("\n### "); at != std::string::npos; at = page.find("\n### ", at + 1))
    ++explained;
  EXPECT_EQ(explained, codes.size()) << "the page explains codes that no finding has";
}

TEST(Findings, TakeSeverityAndRemedyFromTheirKind) {
  const Finding finding = make_finding("velocity-scale", "joint2", "velocity is 57.3 times the derivative");
  EXPECT_EQ(finding.severity, Severity::error);
  EXPECT_EQ(finding.joint, "joint2");
  EXPECT_FALSE(finding.remedy.empty());
  EXPECT_FALSE(finding.waived);
}

TEST(Findings, OfAnotherVersionHaveNoTraits) {
  EXPECT_TRUE(has(make_finding("spike", "", ""), finding_trait::spoils_copy));
  EXPECT_FALSE(has(make_finding("gaps", "", ""), finding_trait::spoils_copy));
  Finding foreign;
  foreign.code = "no-such-code";
  EXPECT_FALSE(has(foreign, finding_trait::unreadable));
}

// is(finding, "spike") checks the code when it is compiled; a comparison of strings does not.
TEST(Findings, AreNeverComparedAsStrings) {
  const std::regex comparison(R"(code\s*[!=]=\s*")");
  for (const char* room : {"/src", "/include", "/internal", "/cli", "/python"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(STEELYARD_SOURCE_DIR) + room)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      // Hypotheses have a FindingCode, not a string.
      const std::string name = entry.path().filename();
      if (name == "ranking.cpp" || name == "refine.cpp" || name == "fixes.cpp") continue;
      EXPECT_FALSE(std::regex_search(text, comparison)) << entry.path();
    }
}

}  // namespace
}  // namespace steelyard
