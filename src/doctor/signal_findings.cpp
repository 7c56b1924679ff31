#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "doctor/repaired.hpp"
#include "doctor/unsigned_effort.hpp"
#include "doctor/velocity_findings.hpp"
#include "steelyard/core/units.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kSlowStamps = 0.5;   // [s]; no motion is logged so rarely
constexpr double kOtherRate = 0.02;   // ln of the ratio: forces of inertia 4 % off
constexpr double kFollows = 0.1;      // of the way over a hold
constexpr double kHeldRange = 0.005;  // of the largest range of a joint of the kind: below it a joint is held
constexpr double kUnusualHold = 4;    // usual ones
constexpr double kUsualSteps = 4;     // mean changes: no jump
constexpr std::size_t kNamedSpikes = 2;
constexpr double kSameColumn = 0.01;   // share of a column's changes in which another one may differ
constexpr Index kFewestChanges = 100;  // of columns that are compared
constexpr double kCoarseSteps = 4;     // quanta from which a change is more than the resolution's
constexpr double kLateHold = 0.002;    // [s]
constexpr double kCoarseEffort = 64;   // levels over the range
constexpr double kCoarsePosition = 1000;

std::string duration_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  return seconds < 7200 ? fmt::format("{:.3g} min", seconds / 60) : fmt::format("{:.4g} h", seconds / 3600);
}

// ": taken as ms, they would be 5 ms apart"; empty when no unit makes a usual step of it.
std::string as_other_unit(double step) {
  const std::string unit = likely_time_unit(step);
  if (unit.empty()) return "";
  return fmt::format(": read as {}, they would be {:.4g} ms apart", unit,
                     1e3 * step * parse_unit(unit).factor);
}

// Findings of one log, as they come.
class SignalFindings {
 public:
  SignalFindings(const SignalScan& scan, const std::vector<LogJoint>& joints, const std::string& run,
                 const SignalUse& use)
      : scan_(scan), joints_(joints), run_(run), use_(use) {}

  void report_time() {
    const TimeScan& time = scan_.time;
    if (!time.is_uniform())
      add("irregular-stamps", run_,
          fmt::format("steps from {:.3g} to {:.3g} ms, median {:.3g} ms, standard deviation {:.3g} ms",
                      1e3 * time.shortest_step, 1e3 * time.longest_step, 1e3 * time.median_step,
                      1e3 * time.jitter));
    if (time.median_step > kSlowStamps) {
      add("time-scale", run_,
          fmt::format("stamps are {:.4g} s apart{}", time.median_step, as_other_unit(time.median_step)));
      if (likely_time_unit(time.median_step).empty()) findings.back().severity = Severity::warning;
    }
    if (const double stated = use_.rate * time.median_step;
        stated > 0 && std::abs(std::log(stated)) > kOtherRate)
      add("time-scale", run_,
          fmt::format("the stamps are {:.4g} ms apart, {:.4g} Hz, and the study's `rate` is {:.4g} Hz: one "
                      "of the two is "
                      "wrong; the stamps are used",
                      1e3 * time.median_step, 1 / time.median_step, use_.rate));
    if (time.gaps == 0) return;
    add("gaps", run_,
        fmt::format("{} {} where {:.3g} ms is typical",
                    time.gaps == 1 ? "one gap of" : fmt::format("{} gaps, the longest", time.gaps),
                    duration_text(time.longest_step), 1e3 * time.median_step));
    if (time.longest_step < kShortGap) findings.back().severity = Severity::note;
  }

  void report_repeats() {
    if (scan_.repeated_rows == 0) return;
    const double share = repeated_share(scan_);
    add("repeated-samples", run_,
        fmt::format("{} of {} rows ({:.1f} %) repeat all channels of the previous row", scan_.repeated_rows,
                    scan_.samples, 100 * share));
    if (share < kManyRepeated) findings.back().severity = Severity::note;
  }

