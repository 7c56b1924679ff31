#include <cmath>
#include <type_traits>

#include "result/describe_result.hpp"
#include "steelyard/core/described.hpp"
#include "steelyard/result/json_text.hpp"
#include "steelyard/result/schema.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

// What is not known is absent, or null where its key is nullable. Other numbers are finite, or the writer throws.
class ResultWriter final : public Fields {
 public:
  ResultWriter(JsonWriter& json, bool is_value) : json_(json), is_value_(is_value) {}

  void number(const Key& key, double& value, const Allowed&, bool* given) override { put(key, value, given); }
  void whole(const Key& key, std::int64_t& value, const Allowed&, bool* given) override {
    put(key, value, given);
  }
  void count(const Key& key, std::uint64_t& value, const Allowed&) override { put(key, value, nullptr); }
  void flag(const Key& key, bool& value, bool* given) override { put(key, value, given); }
  void text(const Key& key, std::string& value) override {
    if (!is_left_out(key, value.empty())) put(key, value, nullptr);
  }
  void path(const Key& key, std::string&, std::string& as_written) override { text(key, as_written); }
  void word(const Key& key, std::size_t& index, const Words& words) override {
    put(key, words.at(index), nullptr);
  }
  void numbers(const Key& key, std::vector<double>& values, const Allowed&, std::size_t) override {
    put_flat(key, values);
  }
  void texts(const Key& key, std::vector<std::string>& values) override { put_flat(key, values); }
  void interval(const Key& key, double& lower, double& upper) override {
    begin(key);
    json_.begin_flat_array();
    for (const double end : {lower, upper}) std::isfinite(end) ? json_.value(end) : json_.null();
    json_.end_array();
  }
  void section(const Key& key, const Part& part) override {
    begin(key);
    json_.begin_object();
    ResultWriter inner(json_, false);
    part(inner);
    json_.end_object();
  }
  void section(const Key& key, bool& given, const Part& part) override {
    if (given) return section(key, part);
    if (!key.nullable) return;
    begin(key);
    json_.null();
  }
  void list(const Key& key, std::size_t size, const Item& item) override {
    if (is_left_out(key, size == 0)) return;
    begin(key);
    json_.begin_array();
    ResultWriter value(json_, true);
    for (std::size_t k = 0; k < size; ++k) item(value, k);
    json_.end_array();
  }
  void map(const Key& key, std::vector<std::string>& names, const Words&, const Item& item) override {
    if (is_left_out(key, names.empty())) return;
    begin(key);
    json_.begin_object();
    ResultWriter value(json_, true);
    for (std::size_t k = 0; k < names.size(); ++k) {
      json_.key(names[k]);
      item(value, k);
    }
    json_.end_object();
  }
  void words_or(const Key&, int&, const Words&, const Part&) override { require(false, "not in results"); }
  void either(const Key&, int&, const std::vector<Form>&) override { require(false, "not in results"); }
  void group(const char*, bool& has, const Part& part) override {
    if (has) part(*this);
  }
  void others(const Key&, std::vector<std::pair<std::string, double>>& values) override {
    for (const auto& [name, value] : values) json_.key(name).value(value);
  }
  void object(const Key& key, std::string& json) override {
    begin(key);
    write_options(json_, json.empty() ? "{}" : json);
  }

 private:
  bool is_left_out(const Key& key, bool is_empty) const { return is_empty && !key.required && !is_value_; }
  void begin(const Key& key) {
    if (!is_value_) json_.key(key.name);
  }
  template <typename Value>
  void put(const Key& key, const Value& value, const bool* given) {
    if (given != nullptr && !*given) return;
    begin(key);
    put_value(key, value);
  }
  template <typename Value>
  void put_value(const Key& key, const Value& value) {
    if constexpr (std::is_same_v<Value, double>)
      if (key.nullable && !std::isfinite(value)) return json_.null();
    json_.value(value);
  }
  template <typename Value>
  void put_flat(const Key& key, const std::vector<Value>& values) {
    if (is_left_out(key, values.empty())) return;
    begin(key);
    json_.begin_flat_array();
    for (const Value& value : values) put_value(key, value);
    json_.end_array();
  }

  JsonWriter& json_;
  bool is_value_;
};

}  // namespace

std::string json_text(const Fields::Part& part, JsonStyle style) {
  JsonWriter json(style);
  json.begin_object();
  ResultWriter fields(json, false);
  part(fields);
  json.end_object();
  return json.text();
}

std::string to_json(const Result& result) {
  Result described = result;  // descriptions of readers may change it
  return json_text([&](Fields& fields) { describe(fields, described); });
}

std::string to_json(const SignsSummary& signs) {
  SignsSummary described = signs;
  return json_text([&](Fields& fields) { describe(fields, described); });
}

std::string result_schema() {
  Result result;
  return schema_text("Steelyard result",
                     "Results of a study (result.json). docs/result.md explains every key. Numbers are "
                     "finite; what is not known is absent.",
                     [&](Fields& fields) { describe(fields, result); });
}

}  // namespace steelyard
