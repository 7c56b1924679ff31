#include "init/guess_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace steelyard::inline STEELYARD_ABI {
namespace {

Signal sample_numbers(std::size_t size) {
  Signal time(size);
  for (std::size_t k = 0; k < size; ++k) time[k] = static_cast<double>(k);
  return time;
}

// How rough a signal is: rms of its second differences over its own standard deviation.
double roughness(const Signal& values) {
  double mean = 0, spread = 0, bend = 0;
  for (double value : values) mean += value / static_cast<double>(values.size());
  for (double value : values) spread += (value - mean) * (value - mean);
  for (std::size_t k = 1; k + 1 < values.size(); ++k) {
    const double second = values[k - 1] - 2 * values[k] + values[k + 1];
    bend += second * second;
  }
  return spread > 0 ? std::sqrt(bend / spread) : 0;
}

std::vector<int> block_columns(int block, int blocks, int joints, bool interleaved) {
  std::vector<int> columns;
  for (int j = 0; j < joints; ++j) columns.push_back(interleaved ? j * blocks + block : block * joints + j);
  return columns;
}

}  // namespace

Derivative derivative_of(const Signal& time, const Signal& position, const Signal& velocity) {
  double vd = 0, vv = 0, dd = 0;
  for (std::size_t k = 1; k + 1 < position.size(); ++k) {
    const double step = time[k + 1] - time[k - 1];
    if (!(step > 0)) continue;
    const double d = (position[k + 1] - position[k - 1]) / step;
    vd += velocity[k] * d, vv += velocity[k] * velocity[k], dd += d * d;
  }
  if (!(vv > 0) || !(dd > 0)) return {};
  return {vd / vv, vd / std::sqrt(vv * dd)};
}

double signal_median(Signal values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median_step(const Signal& time) {
  Signal steps;
  for (std::size_t k = 1; k < time.size(); ++k) steps.push_back(time[k] - time[k - 1]);
  return signal_median(std::move(steps));
}

bool increases(const Signal& time) {
  return std::adjacent_find(time.begin(), time.end(), std::greater_equal<>()) == time.end() &&
         time.size() > 1;
}

std::optional<BlockGuess> guess_blocks(const std::vector<Signal>& columns, int joints) {
  const int count = static_cast<int>(columns.size());
  if (joints <= 0 || count % joints != 0 || count / joints < 2) return {};
  BlockGuess best;
  best.blocks = count / joints;
  const Signal time = sample_numbers(columns[0].size());
  std::vector<int> taken;
  for (const bool interleaved : {false, true})
    for (int a = 0; a < best.blocks; ++a)
      for (int b = 0; b < best.blocks; ++b) {
        if (a == b) continue;
        const auto from = block_columns(a, best.blocks, joints, interleaved);
        const auto to = block_columns(b, best.blocks, joints, interleaved);
        Signal correlations;
        for (std::size_t j = 0; j < from.size(); ++j)
          correlations.push_back(derivative_of(time, columns[static_cast<std::size_t>(from[j])],
                                               columns[static_cast<std::size_t>(to[j])])
                                     .correlation);
        const double correlation = signal_median(correlations);
        if (correlation <= best.correlation + 1e-3) continue;
        best.correlation = correlation;
        best.position = from, best.velocity = to;
        taken = {a, b, interleaved ? 1 : 0};
      }
  if (best.correlation > 0.9 && best.blocks > 2) {
    int last = best.blocks - 1;
    while (last == taken[0] || last == taken[1]) --last;
    best.torque = block_columns(last, best.blocks, joints, taken[2] == 1);
    return best;
  }
  // No velocities: of two blocks the smoother one are the positions.
  if (best.blocks != 2) return {};
  best.velocity.clear(), best.correlation = 0;
  const auto first = block_columns(0, 2, joints, false), second = block_columns(1, 2, joints, false);
  Signal rough[2];
  for (std::size_t j = 0; j < first.size(); ++j) {
    rough[0].push_back(roughness(columns[static_cast<std::size_t>(first[j])]));
    rough[1].push_back(roughness(columns[static_cast<std::size_t>(second[j])]));
  }
  const bool swapped = signal_median(rough[1]) < signal_median(rough[0]);
  best.position = swapped ? second : first;
  best.torque = swapped ? first : second;
  return best;
}

}  // namespace steelyard
