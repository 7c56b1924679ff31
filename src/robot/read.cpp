#include "steelyard/robot/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr std::uintmax_t kLargestFile = std::uintmax_t{16} << 20;

std::string load(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    throw InputError({"robot file does not exist", {path, 0, 0, ""}, "", "check the path"});
  }
  if (error) {
    throw MachineError(
        {"robot file cannot be examined: " + error.message(), {path, 0, 0, ""}, "", "check the permissions"});
  }
  if (!fs::is_regular_file(status)) {
    throw InputError({fs::is_directory(status) ? "this is a directory" : "this is no ordinary file",
                      {path, 0, 0, ""},
                      "a robot file",
                      "name the file itself"});
  }
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > kLargestFile) {
    throw InputError({fmt::format("robot file has {} bytes", size),
                      {path, 0, 0, ""},
                      "at most 16 MiB",
                      "check that this is a robot file"});
  }
  std::ifstream stream(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  if (!stream || stream.bad()) {
    throw MachineError({"robot file cannot be read", {path, 0, 0, ""}, "", "check the permissions"});
  }
  return text;
}

std::string extension_of(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return extension;
}

}  // namespace

RobotFile read_robot(const std::string& path) {
  const std::string text = load(path);
  const std::string extension = extension_of(path);
  if (extension == ".yaml" || extension == ".yml") return read_robot_yaml(text, path);
  if (extension == ".urdf" || extension == ".xml") return read_robot_urdf(text, path);
  if (extension == ".xacro") {
    throw InputError({"xacro files are programs that write a robot, not robots",
                      {path, 0, 0, ""},
                      ".yaml, .yml, .urdf or .xml",
                      "run xacro first: xacro robot.urdf.xacro > robot.urdf"});
  }
  throw InputError({fmt::format("robot file has the ending '{}'", extension),
                    {path, 0, 0, ""},
                    ".yaml, .yml, .urdf or .xml",
                    "rename the file after its format"});
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
