#include "scratch_folder.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "steelyard/core/error.hpp"
#include "steelyard/core/temporary.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace fs = std::filesystem;

namespace {

std::unique_ptr<Temporary> make_scratch_folder() {
  std::error_code error;
  const fs::path home = fs::temp_directory_path(error);
  try {
    if (error) throw std::system_error(error);
    return std::make_unique<Temporary>(home, "steelyard-scratch", TemporaryKind::private_folder);
  } catch (const std::system_error& failure) {
    throw MachineError(
        {"no temporary folder: " + failure.code().message(), {home.string(), 0, 0, {}}, {}, "set TMPDIR"});
  }
}

}  // namespace

ScratchFolder::ScratchFolder() : folder_(make_scratch_folder()) {}

ScratchFolder::~ScratchFolder() = default;

std::string ScratchFolder::path() const {
  return folder_->path().string();
}

std::string ScratchFolder::file(const std::string& name, const std::string& text) const {
  const Unfinished unfinished;
  std::string file_path = path() + "/" + name;
  std::ofstream(file_path) << text;
  return file_path;
}

}  // namespace steelyard
