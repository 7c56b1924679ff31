// Logs as their loggers write them: simulated, with other names, units and columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace log_table {

using Column = std::vector<double>;

inline Column times(Column values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

inline Column absolute(Column values) {
  for (double& value : values) value = std::abs(value);
  return values;
}

inline Column plus(Column values, double shift) {
  for (double& value : values) value += shift;
  return values;
}

struct Table {
  std::vector<std::string> names;
  std::vector<Column> columns;

  const Column& operator[](const std::string& name) const {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) throw std::out_of_range("no column " + name);
    return columns[static_cast<std::size_t>(at - names.begin())];
  }
};

inline Table read_table(const std::filesystem::path& path) {
  std::ifstream file(path);
  Table table;
  std::string line, field;
  std::getline(file, line);
  for (std::stringstream fields(line); std::getline(fields, field, ',');) table.names.push_back(field);
  table.columns.resize(table.names.size());
  while (std::getline(file, line)) {
    std::stringstream fields(line);
    for (Column& column : table.columns) {
      std::getline(fields, field, ',');
      column.push_back(std::stod(field));
    }
  }
  return table;
}

// `header` as it is in the file; empty: none.
inline std::string write_table(const std::filesystem::path& path, const std::string& header,
                               const std::vector<Column>& columns) {
  std::ofstream file(path);
  file.precision(17);
  if (!header.empty()) file << header << '\n';
  for (std::size_t s = 0; s < columns[0].size(); ++s)
    for (std::size_t k = 0; k < columns.size(); ++k)
      file << columns[k][s] << (k + 1 < columns.size() ? ',' : '\n');
  return path.string();
}

}  // namespace log_table
