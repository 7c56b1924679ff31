#include "steelyard/log/standstill.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "steelyard/log/encoder_noise.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kHalfWindow = 0.025;   // [s]
constexpr Index kShortestHalf = 2;      // samples
constexpr double kNoiseFactor = 4;      // standard deviations
constexpr Index kHeadSamples = 20000;   // of a run, for its noise
constexpr Index kLongestHead = 200000;  // where a joint does not move before
constexpr Index kStepsWanted = 200;     // changes of a joint's position that show its resolution

struct Head {
  std::vector<double> position;
  double resolution = std::numeric_limits<double>::infinity();
  Index steps = 0;

  void add(double value) {
    if (!position.empty() && value != position.back()) {
      resolution = std::min(resolution, std::abs(value - position.back()));
      ++steps;
    }
    position.push_back(value);
  }

  // Largest way between the means of two half windows.
  double largest_way(Index half) const {
    const auto count = static_cast<std::size_t>(half);
    std::vector<double> sums(position.size() + 1);
    for (std::size_t s = 0; s < position.size(); ++s) sums[s + 1] = sums[s] + (position[s] - position[0]);
    double largest = 0;
    for (std::size_t s = 2 * count; s < sums.size(); ++s)
      largest = std::max(largest, std::abs(sums[s] - 2 * sums[s - count] + sums[s - 2 * count]));
    return largest / static_cast<double>(half);
  }

  double tolerance(Index half, double slow_share) const {
    const double step = steps > 0 ? resolution : 0;
    const double noise = white_noise(position.data(), static_cast<Index>(position.size()));
    return std::max({kFinestEncoder, step + kNoiseFactor * noise * std::sqrt(2.0 / static_cast<double>(half)),
                     slow_share * largest_way(half)});
  }
};

bool shows_enough(const std::vector<Head>& heads, const VectorXd& share) {
  for (std::size_t j = 0; j < heads.size(); ++j)
    if (share[static_cast<Index>(j)] >= 0 && heads[j].steps < kStepsWanted) return false;
  return true;
}

}  // namespace

bool is_tested(const VectorXd& share) {
  return share.size() > 0 && share.maxCoeff() >= 0;
}

Index half_standstill_window(double step) {
  return std::max(kShortestHalf, static_cast<Index>(std::lround(kHalfWindow / step)));
}

Standstill standstill_of(SampleSource& source, double step, const VectorXd& share) {
  Standstill out{0, share, {}};
  if (!is_tested(share)) return out;
  const auto joints = static_cast<std::size_t>(source.joints());
  std::vector<Head> heads(joints);
  SampleBlock block;
  Index samples = 0;
  source.rewind();
  for (source.read(4096, block); block.size() > 0; source.read(4096, block)) {
    const int position = block.find(channel::kPosition);
    for (std::size_t j = 0; j < joints; ++j)
      for (Index s = 0; share[static_cast<Index>(j)] >= 0 && s < block.size(); ++s)
        heads[j].add(block.row(position, static_cast<Index>(j))[s]);
    samples += block.size();
    if (samples >= kLongestHead || (samples >= kHeadSamples && shows_enough(heads, share))) break;
  }
  source.rewind();
  out.half = half_standstill_window(step);
  out.tolerance = VectorXd::Constant(source.joints(), -1);
  for (Index j = 0; j < share.size(); ++j)
    if (share[j] >= 0) out.tolerance[j] = heads[static_cast<std::size_t>(j)].tolerance(out.half, share[j]);
  return out;
}

void mark_moving(const Standstill& standstill, const double* position, Index samples, Index stride,
                 double* moving) {
  const Index half = standstill.half;
  std::vector<double> sums(static_cast<std::size_t>(samples) + 1);
  for (Index j = 0; j < standstill.tolerance.size(); ++j) {
    double* out = moving + j * stride;
    std::fill_n(out, samples, 1.0);
    if (standstill.tolerance[j] < 0 || samples < 2 * half) continue;
    const double* q = position + j * stride;
    const double limit = standstill.tolerance[j] * static_cast<double>(half);
    sums[0] = 0;
    for (Index s = 0; s < samples; ++s)
      sums[static_cast<std::size_t>(s) + 1] = sums[static_cast<std::size_t>(s)] + (q[s] - q[0]);
    const auto sum = [&](Index begin) {
      return sums[static_cast<std::size_t>(begin + half)] - sums[static_cast<std::size_t>(begin)];
    };
    const auto is_still = [&](Index begin) {
      return begin + 2 * half <= samples && std::abs(sum(begin + half) - sum(begin)) <= limit;
    };
    for (Index begin = 0; begin < samples; ++begin) {
      const Index first = begin;
      while (is_still(begin)) ++begin;
      if (begin - first >= half) std::fill(out + first, out + begin - 1 + 2 * half, 0.0);
    }
  }
}

}  // namespace steelyard
