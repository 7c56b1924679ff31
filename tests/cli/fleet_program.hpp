// Fleets of the example's arm, in a folder of their own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "in_folder.hpp"
#include "program.hpp"

namespace fleet_program {

namespace fs = std::filesystem;
using nlohmann::json;

inline const std::string kFleet = std::string(STEELYARD_SOURCE_DIR) + "/examples/fleet/";

inline std::string text_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

inline std::size_t count_files(const fs::path& folder, const std::string& ending) {
  std::error_code ignored;
  std::size_t count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    count += entry.path().extension() == ending;
  return count;
}

class FleetProgram : public program::InFolder {
 protected:
  // The example with `robots` robots and so many days, in the folder of the test.
  std::string study_of(const std::string& name, int robots, const std::string& faults, int days = 1) {
    std::string text = text_of(kFleet + "study.yaml");
    text = replaced(text, "robot: arm.yml", "robot: " + kFleet + "arm.yml");
    text = replaced(text, "robots: 40", "robots: " + std::to_string(robots));
    text = replaced(text, "days: 3", "days: " + std::to_string(days));
    const std::size_t begin = text.find("  faults:"), end = text.find("  simulate:");
    text.replace(begin, end - begin, "  faults:" + faults + "\n");
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  // The study of the logs in `logs`, as files.yaml.
  void write_files_study(const std::string& simulated,
                         const std::string& pattern = "logs/{robot}-{day}.csv") {
    std::string text = text_of(simulated);
    const std::size_t begin = text.find("  robots:"), end = text.find("prepare:");
    text.replace(begin, end - begin,
                 "  logs: \"" + pattern + "\"\n" +
                     "  columns: {time: t_s, position: \"q{j}_rad\", torque: \"tau{j}_Nm\"}\n");
    std::ofstream(folder_ / "files.yaml") << text;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
};

inline std::vector<std::string> names(const json& fleet) {
  return fleet["named"].get<std::vector<std::string>>();
}

inline json cause_of(const json& fleet, const std::string& robot) {
  for (const json& one : fleet["robots"])
    if (one["name"] == robot && !one["causes"].empty()) return one["causes"][0];
  return {};
}

}  // namespace fleet_program
