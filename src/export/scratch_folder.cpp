#include "scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "steelyard/core/error.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "steelyard-export-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw MachineError({std::string("cannot create a temporary folder: ") + std::strerror(errno),
                        {pattern, 0, 0, {}},
                        {},
                        "set TMPDIR"});
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchFolder::file(const std::string& name, const std::string& text) const {
  std::string path = path_ + "/" + name;
  std::ofstream(path) << text;
  return path;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
