// Runs that are read whole: files of arrays and bags. Numbers are checked, turned to SI and stamped here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/columns.hpp"
#include "steelyard/log/run_file.hpp"
#include "steelyard/log/source.hpp"

namespace steelyard::inline STEELYARD_ABI {

class TableColumns : public ColumnNames {
 public:
  virtual std::vector<std::string> names() const = 0;  // all that find() takes
  // The next three are called once all columns have been found.
  // Throws InputError when the columns are too large to be held.
  virtual void check_size(const std::vector<int>& columns) const = 0;
  virtual Index samples(int column) const = 0;
  // Columns one after the other into targets[k].
  virtual void read(const std::vector<int>& columns, const std::vector<double*>& targets) const = 0;
};

// Everything is read and checked here; the source then gives it out.
std::unique_ptr<SampleSource> open_table(const RunFile& file, const std::vector<LogJoint>& joints,
                                         const TableColumns& columns);

// "mcap" of "bags/RUN.MCAP": lower case, without the dot.
std::string file_ending(const std::string& path);

}  // namespace steelyard
