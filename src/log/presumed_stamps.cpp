#include <cmath>
#include <utility>

#include "steelyard/log/prepare.hpp"
#include "steelyard/log/stamps.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kHead = 4096;                   // rows
constexpr std::int64_t kTailBytes = 64 * 1024;  // bytes
constexpr Index kAhead = 64;                    // times as many rows are counted by the step of those before
constexpr double kClear = 0.25;                 // of a row: nearer to a whole number is that number
constexpr double kSameStep = 1e-3;              // as TimeScan::is_uniform

TimeScan scan_of(const std::vector<double>& stamps) {
  for (std::size_t i = 1; i < stamps.size(); ++i)
    if (!(stamps[i] > stamps[i - 1])) return {};
  TimeScanner scanner;
  scanner.add(stamps);
  return scanner.result();
}

// Steps from `first` to `stamp`, each about `step` long; 0 when that is not clear.
Index count_steps(double first, double stamp, double step) {
  const double steps = (stamp - first) / step;
  constexpr double kMax = 1e15;  // whole numbers beyond are no longer distinct
  if (!(steps > 0 && steps < kMax) || std::abs(steps - std::round(steps)) > kClear) return 0;
  return static_cast<Index>(std::round(steps));
}

}  // namespace

std::optional<TimeScan> presume_uniform(std::int64_t size, const StampsAt& stamps) {
  TimeScan presumed = scan_of(stamps(0, kHead));
  if (presumed.samples < kHead || !presumed.is_uniform() || size <= kTailBytes) return {};
  const TimeScan tail = scan_of(stamps(size - kTailBytes, kTailBytes));
  if (tail.samples < 2 || !tail.is_uniform() || !(tail.first > presumed.last) ||
      std::abs(tail.median_step / presumed.median_step - 1) > kSameStep)
    return {};
  const double first = presumed.first, duration = tail.last - first;
  double step = presumed.mean_step;
  for (Index known = kHead - 1; duration / step > static_cast<double>(kAhead * known);) {
    const double share = static_cast<double>(kAhead * known) / (duration / step);
    const std::vector<double> probe = stamps(static_cast<std::int64_t>(share * static_cast<double>(size)), 1);
    const Index steps = probe.empty() ? 0 : count_steps(first, probe[0], step);
    if (steps <= known) return {};
    step = (probe[0] - first) / static_cast<double>(steps);
    known = steps;
  }
  const Index steps = count_steps(first, tail.last, step);
  if (steps == 0) return {};
  presumed.samples = steps + 1;
  presumed.last = tail.last;
  presumed.mean_step = duration / static_cast<double>(steps);
  return presumed;
}

CheckedStamps::CheckedStamps(std::unique_ptr<SampleSource> source, const TimeScan& presumed)
    : ForwardingSource(std::move(source)), samples_(presumed.samples) {}

void CheckedStamps::rewind() {
  source_->rewind();
  scanner_ = {};
}

void CheckedStamps::read(Index samples, SampleBlock& block) {
  source_->read(samples, block);
  if (!samples_) return;
  scanner_.add({block.time(), static_cast<std::size_t>(block.size())});
  const bool ended = block.size() == 0;
  if (scanner_.samples() > *samples_ || (ended && scanner_.samples() < *samples_) ||
      !scanner_.result().is_uniform())
    throw StampsDiffer();
}

}  // namespace steelyard
