#include "engine_text.hpp"

#include <fmt/format.h>

#include <numbers>

#include "output.hpp"

namespace cli {
namespace {

std::string pose_text(const steelyard::PoseError& error) {
  const double degrees = 180 / std::numbers::pi;
  return fmt::format("{} mm and {} deg, at most {} mm and {} deg", number(1e3 * error.position_mean, 3),
                     number(degrees * error.turn_mean, 3), number(1e3 * error.position_max, 3),
                     number(degrees * error.turn_max, 3));
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
    if (!check.followed || !check.followed_heavier) continue;
    text += fmt::format("  with that effort and a soft PD controller, the tool is off by {}\n",
                        pose_text(*check.followed));
    text += fmt::format("  bodies {:.0f} % heavier: {}\n", 100 * (check.heavier - 1),
                        pose_text(*check.followed_heavier));
  }
  return text;
}

}  // namespace cli
