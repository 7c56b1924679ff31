// Text for people: aligned tables and short numbers.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/error.hpp"

namespace cli {

// Columns are as wide as their widest cell (counted in characters, not bytes); the first is left-aligned.
class Table {
 public:
  explicit Table(std::vector<std::string> header);
  void add(std::vector<std::string> row);
  std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Shortest form with at most `digits` significant digits: 0.333, -1.571, 0, inf.
std::string number(double value, int digits = 5);

void print(const std::string& text);          // standard output
void print_problem(const std::string& text);  // standard error
// Files that may be a user's own are overwritten only on request.
void refuse_existing(const std::string& path, bool replace);

void print_warnings(const std::vector<steelyard::Complaint>& warnings);

}  // namespace cli
