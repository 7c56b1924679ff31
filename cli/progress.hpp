// One line of progress on the terminal; nothing elsewhere.
#pragma once

#include <chrono>
#include <string>

namespace cli {

class Progress {
 public:
  explicit Progress(bool quiet);  // also quiet when standard error is no terminal
  ~Progress();                    // removes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Shown once the stage has lasted a second; with the time left when it can be estimated.
  void report(const std::string& stage, double share);

 private:
  void clear();

  bool enabled_ = false;
  bool shown_ = false;
  std::string stage_;
  std::chrono::steady_clock::time_point begin_, last_;
};

}  // namespace cli
