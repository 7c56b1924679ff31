#include "steelyard/log/encoder_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "steelyard/core/error.hpp"
#include "steelyard/core/statistics.hpp"

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

constexpr std::array<double, kWindow> kSixth = {1, -6, 15, -20, 15, -6, 1};
constexpr double kSixthNorm = 924;  // Σ of their squares
constexpr double kMedianOfNormal = 0.6744897501960817;
constexpr Index kFewestSamples = 16;

// Mean of the squares of a normal number, without the largest fiftieth: a few outliers in a log are not its noise.
double trimmed_mean(std::vector<double>& squares) {
  constexpr std::size_t kOneOf = 50;
  const std::size_t left_out = squares.size() / kOneOf, kept = squares.size() - left_out;
  if (kept == 0) return 0;
  std::nth_element(squares.begin(), squares.begin() + static_cast<std::ptrdiff_t>(kept - 1), squares.end());
  double sum = 0;
  for (std::size_t k = 0; k < kept; ++k) sum += squares[k];
  const double share = static_cast<double>(left_out) / static_cast<double>(squares.size());
  if (left_out == 0) return sum / static_cast<double>(kept);
  const double z = normal_quantile(1 - share / 2);
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return sum / static_cast<double>(kept) / (1 - 2 * z * density / (1 - share));
}

}  // namespace

double white_noise(const double* x, Index count) {
  if (count < kFewestSamples) return 0;
  std::vector<double> sizes;
  sizes.reserve(static_cast<std::size_t>(count));
  for (Index s = 0; s + 6 < count; ++s) {
    double difference = 0;
    for (std::size_t k = 0; k < kSixth.size(); ++k) difference += kSixth[k] * x[s + static_cast<Index>(k)];
    sizes.push_back(std::abs(difference));
  }
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle / (kMedianOfNormal * std::sqrt(kSixthNorm));
}

VectorXd position_noise(SampleSource& source, std::string_view channel) {
  const Index joints = source.joints();
  VectorXd sum = VectorXd::Zero(joints);
  double count = 0;
  std::vector<std::vector<double>> squares(static_cast<std::size_t>(joints));
  SampleBlock last(source.channels(), joints), block;
  source.rewind();
  for (source.read(kNoiseRead, block); block.size() > 0; source.read(kNoiseRead, block)) {
    SampleBlock window = last;  // the last samples of the block before, then this one
    window.append(block, 0, block.size());
    const int position = window.find(channel);
    if (position < 0) return sum;
    for (Index s = 0; s + kWindow <= window.size(); ++s) {
      const std::array<double, kWindow> w = difference_weights(window.time() + s);
      for (Index j = 0; j < joints; ++j) {
        const double* q = window.row(position, j) + s;
        double difference = 0;
        for (Index i = 0; i < kWindow; ++i) difference += w[static_cast<std::size_t>(i)] * q[i];
        squares[static_cast<std::size_t>(j)].push_back(difference * difference);
      }
    }
    const auto windows = static_cast<double>(squares.empty() ? 0 : squares.front().size());
    for (Index j = 0; j < joints; ++j) {
      std::vector<double>& own = squares[static_cast<std::size_t>(j)];
      sum[j] += windows * trimmed_mean(own);
      own.clear();
    }
    count += windows;
    const Index keep = std::min<Index>(kWindow - 1, window.size());
    last = SampleBlock(source.channels(), joints);
    last.append(window, window.size() - keep, keep);
  }
  return count > 0 ? VectorXd((sum / count).cwiseSqrt()) : sum;
}

DisturbedSource::DisturbedSource(std::unique_ptr<SampleSource> source, const VectorXd& deviation, double sign,
                                 std::uint64_t seed, std::string_view channel)
    : ForwardingSource(std::move(source)),
      channel_(channel),
      deviation_(deviation),
      sign_(sign),
      seed_(seed) {
  require(deviation_.size() == source_->joints(), "noise has one standard deviation per joint");
  restart();
}

void DisturbedSource::restart() {
  random_.clear();
  for (Index j = 0; j < deviation_.size(); ++j)
    random_.emplace_back(seed_, "added " + channel_ + " noise", static_cast<std::uint64_t>(j));
}

void DisturbedSource::rewind() {
  source_->rewind();
  restart();
}

void DisturbedSource::read(Index samples, SampleBlock& block) {
  source_->read(samples, block);
  const int position = block.find(channel_);
  if (position < 0) return;
  for (Index j = 0; j < block.joints(); ++j)
    for (Index s = 0; s < block.size(); ++s)
      block.row(position, j)[s] += sign_ * deviation_[j] * random_[static_cast<std::size_t>(j)].normal();
}

}  // namespace steelyard
