#include "steelyard/core/yaml_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/number.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {

void YamlContext::fail(const YamlNode& node, std::string what, std::string limit, std::string remedy) const {
  throw InputError({std::move(what), place(node), std::move(limit), std::move(remedy)});
}

YamlFields::YamlFields(const YamlContext& context, const YamlNode& map, const std::string& owner,
                       const std::vector<std::string>& known)
    : context_(context), map_(map), owner_(owner) {
  if (map.kind != YamlNode::Kind::map) {
    context.fail(map, fmt::format("{} is {}", owner, to_string(map.kind)), "a map of keys",
                 fmt::format("write `key: value` lines; the keys are {}", fmt::join(known, ", ")));
  }
  for (const YamlNode& key : map.keys) {
    if (std::find(known.begin(), known.end(), key.text) != known.end()) continue;
    Complaint complaint = unknown("key", key.text, known, context.place(key));
    complaint.what += " in " + owner;
    throw InputError(std::move(complaint));
  }
}

const YamlNode* YamlFields::find(const std::string& key) const {
  for (std::size_t i = 0; i < map_.keys.size(); ++i) {
    if (map_.keys[i].text == key) return &map_.items[i];
  }
  return nullptr;
}

const YamlNode& YamlFields::at(const std::string& key) const {
  if (const YamlNode* node = find(key)) return *node;
  context_.fail(map_, fmt::format("{} has no '{}'", owner_, key), "", fmt::format("add `{}: ...`", key));
}

std::string to_text(const YamlContext& context, const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::scalar || node.text.empty()) {
    context.fail(
        node,
        fmt::format("{} is {}", what, node.kind == YamlNode::Kind::scalar ? "empty" : to_string(node.kind)),
        "a name", fmt::format("write `{}: NAME`", what));
  }
  return node.text;
}

double to_number(const YamlContext& context, const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::scalar) {
    context.fail(node, fmt::format("{} is {}", what, to_string(node.kind)),
                 "a number or an expression such as pi/2", "write one number");
  }
  const NumberOrReason number = number_from(node.text);
  if (!number.reason.empty()) {
    context.fail(node, fmt::format("{} = {} is not a number: {}", what, quoted(node.text), number.reason),
                 "a finite number or an expression such as pi/2",
                 number.remedy.empty() ? "correct the number" : number.remedy);
  }
  return number.value;
}

const std::vector<YamlNode>& to_list(const YamlContext& context, const YamlNode& node,
                                     const std::string& what) {
  if (node.kind != YamlNode::Kind::list) {
    context.fail(node, fmt::format("{} is {}", what, to_string(node.kind)), "a list",
                 "write [first, second, ...]");
  }
  return node.items;
}

VectorXd to_vector(const YamlContext& context, const YamlNode& node, const std::string& what, Index length) {
  const std::vector<YamlNode>& items = to_list(context, node, what);
  if (static_cast<Index>(items.size()) != length) {
    context.fail(node, fmt::format("{} has {} entries", what, items.size()),
                 fmt::format("a list of {}", length), fmt::format("give {} numbers", length));
  }
  VectorXd vector(length);
  for (Index i = 0; i < length; ++i) {
    vector[i] = to_number(context, items[i], fmt::format("entry {} of {}", i + 1, what));
  }
  return vector;
}

Interval to_interval(const YamlContext& context, const YamlNode& node, const std::string& what) {
  const std::vector<YamlNode>& items = to_list(context, node, what);
  if (items.size() != 2) {
    context.fail(node, fmt::format("{} has {} entries", what, items.size()), "[lower, upper]",
                 "give two numbers");
  }
  Interval interval{-kInfinity, kInfinity};
  if (items[0].kind != YamlNode::Kind::null)
    interval.lower = to_number(context, items[0], "lower end of " + what);
  if (items[1].kind != YamlNode::Kind::null)
    interval.upper = to_number(context, items[1], "upper end of " + what);
  if (interval.lower > interval.upper) {
    context.fail(node, fmt::format("{} = [{}, {}] is reversed", what, interval.lower, interval.upper),
                 "lower <= upper", "swap the two numbers");
  }
  return interval;
}

std::size_t to_choice(const YamlContext& context, const YamlNode& node, const std::string& kind,
                      const std::vector<std::string>& words) {
  const std::string text = to_text(context, node, kind);
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  Complaint complaint = unknown(kind, text, words, context.place(node));
  if (complaint.remedy.empty()) complaint.remedy = fmt::format("use one of {}", fmt::join(words, ", "));
  throw InputError(std::move(complaint));
}

}  // namespace steelyard
