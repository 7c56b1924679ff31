#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "steelyard/core/described.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

class SchemaFields final : public Fields {
 public:
  SchemaFields(JsonWriter& json, SchemaNumbers numbers, bool is_value, std::vector<std::string>* required)
      : json_(json), numbers_(numbers), is_value_(is_value), required_(required) {}

  void number(const Key& key, double& value, const Allowed& allowed, bool* given) override {
    begin(key);
    put_number("number", allowed, key.nullable);
    if (has_default(key) && (given == nullptr || *given) && std::isfinite(value))
      json_.key("default").value(value);
    end();
  }
  void whole(const Key& key, std::int64_t& value, const Allowed& allowed, bool* given) override {
    begin(key);
    put_number("integer", allowed);
    if (has_default(key) && (given == nullptr || *given)) json_.key("default").value(value);
    end();
  }
  void flag(const Key& key, bool& value, bool* given) override {
    begin(key);
    json_.key("type").value("boolean");
    if (has_default(key) && (given == nullptr || *given)) json_.key("default").value(value);
    end();
  }
  void text(const Key& key, std::string& value) override {
    begin(key);
    put_text(key.pattern);
    if (has_default(key) && !value.empty()) json_.key("default").value(value);
    end();
  }
  void path(const Key& key, std::string&, std::string& as_written) override { text(key, as_written); }
  void word(const Key& key, std::size_t& index, const Words& words) override {
    begin(key);
    put_words(words);
    if (has_default(key)) json_.key("default").value(words.at(index));
    end();
  }
  void numbers(const Key& key, std::vector<double>&, const Allowed& allowed, std::size_t length) override {
    begin(key);
    if (length == 0 && !is_plain()) {
      json_.key("anyOf").begin_array();
      json_.begin_object();
      put_number("number", allowed);
      json_.end_object();
      json_.begin_object();
    }
    json_.key("type").value("array");
    json_.key("items").begin_object();
    put_number("number", allowed, key.nullable);
    json_.end_object();
    put_length(length);
    if (length == 0 && !is_plain()) {
      json_.end_object();
      json_.end_array();
    }
    end();
  }
  void interval(const Key& key, double&, double&) override {
    begin(key);
    json_.key("type").value("array");
    json_.key("items").begin_object();
    put_type("number", true);
    json_.end_object();
    put_length(2);
    end();
  }
  void texts(const Key& key, std::vector<std::string>&) override {
    begin(key);
    if (is_plain()) {
      put_texts();
      return end();
    }
    json_.key("anyOf").begin_array();
    json_.begin_object();
    json_.key("type").value("string");
    json_.end_object();
    json_.begin_object();
    put_texts();
    json_.end_object();
    json_.end_array();
    end();
  }
  void section(const Key& key, const Part& part) override {
    begin(key);
    write_schema_members(json_, part, numbers_, key.nullable);
    end();
  }
  void section(const Key& key, bool&, const Part& part) override { section(key, part); }
  void list(const Key& key, std::size_t size, const Item& item) override {
    begin(key);
    json_.key("type").value("array");
    json_.key("items");
    value([&](Fields& fields) { item(fields, size); });
    end();
  }
  void map(const Key& key, std::vector<std::string>& names, const Words& known, const Item& item) override {
    const Part part = [&](Fields& fields) { item(fields, names.size()); };
    begin(key);
    json_.key("type").value("object");
    if (!known.empty()) {
      json_.key("properties").begin_object();
      for (const std::string& name : known) {
        json_.key(name);
        value(part);
      }
      json_.end_object();
    }
    json_.key("additionalProperties");
    known.empty() ? value(part) : json_.value(false);
    end();
  }
  void words_or(const Key& key, int&, const Words& words, const Part& other) override {
    begin(key);
    json_.key("anyOf").begin_array();
    json_.begin_object();
    put_words(words);
    json_.end_object();
    value(other);
    json_.end_array();
    end();
  }
  void either(const Key& key, int&, const std::vector<Form>& forms) override {
    begin(key);
    json_.key("anyOf").begin_array();
    for (const Form& form : forms) value(form.part);
    json_.end_array();
    end();
  }
  void group(const char*, bool&, const Part& part) override {
    std::vector<std::string> together;
    std::vector<std::string>* const required = std::exchange(required_, &together);
    part(*this);
    required_ = required;
  }
  void others(const Key&, std::vector<std::pair<std::string, double>>&) override { has_others_ = true; }
  void object(const Key& key, std::string&) override {
    begin(key);
    json_.key("type").value("object");
    end();
  }
  bool has_others() const { return has_others_; }

