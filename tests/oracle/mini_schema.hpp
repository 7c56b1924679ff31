// A validator for the part of JSON Schema (draft 2020-12) that docs/*.schema.json use. A keyword that
// it does not know is a complaint of its own, so that nothing in the schema is silently not checked.
#pragma once

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace steelyard {

class MiniSchema {
 public:
  using Json = nlohmann::ordered_json;
  explicit MiniSchema(Json schema) : root_(std::move(schema)) {}

  // Complaints, each with the place in the instance; empty when it is valid.
  std::vector<std::string> check(const Json& instance) {
    complaints_.clear();
    visit(root_, instance, "#");
    return complaints_;
  }

 private:
  void complain(const std::string& place, const std::string& what) {
    complaints_.push_back(place + ": " + what);
  }

  static bool is_type(const Json& value, const Json& types) {
    if (types.is_array())
      return std::any_of(types.begin(), types.end(), [&](const Json& type) { return is_type(value, type); });
    const auto type = types.get<std::string>();
    if (type == "null") return value.is_null();
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    return type == "number" && value.is_number();
  }

  void visit(const Json& schema, const Json& value, const std::string& place) {
    for (const auto& keyword : schema.items()) {
      static const std::set<std::string> kPlain = {"$schema", "$defs", "title", "description", "default"};
      if (kPlain.count(keyword.key()) == 0) apply(keyword.key(), keyword.value(), schema, value, place);
    }
  }

  void apply(const std::string& key, const Json& rule, const Json& schema, const Json& value,
             const std::string& place) {
    if (key == "$ref") {
      visit(root_.at(Json::json_pointer(rule.get<std::string>().substr(1))), value, place);
    } else if (key == "type") {
      if (!is_type(value, rule))
        complain(place, "is no " + (rule.is_string() ? rule.get<std::string>() : rule.dump()));
    } else if (key == "const") {
      if (value != rule) complain(place, "is not " + rule.dump());
    } else if (key == "enum") {
      if (std::find(rule.begin(), rule.end(), value) == rule.end())
        complain(place, "is none of " + rule.dump());
    } else if (key == "minimum") {
      if (value.is_number() && value < rule) complain(place, "is below " + rule.dump());
    } else if (key == "maximum") {
      if (value.is_number() && value > rule) complain(place, "is above " + rule.dump());
    } else if (key == "exclusiveMinimum") {
      if (value.is_number() && value <= rule) complain(place, "is not above " + rule.dump());
    } else if (key == "exclusiveMaximum") {
      if (value.is_number() && value >= rule) complain(place, "is not below " + rule.dump());
    } else if (key == "pattern") {
      if (value.is_string() &&
          !std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>())))
        complain(place, "does not match " + rule.dump());
    } else if (key == "minItems") {
      if (value.is_array() && value.size() < rule) complain(place, "has too few elements");
    } else if (key == "maxItems") {
      if (value.is_array() && value.size() > rule) complain(place, "has too many elements");
    } else if (key == "required") {
      for (const Json& name : rule) {
        if (value.is_object() && !value.contains(name.get<std::string>()))
          complain(place, "lacks " + name.get<std::string>());
      }
    } else {
      apply_to_parts(key, rule, schema, value, place);
    }
  }

  void apply_to_parts(const std::string& key, const Json& rule, const Json& schema, const Json& value,
                      const std::string& place) {
    if (key == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
        visit(rule, value[i], place + "/" + std::to_string(i));
    } else if (key == "anyOf") {
      const std::vector<std::string> before = complaints_;
      bool fits = false;
      for (const Json& choice : rule) {
        complaints_.clear();
        visit(choice, value, place);
        fits = fits || complaints_.empty();
      }
      complaints_ = before;
      if (!fits) complain(place, "fits none of the choices");
    } else if (key == "properties") {
      for (const auto& property : rule.items()) {
        if (value.is_object() && value.contains(property.key()))
          visit(property.value(), value[property.key()], place + "/" + property.key());
      }
    } else if (key == "additionalProperties") {
      if (!value.is_object()) return;
      for (const auto& member : value.items()) {
        if (schema.contains("properties") && schema["properties"].contains(member.key())) continue;
        if (rule == false) complain(place, "has the unknown key " + member.key());
        if (rule.is_object()) visit(rule, member.value(), place + "/" + member.key());
      }
    } else {
      complain(place, "the schema uses the unknown keyword " + key);
    }
  }

  Json root_;
  std::vector<std::string> complaints_;
};

}  // namespace steelyard
