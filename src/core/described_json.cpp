#include <cmath>

#include "steelyard/core/described.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

class JsonFields final : public Fields {
 public:
  JsonFields(JsonWriter& json, bool is_value) : json_(json), is_value_(is_value) {}

  void number(const Key& key, double& value, const Allowed&, bool* given) override {
    begin(key);
    put(value, given == nullptr || *given);
  }
  void whole(const Key& key, std::int64_t& value, const Allowed&, bool* given) override {
    begin(key);
    given == nullptr || *given ? json_.value(value) : json_.null();
  }
  void flag(const Key& key, bool& value, bool* given) override {
    begin(key);
    given == nullptr || *given ? json_.value(value) : json_.null();
  }
  void text(const Key& key, std::string& value) override {
    begin(key);
    value.empty() ? json_.null() : json_.value(value);
  }
  void path(const Key& key, std::string&, std::string& as_written) override { text(key, as_written); }
  void word(const Key& key, std::size_t& index, const Words& words) override {
    begin(key);
    json_.value(words.at(index));
  }
  void numbers(const Key& key, std::vector<double>& values, const Allowed&, std::size_t) override {
    begin(key);
    if (values.empty()) return json_.null();
    json_.begin_flat_array();
    for (const double value : values) put(value, true);
    json_.end_array();
  }
  void interval(const Key& key, double& lower, double& upper) override {
    begin(key);
    if (!std::isfinite(lower) && !std::isfinite(upper)) return json_.null();
    json_.begin_flat_array();
    put(lower, true);
    put(upper, true);
    json_.end_array();
  }
  void texts(const Key& key, std::vector<std::string>& values) override {
    begin(key);
    json_.begin_flat_array();
    for (const std::string& value : values) json_.value(value);
    json_.end_array();
  }
  void section(const Key& key, const Part& part) override {
    begin(key);
    json_.begin_object();
    write_described(json_, part);
    json_.end_object();
  }
  void section(const Key& key, bool& given, const Part& part) override {
    if (given) return section(key, part);
    begin(key);
    json_.null();
  }
  void list(const Key& key, std::size_t size, const Item& item) override {
    begin(key);
    json_.begin_array();
    JsonFields value(json_, true);
    for (std::size_t k = 0; k < size; ++k) item(value, k);
    json_.end_array();
  }
  void map(const Key& key, std::vector<std::string>& names, const Words&, const Item& item) override {
    begin(key);
    json_.begin_object();
    JsonFields value(json_, true);
    for (std::size_t k = 0; k < names.size(); ++k) {
      json_.key(names[k]);
      item(value, k);
    }
    json_.end_object();
  }
  void words_or(const Key& key, int& word, const Words& words, const Part& other) override {
    begin(key);
    JsonFields value(json_, true);
    if (word == kNotGiven) return json_.null();
    if (word < 0) return other(value);
    const std::string& chosen = words.at(static_cast<std::size_t>(word));
    chosen == "true" || chosen == "false" ? json_.value(chosen == "true") : json_.value(chosen);
  }
  void either(const Key& key, int& form, const std::vector<Form>& forms) override {
    begin(key);
    JsonFields value(json_, true);
    if (form == kNotGiven) return json_.null();
    forms.at(static_cast<std::size_t>(form)).part(value);
  }

 private:
  void begin(const Key& key) {
    if (!is_value_) json_.key(key.name);
  }
  void put(double value, bool given) { given&& std::isfinite(value) ? json_.value(value) : json_.null(); }

  JsonWriter& json_;
  bool is_value_;
};

}  // namespace

void write_described(JsonWriter& json, const Fields::Part& part) {
  JsonFields fields(json, false);
  part(fields);
}

}  // namespace steelyard
