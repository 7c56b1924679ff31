#include "steelyard/core/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <utility>

#include "steelyard/core/error.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Both ends of what joins parent and child; [0] is the parent's.
struct Child::Pipes {
  int input[2] = {-1, -1}, output[2] = {-1, -1}, errors[2] = {-1, -1};

  Pipes() {
    // A socket, so that writing to a child that has ended is an error and no signal.
    const bool made = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) == 0 &&
                      ::pipe2(output, O_CLOEXEC) == 0 && ::pipe2(errors, O_CLOEXEC) == 0;
    if (!made) {
      close_all();
      throw MachineError(
          {fmt::format("cannot create a pipe to a child process: {}", std::strerror(errno)), {}, "", ""});
    }
  }
  void close_all() const {
    for (const int* ends : {input, output, errors})
      for (int k = 0; k < 2; ++k)
        if (ends[k] >= 0) ::close(ends[k]);
  }
};

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kLongestLine = std::size_t{1} << 22;
constexpr std::size_t kLastWords = 400;

int left_until(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left + 1, 0, 1'000'000'000));
}

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::microseconds(static_cast<long long>(1e6 * std::min(seconds, 1e6)));
}

// Only calls that are safe after fork.
void enter_child(int in, int out, int errors) {
  ::setpgid(0, 0);
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  for (const int crash : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGPIPE, SIGINT, SIGTERM})
    std::signal(crash, SIG_DFL);
  ::dup2(in, 0);
  ::dup2(out, 1);
  ::dup2(errors, 2);
}

}  // namespace

void write_line(int out, std::string text) {
  for (char& letter : text)
    if (letter == '\n') letter = ' ';
  text += '\n';
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = ::write(out, text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR) ::_exit(0);  // nobody listens any more
    if (count > 0) written += static_cast<std::size_t>(count);
  }
}

void Child::start(const Pipes& pipes) {
  ::close(pipes.input[1]);
  ::close(pipes.output[1]);
  ::close(pipes.errors[1]);
  to_ = pipes.input[0];
  from_ = pipes.output[0];
  errors_ = pipes.errors[0];
  for (const int end : {to_, from_, errors_}) ::fcntl(end, F_SETFL, ::fcntl(end, F_GETFL) | O_NONBLOCK);
  ::setpgid(process_, process_);  // whoever of the two comes first
}

Child::Child(const std::vector<std::string>& command, const std::string& folder) {
  if (!command.empty()) words_.name = command.front();
  if (command.empty()) throw InputError({"the source program has no name", {}, "", ""});
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const Pipes pipes;
  int trouble[2] = {-1, -1};
  if (::pipe2(trouble, O_CLOEXEC) != 0) {
    pipes.close_all();
    throw MachineError(
        {fmt::format("cannot create a pipe to a child process: {}", std::strerror(errno)), {}, "", ""});
  }
  process_ = ::fork();
  if (process_ == 0) {
    enter_child(pipes.input[1], pipes.output[1], pipes.errors[1]);
    if (folder.empty() || ::chdir(folder.c_str()) == 0) ::execvp(arguments[0], arguments.data());
    const int reason = errno;
    const ssize_t told = ::write(trouble[1], &reason, sizeof reason);
    ::_exit(told > 0 ? 127 : 126);
  }
  ::close(trouble[1]);
  start(pipes);
  int reason = process_ < 0 ? EAGAIN : 0;
  if (process_ > 0 && ::read(trouble[0], &reason, sizeof reason) <= 0) reason = 0;
  ::close(trouble[0]);
  if (reason == 0) return;
  end();
  throw MachineError(
      {fmt::format("the source '{}' cannot be started: {}", words_.name, std::strerror(reason)),
       {},
       "an executable program",
       "check its path and that it is executable"});
}

