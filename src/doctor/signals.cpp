#include "steelyard/doctor/signals.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <utility>

#include "doctor/channel_scanner.hpp"
#include "doctor/velocity_windows.hpp"
#include "steelyard/log/forwarding_source.hpp"
#include "steelyard/log/stamps.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kMaxDiffering = 64;  // samples in which equal columns may differ

// A step of whole turns, where neighbours are close: an encoder that wraps.
bool is_wrap(double step, double mean_step) {
  const double turns = std::abs(step) / (2 * std::numbers::pi);
  const double whole = std::round(turns);
  constexpr double kMax = 1000;  // above it, every number is nearly whole
  return whole >= 1 && whole <= kMax && std::abs(turns - whole) < 0.05 && std::abs(step) > 20 * mean_step;
}

// One pass, block by block.
class SignalScanner {
 public:
  SignalScanner(const SampleSource& source, std::vector<LogJoint> joints)
      : channels_(source.channels()), joints_(std::move(joints)), n_(source.joints()), windows_(n_) {
    scanners_.resize(channels_.size() * static_cast<std::size_t>(n_));
    const SampleBlock names(channels_, n_);
    position_ = names.find(channel::kPosition);
    velocity_ = names.find(channel::kVelocity);
    wraps_.assign(static_cast<std::size_t>(n_), {});
    for (int c = 0; c < static_cast<int>(channels_.size()); ++c)
      for (int j = 0; j < n_; ++j)
        for (int i = 0; i < j; ++i) alike_.push_back({c, i, j, 0});
  }

  void add(const SampleBlock& block) {
    const Index count = block.size();
    if (count == 0) return;
    if (!known_time_) time_.add({block.time(), static_cast<std::size_t>(count)});
    count_repeats(block);
    count_zero_rows(block);
    compare_joints(block);
    for (Index r = 0; r < block.rows(); ++r)
      scanners_[static_cast<std::size_t>(r)].add(block.time(), block.data() + r * block.stride(),
                                                 position_ >= 0 ? block.row(position_, r % n_) : nullptr,
                                                 count);
    for (Index j = 0; j < n_ && position_ >= 0; ++j) track_turns(block, j);
    if (velocity_ >= 0 && position_ >= 0) integrate_velocities(block);
    last_.resize(static_cast<std::size_t>(block.rows()));
    for (Index r = 0; r < block.rows(); ++r)
      last_[static_cast<std::size_t>(r)] = block.data()[r * block.stride() + count - 1];
    samples_ += count;
  }

  // Of a source whose stamps were scanned before.
  void know_time(const TimeScan& time) { known_time_ = time; }

  SignalScan result() const {
    SignalScan scan;
    scan.time = known_time_ ? *known_time_ : time_.result();
    scan.samples = samples_;
    scan.repeated_rows = repeated_;
    scan.zero_rows = zero_rows_;
    scan.zeros = zeros_;
    scan.channels = channels_;
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      scan.scans.emplace_back();
      for (Index j = 0; j < n_; ++j)
        scan.scans.back().push_back(
            scanners_[c * static_cast<std::size_t>(n_) + static_cast<std::size_t>(j)].result());
    }
    for (Index j = 0; j < n_; ++j) {
      Index count = 0;
      const double mean =
          position_ < 0
              ? 0
              : scan.scans[static_cast<std::size_t>(position_)][static_cast<std::size_t>(j)].mean_step;
      for (const double step : wraps_[static_cast<std::size_t>(j)]) count += is_wrap(step, mean);
      scan.wraps.push_back(count);
    }
    if (velocity_ >= 0 && position_ >= 0) windows_.result(scan);
    scan.alike = alike_;
    return scan;
  }

 private:
  // Rows whose channels are all those of the previous row: where the first channels differ everywhere, there
  // are none.
  void count_repeats(const SampleBlock& block) {
    const Index count = block.size();
    equal_.setConstant(count, true);
    equal_[0] = samples_ > 0;
    for (Index r = 0; r < block.rows() && equal_.any(); ++r) {
      const Eigen::Map<const Eigen::ArrayXd> x(block.data() + r * block.stride(), count);
      equal_[0] = equal_[0] && x[0] == last_[static_cast<std::size_t>(r)];
      equal_.tail(count - 1) = equal_.tail(count - 1) && x.tail(count - 1) == x.head(count - 1);
    }
    repeated_ += equal_.count();
  }

  void count_zero_rows(const SampleBlock& block) {
    constexpr std::size_t kMax = 64;
    const Index count = block.size();
    equal_.setConstant(count, true);
    for (Index r = 0; r < block.rows() && equal_.any(); ++r)
      equal_ = equal_ && Eigen::Map<const Eigen::ArrayXd>(block.data() + r * block.stride(), count) == 0;
    if (position_ < 0 || !(in_zeros_ || equal_.any())) return;
    const auto leap_to = [&](Index s) {
      for (Index j = 0; j < n_; ++j) {
        const double q =
            s < 0 ? last_[static_cast<std::size_t>(position_ * n_ + j)] : block.row(position_, j)[s];
        zeros_.back().leap[j] = std::max(zeros_.back().leap[j], std::abs(q));
      }
    };
    for (Index s = 0; s < count; ++s) {
      if (equal_[s] && !in_zeros_) {
        zeros_kept_ = zeros_.size() < kMax;
        if (zeros_kept_) zeros_.push_back({block.time()[s], 0, VectorXd::Zero(n_)});
        if (zeros_kept_ && samples_ + s > 0) leap_to(s - 1);
      } else if (!equal_[s] && in_zeros_ && zeros_kept_) {
        leap_to(s);
      }
      in_zeros_ = equal_[s];
      zero_rows_ += in_zeros_;
      if (in_zeros_ && zeros_kept_) ++zeros_.back().count;
    }
  }

  // Few samples distinguish most columns.
  void compare_joints(const SampleBlock& block) {
    constexpr Index kPiece = 128;
    std::erase_if(alike_, [&](AlikeColumns& pair) {
      const double *a = block.row(pair.channel, pair.first), *b = block.row(pair.channel, pair.second);
      for (Index s = 0; s < block.size() && pair.differing <= kMaxDiffering; s += kPiece) {
        const Index end = std::min(block.size(), s + kPiece);
        for (Index k = s; k < end; ++k) pair.differing += a[k] != b[k];
      }
      return pair.differing > kMaxDiffering;
    });
  }

  // Large steps are kept until the usual one is known; thousands of them are enough.
  void track_turns(const SampleBlock& block, Index j) {
    constexpr std::size_t kMax = 4096;
    if (joints_[static_cast<std::size_t>(j)].kind != JointKind::revolute) return;
    const double* q = block.row(position_, j);
    std::vector<double>& kept = wraps_[static_cast<std::size_t>(j)];
    double before = samples_ > 0 ? last_[static_cast<std::size_t>(position_ * n_ + j)] : q[0];
    for (Index s = 0; s < block.size(); ++s) {
      const double step = q[s] - before;
      before = q[s];
      if (std::abs(step) > 5 && kept.size() < kMax) kept.push_back(step);
    }
  }

  void integrate_velocities(const SampleBlock& block) {
    VectorXd q(n_), qd(n_);
    for (Index s = 0; s < block.size(); ++s) {
      for (Index j = 0; j < n_; ++j) {
        q[j] = block.row(position_, j)[s];
        qd[j] = block.row(velocity_, j)[s];
      }
      windows_.add(block.time()[s], q, qd);
    }
  }

  std::vector<std::string> channels_;
  std::vector<LogJoint> joints_;
  Index n_;
  int position_ = -1, velocity_ = -1;
  std::vector<doctor::ChannelScanner> scanners_;
  std::vector<std::vector<double>> wraps_;
  doctor::VelocityWindows windows_;
  TimeScanner time_;
  std::optional<TimeScan> known_time_;
  std::vector<double> last_;                     // row of the previous block
  Eigen::Array<bool, Eigen::Dynamic, 1> equal_;  // to the previous sample
  Index samples_ = 0, repeated_ = 0, zero_rows_ = 0;
  std::vector<ZeroRows> zeros_;
  std::vector<AlikeColumns> alike_;
  bool in_zeros_ = false, zeros_kept_ = false;
};

