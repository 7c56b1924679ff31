#include "steelyard/core/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include "steelyard/core/unfinished.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Both ends of what joins parent and child; [0] is the parent's.
struct ChildProcess::Pipes {
  int input[2] = {-1, -1}, output[2] = {-1, -1}, errors[2] = {-1, -1}, failure[2] = {-1, -1};

  Pipes() {
    // A socket, so that writing to a child that has ended is an error, not a signal.
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) == 0 && ::pipe2(output, O_CLOEXEC) == 0 &&
        ::pipe2(errors, O_CLOEXEC) == 0 && ::pipe2(failure, O_CLOEXEC) == 0)
      return;
    const int number = errno;
    for (const int* ends : {input, output, errors, failure}) close_ends(ends);
    throw std::system_error(number, std::generic_category(), "no pipe to a child process");
  }
  ~Pipes() { close_ends(failure); }
  Pipes(const Pipes&) = delete;
  Pipes& operator=(const Pipes&) = delete;

  static void close_ends(const int* ends) {
    for (int k = 0; k < 2; ++k)
      if (ends[k] >= 0) ::close(ends[k]);
  }
};

namespace {

constexpr std::size_t kLastWords = 400;
constexpr int kLookEvery = 200;       // [ms] at the processor's time
constexpr double kGraceAtEnd = 0.02;  // [s]

// The calls after fork are safe there. Descriptors of the host end here, or with exec.
void enter_child(const int (&ends)[3], bool program) {
  ::setpgid(0, 0);
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  for (const int number :
       {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGXCPU})
    std::signal(number, SIG_DFL);
  int above[3];  // the standard ones may be among the ends
  for (int k = 0; k < 3; ++k) above[k] = ::fcntl(ends[k], F_DUPFD_CLOEXEC, 3);
  for (int k = 0; k < 3; ++k) ::dup2(above[k], k);
#ifdef CLOSE_RANGE_CLOEXEC
  ::close_range(3, ~0U, program ? CLOSE_RANGE_CLOEXEC : 0);
#else
  for (int k = 0; k < 3 && !program; ++k) ::close(above[k]);
#endif
}

// Sanitizers reserve far more than any limit.
void limit_memory(std::uint64_t allowed) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  unsigned long long pages = 0;
  if (std::FILE* self = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(self, "%llu", &pages) != 1) pages = 0;
    std::fclose(self);
  }
  if (pages == 0) return;
  const rlim_t max_bytes = pages * static_cast<unsigned long long>(::sysconf(_SC_PAGESIZE)) + allowed;
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return;
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < max_bytes) return;
  limit.rlim_cur = max_bytes;
  ::setrlimit(RLIMIT_AS, &limit);
#else
  (void)allowed;
#endif
}

