// A file or folder that goes with its object: ".STEM.partial-PID-N".
//
// It is known to unfinished.hpp from before it is made until it is gone, so that an interrupt removes it, and
// its maker holds a lock on it (flock), which the system releases when the process ends: the next temporary
// with the same stem in the same folder removes what killed programs have left. Without locks (some network
// shares) these files stay.
#pragma once

#include <filesystem>
#include <string>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/unfinished.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class TemporaryKind { file, folder, private_folder };  // the last: for this user only

class Temporary {
 public:
  // Throws std::system_error.
  Temporary(const std::filesystem::path& folder, const std::string& stem, TemporaryKind kind);
  ~Temporary();  // with all that is in it
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  const std::filesystem::path& path() const { return path_; }  // absolute
  int descriptor() const { return descriptor_; }               // of a file: to write to
  // It was renamed and is kept.
  void moved(Unfinished& unfinished);

 private:
  bool make(TemporaryKind kind);

  std::filesystem::path path_;  // empty: moved
  int descriptor_ = -1;
};

}  // namespace steelyard
