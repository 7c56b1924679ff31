#include "steelyard/init/motion_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "init/guess_names.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/log/contents.hpp"
#include "steelyard/log/csv.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr const char* kMotionColumns =
    "a column of time and one of positions per joint, named t_s, q1_rad, position[elbow], or as the joints; "
    "without "
    "names: time, then the joints in their order";

InputError no_motion(const std::string& path, const std::string& what,
                     const std::vector<std::string>& names) {
  return InputError({fmt::format("{}; the file has {}", what, fmt::join(names, ", ")),
                     {path, 0, 0, ""},
                     kMotionColumns,
                     "rename the columns, or describe them in a study"});
}

// Braces of names are no pattern.
std::string literally(const std::string& name) {
  std::string out;
  for (const char c : name) out += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
  return out;
}

struct MotionColumns {
  std::vector<std::string> columns, units;  // by joint; no unit: SI
};

void take(const std::string& column, const ParsedColumn& name, const LogJoint& joint, MotionColumns& to) {
  const bool slides = joint.kind == JointKind::prismatic;
  to.columns.push_back(literally(column));
  const std::string& unit = slides && !name.move_unit.empty() ? name.move_unit : name.unit;
  to.units.push_back(unit.empty() ? (slides ? "m" : "rad") : unit);
}

// Columns that are named as the joints are.
std::optional<MotionColumns> by_joint_names(const std::vector<std::string>& names,
                                            const std::vector<LogJoint>& joints) {
  MotionColumns out;
  for (const LogJoint& joint : joints) {
    const auto found = std::find(names.begin(), names.end(), joint.name);
    if (found == names.end()) return std::nullopt;
    take(*found, {}, joint, out);
  }
  return out;
}

// The first signal of positions that every joint has; measured ones before commands.
std::optional<MotionColumns> by_column_names(const std::vector<std::string>& names,
                                             const std::vector<ParsedColumn>& parsed,
                                             const std::vector<LogJoint>& joints) {
  std::vector<std::string> labels;
  for (const LogJoint& joint : joints) labels.push_back(joint.name);
  for (const bool wanted : {false, true})
    for (std::size_t first = 0; first < parsed.size(); ++first) {
      if (parsed[first].quantity != ColumnQuantity::position || parsed[first].wanted != wanted) continue;
      std::vector<std::size_t> group;
      std::vector<std::string> own;
      for (std::size_t k = first; k < parsed.size(); ++k)
        if (parsed[k].quantity == ColumnQuantity::position && parsed[k].group == parsed[first].group) {
          group.push_back(k);
          own.push_back(parsed[k].label);
        }
      const LabelMatch match = match_labels(own, labels);
      if (std::find(match.column.begin(), match.column.end(), -1) != match.column.end()) continue;
      MotionColumns out;
      for (std::size_t j = 0; j < joints.size(); ++j) {
        const std::size_t k = group[static_cast<std::size_t>(match.column[j])];
        take(names[k], parsed[k], joints[j], out);
      }
      return out;
    }
  return std::nullopt;
}

MotionColumns by_order(const std::string& path, const std::vector<LogJoint>& joints, int columns) {
  const int wanted = 1 + static_cast<int>(joints.size());
  if (columns < wanted)
    throw InputError({fmt::format("the motion has {} columns without names", columns),
                      {path, 0, 0, ""},
                      fmt::format("{}: time, then the joints in their order", wanted),
                      "add what is missing"});
  MotionColumns out;
  for (std::size_t j = 0; j < joints.size(); ++j) take(std::to_string(j + 2), {}, joints[j], out);
  return out;
}

}  // namespace

StudyRun motion_run(const std::string& path, const Robot& robot) {
  StudyRun run;
  RunFile& file = run.file;
  file.path = run.path_as_written = path;
  file.label.label = std::filesystem::path(path).filename().string();
  const std::vector<LogJoint> joints = log_joints(robot);
  const std::vector<std::string> names = log_columns(file);
  std::vector<ParsedColumn> parsed;
  for (const std::string& name : names) parsed.push_back(read_column_name(name));
  file.time.clear();
  MotionColumns motion;
  if (names.empty()) {
    file.time = "1";
    motion = by_order(path, joints, CsvReader(path, file.csv).columns());
  } else {
    for (std::size_t k = 0; k < names.size() && file.time.empty(); ++k)
      if (parsed[k].quantity == ColumnQuantity::time) {
        file.time = names[k];
        if (!parsed[k].unit.empty()) file.time_unit = parsed[k].unit;
      }
    if (file.time.empty()) throw no_motion(path, "no column looks like time", names);
    std::optional<MotionColumns> found = by_joint_names(names, joints);
    if (!found) found = by_column_names(names, parsed, joints);
    if (!found)
      throw no_motion(
          path, fmt::format("no columns are the positions of the robot's {} joints", joints.size()), names);
    motion = std::move(*found);
  }
  file.channels = {{std::string(channel::kPosition), motion.columns, motion.units, {}, {}, {}}};
  run.no_efforts = Place{path, 0, 0, ""};
  return run;
}

}  // namespace steelyard
