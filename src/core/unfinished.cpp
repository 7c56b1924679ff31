#include "steelyard/core/unfinished.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "steelyard/core/atomic_file.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace fs = std::filesystem;

namespace {

struct UnfinishedWork {
  std::mutex mutex;
  std::vector<fs::path> temporaries;
  std::vector<pid_t> children;
  std::vector<std::string> complete;
};

// Never destroyed: an interrupt may come while the process exits.
UnfinishedWork& unfinished_work() {
  static auto* const work = new UnfinishedWork;
  return *work;
}

bool is_below(const fs::path& inner, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), inner.begin(), inner.end()).first == folder.end();
}

void kill_children(const std::vector<pid_t>& children) {
  for (const pid_t child : children)
    if (::kill(-child, SIGKILL) != 0) ::kill(child, SIGKILL);
  for (const pid_t child : children)
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

// Processes that were killed a moment ago may still put a file into a folder that is being removed.
void remove_for_good(const fs::path& path) {
  std::error_code error;
  for (int attempt = 0; attempt < 100; ++attempt) {
    fs::remove_all(path, error);
    if (fs::symlink_status(path, error).type() == fs::file_type::not_found) return;
    ::poll(nullptr, 0, 5);
  }
}

}  // namespace

Unfinished::Unfinished() : lock_(unfinished_work().mutex) {}

void Unfinished::add(const fs::path& temporary) {
  unfinished_work().temporaries.push_back(temporary);
}

void Unfinished::drop(const fs::path& temporary) {
  std::erase(unfinished_work().temporaries, temporary);
}

void Unfinished::complete(const fs::path& path) {
  UnfinishedWork& work = unfinished_work();
  std::error_code ignored;
  const fs::path place = fs::absolute(path, ignored);
  if (std::none_of(work.temporaries.begin(), work.temporaries.end(),
                   [&](const fs::path& temporary) { return is_below(place, temporary); }))
    work.complete.push_back(path.string());
}

void Unfinished::add_child(pid_t child) {
  unfinished_work().children.push_back(child);
}

void Unfinished::drop_child(pid_t child) {
  std::erase(unfinished_work().children, child);
}

void Unfinished::forget_all() {
  UnfinishedWork& work = unfinished_work();
  work.temporaries.clear();
  work.children.clear();
  work.complete.clear();
}

std::vector<std::string> abandon_unfinished() noexcept {
  UnfinishedWork& work = unfinished_work();
  work.mutex.lock();  // for good
  kill_children(work.children);
  for (const fs::path& path : work.temporaries) remove_for_good(path);
  return work.complete;
}

}  // namespace steelyard
