#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "steelyard/doctor/signals.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr double kManyRepeated = 0.1;  // share of rows from which repeats are more than a note
constexpr double kShortGap = 0.05;     // [s]; shorter ones are bridged well enough
constexpr double kSlowStamps = 0.5;    // [s]; no motion is logged so rarely
constexpr double kImpossible = 1e9;    // of any channel, in SI units
constexpr double kLongHold = 0.1;      // [s]
constexpr Index kHeldSamples = 20;
constexpr double kAgreement = 0.9;    // of the velocity column with the position
constexpr double kFactor = 0.05;      // by which the velocity may differ from the derivative
constexpr double kCoarseEffort = 64;  // levels over the range
constexpr double kCoarsePosition = 1000;

bool is_effort(const std::string& channel) {
  return channel == channel::kTorque || channel == channel::kCurrent;
}

std::string duration_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  return seconds < 7200 ? fmt::format("{:.3g} min", seconds / 60) : fmt::format("{:.4g} h", seconds / 3600);
}

// ": taken as ms, they would be 5 ms apart"; empty when no unit makes a usual step of it.
std::string likely_time_unit(double step) {
  for (const auto& [unit, seconds] : {std::pair{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}})
    if (step * seconds >= 1e-5 && step * seconds < 0.5)
      return fmt::format(": taken as {}, they would be {:.4g} ms apart", unit, 1e3 * step * seconds);
  return "";
}

// Findings of one log, as they come.
class SignalFindings {
 public:
  SignalFindings(const SignalScan& scan, const std::vector<LogJoint>& joints, const std::string& run)
      : scan_(scan), joints_(joints), run_(run) {}

  void find_time() {
    const TimeScan& time = scan_.time;
    if (!time.is_uniform())
      add("irregular-stamps", run_,
          fmt::format("steps from {:.3g} to {:.3g} ms, median {:.3g} ms, deviation {:.3g} ms",
                      1e3 * time.shortest_step, 1e3 * time.longest_step, 1e3 * time.median_step,
                      1e3 * time.jitter));
    if (time.median_step > kSlowStamps) {
      add("time-scale", run_,
          fmt::format("stamps are {:.4g} s apart{}", time.median_step, likely_time_unit(time.median_step)));
      findings.back().severity = Severity::warning;
    }
    if (time.gaps == 0) return;
    add("gaps", run_,
        fmt::format("{} {} where {:.3g} ms is usual",
                    time.gaps == 1 ? "one gap of" : fmt::format("{} gaps, the longest", time.gaps),
                    duration_text(time.longest_step), 1e3 * time.median_step));
    if (time.longest_step < kShortGap) findings.back().severity = Severity::note;
  }

  void find_repeats() {
    if (scan_.repeated_rows == 0) return;
    const double share =
        static_cast<double>(scan_.repeated_rows) / static_cast<double>(std::max<Index>(1, scan_.samples));
    add("repeated-samples", run_,
        fmt::format("{} of {} rows ({:.1f} %) repeat all channels of the row before", scan_.repeated_rows,
                    scan_.samples, 100 * share));
    if (share < kManyRepeated) findings.back().severity = Severity::note;
  }

  void find_channel(int c, int j) {
    const std::string& channel = scan_.channels[static_cast<std::size_t>(c)];
    const ChannelScan& scan = scan_.scans[static_cast<std::size_t>(c)][static_cast<std::size_t>(j)];
    if (scan.not_finite > 0)
      add("not-finite", name(j),
          fmt::format("{} values of the {} are not numbers", scan.not_finite, channel));
    for (const ExtremeScan& extreme : {scan.top, scan.bottom})
      if (std::abs(extreme.value) > kImpossible) {
        add("impossible-value", name(j),
            fmt::format("the {} is {:.4g} at {:.6g} s", channel, extreme.value, extreme.time));
        return;
      }
    if (scan.range() == 0) {
      if (is_effort(channel))
        add("dead-channel", name(j),
            fmt::format("the {} is {:.4g} in all {} samples", channel, scan.highest, scan_.samples));
      else if (channel == channel::kPosition)
        add("still-joint", name(j),
            fmt::format("the position is {:.4g} in all {} samples", scan.highest, scan_.samples));
      return;
    }
    find_frozen(channel, scan, j);
    if (is_effort(channel)) {
      find_saturation(channel, scan, j);
      find_zeros(channel, scan, j);
    }
    const double levels = scan.quantum > 0 ? scan.range() / scan.quantum : 1e9;
    if (levels < (is_effort(channel) ? kCoarseEffort : channel == channel::kPosition ? kCoarsePosition : 0))
      add("quantised", name(j),
          fmt::format("the {} moves in steps of {:.3g}, {:.0f} of them over its range", channel, scan.quantum,
                      levels));
  }

  void find_wraps() {
    for (std::size_t j = 0; j < scan_.wraps.size(); ++j)
      if (scan_.wraps[j] > 0)
        add("encoder-wrap", joints_[j].name,
            fmt::format("the position steps by whole turns {} times", scan_.wraps[j]));
  }

  void find_velocity();

  std::vector<Finding> findings;

 private:
  void add(const char* code, const std::string& joint, std::string evidence) {
    findings.push_back(make_finding(code, joint, std::move(evidence)));
  }
  const std::string& name(int j) const { return joints_[static_cast<std::size_t>(j)].name; }

