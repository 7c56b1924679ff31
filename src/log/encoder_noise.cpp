#include "steelyard/log/encoder_noise.hpp"

#include <array>
#include <cmath>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kWindow = 7;        // samples of a divided difference
constexpr Index kNoiseRead = 4096;  // samples at a time

// Weights of the divided difference at these stamps, with Σ w² = 1.
std::array<double, kWindow> difference_weights(const double* time) {
  std::array<double, kWindow> w{};
  const double scale = (time[kWindow - 1] - time[0]) / (kWindow - 1);
  double squares = 0;
  for (Index i = 0; i < kWindow; ++i) {
    double product = 1;
    for (Index k = 0; k < kWindow; ++k)
      if (k != i) product *= (time[i] - time[k]) / scale;
    w[static_cast<std::size_t>(i)] = 1 / product;
    squares += w[static_cast<std::size_t>(i)] * w[static_cast<std::size_t>(i)];
  }
  for (double& x : w) x /= std::sqrt(squares);
  return w;
}

}  // namespace

VectorXd position_noise(SampleSource& source) {
  const Index joints = source.joints();
  VectorXd sum = VectorXd::Zero(joints);
  double count = 0;
  SampleBlock last(source.channels(), joints), block;
  source.rewind();
  for (source.read(kNoiseRead, block); block.size() > 0; source.read(kNoiseRead, block)) {
    SampleBlock window = last;  // the last samples of the block before, then this one
    window.append(block, 0, block.size());
    const int position = window.find(channel::kPosition);
    if (position < 0) return sum;
    for (Index s = 0; s + kWindow <= window.size(); ++s) {
      const std::array<double, kWindow> w = difference_weights(window.time() + s);
      for (Index j = 0; j < joints; ++j) {
        const double* q = window.row(position, j) + s;
        double difference = 0;
        for (Index i = 0; i < kWindow; ++i) difference += w[static_cast<std::size_t>(i)] * q[i];
        sum[j] += difference * difference;
      }
      ++count;
    }
    const Index keep = std::min<Index>(kWindow - 1, window.size());
    last = SampleBlock(source.channels(), joints);
    last.append(window, window.size() - keep, keep);
  }
  return count > 0 ? VectorXd((sum / count).cwiseSqrt()) : sum;
}

DisturbedSource::DisturbedSource(std::unique_ptr<SampleSource> source, const VectorXd& deviation, double sign,
                                 std::uint64_t seed)
    : ForwardingSource(std::move(source)), deviation_(deviation), sign_(sign), seed_(seed) {
  require(deviation_.size() == source_->joints(), "noise has one standard deviation per joint");
  restart();
}

void DisturbedSource::restart() {
  random_.clear();
  for (Index j = 0; j < deviation_.size(); ++j)
    random_.emplace_back(seed_, "added position noise", static_cast<std::uint64_t>(j));
}

void DisturbedSource::rewind() {
  source_->rewind();
  restart();
}

void DisturbedSource::read(Index samples, SampleBlock& block) {
  source_->read(samples, block);
  const int position = block.find(channel::kPosition);
  if (position < 0) return;
  for (Index j = 0; j < block.joints(); ++j)
    for (Index s = 0; s < block.size(); ++s)
      block.row(position, j)[s] += sign_ * deviation_[j] * random_[static_cast<std::size_t>(j)].normal();
}

}  // namespace steelyard
