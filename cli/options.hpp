// What every verb shares, and the exit codes of the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cli {

enum ExitCode {
  kDone = 0,
  kOurBug = 1,
  kBadInput = 2,        // cannot be read or is invalid; nothing written
  kNotTrustworthy = 3,  // done and written, but not trustworthy
  kMachineFailed = 4,   // disk, permission, missing part, time limit; nothing half-written
  kInterrupted = 130,
};

struct CommonOptions {
  bool json = false;
  bool quiet = false;
  std::string isa;                    // empty: the best the processor has
  std::string out;                    // folder, replaced as a whole
  int threads = 0;                    // 0: all
  std::optional<std::uint64_t> seed;  // instead of the study's
};

}  // namespace cli
