#include "steelyard/core/atomic_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/core/temporary.hpp"

namespace steelyard::inline STEELYARD_ABI {

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  struct stat there {};
  if (stat(path_.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
    throw InputError({fmt::format("{} is not a regular file and cannot be replaced", quoted(path_, 200)),
                      {path_, 0, 0, {}},
                      {},
                      "choose another name for the output"});
  }
  const std::filesystem::path place(path_), folder = place.parent_path();
  try {
    temporary_ = std::make_unique<Temporary>(folder.empty() ? "." : folder, place.filename().string(),
                                             TemporaryKind::file);
  } catch (const std::system_error& error) {
    fail("cannot be made", error.code().value());
  }
}

AtomicFile::~AtomicFile() = default;

void AtomicFile::write(std::string_view bytes) {
  require(temporary_ != nullptr, "a committed file is not written to");
  while (!bytes.empty()) {
    const ssize_t written = ::write(temporary_->descriptor(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  require(temporary_ != nullptr, "a file is committed once");
  if (fsync(temporary_->descriptor()) != 0) fail("cannot be written", errno);
  {
    Unfinished unfinished;
    if (std::rename(temporary_->path().c_str(), path_.c_str()) != 0) fail("cannot be put in place", errno);
    temporary_->moved(unfinished);
    unfinished.complete(path_);
  }
  temporary_.reset();
}

void AtomicFile::fail(const char* action, int error) const {
  throw MachineError({fmt::format("the file {}: {}", action, std::strerror(error)),
                      {path_, 0, 0, {}},
                      {},
                      "check the folder, its permissions and the free space"});
}

}  // namespace steelyard
