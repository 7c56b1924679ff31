#include "steelyard/core/text_file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::uintmax_t kLargestFile = std::uintmax_t{16} << 20;

}  // namespace

std::string read_text_file(const std::string& path, const std::string& kind) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    throw InputError({kind + " does not exist", {path, 0, 0, ""}, "", "check the path"});
  }
  if (error == std::errc::filename_too_long || error == std::errc::too_many_symbolic_link_levels) {
    throw InputError(
        {kind + " is not a valid path: " + error.message(), {path, 0, 0, ""}, "", "check the path"});
  }
  if (error) {
    throw MachineError(
        {kind + " cannot be examined: " + error.message(), {path, 0, 0, ""}, "", "check the permissions"});
  }
  if (!fs::is_regular_file(status)) {
    throw InputError({fs::is_directory(status) ? "this is a directory" : "this is not a regular file",
                      {path, 0, 0, ""},
                      "a " + kind,
                      "give the path of the file itself"});
  }
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > kLargestFile) {
    throw InputError({fmt::format("{} has {} bytes", kind, size),
                      {path, 0, 0, ""},
                      "at most 16 MiB",
                      "check that this is a " + kind});
  }
  std::ifstream stream(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  if (!stream || stream.bad()) {
    throw MachineError({kind + " cannot be read", {path, 0, 0, ""}, "", "check the permissions"});
  }
  return text;
}

}  // namespace steelyard
