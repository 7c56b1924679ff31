// Parsing, with the path of the key in every complaint. Keys that are not known are ignored: within one
// format version keys are only added, and an older program still shows what it understands.
#include <fmt/format.h>

#include <limits>
#include <optional>
#include <utility>

#include "result/describe_result.hpp"
#include "result/json_node.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/result/json_text.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

constexpr int kDeepest = 64;  // levels; a result has six, its options a few more

// Line and column of a byte, counted from 1.
Place place_of(const std::string& text, std::size_t byte, const std::string& file) {
  Place place{file, 1, 1, {}};
  for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
    place.column = text[i] == '\n' ? 1 : place.column + 1;
    place.line += text[i] == '\n';
  }
  return place;
}

Json parse(const std::string& text, const std::string& file) {
  const auto limit_depth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepest)
      throw InputError({"the JSON is nested too deeply",
                        {file, 0, 0, ""},
                        fmt::format("at most {} levels", kDeepest),
                        "is it a result.json of steelyard?"});
    return true;
  };
  try {
    return Json::parse(text, limit_depth);
  } catch (const Json::parse_error& error) {
    // The library's text begins with its own code and place; the part after the last ": " is the reason.
    const std::string what = error.what();
    const std::size_t reason = what.find("syntax error");
    throw InputError({"not valid JSON: " + (reason == std::string::npos ? what : what.substr(reason)),
                      place_of(text, error.byte, file), "", "was the file truncated or edited?"});
  } catch (const Json::out_of_range& error) {
    throw InputError({std::string("not valid JSON: ") + error.what(),
                      {file, 0, 0, ""},
                      "numbers within ±1.8e308",
                      "was the file edited?"});
  }
}

class ResultReader final : public Fields {
 public:
  ResultReader(const JsonNode& node, bool is_value) : node_(node), is_value_(is_value) {}

  bool reads() const override { return true; }
  bool given(const char* key) const override { return node_.has(key); }

