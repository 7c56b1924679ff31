#include "steelyard/core/finding.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "steelyard/core/error.hpp"

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
  EXPECT_THROW(make_finding("no-such-code", "", ""), InternalError);
}

}  // namespace
}  // namespace steelyard
