// A child process that answers lines with lines.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// What a child is called in messages.
struct ChildWords {
  std::string kind = "source";
  std::string name;
  std::string limit = "one answer for every configuration";  // when it does not answer any more
  std::string remedy = "run it by hand with one line of joint positions";
  std::string late_limit = "one whole line for every line it reads, written out at once";  // when it is late
  std::string late_remedy = "raise `time_limit`, or see that it flushes its output";
};

// The child's side: one line, whatever line ends the text has. Ends the process when nobody listens any more.
void write_line(int out, std::string text);

class Child {
 public:
  // Runs a program. Throws MachineError when it cannot be started.
  Child(const std::vector<std::string>& command, const std::string& folder);
  // Runs `serve` on the two descriptors in a fork of this process.
  Child(const std::function<void(int in, int out)>& serve, ChildWords words);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Writes a line and gives the next line of the child, without its end. Throws MachineError when the child
  // has ended or does not answer in time; its process group is then gone.
  std::string ask(const std::string& line, double seconds);
  // The next line alone.
  std::string next_line(double seconds);

  const std::string& name() const { return words_.name; }

 private:
  struct Pipes;
  void start(const Pipes& pipes);
  void send(const std::string& text, double seconds);
  void listen();      // to what the child writes on its standard error
  std::string end();  // kills and reaps; how it ended, in words
  [[noreturn]] void fail_ended();
  [[noreturn]] void fail_late(double seconds);

  ChildWords words_;
  int process_ = -1;
  int to_ = -1, from_ = -1, errors_ = -1;
  std::string read_;    // of its answers, not yet used
  std::string spoken_;  // last words on its standard error
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
