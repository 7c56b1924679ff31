// Files that appear whole or not at all.
//
// A file is written beside its place and renamed into it. An output folder is filled under a temporary name
// beside its place and takes it by one rename; an existing folder is exchanged with it and then removed.
// Until commit() the old folder is as it was; a temporary folder that was not committed goes with its object.
//
// Does not hold on file systems that cannot rename over a name at once (some network shares): there the old
// folder is moved aside first, and put back if the new one cannot take its place. A killed program leaves its
// temporary folder behind (".NAME.partial-…"), never a half-written one under the real name. The next one
// that writes to the same place removes it: whoever works on a temporary folder holds a lock on it (flock),
// and the system takes locks from the dead. Where folders cannot be locked (some network shares) they stay.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Replaces or creates one file. Throws MachineError with the reason of the system; the old file is then as it
// was.
void write_atomically(const std::filesystem::path& path, std::string_view text);

// Removes temporary folders beside `target` that this process has begun; for programs that end at once.
// Throws nothing.
void remove_partial_folders(const std::filesystem::path& target) noexcept;

class OutputFolder {
 public:
  // Throws InputError when `target` is something else than a folder, or a folder that must not be replaced:
  // the root, the working folder or one above it, one that holds one of `inputs` or anything that this
  // program has not written (replaceable.hpp); MachineError when the temporary folder cannot be made.
  explicit OutputFolder(const std::filesystem::path& target, std::vector<std::filesystem::path> inputs = {});
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // Where files are written before commit().
  const std::filesystem::path& path() const { return temporary_; }
  const std::filesystem::path& target() const { return target_; }

  // `name` is relative to the folder and stays inside it; folders on the way are made.
  void write(const std::filesystem::path& name, std::string_view text);

  // The folder gets the list of its files and takes its place. Once only. Throws InputError when meanwhile
  // something was put there.
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path given_;  // as the user named it
  std::vector<std::filesystem::path> inputs_;
  std::filesystem::path temporary_;  // empty after commit()
  int lock_ = -1;                    // descriptor of the temporary folder
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
