#include "steelyard/log/period.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "steelyard/core/processes.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kCoarseRows = 1000;     // of a run, as a prediction keeps them
constexpr Index kMotionRows = 400;      // at least, of a run that has so many
constexpr std::size_t kMaxKept = 2000;  // samples; every other one is dropped beyond
constexpr double kSameAgain = 0.1;      // of the movement: RMS of position(t + period) − position(t)
// At the nearest whole row: half a row off, of a thousand, is up to 7 % for the Panda's excitation.
constexpr double kNearlySame = 0.2;
constexpr int kFractions = 20;  // of a row

// The worst joint's RMS change over a lag, over the standard deviation of its positions.
double mismatch(const MatrixXd& position, const VectorXd& variance, double lag) {
  const auto whole = static_cast<Index>(std::floor(lag));
  const double part = lag - static_cast<double>(whole);
  const Index count = position.rows() - whole - 1;
  double worst = 0;
  for (Index j = 0; j < position.cols(); ++j) {
    if (variance[j] <= 0) continue;
    const VectorXd change = (1 - part) * position.col(j).segment(whole, count) +
                            part * position.col(j).segment(whole + 1, count) - position.col(j).head(count);
    worst = std::max(worst, change.squaredNorm() / static_cast<double>(count) / variance[j]);
  }
  return std::sqrt(worst);
}

}  // namespace

double detect_period(const MatrixXd& position) {
  const Index samples = position.rows();
  if (samples < 20) return 0;
  const VectorXd variance =
      (position.rowwise() - position.colwise().mean()).colwise().squaredNorm().transpose() /
      static_cast<double>(samples);
  if (!(variance.maxCoeff() > 0)) return 0;
  double best = 0, least = kNearlySame;
  for (Index lag = samples / 10; lag < samples * 9 / 10; ++lag) {
    const double value = mismatch(position, variance, static_cast<double>(lag));
    if (value < least) {
      least = value;
      best = static_cast<double>(lag);
    } else if (best > 0 && value > 2 * kNearlySame) {
      break;  // past the first valley
    }
  }
  if (best == 0) return 0;
  const double row = best;
  for (int k = -kFractions; k <= kFractions; ++k) {
    const double lag = row + static_cast<double>(k) / kFractions;
    const double value = mismatch(position, variance, lag);
    if (value >= least) continue;
    least = value;
    best = lag;
  }
  return least < kSameAgain ? best : 0;
}

CoarsePositions::CoarsePositions(Index samples, Index joints)
    : step_(std::max<Index>(1, samples / kCoarseRows)),
      position_(MatrixXd::Constant((samples + step_ - 1) / step_, joints, std::nan(""))) {}

void CoarsePositions::watch(const PreparedChunk& chunk) {
  watch(chunk.samples, chunk.chunk.core, chunk.chunk.halo.begin);
}

void CoarsePositions::watch(const SampleBlock& run) {
  watch(run, {0, std::min(run.size(), position_.rows() * step_)}, 0);
}

void CoarsePositions::watch(const SampleBlock& block, Range core, Index begin) {
  const int position = block.find(channel::kPosition);
  for (Index at = (core.begin + step_ - 1) / step_ * step_; at < core.end; at += step_)
    for (Index j = 0; j < position_.cols(); ++j)
      position_(at / step_, j) = block.row(position, j)[at - begin];
}

void CoarsePositions::gather() {
  if (processes().size() < 2) return;
  const std::string own(reinterpret_cast<const char*>(position_.data()),
                        static_cast<std::size_t>(position_.size()) * sizeof(double));
  for (const std::string& bytes : processes().exchange(own))
    for (Index k = 0; k < position_.size(); ++k)
      if (std::isnan(position_.data()[k]))
        std::memcpy(position_.data() + k, bytes.data() + static_cast<std::size_t>(k) * sizeof(double),
                    sizeof(double));
}

std::optional<FoldedMotion> CoarsePositions::motion(double step) const {
  const Index every = std::max<Index>(1, position_.rows() / kMotionRows);
  FoldedMotion motion{static_cast<double>(every * step_) * step,
                      position_(Eigen::seq(0, Eigen::last, every), Eigen::all)};
  return motion.position.size() > 0 && motion.position.allFinite() ? std::optional(std::move(motion))
                                                                   : std::nullopt;
}

double CoarsePositions::period() const {
  return detect_period(position_) * static_cast<double>(step_);
}

WatchedSource::WatchedSource(std::unique_ptr<SampleSource> source) : ForwardingSource(std::move(source)) {}

void WatchedSource::rewind() {
  if (next_ > 0) is_first_pass_ = false;
  source_->rewind();
}

void WatchedSource::read(Index samples, SampleBlock& block) {
  source_->read(samples, block);
  const int position = block.find(channel::kPosition);
  if (!is_first_pass_ || position < 0) return;
  const auto joints = static_cast<std::size_t>(block.joints());
  for (Index s = 0; s < block.size(); ++s, ++next_) {
    if (next_ % step_ != 0) continue;
    stamps_.push_back(block.time()[s]);
    for (Index j = 0; j < block.joints(); ++j) kept_.push_back(block.row(position, j)[s]);
    if (stamps_.size() < kMaxKept) continue;
    for (std::size_t k = 0; 2 * k < kMaxKept; ++k) {
      stamps_[k] = stamps_[2 * k];
      std::copy_n(kept_.begin() + static_cast<std::ptrdiff_t>(2 * k * joints), joints,
                  kept_.begin() + static_cast<std::ptrdiff_t>(k * joints));
    }
    stamps_.resize(kMaxKept / 2);
    kept_.resize(kMaxKept / 2 * joints);
    step_ *= 2;
  }
}

double WatchedSource::period() const {
  const Index joints = source_->joints(), count = static_cast<Index>(stamps_.size());
  if (joints == 0 || count < 3) return 0;
  const double step = (stamps_.back() - stamps_.front()) / static_cast<double>(count - 1);
  if (!(step > 0)) return 0;
  MatrixXd even(count, joints);
  std::size_t at = 0;
  for (Index s = 0; s < count; ++s) {
    const double time = stamps_.front() + static_cast<double>(s) * step;
    while (at + 2 < stamps_.size() && stamps_[at + 1] < time) ++at;
    const double width = stamps_[at + 1] - stamps_[at];
    const double part = width > 0 ? std::clamp((time - stamps_[at]) / width, 0.0, 1.0) : 0;
    const double* below = kept_.data() + static_cast<Index>(at) * joints;
    for (Index j = 0; j < joints; ++j) even(s, j) = (1 - part) * below[j] + part * below[joints + j];
  }
  return detect_period(even) * step;
}

}  // namespace steelyard
