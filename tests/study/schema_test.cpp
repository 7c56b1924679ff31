// docs/study.schema.json accepts what the reader accepts: the examples, and every key the reader knows.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "oracle/mini_schema.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/core/yaml_tree.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard {
namespace schema_test {

using Json = MiniSchema::Json;

const std::string kSource = STEELYARD_SOURCE_DIR;

Json to_json(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return nullptr;
    case YamlNode::Kind::list: {
      Json list = Json::array();
      for (const YamlNode& item : node.items) list.push_back(to_json(item));
      return list;
    }
    case YamlNode::Kind::map: {
      Json map = Json::object();
      for (std::size_t k = 0; k < node.keys.size(); ++k) map[node.keys[k].text] = to_json(node.items[k]);
      return map;
    }
    case YamlNode::Kind::scalar:
      break;
  }
  if (node.text == "true" || node.text == "false") return node.text == "true";
  return node.text;
}

MiniSchema study_schema() {
  std::ifstream file(kSource + "/docs/study.schema.json");
  return MiniSchema(Json::parse(file));
}

TEST(StudySchema, AcceptsAllExamples) {
  MiniSchema schema = study_schema();
  int studies = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource + "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    ++studies;
    const std::string path = entry.path().string();
    const std::vector<std::string> complaints =
        schema.check(to_json(parse_yaml(read_text_file(path, "study"), path)));
    EXPECT_TRUE(complaints.empty()) << path << ": " << (complaints.empty() ? "" : complaints[0]);
  }
  EXPECT_GE(studies, 7);
}

TEST(StudySchema, RefusesUnknownKeysAsTheReaderDoes) {
  MiniSchema schema = study_schema();
  const std::string good =
      "robot: r.yaml\nruns:\n  - {file: a.csv, columns: {time: t, position: \"q{j}\", torque: \"tau{j}\"}}\n";
  EXPECT_TRUE(schema.check(to_json(parse_yaml(good, "x"))).empty());
  EXPECT_NO_THROW(read_study_text(good, "x"));
  for (const char* bad :
       {"prepair: {}\n", "prepare: {filtr: 3}\n", "estimate: {method: wsl}\n", "drives: {friction: [x]}\n"}) {
    EXPECT_FALSE(schema.check(to_json(parse_yaml(good + bad, "x"))).empty()) << bad;
    EXPECT_THROW(read_study_text(good + bad, "x"), InputError) << bad;
  }
}

}  // namespace schema_test
}  // namespace steelyard
