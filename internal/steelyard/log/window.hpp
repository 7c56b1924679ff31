// A stretch of a log: samples with from ≤ t < to, by the log's own time stamps.
#pragma once

#include <memory>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/log/source.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Shares of the time between the first and the last sample of a window; [0, 1] is all of it.
struct TimeShare {
  double begin = 0;
  double end = 1;
  bool is_all() const { return begin <= 0 && end >= 1; }
};

// The source's samples within the window, and of them those within the share. Throws InputError where fewer than two
// are left.
std::unique_ptr<SampleSource> cut_to_window(std::unique_ptr<SampleSource> source, const TimeWindow& window,
                                            const TimeShare& share = {});

}  // namespace steelyard
