// YAML text as a plain tree with places.
//
// Built from the parser's events and not from its node type: anchors and aliases are refused (nothing
// expands), depth and size are limited while reading, duplicate keys are found, and every node knows its line
// and column.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct YamlNode {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  std::string text;             // scalar
  std::vector<YamlNode> items;  // list; values of a map
  std::vector<YamlNode> keys;   // map: scalar nodes, one for each item
  int line = 0;
  int column = 0;
  bool open = false;  // scalar: kYamlOpen
};

const char* to_string(YamlNode::Kind kind);  // "a list", …

// Stands for a value that a person has to fill in; files with one are refused with the names of their keys.
inline constexpr const char* kYamlOpen = "EDIT";

inline constexpr int kYamlDeepest = 64;
inline constexpr int kYamlMostNodes = 100000;

// Throws InputError with file, line and column. An empty document is an error, and so are open values.
YamlNode parse_yaml(const std::string& text, const std::string& file);

}  // namespace steelyard