[[noreturn]] void call_in_child(const std::function<void(int, int)>& serve, std::uint64_t memory) {
  // Answers go to a descriptor of their own: what a library prints must not be mistaken for one.
  const int in = ::dup(0), out = ::dup(1), nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, 0);
  ::dup2(nothing, 1);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  try {
    if (memory > 0) limit_memory(memory);
    serve(in, out);
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace

std::string ChildEnd::to_string() const {
  if (killed) return "it was killed";
  if (signal > 0) return fmt::format("it was terminated by signal {}", signal);
  return fmt::format("it exited with code {}", code);
}

void ChildProcess::start(const Pipes& pipes) {
  for (const int* ends : {pipes.input, pipes.output, pipes.errors}) ::close(ends[1]);
  to_ = pipes.input[0];
  from_ = pipes.output[0];
  errors_ = pipes.errors[0];
  for (const int end : {to_, from_, errors_}) ::fcntl(end, F_SETFL, ::fcntl(end, F_GETFL) | O_NONBLOCK);
  if (process_ > 0) ::setpgid(process_, process_);  // in both processes: whichever runs first
}

ChildProcess::ChildProcess(const ChildProgram& program) {
  std::vector<char*> arguments;
  for (const std::string& word : program.command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const std::string temporaries = "TMPDIR=" + program.temporaries;
  std::vector<char*> variables;
  for (char** one = environ; *one != nullptr; ++one)
    if (program.temporaries.empty() || !std::string_view(*one).starts_with("TMPDIR="))
      variables.push_back(*one);
  if (!program.temporaries.empty()) variables.push_back(const_cast<char*>(temporaries.c_str()));
  variables.push_back(nullptr);
  Pipes pipes;
  {
    Unfinished unfinished;
    process_ = ::fork();
    if (process_ == 0) {
      enter_child({pipes.input[1], pipes.output[1], pipes.errors[1]}, true);
      if (program.folder.empty() || ::chdir(program.folder.c_str()) == 0)
        ::execvpe(arguments[0], arguments.data(), variables.data());
      const int reason = errno;
      const ssize_t written = ::write(pipes.failure[1], &reason, sizeof reason);
      ::_exit(written > 0 ? 127 : 126);
    }
    if (process_ > 0) unfinished.add_child(process_);
  }
  int reason = process_ < 0 ? errno : 0;
  start(pipes);
  ::close(std::exchange(pipes.failure[1], -1));
  if (process_ > 0 && ::read(pipes.failure[0], &reason, sizeof reason) <= 0) reason = 0;
  if (reason == 0) return;
  end(kGraceAtEnd);
  throw std::system_error(reason, std::generic_category());
}

ChildProcess::ChildProcess(const std::function<void(int in, int out)>& serve, std::uint64_t memory) {
  const Pipes pipes;
  {
    Unfinished unfinished;
    process_ = ::fork();
    if (process_ > 0) unfinished.add_child(process_);
    if (process_ == 0) unfinished.forget_all();
  }
  const int reason = errno;
  if (process_ == 0) {
    enter_child({pipes.input[1], pipes.output[1], pipes.errors[1]}, false);
    call_in_child(serve, memory);
  }
  start(pipes);
  if (process_ > 0) return;
  end(0);
  throw std::system_error(reason, std::generic_category());
}

ChildProcess::~ChildProcess() {
  end(kGraceAtEnd);
}

ChildEnd ChildProcess::end(double grace_seconds) {
  listen();
  for (int* descriptor : {&to_, &from_, &errors_}) {
    if (descriptor == &errors_) listen();
    if (*descriptor >= 0) ::close(*descriptor);
    *descriptor = -1;
  }
  ChildEnd how;
  if (process_ <= 0) return how;
  const auto limit = Clock::now() + std::chrono::duration<double>(grace_seconds);
  siginfo_t info{};  // a host may reap all children itself: then there is none to wait for
  bool is_child = true;
  const auto look = [&](int options) {
    info.si_pid = 0;
    int found = 0;
    do {
      found = ::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOWAIT | options);
    } while (found != 0 && errno == EINTR);
    is_child = found == 0;
    return !is_child || info.si_pid != 0;
  };
  while (!look(WNOHANG) && Clock::now() < limit) ::poll(nullptr, 0, 1);
  how.killed = is_child && info.si_pid == 0;
  if (::kill(-process_, SIGKILL) != 0 && how.killed) ::kill(process_, SIGKILL);
  look(0);
  if (is_child && !how.killed) (info.si_code == CLD_EXITED ? how.code : how.signal) = info.si_status;
  Unfinished unfinished;
  if (is_child) ::waitpid(process_, nullptr, 0);
  unfinished.drop_child(process_);
  process_ = -1;
  return how;
}

void ChildProcess::allow(double seconds, double processor_seconds_allowed) {
  constexpr double kLongest = 1e6;  // [s]
  until_ =
      Clock::now() + std::chrono::microseconds(static_cast<long long>(1e6 * std::min(seconds, kLongest)));
  processor_until_ = std::isinf(processor_seconds_allowed) ? processor_seconds_allowed
                                                           : processor_seconds() + processor_seconds_allowed;
}

double ChildProcess::processor_seconds() const {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(process_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

ChildState ChildProcess::overdue() const {
  if (!std::isinf(processor_until_) && processor_seconds() > processor_until_) return ChildState::loops;
  return Clock::now() > until_ ? ChildState::late : ChildState::answers;
}

// The child's standard error is read meanwhile, so that it never blocks on it.
int ChildProcess::wait(int descriptor, short events) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until_ - Clock::now()).count();
  const int step = static_cast<int>(std::clamp<long long>(left + 1, 0, kLookEvery));
  pollfd both[] = {{descriptor, events, 0}, {errors_, POLLIN, 0}};
  const int ready = ::poll(both, 2, step);
  listen();
  return ready > 0 && both[0].revents == 0 ? 0 : ready;
}

void ChildProcess::listen() {
  char bytes[1024];
  for (ssize_t got = 1; errors_ >= 0 && got > 0;) {
    got = ::read(errors_, bytes, sizeof bytes);
    if (got > 0) words_.append(bytes, static_cast<std::size_t>(got));
    if (words_.size() > kLastWords) words_.erase(0, words_.size() - kLastWords);
    if (got == 0) ::close(std::exchange(errors_, -1));  // closed for good: poll() leaves -1 out
  }
}

ChildState ChildProcess::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = to_ < 0 ? -1 : ::send(to_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (to_ >= 0 && (errno == EAGAIN || errno == EINTR)) {
      if (wait(to_, POLLOUT) > 0) continue;
      if (const ChildState state = overdue(); state != ChildState::answers) return state;
    } else {
      return ChildState::ended;
    }
  }
  return ChildState::answers;
}

ChildProcess::Received ChildProcess::receive(void* bytes, std::size_t max_bytes) {
  while (from_ >= 0) {
    const ssize_t got = ::read(from_, bytes, max_bytes);
    if (got > 0) return {ChildState::answers, static_cast<std::size_t>(got)};
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) break;
    if (wait(from_, POLLIN) > 0) continue;
    if (const ChildState state = overdue(); state != ChildState::answers) return {state, 0};
  }
  return {ChildState::ended, 0};
}

}  // namespace steelyard
