// A source that can give its time stamps alone, much faster than all its samples.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "steelyard/log/forwarding_source.hpp"
#include "steelyard/log/resample.hpp"

namespace steelyard::inline STEELYARD_ABI {

class StampSource {
 public:
  virtual ~StampSource() = default;
  // All stamps [s], strictly increasing; the same regardless of the number of threads. Afterwards the source
  // must be rewound.
  virtual TimeScanner scan_stamps(int threads) = 0;
  // What they are if all are as uniform as those of a few rows; nothing when these are not, or when a scan of
  // all takes no time. Does not move the source.
  virtual std::optional<TimeScan> presume_stamps() const = 0;
};

// The stamps [s] of at most so many rows, from the first one that begins at this byte or behind it.
using StampsAt = std::function<std::vector<double>(std::int64_t byte, Index rows)>;

// From the beginning of a file of `size` bytes, its end, and single rows between, which count the others: a
// step that is known from n rows implies how many rows lie before a stamp many times as far away.
std::optional<TimeScan> presume_uniform(std::int64_t size, const StampsAt& stamps);

// Compares the stamps of a source with those that were presumed, while it is read.
class CheckedStamps : public ForwardingSource {
 public:
  CheckedStamps(std::unique_ptr<SampleSource> source, const TimeScan& presumed);

  void rewind() override;
  void read(Index samples, SampleBlock& block) override;  // throws StampsDiffer

  TimeScan result() const { return scanner_.result(); }  // of what was read in this pass
  void is_known() { samples_.reset(); }                  // nothing is compared any more

 private:
  std::optional<Index> samples_;
  TimeScanner scanner_;
};

}  // namespace steelyard