 private:
  bool is_plain() const { return numbers_ == SchemaNumbers::plain; }
  bool has_default(const Key& key) const { return !is_value_ && !key.required && !is_plain(); }
  void begin(const Key& key) {
    if (!is_value_) {
      json_.key(key.name);
      if (key.required) required_->emplace_back(key.name);
    }
    json_.begin_object();
    if (is_value_) return;
    json_.key("description")
        .value((*key.unit != '\0' ? fmt::format("[{}] ", key.unit) : "") + key.meaning +
               (*key.only != '\0' ? fmt::format("; acts only {}", key.only) : ""));
  }
  void end() { json_.end_object(); }
  void value(const Part& part) {
    SchemaFields fields(json_, numbers_, true, nullptr);
    part(fields);
  }
  void put_words(const Words& words) {
    json_.key("enum").begin_flat_array();
    for (const std::string& word : words)
      word == "true" || word == "false" ? json_.value(word == "true") : json_.value(word);
    json_.end_array();
  }
  // Words are listed; other patterns have brackets.
  void put_text(std::string_view pattern) {
    if (pattern.empty() || pattern.find('[') != std::string_view::npos) {
      json_.key("type").value("string");
      if (!pattern.empty()) json_.key("pattern").value(fmt::format("^{}$", pattern));
      return;
    }
    Words words;
    for (std::size_t from = 0, bar = 0; bar != std::string_view::npos; from = bar + 1) {
      bar = pattern.find('|', from);
      words.emplace_back(pattern.substr(from, bar - from));
    }
    put_words(words);
  }
  void put_texts() {
    json_.key("type").value("array");
    json_.key("items").begin_object();
    json_.key("type").value("string");
    json_.end_object();
  }
  void put_length(std::size_t length) {
    if (length == 0) return;
    json_.key("minItems").value(static_cast<std::uint64_t>(length));
    json_.key("maxItems").value(static_cast<std::uint64_t>(length));
  }
  void put_type(const char* type, bool nullable) {
    json_.key("type");
    if (is_plain() && !nullable) return json_.value(type);
    json_.begin_flat_array();
    json_.value(type);
    if (!is_plain()) json_.value("string");
    if (nullable) json_.value("null");
    json_.end_array();
  }
  void put_number(const char* type, const Allowed& allowed, bool nullable = false) {
    put_type(type, nullable);
    if (std::isfinite(allowed.lower))
      json_.key(allowed.above ? "exclusiveMinimum" : "minimum").value(allowed.lower);
    if (std::isfinite(allowed.upper))
      json_.key(allowed.below ? "exclusiveMaximum" : "maximum").value(allowed.upper);
  }

  JsonWriter& json_;
  SchemaNumbers numbers_;
  bool is_value_;
  std::vector<std::string>* required_;
  bool has_others_ = false;
};

}  // namespace

void write_schema_members(JsonWriter& json, const Fields::Part& part, SchemaNumbers numbers, bool nullable) {
  json.key("type");
  if (nullable) {
    json.begin_flat_array();
    json.value("object");
    json.value("null");
    json.end_array();
  } else {
    json.value("object");
  }
  json.key("properties").begin_object();
  std::vector<std::string> required;
  SchemaFields fields(json, numbers, false, &required);
  part(fields);
  json.end_object();
  if (!required.empty()) {
    json.key("required").begin_flat_array();
    for (const std::string& name : required) json.value(name);
    json.end_array();
  }
  json.key("additionalProperties");
  if (!fields.has_others()) return json.value(false);
  json.begin_object();
  json.key("type").value("number");
  json.end_object();
}

void write_schema(JsonWriter& json, const Fields::Part& part, SchemaNumbers numbers) {
  json.begin_object();
  write_schema_members(json, part, numbers);
  json.end_object();
}

std::string schema_text(const char* title, const char* description, const Fields::Part& part) {
  JsonWriter json(JsonStyle::readable);
  json.begin_object();
  json.key("$schema").value("https://json-schema.org/draft/2020-12/schema");
  json.key("title").value(title);
  json.key("description").value(description);
  write_schema_members(json, part, SchemaNumbers::plain);
  json.end_object();
  return json.text();
}

}  // namespace steelyard
