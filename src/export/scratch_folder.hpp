// A folder for files that only need to be there for a while.
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

class ScratchFolder {
 public:
  ScratchFolder();   // throws MachineError
  ~ScratchFolder();  // with all its files
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string file(const std::string& name, const std::string& text) const;  // its path
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
