// A folder that goes with its object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

class TemporaryFolder {
 public:
  // In `parent`; empty: where temporary files go on this machine.
  explicit TemporaryFolder(const std::string& name, std::filesystem::path parent = {}) {
    if (parent.empty()) parent = std::filesystem::temp_directory_path();
    path_ = (parent / (name + "-XXXXXX")).string();
    if (mkdtemp(path_.data()) == nullptr)
      throw std::runtime_error("no folder can be made in " + parent.string());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};
