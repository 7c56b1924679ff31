#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "oracle/mini_schema.hpp"
#include "result/sample_result.hpp"
#include "steelyard/result/schema.hpp"

namespace steelyard {
namespace {

using Json = MiniSchema::Json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

MiniSchema read_schema() {
  std::ifstream file(STEELYARD_SOURCE_DIR "/docs/result.schema.json");
  return MiniSchema(Json::parse(file));
}

// STEELYARD_UPDATE=1 in the environment of this test writes the file anew.
TEST(ResultSchema, IsMadeFromTheDescriptionOfAResult) {
  const char* const path = STEELYARD_SOURCE_DIR "/docs/result.schema.json";
  if (std::getenv("STEELYARD_UPDATE") != nullptr) std::ofstream(path) << result_schema();
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, result_schema());
}

TEST(ResultSchema, HoldsForWhatIsWritten) {
  MiniSchema schema = read_schema();
  for (const Result& result : {full_result(), bare_result()})
    EXPECT_THAT(schema.check(Json::parse(to_json(result))), IsEmpty());
}

TEST(ResultSchema, RefusesWhatIsNotAllowed) {
  MiniSchema schema = read_schema();
  const auto complaints = [&](const std::function<void(Json&)>& spoil) {
    Json json = Json::parse(to_json(full_result()));
    spoil(json);
    return schema.check(json);
  };
  EXPECT_THAT(complaints([](Json& j) { j.erase("rows"); }), ElementsAre("#: lacks rows"));
  EXPECT_THAT(complaints([](Json& j) { j["date"] = "today"; }), ElementsAre("#: has the unknown key date"));
  EXPECT_THAT(complaints([](Json& j) { j["residual"]["raw"] = "2 %"; }),
              ElementsAre("#/residual/raw: is no number"));
  EXPECT_THAT(complaints([](Json& j) { j["validation"][0]["residual"].erase("prepared"); }),
              ElementsAre("#/validation/0/residual: lacks prepared"));
  EXPECT_THAT(complaints([](Json& j) { j["verdict"]["level"] = "great"; }), testing::SizeIs(1));
  EXPECT_THAT(complaints([](Json& j) { j["base"][0]["interval"].push_back(1); }), testing::SizeIs(1));
  EXPECT_THAT(complaints([](Json& j) { j["drives"][0]["fv"] = nullptr; }),
              ElementsAre("#/drives/0/fv: is no number"));
  EXPECT_THAT(complaints([](Json& j) { j["provenance"]["inputs"][0]["sha256"] = "abc"; }),
              testing::SizeIs(1));
  EXPECT_THAT(complaints([](Json& j) { j["preparation"]["kept_share"] = 1.5; }), testing::SizeIs(1));
  EXPECT_THAT(complaints([](Json& j) { j["format_version"] = 2; }), testing::SizeIs(1));
}

// docs/result.md names every key of the schema as code.
TEST(ResultSchema, EveryKeyIsExplainedInTheDocumentation) {
  std::ifstream page_file(STEELYARD_SOURCE_DIR "/docs/result.md");
  const std::string page{std::istreambuf_iterator<char>(page_file), {}};
  std::ifstream file(STEELYARD_SOURCE_DIR "/docs/result.schema.json");
  const std::function<void(const Json&)> visit = [&](const Json& schema) {
    if (schema.is_object() && schema.contains("properties")) {
      for (const auto& property : schema["properties"].items())
        EXPECT_NE(page.find("`" + property.key() + "`"), std::string::npos) << property.key();
    }
    if (schema.is_structured()) {
      for (const auto& part : schema) visit(part);
    }
  };
  visit(Json::parse(file));
}

}  // namespace
}  // namespace steelyard
