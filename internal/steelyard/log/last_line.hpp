// The last line of a text log, where a log that was cut shows it.
//
// A cut before the last field leaves a row with too few fields, which no reader takes. A cut inside the last
// field leaves a number, and only two things tell: the line has no end, and behind its point the field is
// shorter than that field is in any of the lines before.
#pragma once

#include <optional>
#include <string>

#include "steelyard/log/run_file.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct OpenLine {
  std::string field;  // the last one
  bool is_short = false;
  Index least = 0;     // characters behind the point in the lines before, at least
  Index compared = 0;  // lines before
};

// Nothing when the last line has an end, is a comment, or when the log is no text. Reads the file's last
// quarter of a megabyte. Throws InputError when it cannot be opened.
std::optional<OpenLine> open_last_line(const RunFile& file);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
