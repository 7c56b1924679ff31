// steelyard export as its users see it.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"

namespace {

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

}  // namespace
