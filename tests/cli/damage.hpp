// Good files, damaged so that they are certainly wrong: no case here may happen to be valid after all.
//
// Every operator takes a text and a source of random numbers and says what it has done, or nothing when the
// text has no place for it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/random.hpp"

namespace damage {

struct Damaged {
  std::string text;
  std::string what;     // "key 'alpha' renamed in line 12"
  bool at_line = true;  // whether the message must name a line
};

struct Operator {
  const char* name;
  std::function<std::optional<Damaged>(const std::string& text, steelyard::Random& random)> apply;
};

std::vector<Operator> yaml_operators();  // robots and studies
std::vector<Operator> xml_operators();   // URDF and MJCF
std::vector<Operator> csv_operators();   // logs with header, first column time
std::vector<Operator> bag_operators();   // MCAP with checksums
std::vector<Operator> db3_operators();   // SQLite bags of JointState, of pages of 512 bytes; no checksums
std::vector<Operator> fold_operators();  // fold files, whose checksum covers every byte
std::vector<Operator> json_operators();  // results

// One damage, by the case's number: operators in turn, places at random. Throws when none applies.
Damaged damage(const std::string& good, const std::vector<Operator>& operators, int number);

}  // namespace damage
