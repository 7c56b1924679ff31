#include "doctor/unsigned_effort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kTouchesZero = 0.02;  // of the largest effort
constexpr double kStaysNear = 0.005;   // share of the samples, a tenth of what evenly spread ones have there
constexpr double kBounces = 10;        // spacings of the samples' values
constexpr double kTurnsBack = 1.2;     // passes over its range
constexpr double kReverses = 1.5;      // passes over its range of a joint that reverses

}  // namespace

bool is_effort(const std::string& channel) {
  return channel == channel::kTorque || channel == channel::kCurrent;
}

bool drops_out(const ChannelScan& scan, Index samples, bool has_zero_rows) {
  constexpr Index kFew = 5;
  constexpr double kFar = 4;   // mean changes
  constexpr double kNear = 2;  // of the least effort that is not zero
  // A sensor whose levels lie unevenly is at zero on the way from one sign to the other: what it leaves is its least level.
  const bool crosses = scan.lowest < 0 && scan.highest > 0 && scan.mean_fall <= kNear * scan.smallest;
  return !crosses && !has_zero_rows && scan.falls >= kFew && 2 * scan.zeros <= samples &&
         scan.mean_fall >= kFar * std::max(scan.mean_change(), scan.quantum);
}

std::optional<Finding> unsigned_effort(const SignalScan& scan, const std::vector<LogJoint>& joints,
                                       const std::string& run, bool has_zero_rows) {
  const auto of = [&](int c, int j) -> const ChannelScan& {
    return scan.scans[static_cast<std::size_t>(c)][static_cast<std::size_t>(j)];
  };
  const int position = scan.find(channel::kPosition);
  for (int c = 0; c < static_cast<int>(scan.channels.size()) && position >= 0; ++c) {
    if (!is_effort(scan.channels[static_cast<std::size_t>(c)])) continue;
    int moving = 0, touching = 0, bouncing = 0, negative = 0;
    for (int j = 0; j < static_cast<int>(joints.size()); ++j) {
      const ChannelScan &effort = of(c, j), &q = of(position, j);
      const double way = q.mean_step * static_cast<double>(scan.samples);
      negative += effort.lowest < 0;
      if (effort.range() == 0 || q.range() == 0) continue;
      // As close to zero as the samples lie: a signal that has its minimum there by chance does so once in a hundred logs.
      const double close = kBounces * effort.deviation / static_cast<double>(scan.samples);
      if (drops_out(effort, scan.samples, has_zero_rows)) continue;  // to zero, from wherever it is
      bouncing += way > kTurnsBack * q.range() && effort.quantum < kTouchesZero * effort.highest &&
                  effort.lowest <= close;
      if (way < kReverses * q.range()) continue;
      ++moving;
      // One that has its minimum there by chance is hardly ever near it.
      touching += effort.lowest <= kTouchesZero * effort.highest && effort.near_zero >= kStaysNear;
    }
    const bool is_usual = touching > 1 && 2 * touching > moving;
    if (negative == 0 && (is_usual || bouncing > 0))
      return make_finding(
          "unsigned-effort", run,
          fmt::format("no {} is negative although the joints reverse, and {} of {} reach zero",
                      scan.channels[static_cast<std::size_t>(c)], std::max(touching, bouncing),
                      std::max(moving, bouncing)));
  }
  return std::nullopt;
}

}  // namespace steelyard
