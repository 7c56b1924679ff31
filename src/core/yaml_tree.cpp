#include "steelyard/core/yaml_tree.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>

#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// The parser calls these functions in document order; `open_` holds the lists and maps that are not closed
// yet.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& file) : file_(file) {}

  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(YamlNode::Kind::null, mark, anchor));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_alias(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = make(YamlNode::Kind::scalar, mark, anchor);
    node.text = value;
    node.open = tag == "?" && value == kYamlOpen;  // "?": without quotes
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    start(make(YamlNode::Kind::list, mark, anchor));
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    start(make(YamlNode::Kind::map, mark, anchor));
  }
  void OnMapEnd() override { end(); }

 private:
  struct Open {
    YamlNode node;
    std::unordered_map<std::string, int> lines;  // of the keys seen
  };

  [[noreturn]] void fail(int line, int column, std::string what, std::string limit,
                         std::string remedy) const {
    throw InputError({std::move(what), {file_, line, column, ""}, std::move(limit), std::move(remedy)});
  }

  [[noreturn]] void refuse_alias(const YAML::Mark& mark) const {
    fail(mark.line + 1, mark.column + 1, "anchors (&name) and aliases (*name) are not accepted", "plain YAML",
         "write the value where it is used");
  }

  YamlNode make(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) refuse_alias(mark);
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    if (++count_ > kYamlMostNodes) {
      fail(node.line, node.column, "file has too many entries",
           fmt::format("at most {} nodes", kYamlMostNodes), "check that this is the right file");
    }
    return node;
  }

  void start(YamlNode node) {
    if (open_.size() >= kYamlDeepest) {
      fail(node.line, node.column, "lists and maps are nested too deeply",
           fmt::format("at most {} levels", kYamlDeepest), "check the brackets and the indentation");
    }
    open_.push_back({std::move(node), {}});
  }

  void end() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }

  void add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& owner = open_.back();
    const bool is_key =
        owner.node.kind == YamlNode::Kind::map && owner.node.keys.size() == owner.node.items.size();
    if (is_key) check_key(owner, node);
    (is_key ? owner.node.keys : owner.node.items).push_back(std::move(node));
  }

  void check_key(Open& owner, const YamlNode& key) const {
    if (key.kind != YamlNode::Kind::scalar) {
      fail(key.line, key.column, fmt::format("a key is {}", to_string(key.kind)), "a plain word as key",
           "write `key: value`");
    }
    const auto [seen, fresh] = owner.lines.emplace(key.text, key.line);
    if (fresh) return;
    fail(key.line, key.column,
         fmt::format("key {} is given twice, first in line {}", quoted(key.text), seen->second),
         "one value per key", "remove one of the two");
  }

  const std::string& file_;
  YamlNode root_;
  std::vector<Open> open_;
  int count_ = 0;
};

// "rate (line 12)" of every key whose value, or one of its list, is open.
void list_open(const YamlNode& node, const std::string& key, std::vector<std::string>& names,
               const YamlNode*& first) {
  if (node.open) {
    if (first == nullptr) first = &node;
    const std::string name = fmt::format("{} (line {})", key.empty() ? "a value" : key, node.line);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  const bool map = node.kind == YamlNode::Kind::map;
  for (std::size_t k = 0; k < node.items.size(); ++k)
    list_open(node.items[k], map ? (key.empty() ? "" : key + ".") + node.keys[k].text : key, names, first);
}

void refuse_open_values(const YamlNode& root, const std::string& file) {
  std::vector<std::string> names;
  const YamlNode* first = nullptr;
  list_open(root, "", names, first);
  if (first == nullptr) return;
  throw InputError({fmt::format("not filled in: {}", fmt::join(names, ", ")),
                    {file, first->line, first->column, ""},
                    fmt::format("values instead of `{}`", kYamlOpen),
                    "the comments above these lines say what they are (docs/init.md)"});
}

}  // namespace

const char* to_string(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::scalar:
      return "a single value";
    case YamlNode::Kind::list:
      return "a list";
    case YamlNode::Kind::map:
      break;
  }
  return "a map of keys";
}

YamlNode parse_yaml(const std::string& text, const std::string& file) {
  const std::size_t zero = text.find('\0');
  if (zero != std::string::npos) {
    const int line =
        1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<Index>(zero), '\n'));
    throw InputError(
        {"file is binary: it contains zero bytes", {file, line, 0, ""}, "text", "name a YAML file"});
  }
  TreeBuilder builder(file);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      throw InputError(
          {"file is empty", {file, 1, 0, ""}, "a robot description", "see docs/robot.md for the format"});
    }
    YamlNode root = builder.take_root();
    TreeBuilder second(file);
    if (parser.HandleNextDocument(second)) {
      throw InputError({"file holds more than one YAML document",
                        {file, second.take_root().line, 0, ""},
                        "one document",
                        "split the file at the line ---"});
    }
    refuse_open_values(root, file);
    return root;
  } catch (const YAML::Exception& error) {
    throw InputError({"not valid YAML: " + error.msg,
                      {file, error.mark.line + 1, error.mark.column + 1, ""},
                      "",
                      "check brackets, quotes and indentation near this place"});
  }
}

}  // namespace steelyard
