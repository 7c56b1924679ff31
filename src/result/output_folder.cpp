#include "steelyard/result/output_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "steelyard/core/atomic_file.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/result/replaceable.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& what, const fs::path& path, int number) {
  throw MachineError(
      {what + ": " + std::strerror(number), {path.string(), 0, 0, ""}, "", "check disk and permission"});
}

// First free name ".NAME.partial-PID-N" beside `path` for which `make` succeeds. Names are tried, not looked
// up, so that two programs never share one; mode bits follow the user's umask.
template <typename Make>
fs::path make_beside(const fs::path& folder, const fs::path& name, const char* kind, const Make& make) {
  for (int i = 0; i < 1000; ++i) {
    fs::path candidate = folder / ("." + name.string() + "." + kind + "-" + std::to_string(getpid()) + "-" +
                                   std::to_string(i));
    errno = 0;
    if (make(candidate)) return candidate;
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) break;
  }
  fail("cannot write here", folder, errno);
}

std::string partial_prefix(const fs::path& target) {
  return "." + target.filename().string() + ".partial-";
}

// A descriptor that holds the folder's lock; -1: somebody else has it, or there is none to be had.
int lock_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0 && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  const int number = errno;
  if (descriptor >= 0) ::close(descriptor);
  errno = number;
  return -1;
}

// What killed programs have left beside the target.
void remove_abandoned(const fs::path& folder, const fs::path& target) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().starts_with(partial_prefix(target))) found.push_back(entry->path());
  for (const fs::path& path : found) {
    const int descriptor = lock_folder(path);
    if (descriptor < 0) continue;
    fs::remove_all(path, error);
    ::close(descriptor);
  }
}

fs::path nearest_existing(fs::path folder) {
  std::error_code ignored;
  while (!fs::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

// True when `folder` is `inner` or contains it.
bool contains(const fs::path& folder, const fs::path& inner) {
  auto at = inner.begin();
  for (const fs::path& part : folder) {
    if (at == inner.end() || *at != part) return false;
    ++at;
  }
  return true;
}

fs::path checked_target(const fs::path& given) {
  if (given.empty()) throw InputError({"the output folder has an empty name", {}, "", "name a folder"});
  std::error_code error;
  fs::path target = fs::weakly_canonical(fs::absolute(given, error), error);
  if (error) fail("cannot be looked up", given, error.value());
  if (!target.has_filename()) target = target.parent_path();
  if (fs::exists(target, error) && !fs::is_directory(target, error))
    throw InputError({"the output folder exists and is no folder",
                      {given.string(), 0, 0, ""},
                      "",
                      "choose another name or remove the file"});
  const fs::path working = fs::weakly_canonical(fs::current_path(error), error);
  if (!target.has_relative_path() || contains(target, working))
    throw InputError({"the output folder would replace the working folder or one above it",
                      {given.string(), 0, 0, ""},
                      "an existing output folder is replaced as a whole",
                      "name a folder of its own, for example 'out'"});
  return target;
}

// Both folders change names at once; false when the system or the file system cannot.
bool exchange(const fs::path& one, const fs::path& other) {
#ifdef RENAME_EXCHANGE
  return ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0;
#else
  static_cast<void>(one);
  static_cast<void>(other);
  return false;
#endif
}

// Without an exchange: the old folder steps aside, and comes back if the new one cannot take its place.
void replace_in_two_steps(const fs::path& temporary, const fs::path& target) {
  const fs::path aside =
      make_beside(target.parent_path(), target.filename(), "old",
                  [&](const fs::path& name) { return ::rename(target.c_str(), name.c_str()) == 0; });
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    const int number = errno;
    ::rename(aside.c_str(), target.c_str());
    fail("the output folder cannot take its place", target, number);
  }
  std::error_code ignored;
  fs::remove_all(aside, ignored);
}

}  // namespace

void write_atomically(const fs::path& path, std::string_view text) {
  AtomicFile file(path.string());
  file.write(text);
  file.commit();
}

void remove_partial_folders(const fs::path& target) noexcept {
  try {
    const fs::path place = checked_target(target), folder = nearest_existing(place.parent_path());
    const std::string own = partial_prefix(place) + std::to_string(getpid()) + "-";
    std::error_code error;
    // Threads that still write may put a file into what is being removed.
    for (int attempt = 0; attempt < 5; ++attempt)
      for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().filename().string().starts_with(own)) fs::remove_all(entry.path(), error);
  } catch (const std::exception&) {
    // Whoever writes here next removes it.
  }
}

OutputFolder::OutputFolder(const fs::path& target, std::vector<fs::path> inputs)
    : target_(checked_target(target)), given_(target), inputs_(std::move(inputs)) {
  check_replaceable_folder(target_, given_, inputs_);
  const fs::path beside = nearest_existing(target_.parent_path());
  remove_abandoned(beside, target_);
  temporary_ = make_beside(beside, target_.filename(), "partial", [&](const fs::path& name) {
    if (::mkdir(name.c_str(), 0777) != 0) return false;
    lock_ = lock_folder(name);
    // Between the two calls another program may have taken the folder for an abandoned one.
    const bool taken = lock_ < 0 && errno == EWOULDBLOCK;
    std::error_code error;
    if (!taken && fs::is_directory(name, error)) return true;
    if (lock_ >= 0) ::close(std::exchange(lock_, -1));
    errno = EEXIST;
    return false;
  });
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

void OutputFolder::write(const fs::path& name, std::string_view text) {
  require(!temporary_.empty(), "an output folder was written to after its commit");
  const fs::path plain = name.lexically_normal();
  if (plain.empty() || plain == "." || plain.is_absolute() || *plain.begin() == ".." || !plain.has_filename())
    throw InputError({"'" + name.string() + "' is no name of a file inside the output folder",
                      {target_.string(), 0, 0, ""},
                      "a relative path without '..'",
                      ""});
  const fs::path path = temporary_ / plain;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) fail("cannot make a folder", path.parent_path(), error.value());
  write_atomically(path, text);
}

void OutputFolder::commit() {
  require(!temporary_.empty(), "an output folder was committed twice");
  check_replaceable_folder(target_, given_, inputs_);  // hours may have passed
  write_atomically(temporary_ / kWrittenList, written_list(temporary_));
  std::error_code error;
  fs::create_directories(target_.parent_path(), error);
  if (error) fail("cannot make a folder", target_.parent_path(), error.value());
  const bool replaces = fs::is_directory(target_, error);
  if (replaces && exchange(temporary_, target_)) {
    // The temporary name now holds the old folder.
    fs::remove_all(temporary_, error);
  } else if (replaces) {
    replace_in_two_steps(temporary_, target_);
  } else if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    fail("the output folder cannot take its place", target_, errno);
  }
  temporary_.clear();
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