  // A robot at rest in its zero position approached it slowly.
  void report_zero_rows() {
    const int position = scan_.find(channel::kPosition);
    if (position < 0 || scan_.zeros.empty()) return;
    const ZeroRows* first = nullptr;
    Index rows = 0, kept = 0;
    for (const ZeroRows& zeros : scan_.zeros) {
      kept += zeros.count;
      for (int j = 0; j < static_cast<int>(joints_.size()); ++j) {
        const ChannelScan& q = channel(position, j);
        if (zeros.leap[j] <= kFarPosition * q.mean_change() || zeros.leap[j] <= 3 * q.quantum) continue;
        if (first == nullptr) first = &zeros;
        rows += zeros.count;
        break;
      }
    }
    if (first == nullptr) return;
    if (rows == kept) rows = scan_.zero_rows;
    add("zero-row", run_,
        fmt::format("{} of {} rows {} zero in all channels, the first at {:.6g} s", rows, scan_.samples,
                    rows == 1 ? "is" : "are", first->time));
    has_zero_rows_ = true;
    for (int j = 0; j < static_cast<int>(joints_.size()); ++j) spoiled.insert(j);
  }

  void report_spikes() {
    if (has_zero_rows_) return;
    std::vector<Spike> spikes;
    for (int c = 0; c < static_cast<int>(scan_.channels.size()); ++c)
      for (int j = 0; j < static_cast<int>(joints_.size()); ++j)
        if (const Spike spike = spike_of(scan_, c, j, use_); spike.count > 0) {
          spikes.push_back(spike);
          if (!is_effort(scan_.channels[static_cast<std::size_t>(c)])) spoiled.insert(j);
        }
    if (spikes.size() <= kNamedSpikes) {
      for (const Spike& spike : spikes) {
        add("spike", name(spike.joint), spike_text(spike));
        findings.back().severity = spike.severity;
      }
      return;
    }
    // Usually a bad row.
    std::string text = fmt::format("{} signals have outliers: ", spikes.size());
    Severity worst = Severity::warning;
    for (std::size_t k = 0; k < spikes.size(); ++k) {
      if (k < kNamedSpikes)
        text += fmt::format("{}{}: {}", k == 0 ? "" : "; ", name(spikes[k].joint), spike_text(spikes[k]));
      if (spikes[k].severity == Severity::error) worst = Severity::error;
    }
    add("spike", run_, text + "; …");
    findings.back().severity = worst;
  }

  void report_channel(int c, int j) {
    const std::string& channel = scan_.channels[static_cast<std::size_t>(c)];
    const ChannelScan& scan = this->channel(c, j);
    if (scan.not_finite > 0)
      add("not-finite", name(j), fmt::format("{} values of the {} are not finite", scan.not_finite, channel));
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
    if (!is_effort(channel) || !report_saturation(channel, scan, j)) report_frozen(channel, scan, j);
    if (is_effort(channel)) {
      report_zeros(channel, scan, j);
      report_dropouts(channel, scan, j);
    }
    const double levels = scan.quantum > 0 ? scan.range() / scan.quantum : 1e9;
    if (levels < (is_effort(channel) ? kCoarseEffort : channel == channel::kPosition ? kCoarsePosition : 0))
      add("quantised", name(j),
          fmt::format("the {} moves in steps of {:.3g}, {:.0f} of them over its range", channel, scan.quantum,
                      levels));
  }

  // Efforts from a slower bus or a filter of the drive, next to positions of every sample.
  void report_held_efforts() {
    const int position = scan_.find(channel::kPosition);
    for (int c = 0; c < static_cast<int>(scan_.channels.size()) && position >= 0; ++c) {
      if (!is_effort(scan_.channels[static_cast<std::size_t>(c)])) continue;
      int held = 0, moving = 0;
      double hold = kInfinity;  // samples, the shortest of the joints
      for (int j = 0; j < static_cast<int>(joints_.size()); ++j) {
        const ChannelScan &effort = channel(c, j), &q = channel(position, j);
        if (effort.changes < kFewestChanges || 2 * q.changes < scan_.samples) continue;
        ++moving;
        // Neighbours that the resolution makes equal differ by little when they do.
        if (2 * effort.equal_neighbours < scan_.samples ||
            effort.mean_change() < kCoarseSteps * effort.quantum)
          continue;
        ++held;
        hold = std::min(hold, static_cast<double>(scan_.samples) / static_cast<double>(effort.changes));
      }
      if ((moving < 2 && joints_.size() > 1) || 2 * held <= moving) continue;
      const double late = 0.5 * (hold - 1) * scan_.time.median_step;
      add("held-effort", run_,
          fmt::format(
              "the {} of {} of {} joints keeps its value for {:.1f} samples while the positions change: "
              "{} late on average",
              scan_.channels[static_cast<std::size_t>(c)], held, moving, hold, duration_text(late)));
      if (late < kLateHold) findings.back().severity = Severity::note;
    }
  }

