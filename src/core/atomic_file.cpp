#include "steelyard/core/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  struct stat there {};
  if (stat(path_.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
    throw InputError({fmt::format("{} is not a regular file and cannot be replaced", quoted(path_, 200)),
                      {path_, 0, 0, {}},
                      {},
                      "choose another name for the output"});
  }
  // O_EXCL with a few names instead of mkstemp: the file gets the permissions of an ordinary new file.
  int error = EEXIST;
  for (int attempt = 0; attempt < 100 && descriptor_ < 0 && error == EEXIST; ++attempt) {
    temporary_ = fmt::format("{}.part-{}-{}", path_, getpid(), attempt);
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    error = descriptor_ < 0 ? errno : 0;
  }
  if (descriptor_ < 0) fail("cannot be created", error);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  require(descriptor_ >= 0, "a committed file is not written to");
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  require(descriptor_ >= 0, "a file is committed once");
  if (fsync(descriptor_) != 0) fail("cannot be written", errno);
  const int closed = close(std::exchange(descriptor_, -1));
  if (closed != 0) fail("cannot be written", errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot be moved into place", errno);
  temporary_.clear();
}

void AtomicFile::fail(const char* action, int error) const {
  throw MachineError({fmt::format("the file {}: {}", action, std::strerror(error)),
                      {path_, 0, 0, {}},
                      {},
                      "check the folder, its permissions and the free space"});
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