Child::Child(const std::function<void(int in, int out)>& serve, ChildWords words) : words_(std::move(words)) {
  const Pipes pipes;
  process_ = ::fork();
  if (process_ == 0) {
    enter_child(pipes.input[1], pipes.output[1], pipes.errors[1]);
    // Answers go to a descriptor of their own: what a library prints must not be taken for one.
    const int in = ::dup(0), out = ::dup(1), nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, 0);
    ::dup2(nothing, 1);
    try {
      serve(in, out);
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  start(pipes);
  if (process_ < 0) {
    end();
    throw MachineError({fmt::format("cannot start a child process for {}", words_.name), {}, "", ""});
  }
}

Child::~Child() {
  end();
}

std::string Child::end() {
  for (int* descriptor : {&to_, &from_, &errors_}) {
    if (descriptor == &errors_) listen();
    if (*descriptor >= 0) ::close(*descriptor);
    *descriptor = -1;
  }
  if (process_ <= 0) return "it has exited";
  int status = 0;
  // One that has ended by itself says how; the rest of its group goes with it.
  bool ended = false;
  for (int k = 0; k < 20 && !ended; ++k) {
    ended = ::waitpid(process_, &status, WNOHANG) == process_;
    if (!ended) ::poll(nullptr, 0, 1);
  }
  ::kill(-process_, SIGKILL);
  if (!ended) ::waitpid(process_, &status, 0);
  process_ = -1;
  if (!ended) return "it was killed";
  if (WIFSIGNALED(status)) return fmt::format("it was terminated by signal {}", WTERMSIG(status));
  return fmt::format("it exited with code {}", WEXITSTATUS(status));
}

void Child::listen() {
  char bytes[1024];
  for (ssize_t got = 0; errors_ >= 0 && (got = ::read(errors_, bytes, sizeof bytes)) > 0;) {
    spoken_.append(bytes, static_cast<std::size_t>(got));
    if (spoken_.size() > kLastWords) spoken_.erase(0, spoken_.size() - kLastWords);
  }
}

void Child::fail_ended() {
  const std::string how = end();
  while (!spoken_.empty() && spoken_.back() == '\n') spoken_.pop_back();
  throw MachineError({fmt::format("the {} '{}' no longer answers: {}{}", words_.kind, words_.name, how,
                                  spoken_.empty() ? "" : "; its last output: " + spoken_),
                      {},
                      words_.limit,
                      words_.remedy});
}

void Child::fail_late(double seconds) {
  ::kill(-process_, SIGKILL);
  end();
  throw MachineError({fmt::format("the {} '{}' did not answer within {:g} s and was killed", words_.kind,
                                  words_.name, seconds),
                      {},
                      words_.late_limit,
                      words_.late_remedy});
}

void Child::send(const std::string& text, double seconds) {
  if (to_ < 0) fail_ended();
  const Clock::time_point limit = after(seconds);
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = ::send(to_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count > 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN || errno == EINTR) {
      pollfd wait{to_, POLLOUT, 0};
      if (::poll(&wait, 1, left_until(limit)) == 0) fail_late(seconds);
    } else {
      return;  // it has ended; what it said before is read, then the end is told
    }
  }
}

std::string Child::next_line(double seconds) {
  const Clock::time_point limit = after(seconds);
  while (true) {
    if (const std::size_t stop = read_.find('\n'); stop != std::string::npos) {
      std::string line = read_.substr(0, stop);
      read_.erase(0, stop + 1);
      return line;
    }
    if (read_.size() > kLongestLine)
      throw InputError({fmt::format("the {} '{}' wrote a line of more than {} bytes", words_.kind,
                                    words_.name, kLongestLine),
                        {},
                        "",
                        ""});
    pollfd wait[] = {{from_, POLLIN, 0}, {errors_, POLLIN, 0}};
    const int ready = ::poll(wait, spoken_.size() < kLastWords ? 2 : 1, left_until(limit));
    if (ready == 0) fail_late(seconds);
    listen();
    char bytes[4096];
    const ssize_t got = ::read(from_, bytes, sizeof bytes);
    if (got > 0)
      read_.append(bytes, static_cast<std::size_t>(got));
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
      fail_ended();
    else if ((wait[1].revents & POLLHUP) != 0)
      ::poll(nullptr, 0, 1);  // its standard error is closed for good: do not spin
  }
}

std::string Child::ask(const std::string& line, double seconds) {
  send(line + "\n", seconds);
  return next_line(seconds);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
