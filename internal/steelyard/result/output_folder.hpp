// Files that appear whole or not at all.
//
// A file is written beside its place and renamed into it. An output folder is filled under a temporary name
// beside its place and takes it by one rename; an existing folder is exchanged with it and then removed.
// Until commit() the old folder is as it was; a temporary folder that was not committed goes with its object.
//
// Several programs may write to one place: it holds the whole output of one of them.
//
// Does not hold on file systems that cannot rename over a name at once (some network shares): there the old
// folder is moved aside first (".NAME.replaced-by-steelyard"), and put back if the new one cannot take its place, at the latest
// by the next program that writes there. A killed program leaves its temporary folder behind
// (".NAME.partial-…"), never a half-written one under the real name; the next one that writes to the same
// place removes it (core/temporary.hpp).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Replaces or creates one file. Throws MachineError with the reason of the system; the old file is then as it
// was.
void write_atomically(const std::filesystem::path& path, std::string_view text);

class Temporary;

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
  const std::filesystem::path& path() const;
  const std::filesystem::path& target() const { return target_; }

  // `name` is relative to the folder and stays inside it; folders on the way are made.
  void write(const std::filesystem::path& name, std::string_view text);

  // The folder gets the list of its files and takes its place. Once only. Throws InputError when meanwhile
  // something was put there.
  void commit();

 private:
  bool take_place();  // whether the old folder stands aside now

  std::filesystem::path target_;
  std::filesystem::path given_;  // as the user named it
  std::vector<std::filesystem::path> inputs_;
  std::unique_ptr<Temporary> temporary_;  // none after commit()
};

}  // namespace steelyard
