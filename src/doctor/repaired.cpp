#include "doctor/repaired.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "doctor/unsigned_effort.hpp"
#include "steelyard/log/forwarding_source.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kFarOther = 40;     // mean changes; currents of real drives reach 20
constexpr double kFarDeviation = 3;  // and standard deviations
constexpr double kSpoilsFit = 1e-4;  // share of a channel's energy, a hundredth of its standard deviation

const ChannelScan& of(const SignalScan& scan, int channel, int joint) {
  return scan.scans[static_cast<std::size_t>(channel)][static_cast<std::size_t>(joint)];
}

// One channel of one joint.
struct Repair {
  int channel = 0, joint = 0;
  std::vector<Excursion> spikes;  // in the order of time
  bool zeros = false;             // are missing values
  double last = 0;
  bool started = false;
  std::size_t next = 0;  // of the spikes

  // A spike lasts for at most kLongestExcursion samples, and leaves the value before it by its size.
  void apply(const double* time, double step, Index count, double* x) {
    for (Index s = 0; s < count; ++s) {
      while (next < spikes.size() && time[s] > spikes[next].time + (kLongestExcursion - 0.5) * step) ++next;
      const bool is_spike = next < spikes.size() && time[s] >= spikes[next].time - 0.5 * step &&
                            std::abs(x[s] - last) > 0.5 * spikes[next].size;
      if (started && (is_spike || (zeros && x[s] == 0)))
        x[s] = last;
      else
        last = x[s];
      started = true;
    }
  }
};

class RepairedSource : public ForwardingSource {
 public:
  RepairedSource(std::unique_ptr<SampleSource> source, std::vector<Repair> repairs, double step,
                 bool drops_repeats)
      : ForwardingSource(std::move(source)),
        fresh_(std::move(repairs)),
        repairs_(fresh_),
        step_(step),
        drops_repeats_(drops_repeats) {}
  void rewind() override {
    source_->rewind();
    repairs_ = fresh_;
    last_.clear();
  }
  void read(Index samples, SampleBlock& block) override {
    do {
      source_->read(samples, block);
      if (block.size() == 0) return;
      if (drops_repeats_) drop_repeats(block);
    } while (block.size() == 0);
    for (Repair& repair : repairs_)
      repair.apply(block.time(), step_, block.size(), block.row(repair.channel, repair.joint));
  }

 private:
  void drop_repeats(SampleBlock& block) {
    SampleBlock kept(block.channels(), block.joints());
    std::vector<double> row(static_cast<std::size_t>(block.rows()));
    for (Index s = 0; s < block.size(); ++s) {
      for (std::size_t r = 0; r < row.size(); ++r)
        row[r] = block.data()[static_cast<Index>(r) * block.stride() + s];
      if (row != last_) kept.append(block, s, 1);
      last_ = row;
    }
    block = std::move(kept);
  }

  std::vector<Repair> fresh_, repairs_;
  double step_ = 0;
  bool drops_repeats_ = false;
  std::vector<double> last_;  // row of all channels
};

std::vector<Repair> repairs_of(const SignalScan& scan, const SignalUse& use) {
  std::vector<Repair> repairs;
  for (int c = 0; c < static_cast<int>(scan.channels.size()); ++c)
    for (int j = 0; j < static_cast<int>(scan.scans[static_cast<std::size_t>(c)].size()); ++j) {
      const ChannelScan& own = of(scan, c, j);
      Repair repair{c, j, {}};
      if (const Spike spike = spike_of(scan, c, j, use); spike.count > 0)
        for (const Excursion& excursion : own.excursions)
          if (excursion.size > spike.far) repair.spikes.push_back(excursion);
      std::sort(repair.spikes.begin(), repair.spikes.end(),
                [](const Excursion& a, const Excursion& b) { return a.time < b.time; });
      repair.zeros = is_effort(scan.channels[static_cast<std::size_t>(c)]) &&
                     drops_out(own, scan.samples, !scan.zeros.empty());
      if (repair.zeros || !repair.spikes.empty()) repairs.push_back(std::move(repair));
    }
  return repairs;
}

}  // namespace

double repeated_share(const SignalScan& scan) {
  return static_cast<double>(scan.repeated_rows) / static_cast<double>(std::max<Index>(1, scan.samples));
}

// Positions are smooth: their largest excursions are below one mean change in all logs examined.
Spike spike_of(const SignalScan& scan, int channel, int joint, const SignalUse& use) {
  const ChannelScan& own = of(scan, channel, joint);
  Spike spike{channel, joint};
  const bool is_position = scan.channels[static_cast<std::size_t>(channel)] == channel::kPosition;
  const bool is_reported = std::max(std::abs(own.highest), std::abs(own.lowest)) > kImpossible ||
                           (is_position && scan.wraps[static_cast<std::size_t>(joint)] > 0);
  if (is_reported || own.excursions.empty()) return spike;
  spike.far = is_position
                  ? std::max(kFarPosition * own.mean_change(), 4 * own.quantum)
                  : std::max({kFarOther * own.mean_change(), kFarDeviation * own.deviation, 4 * own.quantum});
  // Where an effort changes its sign, |effort| has its minimum.
  const bool dips = !use.effort_signs && is_effort(scan.channels[static_cast<std::size_t>(channel)]);
  double energy = 0;
  for (const Excursion& excursion : own.excursions) {
    if (excursion.size <= spike.far || (dips && excursion.is_dip)) continue;
    if (spike.count++ == 0) {
      spike.size = excursion.size;
      spike.time = excursion.time;
    }
    energy += excursion.size * excursion.size;
  }
  spike.is_full = spike.count >= kKeptExcursions;
  const double all = static_cast<double>(scan.samples) * own.deviation * own.deviation;
  if (!is_position && energy < kSpoilsFit * all) spike.severity = Severity::warning;
  return spike;
}

bool can_be_repaired(const SignalScan& scan, const SignalUse& use) {
  for (int c = 0; c < static_cast<int>(scan.channels.size()); ++c)
    for (int j = 0; j < static_cast<int>(scan.scans[static_cast<std::size_t>(c)].size()); ++j)
      if (spike_of(scan, c, j, use).is_full) return false;
  return true;
}

std::unique_ptr<SampleSource> repaired(std::unique_ptr<SampleSource> source, const SignalScan& scan,
                                       const SignalUse& use) {
  // The scan is of the same channels.
  std::vector<Repair> repairs =
      source->channels() == scan.channels ? repairs_of(scan, use) : std::vector<Repair>();
  const bool drops_repeats = repeated_share(scan) >= kManyRepeated;
  if (repairs.empty() && !drops_repeats) return source;
  return std::make_unique<RepairedSource>(std::move(source), std::move(repairs), scan.time.median_step,
                                          drops_repeats);
}

}  // namespace steelyard
