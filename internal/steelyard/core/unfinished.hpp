// What this process has begun and must not leave behind when it is interrupted: temporary files and folders,
// and child processes.
//
// Whatever makes or renames such a name, or starts such a process, holds an `Unfinished` meanwhile.
// abandon_unfinished() (atomic_file.hpp) takes it for good: from then on no thread of this process begins or
// completes anything, children are killed, temporary names are removed. An interrupt at any moment therefore
// leaves the old output or the new one, and no leftovers.
//
// What a killed process leaves is removed by the next one that writes there (temporary.hpp).
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

class Unfinished {
 public:
  Unfinished();  // waits for other threads; forever once the process ends
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  // A temporary name that is about to be made, or that is gone. Absolute paths: the working folder may
  // change.
  void add(const std::filesystem::path& temporary);
  void drop(const std::filesystem::path& temporary);
  // The place `path`, named so by the user, has its new content. Files in temporary folders do not count.
  void complete(const std::filesystem::path& path);

  void add_child(pid_t child);  // leader of its process group
  void drop_child(pid_t child);
  void forget_all();  // in a fork of this process: all of it is the parent's

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace steelyard
