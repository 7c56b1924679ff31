#include "steelyard/study/edit_yaml.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "steelyard/core/yaml_tree.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

class YamlText {
 public:
  YamlText(const std::string& text, const std::string& name)
      : text_(text), name_(name), root_(parse_yaml(text, name)) {
    for (std::size_t at = 0; at != std::string::npos; at = text_.find('\n', at + 1))
      lines_.push_back(at == 0 ? 0 : at + 1);
  }

  const YamlNode& root() const { return root_; }
  std::size_t begin_of(const YamlNode& node) const {
    return lines_[static_cast<std::size_t>(node.line) - 1] + static_cast<std::size_t>(node.column) - 1;
  }
  bool is_flow(const YamlNode& node) const {
    const char first = text_[begin_of(node)];
    return first == '{' || first == '[';
  }

  // Behind its last byte. `in_flow`: the value is inside braces or brackets.
  std::size_t end_of(const YamlNode& node, bool in_flow) const {
    const std::size_t begin = begin_of(node);
    const char first = begin < text_.size() ? text_[begin] : '\n';
    if (first == '{' || first == '[') return behind_brackets(begin);
    if (node.kind == YamlNode::Kind::list || node.kind == YamlNode::Kind::map) return behind_block(node);
    if (first == '"' || first == '\'') return behind_quotes(begin);
    if (first == '|' || first == '>') refuse(node, "a block of text");
    std::size_t end = begin;
    while (end < text_.size() && text_[end] != '\n' && text_.compare(end, 2, " #") != 0 &&
           !(in_flow && std::string(",]}").find(text_[end]) != std::string::npos))
      ++end;
    while (end > begin && text_[end - 1] == ' ') --end;
    return end;
  }

  [[noreturn]] void refuse(const YamlNode& node, const std::string& what) const {
    throw InputError({"the study cannot be edited here: " + what,
                      {name_, node.line, node.column, ""},
                      "maps, lists and values on their lines",
                      "write the lines by hand"});
  }

 private:
  std::size_t behind_quotes(std::size_t at) const {
    const char quote = text_[at];
    for (++at; at < text_.size(); ++at) {
      if (quote == '"' && text_[at] == '\\') {
        ++at;
      } else if (text_[at] == quote) {
        if (quote == '\'' && text_.compare(at, 2, "''") == 0)
          ++at;
        else
          return at + 1;
      }
    }
    return text_.size();
  }

  std::size_t behind_brackets(std::size_t at) const {
    int depth = 0;
    while (at < text_.size()) {
      const char c = text_[at];
      const bool begins_word = std::string(" ,:[{\n").find(text_[at > 0 ? at - 1 : 0]) != std::string::npos;
      if ((c == '"' || c == '\'') && begins_word) {
        at = behind_quotes(at);
        continue;
      }
      if (c == '#' && (text_[at - 1] == ' ' || text_[at - 1] == '\n')) {
        at = std::min(text_.find('\n', at), text_.size());
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth == 0) return at + 1;
      ++at;
    }
    return text_.size();
  }

  // The last byte of the last value in it.
  std::size_t behind_block(const YamlNode& node) const {
    return node.items.empty() ? begin_of(node) : end_of(node.items.back(), false);
  }

  const std::string& text_;
  const std::string& name_;
  YamlNode root_;
  std::vector<std::size_t> lines_;
};

// What is not there, as one flow value: {sign: {torque: [1, -1]}} from its second key on.
std::string nested(const std::vector<std::string>& path, std::size_t from, const std::string& value) {
  std::string out = value;
  for (std::size_t k = path.size(); k-- > from;) out = fmt::format("{{{}: {}}}", path[k], out);
  return out;
}

// Behind the first entry of the map, on a line of its own; in braces in front of it.
std::string added(const std::string& text, const YamlText& yaml, const YamlNode& map, const std::string& key,
                  const std::string& value) {
  const std::string entry = fmt::format("{}: {}", key, value);
  if (map.items.empty() || yaml.is_flow(map)) {
    if (!yaml.is_flow(map)) yaml.refuse(map, "it is empty");
    const std::size_t at = yaml.begin_of(map) + 1;
    return text.substr(0, at) + entry + (map.items.empty() ? "" : ", ") + text.substr(at);
  }
  const std::size_t line = std::min(text.find('\n', yaml.end_of(map.items[0], false)), text.size());
  return text.substr(0, line) + "\n" + std::string(static_cast<std::size_t>(map.column) - 1, ' ') + entry +
         text.substr(line);
}

}  // namespace

std::string set_yaml(const std::string& text, const std::string& name, const std::vector<std::string>& path,
                     const std::string& value) {
  const YamlText yaml(text, name);
  const YamlNode* node = &yaml.root();
  bool in_flow = false;
  for (std::size_t k = 0; k < path.size(); ++k) {
    in_flow = in_flow || yaml.is_flow(*node);
    if (node->kind == YamlNode::Kind::list) {
      const std::size_t item = std::stoul(path[k]);
      if (item >= node->items.size()) yaml.refuse(*node, fmt::format("it has no item {}", item + 1));
      node = &node->items[item];
      continue;
    }
    if (node->kind != YamlNode::Kind::map) yaml.refuse(*node, fmt::format("it is {}", to_string(node->kind)));
    const auto key = std::find_if(node->keys.begin(), node->keys.end(),
                                  [&](const YamlNode& one) { return one.text == path[k]; });
    if (key == node->keys.end()) return added(text, yaml, *node, path[k], nested(path, k + 1, value));
    node = &node->items[static_cast<std::size_t>(key - node->keys.begin())];
  }
  return text.substr(0, yaml.begin_of(*node)) + value + text.substr(yaml.end_of(*node, in_flow));
}

}  // namespace steelyard