  // One value for long although the joint moves: for an effort the position tells, for a position the jump at
  // the end of the hold, for a velocity the position again.
  void find_frozen(const std::string& channel, const ChannelScan& scan, int j) {
    const double seconds = static_cast<double>(scan.longest_hold) * scan_.time.median_step;
    if (scan.longest_hold < kHeldSamples || seconds < kLongHold) return;
    const int position = scan_.find(channel::kPosition);
    if (position < 0) return;
    const ChannelScan& q = scan_.scans[static_cast<std::size_t>(position)][static_cast<std::size_t>(j)];
    bool frozen = false;
    if (channel == channel::kPosition)
      frozen = scan.step_behind > 8 * scan.mean_step && scan.step_behind > 3 * scan.quantum;
    else
      frozen = scan.hold_motion > 0.02 * q.range() && scan.hold_motion > 5 * q.quantum &&
               scan.step_behind > 3 * scan.quantum;
    if (frozen)
      add("frozen-channel", name(j),
          fmt::format("the {} stays the same for {:.2f} s from {:.2f} s on while the joint moves", channel,
                      seconds, scan.hold_begin));
  }

  void find_saturation(const std::string& channel, const ChannelScan& scan, int j) {
    for (const ExtremeScan& extreme : {scan.top, scan.bottom}) {
      const Index few = std::max<Index>(10, scan_.samples / 500);
      if (extreme.count < few || extreme.count < 8 * extreme.next_count || extreme.value == 0) continue;
      add("saturation", name(j),
          fmt::format("{} samples have the {}'s extreme value {:.5g}, the next one occurs {} times",
                      extreme.count, channel, extreme.value, extreme.next_count));
      return;
    }
  }

  void find_zeros(const std::string& channel, const ChannelScan& scan, int j) {
    const double share =
        static_cast<double>(scan.zeros) / static_cast<double>(std::max<Index>(1, scan_.samples));
    if (share < 0.5) return;
    add("effort-resolution", name(j),
        fmt::format("the {} is exactly zero in {:.0f} % of the samples: the parameters that only this joint "
                    "shows are not "
                    "identifiable",
                    channel, 100 * share));
  }

  const SignalScan& scan_;
  const std::vector<LogJoint>& joints_;
  const std::string& run_;
};

// "57.3 (degrees per second?)"
std::string factor_text(double factor) {
  struct Known {
    double factor;
    const char* what;
  };
  for (const Known& known :
       {Known{180 / std::numbers::pi, "degrees per second"},
        Known{std::numbers::pi / 180, "position in degrees"}, Known{-1, "the opposite sign"},
        Known{60 / (2 * std::numbers::pi), "revolutions per minute"},
        Known{1 / (2 * std::numbers::pi), "revolutions per second"}, Known{1000, "a thousand"}})
    if (std::abs(factor / known.factor - 1) < 0.03) return fmt::format("{:.4g} ({})", factor, known.what);
  return fmt::format("{:.4g}", factor);
}

void SignalFindings::find_velocity() {
  if (scan_.motion_velocity.size() == 0) return;
  const Index n = scan_.motion_squared.size();
  const auto agreement = [&](Index i, Index j) {
    const double product = scan_.motion_squared[i] * scan_.velocity_squared[j];
    return product > 0 ? std::pow(scan_.motion_velocity(i, j), 2) / product : 0;
  };
  const auto factor = [&](Index j) { return scan_.motion_velocity(j, j) / scan_.motion_squared[j]; };
  std::vector<Index> off;
  Index moving = 0;
  bool alike = true;
  for (Index j = 0; j < n; ++j) {
    if (scan_.motion_squared[j] <= 0) continue;
    ++moving;
    if (agreement(j, j) >= kAgreement && std::abs(factor(j) - 1) <= kFactor) continue;
    off.push_back(j);
    alike &= agreement(j, j) >= kAgreement && std::abs(factor(j) / factor(off[0]) - 1) < 0.02;
  }
  if (off.empty()) return;
  if (alike && moving > 1 && static_cast<Index>(off.size()) == moving) {
    const double common = factor(off[0]);
    const bool unit = factor_text(common).find('(') != std::string::npos;
    add(unit ? "velocity-scale" : "time-scale", unit ? "" : run_,
        unit ? fmt::format("the velocity is {} times the derivative of the position in all joints",
                           factor_text(common))
             : fmt::format("the velocity is {:.4g} times the derivative of the position in all joints: the "
                           "sampling rate "
                           "is {:.4g} times as high as the stamps say, or the velocity's unit is wrong",
                           common, common));
    return;
  }
  for (const Index j : off) {
    if (agreement(j, j) >= kAgreement) {
      add("velocity-scale", name(static_cast<int>(j)),
          fmt::format("the velocity is {} times the derivative of the position", factor_text(factor(j))));
      continue;
    }
    std::string whose;
    for (Index i = 0; i < n; ++i)
      if (i != j && agreement(i, j) > 0.97)
        whose = fmt::format("; it follows the position of {}", name(static_cast<int>(i)));
    add("velocity-scale", name(static_cast<int>(j)),
        fmt::format("the velocity follows the position with a correlation of {:.2f} only{}",
                    std::sqrt(agreement(j, j)), whose));
  }
}

}  // namespace

std::vector<Finding> find_signals(const SignalScan& scan, const std::vector<LogJoint>& joints,
                                  const std::string& run) {
  SignalFindings found(scan, joints, run);
  found.find_time();
  found.find_repeats();
  for (int c = 0; c < static_cast<int>(scan.channels.size()); ++c)
    for (int j = 0; j < static_cast<int>(joints.size()); ++j) found.find_channel(c, j);
  found.find_wraps();
  found.find_velocity();
  return std::move(found.findings);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
