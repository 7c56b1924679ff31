// Typed access to a YAML tree: every wrong type, wrong length and unknown key becomes an InputError with its
// place.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/yaml_tree.hpp"

namespace steelyard::inline STEELYARD_ABI {

// What messages need to know besides the node: the file and the joint that is being read.
struct YamlContext {
  std::string file;
  std::string joint;
  double angle_unit = 1;  // rad per unit of angle in the file

  Place place(const YamlNode& node) const { return {file, node.line, node.column, joint}; }
  [[noreturn]] void fail(const YamlNode& node, std::string what, std::string limit, std::string remedy) const;
};

// A map whose keys are all known.
class YamlFields {
 public:
  YamlFields(const YamlContext& context, const YamlNode& map, const std::string& owner,
             const std::vector<std::string>& known);

  const YamlNode* find(const std::string& key) const;  // null: absent
  const YamlNode& at(const std::string& key) const;    // throws when it is missing
  bool has(const std::string& key) const { return find(key) != nullptr; }
  const YamlNode& map() const { return map_; }

 private:
  const YamlContext& context_;
  const YamlNode& map_;
  std::string owner_;
};

std::string to_text(const YamlContext& context, const YamlNode& node, const std::string& what);
double to_number(const YamlContext& context, const YamlNode& node, const std::string& what);  // finite
VectorXd to_vector(const YamlContext& context, const YamlNode& node, const std::string& what, Index length);

// [lower, upper]; `null` stands for an open side.
struct Interval {
  double lower;
  double upper;
};
Interval to_interval(const YamlContext& context, const YamlNode& node, const std::string& what);

const std::vector<YamlNode>& to_list(const YamlContext& context, const YamlNode& node,
                                     const std::string& what);

// One of the given words; unknown words are errors with the nearest one.
std::size_t to_choice(const YamlContext& context, const YamlNode& node, const std::string& kind,
                      const std::vector<std::string>& words);

}  // namespace steelyard
