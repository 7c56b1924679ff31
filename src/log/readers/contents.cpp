#include "steelyard/log/contents.hpp"

#include <utility>

#include "array_file.hpp"
#include "bag_file.hpp"
#include "bag_source.hpp"
#include "steelyard/log/csv.hpp"

namespace steelyard::inline STEELYARD_ABI {

std::vector<std::string> log_columns(const RunFile& file) {
  if (array_format(file.path) != ArrayFormat::none) return open_array_columns(file.path)->names();
  if (is_bag(file.path)) return open_bag_columns(file.path, file.topic)->names();
  return CsvReader(file.path, file.csv).header();
}

bool is_bag(const std::string& path) {
  return bag_format(path) != BagFormat::none;
}

void use_joint_states(RunFile& file) {
  file.time = "stamp";
  file.channels.clear();
  for (const auto& [channel, field] : {std::pair{"position", "position[{name}]"},
                                       {"velocity", "velocity[{name}]"},
                                       {"torque", "effort[{name}]"}}) {
    ChannelColumns columns;
    columns.channel = channel;
    columns.columns = {field};
    file.channels.push_back(std::move(columns));
  }
}

}  // namespace steelyard
