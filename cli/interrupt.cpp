#include "interrupt.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <thread>

#include "output.hpp"
#include "steelyard/result/output_folder.hpp"

namespace cli {
namespace {

int wake_end = -1;  // of the pipe between handler and thread

extern "C" void wake(int number) {
  const int saved = errno;
  const char byte = static_cast<char>(number);
  [[maybe_unused]] const ssize_t written = ::write(wake_end, &byte, 1);
  errno = saved;
}

[[noreturn]] void end(int number, const std::string& out) {
  std::string kept = "nothing was written";
  if (!out.empty()) {
    steelyard::remove_partial_folders(out);
    std::error_code ignored;
    if (std::filesystem::exists(out, ignored)) kept += "; '" + out + "' is as it was";
    if (std::filesystem::exists(out + ".state", ignored))
      kept += "; robots that were finished are kept in '" + out + ".state' for the next start";
  }
  print_problem(std::string("\nsteelyard: ") + (number == SIGINT ? "interrupted" : "terminated") + ": " +
                kept);
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
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  for (const int number : {SIGINT, SIGTERM}) {
    // Whoever starts the program with the signal ignored (nohup, a shell's background) wants it so.
    struct sigaction before {};
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaction(number, &action, nullptr);
  }
}

}  // namespace cli
