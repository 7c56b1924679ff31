// Studies as JSON trees that hold one key, from the rows of the keys' descriptions.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "steelyard/core/described.hpp"

namespace steelyard::key_trees {

using Json = nlohmann::ordered_json;

// A value that a key accepts, without regard to what other keys say.
inline Json sample(const KeyRow& row) {
  const double value =
      std::isfinite(row.allowed.lower) ? row.allowed.lower + (row.allowed.above ? 0.25 : 0) : 1;
  if (row.path.ends_with(".motion"))
    return Json::parse(R"({"multi_sine": {"center": [0, 0], "reach": [1, 1]}})");
  if (row.name == "joint" || row.name == "link") return "joint2";
  if (row.name == "expression") return "q";
  if (row.kind == KeyRow::Kind::number) return value;
  if (row.kind == KeyRow::Kind::count) return std::ceil(value);
  if (row.kind == KeyRow::Kind::flag) return true;
  if (row.kind == KeyRow::Kind::word) return row.words.front();
  if (row.kind == KeyRow::Kind::numbers) return Json::array({1, 1, 1});
  if (row.kind == KeyRow::Kind::interval) return Json::array({0, 1});
  if (row.kind == KeyRow::Kind::list) return Json::array();
  if (row.kind == KeyRow::Kind::map || row.kind == KeyRow::Kind::section) return Json::object();
  return "x";
}

// The smallest tree in which `value` stands at the path of a row, with the required keys beside it.
inline Json tree_with(const std::vector<KeyRow>& rows, const std::string& prefix, const std::string& path,
                      const Json& value);

inline Json object_with(const std::vector<KeyRow>& rows, const std::string& prefix, const std::string& path,
                        const Json& value) {
  Json object = Json::object();
  for (const KeyRow& row : rows) {
    if (!row.required || !row.path.starts_with(prefix) || row.path.size() == prefix.size()) continue;
    const std::string rest = row.path.substr(prefix.size());
    if (rest.find_first_of(".[{") == std::string::npos && !object.contains(rest)) object[rest] = sample(row);
  }
  const std::size_t stop = path.find_first_of(".[{");
  object[path.substr(0, stop)] =
      tree_with(rows, prefix + path.substr(0, stop), path.substr(path.substr(0, stop).size()), value);
  return object;
}

inline Json tree_with(const std::vector<KeyRow>& rows, const std::string& prefix, const std::string& path,
                      const Json& value) {
  if (path.empty()) return value;
  if (path[0] == '.') return object_with(rows, prefix + ".", path.substr(1), value);
  const Json inner = tree_with(rows, prefix + path.substr(0, 2), path.substr(2), value);
  return path[0] == '[' ? Json::array({inner}) : Json{{"position", inner}};
}

}  // namespace steelyard::key_trees
