// A file that appears complete or not at all: written under a temporary name beside its own, flushed to the
// disk, renamed by commit(). Without commit() nothing is left and a file that was there before stays.
//
// The rename is atomic on POSIX file systems. A program that is killed leaves the temporary file
// (".NAME.partial-…") behind; the next one that writes the same file removes it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

class Temporary;

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
  std::unique_ptr<Temporary> temporary_;  // none after commit()
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
