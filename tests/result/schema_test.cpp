#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <set>

#include "oracle/expect_file.hpp"
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

// Keys of the schema, with the words that some of them have as values.
void collect(const Json& schema, std::set<std::string>& keys, std::set<std::string>& words) {
  if (schema.is_object() && schema.contains("properties"))
    for (const auto& property : schema["properties"].items()) keys.insert(property.key());
  if (schema.is_object() && schema.contains("enum"))
    for (const Json& word : schema["enum"]) words.insert(word.get<std::string>());
  if (schema.is_structured())
    for (const auto& part : schema) collect(part, keys, words);
}

TEST(ResultSchema, IsMadeFromTheDescriptionOfAResult) {
  expect_file("/docs/result.schema.json", result_schema());
}

TEST(ResultSchema, GivesTheFuzzerItsWords) {
  std::set<std::string> words;
  collect(Json::parse(result_schema()), words, words);
  std::string text;
  for (const std::string& word : words) text += '"' + word + "\"\n";
  expect_file("/tests/fuzz/words/result", text);
}

TEST(ResultSchema, HoldsForWhatIsWritten) {
  MiniSchema schema = read_schema();
  for (const Result& result : {full_result(), rare_result(), bare_result()})
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

TEST(ResultSchema, EveryKeyIsExplainedInTheDocumentation) {
  std::ifstream file(STEELYARD_SOURCE_DIR "/docs/result.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  std::set<std::string> keys, words;
  collect(Json::parse(result_schema()), keys, words);
  for (const std::string& key : keys) EXPECT_NE(page.find("`" + key + "`"), std::string::npos) << key;
}

}  // namespace
}  // namespace steelyard