  void number(const Key& key, double& value, const Allowed&, bool* given) override {
    if (const auto node = find(key, given)) value = node->number();
  }
  void whole(const Key& key, std::int64_t& value, const Allowed& allowed, bool* given) override {
    const auto node = find(key, given);
    if (!node) return;
    value = node->integer<std::int64_t>();
    if (static_cast<double>(value) > allowed.upper) node->refuse(fmt::format("is too large: {}", value));
  }
  void count(const Key& key, std::uint64_t& value, const Allowed&) override {
    if (const auto node = find(key)) value = node->integer<std::uint64_t>();
  }
  void flag(const Key& key, bool& value, bool* given) override {
    if (const auto node = find(key, given)) value = node->truth();
  }
  void text(const Key& key, std::string& value) override {
    if (const auto node = find(key)) value = node->text();
  }
  void path(const Key& key, std::string&, std::string& as_written) override { text(key, as_written); }
  void word(const Key& key, std::size_t& index, const Words& words) override {
    const auto node = find(key);
    if (!node) return;
    const std::string text = node->text();
    for (index = 0; index < words.size(); ++index)
      if (text == words[index]) return;
    node->refuse(fmt::format("is '{}' instead of {} or {}", text,
                             fmt::join(words.begin(), words.end() - 1, ", "), words.back()));
  }
  void numbers(const Key& key, std::vector<double>& values, const Allowed&, std::size_t length) override {
    const auto node = find(key);
    if (!node) return;
    values.clear();
    for (const JsonNode& item : node->items()) values.push_back(item.number());
    if (length > 0 && values.size() != length)
      node->refuse(fmt::format("has {} numbers instead of {}", values.size(),
                               length == 2 ? "two" : fmt::format("{}", length)));
  }
  void interval(const Key& key, double& lower, double& upper) override {
    const auto node = find(key);
    if (!node) return;
    constexpr double kOpen = std::numeric_limits<double>::infinity();
    const std::vector<JsonNode> ends = node->items();
    if (ends.size() != 2) node->refuse(fmt::format("has {} ends instead of two", ends.size()));
    lower = ends[0].json().is_null() ? -kOpen : ends[0].number();
    upper = ends[1].json().is_null() ? kOpen : ends[1].number();
  }
  void texts(const Key& key, std::vector<std::string>& values) override {
    const auto node = find(key);
    if (!node) return;
    for (const JsonNode& item : node->items()) values.push_back(item.text());
  }
  void section(const Key& key, const Part& part) override {
    const auto node = find(key);
    if (!node) return;
    ResultReader inner(*node, false);
    part(inner);
  }
  void section(const Key& key, bool& given, const Part& part) override {
    given = node_.has(key.name);
    if (given) section(key, part);
  }
  void list(const Key& key, std::size_t, const Item& item) override {
    const auto node = find(key);
    if (!node) return;
    const std::vector<JsonNode> nodes = node->items();
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      ResultReader value(nodes[k], true);
      item(value, k);
    }
  }
  void map(const Key& key, std::vector<std::string>& names, const Words&, const Item& item) override {
    const auto node = find(key);
    if (!node) return;
    for (const auto& member : node->object().items()) names.push_back(member.key());
    for (std::size_t k = 0; k < names.size(); ++k) {
      ResultReader value(node->at(names[k]), true);
      item(value, k);
    }
  }
  void words_or(const Key&, int&, const Words&, const Part&) override { require(false, "not in results"); }
  void either(const Key&, int&, const std::vector<Form>&) override { require(false, "not in results"); }
  void others(const Key&, std::vector<std::pair<std::string, double>>& values) override {
    for (const auto& member : node_.object().items())
      if (member.value().is_number()) values.emplace_back(member.key(), member.value().get<double>());
  }
  void object(const Key& key, std::string& json) override { json = node_.at(key.name).object().dump(); }

 private:
  // Absent keys are nothing; those that must be there are refused.
  std::optional<JsonNode> find(const Key& key, bool* given = nullptr) const {
    const bool has = is_value_ || (key.required && given == nullptr) || node_.has(key.name);
    if (given != nullptr) *given = has;
    if (!has) return std::nullopt;
    return is_value_ ? node_ : node_.at(key.name);
  }

  JsonNode node_;
  bool is_value_;
};

void write_value(JsonWriter& json, const Json& value) {
  if (value.is_object()) {
    json.begin_object();
    for (const auto& member : value.items()) {
      json.key(member.key());
      write_value(json, member.value());
    }
    json.end_object();
  } else if (value.is_array()) {
    bool flat = true;
    for (const Json& element : value) flat = flat && element.is_primitive();
    flat ? json.begin_flat_array() : json.begin_array();
    for (const Json& element : value) write_value(json, element);
    json.end_array();
  } else if (value.is_string()) {
    json.value(value.get_ref<const std::string&>());
  } else if (value.is_boolean()) {
    json.value(value.get<bool>());
  } else if (value.is_number_unsigned()) {
    json.value(value.get<std::uint64_t>());
  } else if (value.is_number_integer()) {
    json.value(value.get<std::int64_t>());
  } else if (value.is_number()) {
    json.value(value.get<double>());
  } else {
    json.null();
  }
}

}  // namespace

void write_options(JsonWriter& json, const std::string& text) {
  Json value;
  try {
    value = parse(text, "options");
  } catch (const InputError& error) {
    throw InternalError(std::string("the result's options are not JSON: ") + error.what());
  }
  require(value.is_object(), "the result's options are not a JSON object");
  write_value(json, value);
}

Result result_from_json(const std::string& text, const std::string& name) {
  const Json json = parse(text, name);
  const JsonNode node(json, "", name);
  const int format = node.at("format_version").integer<int>();
  if (format != kResultFormat)
    throw InputError({fmt::format("the result has format version {}", format),
                      {name, 0, 0, ""},
                      fmt::format("this program reads version {}", kResultFormat),
                      "create it again with this program, or use the version that wrote it"});
  Result result;
  ResultReader fields(node, false);
  describe(fields, result);
  return result;
}

}  // namespace steelyard
