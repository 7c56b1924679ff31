// A file that appears complete or not at all: written under a temporary name beside its own, flushed to the
// disk, renamed by commit(). Without commit() nothing is left and an existing file stays.
//
// The rename is atomic on POSIX file systems. A program that is killed leaves the temporary file
// (".NAME.partial-…") behind; the next one that writes the same file removes it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

class Temporary;

class AtomicFile {
 public:
  // Throws InputError when `path` exists and is not a regular file, MachineError when its folder is not
  // writable.
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

// For programs that are interrupted: ends all writing of this process, of files and of output folders, kills
// its child processes and removes what is temporary. Every target then has the old content or the new one;
// returns the complete ones. The process must end: threads that continue writing wait forever.
std::vector<std::string> abandon_unfinished() noexcept;

}  // namespace steelyard
