// A child process: a program (fork and exec) or a function (fork) behind pipes.
//
//   to      what the parent writes, the child's standard input or `in`
//   from    the child's answers, its standard output or `out`
//   errors  its standard error; its tail is kept for messages
//
// The child leads a process group of its own and dies with the thread that started it; signals are at their
// defaults, no descriptor of the host is left open, and a function leaves no core and may have a limit on its
// memory. end() and the destructor kill the group and reap the child: no zombies. An interrupt kills it, too
// (unfinished.hpp).
//
// A function runs in a fork without exec: one thread that calls malloc, the file system and libraries, then
// _exit: no exit handler runs and no buffer of the host is written twice. glibc keeps malloc and the loader
// usable after fork.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct ChildProgram {
  std::vector<std::string> command;
  std::string folder = {};       // where it runs; empty: here
  std::string temporaries = {};  // its TMPDIR; empty: as here
};

struct ChildEnd {
  bool killed = false;  // by us
  int signal = 0;       // that ended it
  int code = 0;         // that it ended with
  std::string to_string() const;
};

enum class ChildState {
  answers,
  ended,  // has closed its side
  late,   // no answer within the time allowed
  loops,  // has used the processor's time allowed
};

class ChildProcess {
 public:
  explicit ChildProcess(const ChildProgram& program);  // throws std::system_error
  // `memory`: bytes beyond what the host has, 0 for no limit; not under sanitizers.
  explicit ChildProcess(const std::function<void(int in, int out)>& serve, std::uint64_t memory = 0);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Time from now on, for all that is sent and received until the next call.
  void allow(double seconds, double processor_seconds = std::numeric_limits<double>::infinity());
  ChildState send(std::string_view bytes);
  struct Received {
    ChildState state = ChildState::ended;
    std::size_t count = 0;  // of bytes, when it answers
  };
  Received receive(void* bytes, std::size_t max_bytes);

  // Waits the grace period for it to end by itself, then kills the whole group.
  ChildEnd end(double grace_seconds);
  const std::string& last_words() const { return words_; }

 private:
  struct Pipes;
  using Clock = std::chrono::steady_clock;
  void start(const Pipes& pipes);
  int wait(int descriptor, short events);  // of poll(), in small steps
  ChildState overdue() const;              // `answers`: there is time left
  double processor_seconds() const;
  void listen();

  pid_t process_ = -1;
  int to_ = -1, from_ = -1, errors_ = -1;
  Clock::time_point until_ = Clock::time_point::max();
  double processor_until_ = std::numeric_limits<double>::infinity();
  std::string words_;
};

}  // namespace steelyard
