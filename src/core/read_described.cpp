#include "steelyard/core/read_described.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "steelyard/core/described.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kLargestCount = 9e15;  // all whole numbers up to here are doubles

// The node is a map, or, within items of lists and forms, the value itself.
class YamlReader final : public Fields {
 public:
  YamlReader(const YamlContext& context, const YamlNode& node, std::string owner, const std::string& folder,
             bool is_value)
      : context_(context), node_(node), owner_(std::move(owner)), folder_(folder), is_value_(is_value) {}

  void read_map(const Part& part) {
    YamlFields(context_, node_, owner_, key_names(part));  // refuses other nodes and unknown keys
    part(*this);
  }

  bool reads() const override { return true; }
  bool given(const char* key) const override { return find(key) != nullptr; }
  Place place(const char* key) const override {
    const YamlNode* node = key != nullptr ? find(key) : nullptr;
    return context_.place(node != nullptr ? *node : node_);
  }
  std::string folder() const override { return folder_; }
  void check(const std::function<void()>& validate) override {
    try {
      validate();
    } catch (const InputError& error) {
      fail(nullptr, error.complaint());
    }
  }
  void fail(const char* key, Complaint complaint) const override {
    if (complaint.place.file.empty()) complaint.place = place(key);
    throw InputError(std::move(complaint));
  }

  void number(const Key& key, double& value, const Allowed& allowed, bool* given) override {
    const YamlNode* node = node_of(key);
    if (node == nullptr) return;
    value = to_allowed(*node, key, allowed);
    if (given != nullptr) *given = true;
  }
  void whole(const Key& key, std::int64_t& value, const Allowed& allowed, bool* given) override {
    const YamlNode* node = node_of(key);
    if (node == nullptr) return;
    const double number = to_number(context_, *node, key.name);
    if (number != std::floor(number) || (number < 0 && allowed.lower >= 0) ||
        std::abs(number) > kLargestCount)
      context_.fail(*node, fmt::format("{} = {} is not a count", key.name, node->text),
                    fmt::format("a whole number, {}", allowed.text()),
                    remedy(allowed, "write a whole number"));
    value = static_cast<std::int64_t>(to_allowed(*node, key, allowed));
    if (given != nullptr) *given = true;
  }
  void flag(const Key& key, bool& value, bool* given) override {
    const YamlNode* node = node_of(key);
    if (node == nullptr) return;
    value = to_choice(context_, *node, key.name, {"false", "true"}) == 1;
    if (given != nullptr) *given = true;
  }
  void text(const Key& key, std::string& value) override {
    if (const YamlNode* node = node_of(key)) value = to_text(context_, *node, key.name);
  }
  void path(const Key& key, std::string& path, std::string& as_written) override {
    const YamlNode* node = node_of(key);
    if (node == nullptr) return;
    as_written = to_text(context_, *node, key.name);
    path = resolve_path(context_, *node, folder_);
  }
  void word(const Key& key, std::size_t& index, const Words& words) override {
    if (const YamlNode* node = node_of(key)) index = to_choice(context_, *node, key.name, words);
  }
  void numbers(const Key& key, std::vector<double>& values, const Allowed& allowed,
               std::size_t length) override {
    const YamlNode* node = node_of(key);
    if (node == nullptr) return;
    values.clear();
    if (length > 0) {
      to_vector(context_, *node, key.name, static_cast<Index>(length));
      for (const YamlNode& item : node->items) values.push_back(to_allowed(item, key, allowed));
    } else if (node->kind != YamlNode::Kind::list) {
      values = {to_allowed(*node, key, allowed)};
    } else {
      for (const YamlNode& item : node->items) values.push_back(to_allowed(item, key, allowed));
    }
  }
  void interval(const Key& key, double& lower, double& upper) override {
    const YamlNode* node = node_of(key);
    if (node == nullptr) return;
    const Interval interval = to_interval(context_, *node, key.name);
    lower = interval.lower;
    upper = interval.upper;
  }
  void texts(const Key& key, std::vector<std::string>& values) override {
    const YamlNode* node = node_of(key);
    if (node == nullptr) return;
    values.clear();
    if (node->kind == YamlNode::Kind::scalar)
      values = {to_text(context_, *node, key.name)};
    else
      for (const YamlNode& item : to_list(context_, *node, key.name))
        values.push_back(to_text(context_, item, key.name));
  }
  void section(const Key& key, const Part& part) override {
    if (const YamlNode* node = node_of(key))
      YamlReader(context_, *node, key.name, folder_, false).read_map(part);
  }
  void section(const Key& key, bool& given, const Part& part) override {
    section(key, part);
    given = node_of(key) != nullptr;
  }
  void list(const Key& key, std::size_t, const Item& item) override {
    const YamlNode* node = node_of(key);
    if (node == nullptr) return;
    const std::vector<YamlNode>& items = to_list(context_, *node, key.name);
    for (std::size_t k = 0; k < items.size(); ++k) {
      YamlReader reader(context_, items[k], key.name, folder_, true);
      item(reader, k);
    }
  }
  void map(const Key& key, std::vector<std::string>& names, const Words& known, const Item& item) override {
    const YamlNode* node = node_of(key);
    if (node == nullptr) return;
    if (node->kind != YamlNode::Kind::map)
      context_.fail(*node, fmt::format("'{}' is not a map, it is {}", key.name, to_string(node->kind)),
                    "name: value", fmt::format("write `{}: {{name: value}}`", key.name));
    if (!known.empty()) YamlFields(context_, *node, key.name, known);
    names.clear();
    for (const YamlNode& name : node->keys) names.push_back(name.text);
    for (std::size_t k = 0; k < names.size(); ++k) {
      YamlReader reader(context_, node->items[k], key.name, folder_, true);
      item(reader, k);
    }
  }
  void words_or(const Key& key, int& word, const Words& words, const Part& other) override {
    const YamlNode* node = node_of(key);
    if (node == nullptr) return;
    const auto found = std::find(words.begin(), words.end(), node->text);
    word = node->kind == YamlNode::Kind::scalar && found != words.end()
               ? static_cast<int>(found - words.begin())
               : -1;
    if (word < 0) read_other(*node, words, other);
  }
  void either(const Key& key, int& form, const std::vector<Form>& forms) override {
    const YamlNode* node = node_of(key);
    if (node == nullptr) return;
    const Shape shape = node->kind == YamlNode::Kind::map    ? Shape::map
                        : node->kind == YamlNode::Kind::list ? Shape::list
                                                             : Shape::scalar;
    form = 0;
    for (std::size_t k = 0; k < forms.size(); ++k)
      if (forms[k].shape == shape) form = static_cast<int>(k);
    YamlReader reader(context_, *node, owner_, folder_, true);
    forms[static_cast<std::size_t>(form)].part(reader);
  }