  void report_wraps() {
    for (std::size_t j = 0; j < scan_.wraps.size(); ++j) {
      if (scan_.wraps[j] == 0) continue;
      add("encoder-wrap", joints_[j].name,
          fmt::format("the position steps by whole turns {} times", scan_.wraps[j]));
      spoiled.insert(static_cast<int>(j));
    }
  }

  // Equal numbers of two moving joints are one column used twice.
  void report_same_columns() {
    for (const AlikeColumns& pair : scan_.alike) {
      const Index changes =
          std::min(channel(pair.channel, pair.first).changes, channel(pair.channel, pair.second).changes);
      if (changes < kFewestChanges ||
          static_cast<double>(pair.differing) > kSameColumn * static_cast<double>(changes))
        continue;
      add("same-column", name(pair.second),
          fmt::format("the {} equals that of {} in {} of {} samples",
                      scan_.channels[static_cast<std::size_t>(pair.channel)], name(pair.first),
                      scan_.samples - pair.differing, scan_.samples));
      spoiled.insert({pair.first, pair.second});
    }
  }

  void report_unsigned_efforts() {
    if (std::optional<Finding> finding = unsigned_effort(scan_, joints_, run_, has_zero_rows_))
      findings.push_back(std::move(*finding));
  }

  std::vector<Finding> findings;
  std::set<int> spoiled;  // joints whose velocity is not compared with their position

 private:
  void add(FindingCode code, const std::string& joint, std::string evidence) {
    findings.push_back(make_finding(code, joint, std::move(evidence)));
  }
  const std::string& name(int j) const { return joints_[static_cast<std::size_t>(j)].name; }
  const ChannelScan& channel(int c, int j) const {
    return scan_.scans[static_cast<std::size_t>(c)][static_cast<std::size_t>(j)];
  }

  std::string spike_text(const Spike& spike) const {
    const std::string& what = scan_.channels[static_cast<std::size_t>(spike.channel)];
    if (spike.count == 1)
      return fmt::format("the {} differs from its neighbours by {:.4g} at {:.6g} s", what, spike.size,
                         spike.time);
    return fmt::format("the {} differs from its neighbours {} times{}, by up to {:.4g} at {:.6g} s", what,
                       spike.count, spike.is_full ? " at least" : "", spike.size, spike.time);
  }

  // One value for long although the joint moves: judged for an effort by the position, for a position the
  // jump at the end of the hold, for a velocity the position again.
  bool is_frozen(const std::string& channel, const ChannelScan& scan, int j) const {
    const Hold& hold = scan.hold;
    // Of a channel that is sampled more slowly than the others, no hold is longer than usual.
    const double usual =
        static_cast<double>(scan_.samples) / static_cast<double>(std::max<Index>(1, scan.changes));
    if (hold.samples == 0 || static_cast<double>(hold.samples) < kUnusualHold * usual) return false;
    const int position = scan_.find(channel::kPosition);
    if (position < 0) return false;
    const ChannelScan& q = scan_.scans[static_cast<std::size_t>(position)][static_cast<std::size_t>(j)];
    bool frozen = false;
    if (channel == channel::kPosition)
      frozen = hold.step_behind > 8 * scan.mean_step && hold.step_behind > 3 * scan.quantum;
    else
      frozen = hold.motion > 0.02 * q.range() && hold.motion > 5 * q.quantum &&
               hold.step_behind > 3 * scan.quantum;
    // A velocity that the position follows is constant.
    if (channel == channel::kVelocity &&
        std::abs(std::abs(hold.value) * hold.seconds - hold.motion) < kFollows * hold.motion)
      return false;
    return frozen && !is_held(position, j);
  }

