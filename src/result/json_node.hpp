// A JSON value with its path, so that every complaint names the key.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

using Json = nlohmann::ordered_json;

// A value, the file it came from and its path there: 'base[3].sigma'.
class JsonNode {
 public:
  JsonNode(const Json& value, std::string path, const std::string& file)
      : value_(value), path_(std::move(path)), file_(file) {}

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError({fmt::format("{} {}", path_.empty() ? "the whole" : "'" + path_ + "'", what),
                      {file_, 0, 0, ""},
                      "",
                      "is it a result.json of steelyard? docs/result.md describes every key"});
  }

  const Json& json() const { return value_; }
  bool has(const char* key) const { return object().contains(key); }
  JsonNode at(const std::string& key) const {
    const std::string path = path_.empty() ? key : path_ + "." + key;
    const auto found = object().find(key);
    if (found == value_.end()) JsonNode(value_, path, file_).refuse("is missing");
    return {*found, path, file_};
  }

  double number() const {
    if (!value_.is_number()) refuse_type("a number");
    return value_.get<double>();
  }
  template <typename Integer>
  Integer integer() const {
    if (value_.is_number_unsigned()) {
      const auto number = value_.get<std::uint64_t>();
      if (number <= static_cast<std::uint64_t>(std::numeric_limits<Integer>::max()))
        return static_cast<Integer>(number);
      refuse(fmt::format("is too large: {}", number));
    }
    refuse_type("a whole number that is not negative");
  }
  bool truth() const {
    if (!value_.is_boolean()) refuse_type("true or false");
    return value_.get<bool>();
  }
  std::string text() const {
    if (!value_.is_string()) refuse_type("a string");
    return value_.get<std::string>();
  }
  std::vector<JsonNode> items() const {
    if (!value_.is_array()) refuse_type("an array");
    std::vector<JsonNode> nodes;
    for (std::size_t i = 0; i < value_.size(); ++i)
      nodes.emplace_back(value_[i], fmt::format("{}[{}]", path_, i), file_);
    return nodes;
  }

  const Json& object() const {
    if (!value_.is_object()) refuse_type("an object");
    return value_;
  }

 private:
  [[noreturn]] void refuse_type(const char* wanted) const {
    std::string found = value_.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (found.size() > 40) found = found.substr(0, 40) + "…";
    refuse(fmt::format("is {} instead of {}", found, wanted));
  }

  const Json& value_;
  std::string path_;
  const std::string& file_;
};

}  // namespace steelyard
