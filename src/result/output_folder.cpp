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
#include "steelyard/core/temporary.hpp"
#include "steelyard/result/replaceable.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& what, const fs::path& path, int number) {
  throw MachineError({what + ": " + std::strerror(number),
                      {path.string(), 0, 0, ""},
                      "",
                      "check the disk and the permissions"});
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
    throw InputError({"the output folder exists and is not a folder",
                      {given.string(), 0, 0, ""},
                      "",
                      "choose another name or remove the file"});
  const fs::path working = fs::weakly_canonical(fs::current_path(error), error);
  if (!target.has_relative_path() || contains(target, working))
    throw InputError({"the output folder would replace the working folder or one above it",
                      {given.string(), 0, 0, ""},
                      "an existing output folder is replaced as a whole",
                      "name a separate folder, for example 'out'"});
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

// Where a folder that could not be exchanged steps aside.
fs::path aside_of(const fs::path& target) {
  return target.parent_path() / ("." + target.filename().string() + ".replaced-by-steelyard");
}

// One program at a time looks at the place of an output folder and takes it: a lock on the nearest folder
// above that exists. Where folders cannot be locked there is none.
class PlaceLock {
 public:
  explicit PlaceLock(const fs::path& target) {
    for (fs::path folder; folder != nearest_existing(target.parent_path());) {
      if (descriptor_ >= 0) ::close(descriptor_);
      folder = nearest_existing(target.parent_path());
      descriptor_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
      }
    }
    // A program was killed between the two steps of take_in_two_steps().
    std::error_code ignored;
    if (!fs::exists(target, ignored)) ::rename(aside_of(target).c_str(), target.c_str());
  }
  ~PlaceLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  PlaceLock(const PlaceLock&) = delete;
  PlaceLock& operator=(const PlaceLock&) = delete;

 private:
  int descriptor_ = -1;
};

// Without an exchange: the old folder steps aside, and comes back if the new one cannot take its place.
bool take_in_two_steps(const fs::path& temporary, const fs::path& target, Unfinished& unfinished) {
  const fs::path aside = aside_of(target);
  std::error_code ignored;
  fs::remove_all(aside, ignored);
  if (::rename(target.c_str(), aside.c_str()) != 0) return false;
  if (::rename(temporary.c_str(), target.c_str()) == 0) {
    unfinished.add(aside);
    return true;
  }
  const int number = errno;
  ::rename(aside.c_str(), target.c_str());
  errno = number;
  return false;
}

}  // namespace

void write_atomically(const fs::path& path, std::string_view text) {
  AtomicFile file(path.string());
  file.write(text);
  file.commit();
}

OutputFolder::OutputFolder(const fs::path& target, std::vector<fs::path> inputs)
    : target_(checked_target(target)), given_(target), inputs_(std::move(inputs)) {
  const PlaceLock place(target_);
  check_replaceable_folder(target_, given_, inputs_);
  const fs::path beside = nearest_existing(target_.parent_path());
  try {
    temporary_ = std::make_unique<Temporary>(beside, target_.filename().string(), TemporaryKind::folder);
  } catch (const std::system_error& error) {
    fail("cannot write here", beside, error.code().value());
  }
}

OutputFolder::~OutputFolder() = default;

const fs::path& OutputFolder::path() const {
  require(temporary_ != nullptr, "an output folder was used after its commit");
  return temporary_->path();
}

void OutputFolder::write(const fs::path& name, std::string_view text) {
  const fs::path plain = name.lexically_normal();
  if (plain.empty() || plain == "." || plain.is_absolute() || *plain.begin() == ".." || !plain.has_filename())
    throw InputError({"'" + name.string() + "' is not the name of a file inside the output folder",
                      {target_.string(), 0, 0, ""},
                      "a relative path without '..'",
                      ""});
  const fs::path file = path() / plain;
  if (Unfinished unfinished; plain.has_parent_path()) {
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error) fail("cannot create a folder", file.parent_path(), error.value());
  }
  write_atomically(file, text);
}

void OutputFolder::commit() {
  write_atomically(path() / kWrittenList, written_list(path()));
  bool stepped_aside = false;
  {
    const PlaceLock place(target_);
    check_replaceable_folder(target_, given_, inputs_);  // hours may have passed
    stepped_aside = take_place();
  }
  temporary_.reset();  // with the old folder, if there was one
  if (!stepped_aside) return;
  std::error_code ignored;
  fs::remove_all(aside_of(target_), ignored);
  Unfinished().drop(aside_of(target_));
}

// All under one `Unfinished`: an interrupt comes before or after.
bool OutputFolder::take_place() {
  Unfinished unfinished;
  const fs::path from = path();
  std::error_code error;
  fs::create_directories(target_.parent_path(), error);
  if (error) fail("cannot create a folder", target_.parent_path(), error.value());
  // Where folders cannot be locked, another program may put one there meanwhile.
  for (int attempt = 0; attempt < 100; ++attempt) {
    const bool replaces = fs::is_directory(target_, error);
    const bool exchanged = replaces && exchange(from, target_);
    const bool aside = replaces && !exchanged && take_in_two_steps(from, target_, unfinished);
    if (exchanged || aside || (!replaces && ::rename(from.c_str(), target_.c_str()) == 0)) {
      if (!exchanged) temporary_->moved(unfinished);
      unfinished.complete(given_);
      return aside;
    }
    if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOENT) break;
  }
  fail("the output folder cannot be moved into place", target_, errno);
}

}  // namespace steelyard
