// One line of progress on the terminal; nothing elsewhere.
#pragma once

#include <chrono>
#include <optional>
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
  void report(const std::string& stage);  // how much is left is not known: the seconds so far

 private:
  void clear();
  std::optional<double> seconds_of(const std::string& stage);  // when the line is due
  void show(const std::string& line);

  bool enabled_ = false;
  bool shown_ = false;
  std::string stage_;
  std::chrono::steady_clock::time_point begin_, last_;
};

}  // namespace cli