 private:
  const YamlNode* find(const char* key) const {
    if (is_value_) return &node_;
    for (std::size_t k = 0; k < node_.keys.size(); ++k)
      if (node_.keys[k].text == key) return &node_.items[k];
    return nullptr;
  }
  const YamlNode* node_of(const Key& key) const {
    const YamlNode* node = find(key.name);
    if (node == nullptr && key.required)
      context_.fail(node_, fmt::format("{} has no '{}'", owner_, key.name), "",
                    fmt::format("add `{}: ...`", key.name));
    return node;
  }
  static std::string remedy(const Allowed& allowed, const char* otherwise) {
    return *allowed.usual != '\0' ? allowed.usual : otherwise;
  }
  double to_allowed(const YamlNode& node, const Key& key, const Allowed& allowed) const {
    const double value = to_number(context_, node, key.name);
    if (!allowed.contains(value))
      context_.fail(node,
                    fmt::format("{} = {}{}{}", key.name, node.text, *key.unit != '\0' ? " " : "", key.unit),
                    allowed.text(), remedy(allowed, "correct the number"));
    return value;
  }
  // What is refused could have been one of the words, too.
  void read_other(const YamlNode& node, const Words& words, const Part& other) const {
    YamlReader reader(context_, node, owner_, folder_, true);
    try {
      other(reader);
    } catch (const InputError& error) {
      Complaint complaint = error.complaint();
      const bool of_this = complaint.place.line == node.line && complaint.place.column == node.column;
      if (!of_this || complaint.limit.empty() || node.kind == YamlNode::Kind::map) throw;
      complaint.limit += fmt::format(", or {}", fmt::join(words, ", "));
      throw InputError(std::move(complaint));
    }
  }

  const YamlContext& context_;
  const YamlNode& node_;
  std::string owner_;
  const std::string& folder_;
  bool is_value_;
};

}  // namespace

void read_described(const YamlContext& context, const YamlNode& map, const std::string& owner,
                    const std::string& folder, const Fields::Part& part) {
  YamlReader(context, map, owner, folder, false).read_map(part);
}

std::string resolve_path(const YamlContext& context, const YamlNode& node, const std::string& folder) {
  const std::string text = to_text(context, node, "path");
  std::string path;
  for (std::size_t at = 0; at < text.size();) {
    if (text.compare(at, 2, "${") != 0) {
      path += text[at++];
      continue;
    }
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos) context.fail(node, "${ without } in a path", "${NAME}", "close the brace");
    const std::string name = text.substr(at + 2, end - at - 2);
    const char* value = std::getenv(name.c_str());
    if (value == nullptr)
      context.fail(node, fmt::format("environment variable {} is not set", name), "",
                   fmt::format("set it: export {}=/where/the/data/are", name));
    path += value;
    at = end + 1;
  }
  const std::filesystem::path as_path(path);
  return as_path.is_absolute() ? path : (std::filesystem::path(folder) / as_path).lexically_normal().string();
}

}  // namespace steelyard
