// The last line of a text log, which shows whether the log was truncated.
//
// A cut before the last field leaves a row with too few fields, which every reader refuses. A cut inside the
// last field leaves a number; the signs of it are that the line has no newline, and that the field has fewer
// decimals than in any previous line.
#pragma once

#include <optional>
#include <string>

#include "steelyard/log/run_file.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct OpenLine {
  std::string field;  // the last one
  bool is_short = false;
  Index least = 0;     // decimals in the previous lines, at least
  Index compared = 0;  // lines before
};

// Nothing when the last line has a newline, is a comment, or when the log is not text. Reads the file's last
// quarter of a megabyte. Throws InputError when it cannot be opened.
std::optional<OpenLine> open_last_line(const RunFile& file);

}  // namespace steelyard
