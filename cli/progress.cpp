#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace cli {

using std::chrono::duration;
using std::chrono::steady_clock;

Progress::Progress(bool quiet) : enabled_(!quiet && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  clear();
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

std::optional<double> Progress::seconds_of(const std::string& stage) {
  if (!enabled_) return std::nullopt;
  const auto now = steady_clock::now();
  if (stage != stage_) {
    clear();
    stage_ = stage;
    begin_ = last_ = now;
  }
  const double elapsed = duration<double>(now - begin_).count();
  if (elapsed < 1 || duration<double>(now - last_).count() < 0.2) return std::nullopt;
  last_ = now;
  return elapsed;
}

void Progress::show(const std::string& line) {
  std::fputs(("\r\033[K" + line).c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::report(const std::string& stage, double share) {
  const std::optional<double> elapsed = seconds_of(stage);
  if (!elapsed) return;
  std::string line = fmt::format("{}: {:.0f} %", stage, 100 * share);
  if (share > 0.01) line += fmt::format(", {:.0f} s left", *elapsed * (1 - share) / share);
  show(line);
}

void Progress::report(const std::string& stage) {
  if (const std::optional<double> elapsed = seconds_of(stage))
    show(fmt::format("{}: {:.0f} s", stage, *elapsed));
}

}  // namespace cli
