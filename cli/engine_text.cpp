#include "engine_text.hpp"

#include <fmt/format.h>

#include <numbers>

#include "output.hpp"

namespace cli {
namespace {

// One way to move the robot, and where its tool went: millimetres, and degrees about the base's axes.
void add_pose(const std::string& how, const std::optional<steelyard::PoseError>& error, Table& table) {
  if (!error) return;
  const double degrees = 180 / std::numbers::pi;
  std::vector<std::string> row = {how, number(1e3 * error->position_mean, 3),
                                  number(1e3 * error->position_max, 3)};
  for (const double angle : error->rpy_mean) row.push_back(number(degrees * angle, 3));
  row.push_back(number(degrees * error->turn_max, 3));
  table.add(row);
}

std::string poses_text(const steelyard::EngineCheck& check) {
  if (!check.followed && !check.by_velocity) return "";
  Table table({"moved by", "mm", "at most", "roll deg", "pitch", "yaw", "turn at most"});
  add_pose("efforts, PD", check.followed, table);
  add_pose(fmt::format("{:.0f} % heavier", 100 * (check.heavier - 1)), check.followed_heavier, table);
  add_pose("velocities", check.by_velocity, table);
  add_pose("positions", check.by_position, table);
  return "  The tool, from where the log's positions put it: means and largest; efforts are the measured "
         "ones\n" +
         (check.by_velocity
              ? fmt::format("  with a soft PD, velocities and positions are commanded every {:g} ms\n",
                            1e3 * check.command_step)
              : "") +
         table.to_string();
}

std::string with_commas(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

std::string exported_text(const steelyard::ExportSummary& summary, const std::string& folder) {
  std::string text;
  for (const std::string& path : summary.paths) text += folder + "/" + path + "\n";
  text += fmt::format("  read back by {}: largest difference {:.1e}\n", with_commas(summary.checked_by),
                      summary.max_error);
  for (const steelyard::NotCarried& missing : summary.not_carried)
    text += fmt::format("  not carried: {} of {}, up to {} N·m or N\n", missing.what, missing.joint,
                        number(missing.effort, 3));
  for (const std::string& note : summary.notes) text += "  " + note + "\n";
  return text;
}

std::string engines_text(const std::vector<steelyard::EngineCheck>& engines) {
  std::string text;
  for (const steelyard::EngineCheck& check : engines) {
    text += fmt::format("\nRun '{}' in {}{}: measured effort without drives, minus the engine's\n", check.run,
                        check.engine,
                        check.drive_step ? fmt::format(", steps of {} ms", 1e3 * *check.drive_step) : "");
    Table joints({"joint", "mean", "rms", "rms effort", "engine - model"});
    for (const steelyard::EngineJoint& joint : check.joints)
      joints.add({joint.joint, fmt::format("{:.4f}", joint.mean), fmt::format("{:.4f}", joint.rms),
                  fmt::format("{:.4f}", joint.effort), fmt::format("{:.1e}", joint.ours)});
    text += joints.to_string();
    text += poses_text(check);
  }
  return text;
}

}  // namespace cli
