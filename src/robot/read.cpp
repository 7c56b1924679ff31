#include "steelyard/robot/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "steelyard/core/text_file.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return extension;
}

}  // namespace

RobotFile read_robot(const std::string& path) {
  const std::string text = read_text_file(path, "robot file");
  const std::string extension = extension_of(path);
  if (extension == ".yaml" || extension == ".yml") return read_robot_yaml(text, path);
  const bool mujoco = extension == ".xml" && text.find("<mujoco") != std::string::npos;
  if (extension == ".mjcf" || mujoco) return read_robot_mjcf(text, path);
  if (extension == ".urdf" || extension == ".xml") return read_robot_urdf(text, path);
  if (extension == ".xacro") {
    throw InputError({"xacro files are programs that write a robot, not robots",
                      {path, 0, 0, ""},
                      ".yaml, .yml, .urdf, .mjcf or .xml",
                      "run xacro first: xacro robot.urdf.xacro > robot.urdf"});
  }
  throw InputError({fmt::format("robot file has the ending '{}'", extension),
                    {path, 0, 0, ""},
                    ".yaml, .yml, .urdf, .mjcf or .xml",
                    "rename the file after its format"});
}

}  // namespace steelyard
