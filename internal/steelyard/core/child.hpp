// A child process that answers lines with lines.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "steelyard/core/child_process.hpp"

namespace steelyard::inline STEELYARD_ABI {

// What a child is called in messages.
struct ChildWords {
  std::string kind = "source";
  std::string name;
  std::string limit = "one answer for every configuration";  // when it does not answer any more
  std::string remedy = "run it by hand with one line of joint positions";
  std::string late_limit = "one whole line for every line it reads, written out at once";  // when it is late
  std::string late_remedy = "raise `time_limit`, or make sure that it flushes its output";
};

// The child's side: one line, whatever line ends the text has. Ends the process when the reader has gone.
void write_line(int out, std::string text);

class Child {
 public:
  // Runs a program. Throws MachineError when it cannot be started.
  Child(const std::vector<std::string>& command, const std::string& folder);
  // Runs `serve` on the two descriptors in a fork of this process.
  Child(const std::function<void(int in, int out)>& serve, ChildWords words);

  // Writes a line and gives the next line of the child, without its end. Throws MachineError when the child
  // has ended or does not answer in time; its process group is then killed.
  std::string ask(const std::string& line, double seconds);
  // The next line alone.
  std::string next_line(double seconds);

  const std::string& name() const { return words_.name; }

 private:
  void require_answer(ChildState state, double seconds);

  ChildWords words_;
  std::unique_ptr<ChildProcess> process_;
  std::string read_;  // of its answers, not yet used
};

}  // namespace steelyard
