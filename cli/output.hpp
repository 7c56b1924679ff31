// Text for people: aligned tables and short numbers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "steelyard/core/error.hpp"

namespace cli {

// Columns are as wide as their widest cell (counted in characters, not bytes); the first is left-aligned. Names of the
// first, and of those that names() adds, lose their middle where the table would not fit the terminal.
class Table {
 public:
  explicit Table(std::vector<std::string> header);
  void names(std::size_t column) { names_.push_back(column); }
  void together(std::size_t columns) {
    together_ = columns;
  }  // after the first, where a wide table is divided
  void add(std::vector<std::string> row);
  std::string to_string() const;

 private:
  std::string part_of(const std::vector<std::size_t>& widths, std::size_t first, std::size_t last) const;

  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> names_ = {0};
  std::size_t together_ = 1;
};

// Shortest form with at most `digits` significant digits: 0.333, -1.571, 0, inf.
std::string number(double value, int digits = 5);

void print(const std::string& text);          // standard output
void print_problem(const std::string& text);  // standard error
// Files that may be a user's own are overwritten only on request.
void refuse_existing(const std::string& path, bool replace);

void print_warnings(const std::vector<steelyard::Complaint>& warnings);

}  // namespace cli
