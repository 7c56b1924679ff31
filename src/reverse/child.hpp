// A child process that answers lines with lines.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

class Child {
 public:
  // Runs a program. Throws MachineError when it cannot be started.
  Child(const std::vector<std::string>& command, const std::string& folder);
  // Runs `serve` on the two descriptors in a fork of this process.
  Child(const std::function<void(int in, int out)>& serve, std::string name);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Writes a line and gives the next line of the child, without its end. Throws MachineError when the child
  // has ended or does not answer in time; its process group is then gone.
  std::string ask(const std::string& line, double seconds);
  // The next line alone.
  std::string next_line(double seconds);

  const std::string& name() const { return name_; }

 private:
  struct Pipes;
  void start(const Pipes& pipes);
  void send(const std::string& text, double seconds);
  void listen();      // to what the child writes on its standard error
  std::string end();  // kills and reaps; how it ended, in words
  [[noreturn]] void fail_ended();
  [[noreturn]] void fail_late(double seconds);

  std::string name_;
  int process_ = -1;
  int to_ = -1, from_ = -1, errors_ = -1;
  std::string read_;    // of its answers, not yet used
  std::string spoken_;  // last words on its standard error
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
