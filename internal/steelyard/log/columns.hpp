// The columns of a file by name, and what the channels of a RunFile make of them.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/error.hpp"
#include "steelyard/log/csv.hpp"
#include "steelyard/log/run_file.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Column of a file, with value = factor · field + offset.
struct ColumnUse {
  int column = -1;
  double factor = 1;
  double offset = 0;
};

// The pattern for joint number j (from 0). Throws InputError for invalid braces.
std::string expand_pattern(const std::string& pattern, int j, const LogJoint& joint);

// The columns of a file, by name.
class ColumnNames {
 public:
  virtual ~ColumnNames() = default;
  // Throws InputError with the nearest name when there is none.
  virtual int find(const std::string& name) const = 0;
  virtual std::string describe(int column) const = 0;  // "column 3 'q1_rad'"
  virtual Place place(int column = -1) const = 0;      // −1: the file as a whole
};

// The columns of all channels, [channel][joint]. Throws InputError for missing columns (with the nearest
// name), for lists of the wrong length, units of another quantity, and two joints on one column. `position` and
// `theta` of a joint may be the same one: the joint is stiff.
std::vector<ColumnUse> resolve_columns(const RunFile& file, const ColumnNames& names,
                                       const std::vector<LogJoint>& joints);
std::vector<ColumnUse> resolve_columns(const RunFile& file, const CsvReader& reader,
                                       const std::vector<LogJoint>& joints);

// Each column once, in the order of its first use.
struct DistinctColumns {
  struct Copy {
    std::size_t use = 0, first = 0;
  };
  std::vector<int> columns;
  std::vector<std::size_t> reads;  // the use that each one is read for
  std::vector<Copy> copies;        // uses that take the fields of an earlier one
};
DistinctColumns distinct(const std::vector<ColumnUse>& uses);

}  // namespace steelyard
