#include "steelyard/log/contents.hpp"

#include "array_file.hpp"
#include "bag_file.hpp"
#include "bag_source.hpp"
#include "steelyard/log/csv.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

std::vector<std::string> log_columns(const RunFile& file) {
  if (array_format(file.path) != ArrayFormat::none) return open_array_columns(file.path)->names();
  if (is_bag(file.path)) return open_bag_columns(file.path, file.topic)->names();
  return CsvReader(file.path, file.csv).header();
}

bool is_bag(const std::string& path) {
  return bag_format(path) != BagFormat::none;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
