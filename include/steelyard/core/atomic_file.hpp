// A file that appears complete or not at all: written under a temporary name beside its own, flushed to the
// disk, renamed by commit(). Without commit() nothing is left and a file that was there before stays.
//
// The rename is atomic on POSIX file systems. A program that is killed leaves the temporary file behind.
#pragma once

#include <string>
#include <string_view>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

class AtomicFile {
 public:
  // Throws InputError when `path` is there and no regular file, MachineError when its folder takes no file.
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);  // throws MachineError
  void commit();                       // throws MachineError

 private:
  [[noreturn]] void fail(const char* action, int error) const;

  std::string path_;
  std::string temporary_;
  int descriptor_ = -1;
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
