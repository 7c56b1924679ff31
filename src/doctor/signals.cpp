#include "steelyard/doctor/signals.hpp"

#include <cmath>
#include <numbers>

#include "doctor/channel_scanner.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr double kWindow = 0.05;  // [s]

// A step of whole turns, where neighbours are close: the value of an encoder that starts again.
bool is_wrap(double step, double mean_step) {
  const double turns = std::abs(step) / (2 * std::numbers::pi);
  const double whole = std::round(turns);
  return whole >= 1 && std::abs(turns - whole) < 0.05 && std::abs(step) > 20 * mean_step;
}

// Δq and ∫ q̇ dt over windows of time.
class VelocityWindows {
 public:
  explicit VelocityWindows(Index joints)
      : begin_(VectorXd::Zero(joints)),
        integral_(VectorXd::Zero(joints)),
        cross(MatrixXd::Zero(joints, joints)),
        motion(VectorXd::Zero(joints)),
        velocity(VectorXd::Zero(joints)) {}

  void add(double time, const VectorXd& q, const VectorXd& qd) {
    if (!q.allFinite() || !qd.allFinite()) {
      open_ = false;
      return;
    }
    if (open_ && time - last_time_ <= kWindow) {
      integral_ += 0.5 * (time - last_time_) * (qd + last_velocity_);
      if (time - begin_time_ >= kWindow) {
        const VectorXd change = q - begin_;
        cross += change * integral_.transpose();
        motion += change.cwiseAbs2();
        velocity += integral_.cwiseAbs2();
        open_ = false;
      }
    } else {
      open_ = false;
    }
    if (!open_) {
      open_ = true;
      begin_time_ = time;
      begin_ = q;
      integral_.setZero();
    }
    last_time_ = time;
    last_velocity_ = qd;
  }

 private:
  bool open_ = false;
  double begin_time_ = 0, last_time_ = 0;
  VectorXd begin_, integral_, last_velocity_;

 public:
  MatrixXd cross;
  VectorXd motion, velocity;
};

// One pass, sample by sample.
class SignalScanner {
 public:
  SignalScanner(const SampleSource& source, const std::vector<LogJoint>& joints)
      : channels_(source.channels()), joints_(joints), n_(source.joints()), windows_(n_) {
    scanners_.resize(channels_.size() * static_cast<std::size_t>(n_));
    const SampleBlock names(channels_, n_);
    position_ = names.find(channel::kPosition);
    velocity_ = names.find(channel::kVelocity);
    wraps_.assign(static_cast<std::size_t>(n_), {});
  }

  void add(const SampleBlock& block) {
    time_.add({block.time(), static_cast<std::size_t>(block.size())});
    const Index rows = block.rows();
    VectorXd q(n_), qd = VectorXd::Zero(n_);
    row_.resize(static_cast<std::size_t>(rows));
    for (Index s = 0; s < block.size(); ++s) {
      bool repeated = samples_ > 0;
      for (Index r = 0; r < rows; ++r) {
        const double value = block.data()[r * block.stride() + s];
        repeated = repeated && value == row_[static_cast<std::size_t>(r)];
        row_[static_cast<std::size_t>(r)] = value;
      }
      repeated_ += repeated;
      for (Index j = 0; j < n_ && position_ >= 0; ++j)
        q[j] = row_[static_cast<std::size_t>(position_ * n_ + j)];
      for (Index r = 0; r < rows; ++r)
        scanners_[static_cast<std::size_t>(r)].add(block.time()[s], row_[static_cast<std::size_t>(r)],
                                                   position_ >= 0 ? q[r % n_] : 0);
      if (position_ >= 0) track_turns(q);
      if (velocity_ >= 0 && position_ >= 0) {
        for (Index j = 0; j < n_; ++j) qd[j] = row_[static_cast<std::size_t>(velocity_ * n_ + j)];
        windows_.add(block.time()[s], q, qd);
      }
      ++samples_;
    }
  }

  SignalScan result() const {
    SignalScan scan;
    scan.time = time_.result();
    scan.samples = samples_;
    scan.repeated_rows = repeated_;
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
    if (velocity_ >= 0 && position_ >= 0) {
      scan.motion_velocity = windows_.cross;
      scan.motion_squared = windows_.motion;
      scan.velocity_squared = windows_.velocity;
    }
    return scan;
  }

 private:
  // Large steps are kept until the usual one is known; a log with thousands of them has told enough.
  void track_turns(const VectorXd& q) {
    constexpr std::size_t kMost = 4096;
    for (Index j = 0; j < n_ && samples_ > 0; ++j) {
      const double step = q[j] - last_[j];
      std::vector<double>& kept = wraps_[static_cast<std::size_t>(j)];
      if (joints_[static_cast<std::size_t>(j)].kind == JointKind::revolute && std::abs(step) > 5 &&
          kept.size() < kMost)
        kept.push_back(step);
    }
    last_ = q;
  }

  std::vector<std::string> channels_;
  const std::vector<LogJoint>& joints_;
  Index n_;
  int position_ = -1, velocity_ = -1;
  std::vector<doctor::ChannelScanner> scanners_;
  std::vector<std::vector<double>> wraps_;
  VelocityWindows windows_;
  TimeScanner time_;
  std::vector<double> row_;
  VectorXd last_;
  Index samples_ = 0, repeated_ = 0;
};

}  // namespace

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

}  // namespace STEELYARD_ABI
}  // namespace steelyard
