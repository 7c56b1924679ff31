// A folder for temporary files.
#pragma once

#include <memory>
#include <string>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

class Temporary;

class ScratchFolder {
 public:
  ScratchFolder();   // throws MachineError
  ~ScratchFolder();  // with all its files
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string file(const std::string& name, const std::string& text) const;  // its path
  std::string path() const;

 private:
  std::unique_ptr<Temporary> folder_;
};

}  // namespace steelyard