  void report_frozen(const std::string& channel, const ChannelScan& scan, int j) {
    if (!is_frozen(channel, scan, j)) return;
    add("frozen-channel", name(j),
        fmt::format("the {} is constant for {:.2f} s from {:.2f} s on while the joint moves", channel,
                    scan.hold.seconds, scan.hold.begin));
    if (channel == channel::kPosition) spoiled.insert(j);
  }

  // A joint that is never commanded moves by what the others shake it.
  bool is_held(int position, int j) const {
    double largest = 0;
    for (int k = 0; k < static_cast<int>(joints_.size()); ++k)
      if (joints_[static_cast<std::size_t>(k)].kind == joints_[static_cast<std::size_t>(j)].kind)
        largest = std::max(largest, channel(position, k).range());
    return channel(position, j).range() < kHeldRange * largest;
  }

  // The smallest |effort| is where the effort changes sign, not the end of a sensor's range.
  bool report_saturation(const std::string& channel, const ChannelScan& scan, int j) {
    for (const ExtremeScan& extreme : {scan.top, scan.bottom}) {
      if (!use_.effort_signs && extreme.value == scan.bottom.value) continue;
      const Index few = std::max<Index>(10, scan_.samples / 500);
      if (extreme.count < few || extreme.count < 8 * extreme.next_count || extreme.value == 0) continue;
      // A single hold may be a channel that froze; that one jumps at its end.
      const bool is_range =
          extreme.count > scan.longest_hold + few ||
          (scan.hold.value == extreme.value && scan.hold.step_behind <= kUsualSteps * scan.mean_change());
      if (!is_range && is_frozen(channel, scan, j)) return false;
      add("saturation", name(j),
          fmt::format("{} samples are at the {}'s extreme value {:.5g}, the next value occurs {} times",
                      extreme.count, channel, extreme.value, extreme.next_count));
      return is_range;
    }
    return false;
  }

  void report_zeros(const std::string& channel, const ChannelScan& scan, int j) {
    const double share =
        static_cast<double>(scan.zeros) / static_cast<double>(std::max<Index>(1, scan_.samples));
    if (share < 0.5) return;
    add("effort-resolution", name(j),
        fmt::format("the {} is exactly zero in {:.0f} % of the samples: the parameters that only this joint "
                    "shows are not "
                    "identifiable",
                    channel, 100 * share));
  }

  void report_dropouts(const std::string& channel, const ChannelScan& scan, int j) {
    if (!drops_out(scan, scan_.samples, has_zero_rows_)) return;
    add("effort-dropout", name(j),
        fmt::format(
            "the {} is exactly zero in {} of {} samples while the joint moves, {:.0f} usual changes from the "
            "sample before",
            channel, scan.moving_zeros, scan_.samples, scan.mean_fall / scan.mean_change()));
  }

  const SignalScan& scan_;
  const std::vector<LogJoint>& joints_;
  const std::string& run_;
  const SignalUse& use_;
  bool has_zero_rows_ = false;
};

}  // namespace

std::vector<Finding> signal_findings(const SignalScan& scan, const std::vector<LogJoint>& joints,
                                     const std::string& run, const SignalUse& use) {
  SignalFindings found(scan, joints, run, use);
  found.report_time();
  found.report_repeats();
  found.report_zero_rows();
  found.report_spikes();
  for (int c = 0; c < static_cast<int>(scan.channels.size()); ++c)
    for (int j = 0; j < static_cast<int>(joints.size()); ++j) found.report_channel(c, j);
  found.report_held_efforts();
  found.report_wraps();
  found.report_same_columns();
  if (use.effort_signs) found.report_unsigned_efforts();
  for (Finding& finding : doctor::velocity_findings(scan, joints, run, use, found.spoiled))
    found.findings.push_back(std::move(finding));
  return std::move(found.findings);
}

}  // namespace steelyard
