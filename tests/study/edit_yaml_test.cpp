// Values of a YAML text set by their path: the tree has the value, all else and every comment stays.
#include <gmock/gmock.h>

#include "steelyard/core/yaml_tree.hpp"
#include "steelyard/study/edit_yaml.hpp"

namespace steelyard {
namespace edit_yaml_test {

using ::testing::HasSubstr;

const std::string kStudy = R"(# my study
robot: "../arm #1.yaml"   # an arm
runs:
  - file: monday.csv   # the first
    columns: {time: t, position: "q{j}", torque: "it's {j}"}
    sign: {torque: [1, -1]}
  # the second
  - label: tuesday
    columns:
      time: t
      position: [a, 'b # c']   # two
    windows:
      - [0, 1]
      - [2, 3]
prepare: {filter: {order: 4, cutoff: 5}}  # filters
)";

const YamlNode& at(const YamlNode& node, const std::vector<std::string>& path, std::size_t from = 0) {
  if (from == path.size()) return node;
  if (node.kind == YamlNode::Kind::list) return at(node.items.at(std::stoul(path[from])), path, from + 1);
  for (std::size_t k = 0; k < node.keys.size(); ++k)
    if (node.keys[k].text == path[from]) return at(node.items[k], path, from + 1);
  ADD_FAILURE() << "no key " << path[from];
  return node;
}

// Of maps, lists and values, in their order.
std::string written(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::scalar) return "'" + node.text + "'";
  if (node.kind == YamlNode::Kind::null) return "null";
  std::string text = node.kind == YamlNode::Kind::list ? "[" : "{";
  for (std::size_t k = 0; k < node.items.size(); ++k)
    text += (node.kind == YamlNode::Kind::map ? node.keys[k].text + ":" : "") + written(node.items[k]) + ",";
  return text + (node.kind == YamlNode::Kind::list ? "]" : "}");
}

std::vector<std::string> comments(const std::string& text) {
  std::vector<std::string> found;
  for (const char* comment : {"# my study", "# an arm", "# the first", "# the second", "# two", "# filters"})
    if (text.find(comment) != std::string::npos) found.emplace_back(comment);
  return found;
}

TEST(EditYaml, SetsWhatIsThereAndAddsWhatIsNot) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"robot"}, "other.yaml"},
      {{"runs", "0", "sign", "torque"}, "[1, 1]"},
      {{"runs", "0", "sign", "position"}, "[-1, 1]"},
      {{"runs", "0", "columns", "torque"}, "[\"x\", \"y\"]"},
      {{"runs", "0", "units", "position"}, "deg"},
      {{"runs", "1", "label"}, "wednesday"},
      {{"runs", "1", "columns", "position"}, "[c, d]"},
      {{"runs", "1", "columns", "torque"}, "\"tau{j}\""},
      {{"runs", "1", "windows"}, "[[null, 4]]"},
      {{"runs", "1", "offset", "position"}, "[0, 0.5]"},
      {{"prepare", "filter", "cutoff"}, "7"},
      {{"prepare", "velocity"}, "differences"},
      {{"waive"}, "[gaps]"},
  };
  const YamlNode before = parse_yaml(kStudy, "study");
  for (const auto& [path, value] : cases) {
    const std::string text = set_yaml(kStudy, "study", path, value);
    const YamlNode after = parse_yaml(text, "edited");
    EXPECT_EQ(written(at(after, path)), written(at(parse_yaml("v: " + value, "value"), {"v"}))) << text;
    EXPECT_EQ(comments(text).size(), 6U) << text;
    // All that is not on the path is as it was.
    for (const std::vector<std::string>& other : {std::vector<std::string>{"robot"},
                                                  {"runs", "0", "columns", "position"},
                                                  {"runs", "0", "file"},
                                                  {"runs", "1", "columns", "time"},
                                                  {"prepare", "filter", "order"}})
      if (other != path) {
        EXPECT_EQ(written(at(after, other)), written(at(before, other))) << text;
      }
    // Setting it again changes nothing.
    EXPECT_EQ(set_yaml(text, "study", path, value), text);
  }
}

TEST(EditYaml, RefusesWhatItCannotEdit) {
  const auto refusal = [](const std::string& text, const std::vector<std::string>& path) {
    try {
      return set_yaml(text, "study", path, "1");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(refusal(kStudy, {"robot", "name"}), HasSubstr("cannot be edited here"));
  EXPECT_THAT(refusal(kStudy, {"runs", "7", "label"}), HasSubstr("no item 8"));
  EXPECT_THAT(refusal("a: |\n  text\n", {"a"}), HasSubstr("a block of text"));
}

}  // namespace edit_yaml_test
}  // namespace steelyard
