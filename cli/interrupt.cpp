#include "interrupt.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "output.hpp"
#include "steelyard/core/atomic_file.hpp"

namespace cli {
namespace {

int wake_end = -1;  // of the pipe between handler and thread

extern "C" void wake(int number) {
  const int saved = errno;
  const char byte = static_cast<char>(number);
  [[maybe_unused]] const ssize_t written = ::write(wake_end, &byte, 1);
  // The output has no reader: this thread must not continue and report a failed write.
  while (number == SIGPIPE) ::pause();
  errno = saved;
}

const char* name_of(int number) {
  switch (number) {
    case SIGINT:
      return "interrupted";
    case SIGHUP:
      return "the terminal was closed";
    case SIGXCPU:
      return "the limit on processor time is reached";
    default:
      return "terminated";
  }
}

std::string what_is_kept(const std::vector<std::string>& complete, const std::string& out) {
  for (const std::string& path : complete)
    if (path == out || out.empty()) return "'" + path + "' is complete";
  std::string kept = "nothing was written";
  if (out.empty()) return kept;
  std::error_code ignored;
  if (std::filesystem::exists(out, ignored)) kept += "; '" + out + "' is as it was";
  const std::string state = out + ".state";
  std::filesystem::remove(state, ignored);  // if it is empty
  if (std::filesystem::exists(state, ignored))
    kept += "; robots that were finished are kept in '" + state + "' for the next start";
  return kept;
}

[[noreturn]] void end(int number, const std::string& out) {
  const std::vector<std::string> complete = steelyard::abandon_unfinished();
  // A thread that waits in the handler for a broken pipe may own the stream.
  std::signal(SIGPIPE, SIG_IGN);
  if (number != SIGPIPE)
    print_problem(std::string("\nsteelyard: ") + name_of(number) + ": " + what_is_kept(complete, out));
  ::_exit(128 + number);
}

}  // namespace

void watch_interrupts(const std::string& out) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;  // the system's own handling stays
  wake_end = ends[1];
  std::thread([from = ends[0], out] {
    char number = 0;
    ssize_t got = 0;
    while ((got = ::read(from, &number, 1)) < 0 && errno == EINTR) {
    }
    if (got == 1) end(number, out);
  }).detach();
  struct sigaction action {};
  action.sa_handler = wake;
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU}) {
    // A signal that was ignored at the start (nohup, a shell's background job) stays ignored.
    struct sigaction before {};
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(number, &action, nullptr);
  }
}

}  // namespace cli