class WatchingSource : public ForwardingSource {
 public:
  WatchingSource(std::unique_ptr<SampleSource> source, std::vector<LogJoint> joints)
      : ForwardingSource(std::move(source)),
        fresh_(*source_, std::move(joints)),
        scanner_(std::make_shared<SignalScanner>(fresh_)) {}

  void rewind() override {
    source_->rewind();
    *scanner_ = fresh_;
  }
  void read(Index samples, SampleBlock& block) override {
    source_->read(samples, block);
    scanner_->add(block);
  }
  std::shared_ptr<const SignalScanner> scanner() const { return scanner_; }

 protected:
  SampleSource& watched() const { return *source_; }
  void know_time(const TimeScan& time) {
    fresh_.know_time(time);
    scanner_->know_time(time);
  }

 private:
  SignalScanner fresh_;
  std::shared_ptr<SignalScanner> scanner_;
};

// Of a source with stamps of its own: they are as fast as before.
class WatchingStamps final : public WatchingSource, public StampSource {
 public:
  using WatchingSource::WatchingSource;
  TimeScanner scan_stamps(int threads) override {
    TimeScanner stamps = dynamic_cast<StampSource&>(watched()).scan_stamps(threads);
    know_time(stamps.result());
    return stamps;
  }
  std::optional<TimeScan> presume_stamps() const override {
    return dynamic_cast<const StampSource&>(watched()).presume_stamps();
  }
};

}  // namespace

SignalWatch watch_signals(std::unique_ptr<SampleSource> source, std::vector<LogJoint> joints) {
  const bool stamps = dynamic_cast<StampSource*>(source.get()) != nullptr;
  std::unique_ptr<WatchingSource> watching =
      stamps ? std::make_unique<WatchingStamps>(std::move(source), std::move(joints))
             : std::make_unique<WatchingSource>(std::move(source), std::move(joints));
  auto scanner = watching->scanner();
  return {std::move(watching), [scanner] { return scanner->result(); }};
}

double ChannelScan::mean_change() const {
  return changes > 0
             ? mean_step * static_cast<double>(changes + equal_neighbours) / static_cast<double>(changes)
             : 0;
}

int SignalScan::find(std::string_view channel) const {
  for (std::size_t c = 0; c < channels.size(); ++c)
    if (channels[c] == channel) return static_cast<int>(c);
  return -1;
}

SignalScan scan_signals(SampleSource& source, const std::vector<LogJoint>& joints) {
  SignalScanner scanner(source, joints);
  source.rewind();
  SampleBlock block;
  for (source.read(4096, block); block.size() > 0; source.read(4096, block)) scanner.add(block);
  return scanner.result();
}

}  // namespace steelyard
