#include "steelyard/core/temporary.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

namespace steelyard::inline STEELYARD_ABI {

namespace fs = std::filesystem;

namespace {

constexpr int kTriedNames = 1000;

std::string partial_prefix(const std::string& stem) {
  return "." + stem + ".partial-";
}

// PREFIX, digits, "-", digits.
bool is_partial_name(const std::string& name, const std::string& prefix) {
  constexpr const char* kDigits = "0123456789";
  if (!name.starts_with(prefix)) return false;
  const std::size_t dash = name.find_first_not_of(kDigits, prefix.size());
  return dash != std::string::npos && dash > prefix.size() && name[dash] == '-' && dash + 1 < name.size() &&
         name.find_first_not_of(kDigits, dash + 1) == std::string::npos;
}

// Whether the descriptor is what stands under the name now.
bool is_named(int descriptor, const fs::path& path, struct stat& opened) {
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

void remove_if_ownerless(const fs::path& path) {
  // Without O_NONBLOCK a named pipe would wait for its writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat status {};
  std::error_code ignored;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_named(descriptor, path, status) &&
      status.st_uid == ::geteuid())
    fs::remove_all(path, ignored);
  ::close(descriptor);
}

void remove_left_by_killed(const fs::path& folder, const std::string& stem) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (is_partial_name(entry->path().filename().string(), partial_prefix(stem)))
      found.push_back(entry->path());
  for (const fs::path& path : found) remove_if_ownerless(path);
}

}  // namespace

Temporary::Temporary(const fs::path& folder, const std::string& stem, TemporaryKind kind) {
  const fs::path place = fs::absolute(folder);
  remove_left_by_killed(place, stem);
  for (int k = 0; k < kTriedNames; ++k) {
    path_ = place / fmt::format("{}{}-{}", partial_prefix(stem), getpid(), k);
    if (make(kind)) return;
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) break;
  }
  throw std::system_error(errno, std::generic_category());
}

// False with EEXIST: the name is taken, or another process has taken it for one of a killed program.
bool Temporary::make(TemporaryKind kind) {
  Unfinished unfinished;
  if (kind == TemporaryKind::file) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) return false;
  } else {
    if (::mkdir(path_.c_str(), kind == TemporaryKind::folder ? 0777 : 0700) != 0) return false;
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  const bool taken = descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  struct stat status {};
  std::error_code ignored;
  if (!taken && (descriptor_ >= 0 ? is_named(descriptor_, path_, status) : fs::exists(path_, ignored))) {
    unfinished.add(path_);
    return true;
  }
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  errno = EEXIST;
  return false;
}

void Temporary::moved(Unfinished& unfinished) {
  unfinished.drop(path_);
  path_.clear();
}

Temporary::~Temporary() {
  std::error_code ignored;
  if (!path_.empty()) {
    fs::remove_all(path_, ignored);
    Unfinished().drop(path_);
  }
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace steelyard
