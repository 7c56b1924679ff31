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

void Progress::report(const std::string& stage, double share) {
  if (!enabled_) return;
  const auto now = steady_clock::now();
  if (stage != stage_) {
    clear();
    stage_ = stage;
    begin_ = last_ = now;
  }
  const double elapsed = duration<double>(now - begin_).count();
  if (elapsed < 1 || duration<double>(now - last_).count() < 0.2) return;
  last_ = now;
  std::string line = fmt::format("{}: {:.0f} %", stage, 100 * share);
  if (share > 0.01) line += fmt::format(", {:.0f} s left", elapsed * (1 - share) / share);
  std::fputs(("\r\033[K" + line).c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace cli
