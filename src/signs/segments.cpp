#include "steelyard/signs/segments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "signs/crossings.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

Index trim_of(const SegmentOptions& options, double rate) {
  if (options.trim != kAutomatic) return options.trim;
  return options.filter.cutoff > 0 ? static_cast<Index>(std::ceil(rate / (4 * options.filter.cutoff))) : 0;
}

bool has_sign(const SegmentOptions& options, Index joint) {
  const auto j = static_cast<std::size_t>(joint);
  return j < options.has_sign.size() && options.has_sign[j];
}

std::string joint_name(Index joint) {
  return fmt::format("joint {}", joint + 1);
}

void check_efforts(const double* effort, Index count, Index joint, bool is_signed) {
  for (Index s = 0; s < count; ++s) {
    if (!std::isfinite(effort[s]))
      throw InputError({fmt::format("effort {} at sample {}", effort[s], s),
                        {"", 0, 0, joint_name(joint)},
                        "finite numbers",
                        "repair the log, or split the run there"});
    if (effort[s] < 0 && !is_signed)
      throw InputError({fmt::format("effort {:.6g} at sample {} is negative, so it has a sign", effort[s], s),
                        {"", 0, 0, joint_name(joint)},
                        "absolute values of joints without sign",
                        "leave out `unsigned` for this run or this joint"});
  }
}

SegmentedRun filter_efforts(const SampleBlock& samples, double rate, const SegmentOptions& options) {
  options.validate();
  const int torque = samples.find(channel::kTorque);
  if (torque < 0)
    throw InputError({"the run has no channel 'torque'", {}, "efforts of every joint", "give its columns"});
  const Index joints = samples.joints(), count = samples.size();
  SegmentedRun run;
  run.band = row_band(rate, options.filter);
  run.effort.resize(count, joints);
  for (Index j = 0; j < joints; ++j) {
    check_efforts(samples.row(torque, j), count, j, has_sign(options, j));
    std::copy_n(samples.row(torque, j), count, run.effort.col(j).data());
  }
  run.band.pass(run.effort.data(), count, joints);
  run.rms.resize(joints);
  for (Index j = 0; j < joints; ++j)
    run.rms[j] = std::sqrt(run.effort.col(j).squaredNorm() / static_cast<double>(std::max<Index>(1, count)));
  return run;
}

// One independent row.
Index shortest_of(const SegmentOptions& options, const RowBand& band) {
  constexpr Index kLeast = 8;
  Index shortest = options.shortest;
  if (shortest == kAutomatic)
    shortest = std::max(
        kLeast, band.filter.cutoff > 0 ? static_cast<Index>(band.rate / (2 * band.filter.cutoff)) : 0);
  return std::max(shortest, 2 * band.factor);
}

// Marks where a joint's sign may change: bad[s] = 1 is outside all segments.
class Cutter {
 public:
  Cutter(Index count, Index trim) : bad_(static_cast<std::size_t>(count), 0), trim_(trim) {}

  // Samples and `trim` further ones on each side; `within` keeps the run's own ends.
  void cut(Index begin, Index end) {
    const Index count = static_cast<Index>(bad_.size());
    std::fill(bad_.begin() + std::max<Index>(0, begin - trim_), bad_.begin() + std::min(count, end + trim_),
              1);
  }

  std::vector<Range> ranges(Index shortest) const {
    std::vector<Range> found;
    const Index count = static_cast<Index>(bad_.size());
    for (Index s = 0; s < count;) {
      Index end = s;
      while (end < count && bad_[static_cast<std::size_t>(end)] == 0) ++end;
      if (end - s >= shortest) found.push_back({s, end});
      s = end + 1;
    }
    return found;
  }

 private:
  std::vector<char> bad_;
  Index trim_;
};

// Where the joint stands still its friction has no direction.
void cut_standstill(const SampleBlock& samples, Index joint, Cutter& cutter) {
  const int channel = samples.find(channel::kMoving);
  if (channel < 0) return;
  const double* moving = samples.row(channel, joint);
  for (Index s = 0; s < samples.size(); ++s)
    if (moving[s] == 0) cutter.cut(s, s + 1);
}

// Below this share of the RMS the sign tells little of the model, whose errors are as large, and the short segments there are many.
constexpr double kLowest = 0.3;
constexpr double kProminence = 0.05;  // of the RMS: rise on both sides of a low minimum

double threshold_of(const SegmentOptions& options, Index joint, double rms) {
  const double given = options.threshold[options.threshold.size() == 1 ? 0 : joint];
  return options.relative ? given * rms : given;
}

std::vector<Range> joint_ranges(const SampleBlock& samples, const SegmentedRun& run, Index joint, Index trim,
                                const SegmentOptions& options) {
  const Index count = samples.size();
  const double* x = run.effort.col(joint).data();
  const double rms = run.rms[joint];
  if (rms <= 0) return {};
  const bool filtered = run.band.filter.cutoff > 0;
  CrossingShape shape;
  EffortFloor floor;
  if (filtered) {
    shape = crossing_shape(run.band);
    floor = effort_floor(run.band, shape, samples.row(samples.find(channel::kTorque), joint), x, count);
  }
  Cutter cutter(count, trim);
  cut_standstill(samples, joint, cutter);
  const double given = options.threshold.size() > 0 ? threshold_of(options, joint, rms) : kLowest * rms;
  VectorXd threshold = VectorXd::Constant(count, given);
  if (filtered && options.threshold.size() == 0) threshold = threshold.cwiseMax(floor.sign);
  for (Index s = 0; s < count; ++s)
    if (x[s] <= threshold[s]) cutter.cut(s, s + 1);
  if (options.low_minimum) {
    for (const Index s : local_minima(x, count, kProminence * rms))
      if (x[s] < *options.low_minimum * rms) cutter.cut(s, s + 1);
  } else if (filtered) {
    for (const Index s : crossings(shape, floor, x, count)) cutter.cut(s, s + 1);
  }
  if (options.at_reversals) {
    const int velocity = samples.find(channel::kVelocity);
    require(velocity >= 0, "segments at reversals need the velocity");
    const double* qd = samples.row(velocity, joint);
    for (Index s = 1; s < count; ++s)
      if ((qd[s] > 0) != (qd[s - 1] > 0)) cutter.cut(s - 1, s + 1);
  }
  return cutter.ranges(shortest_of(options, run.band));
}

int direction_of(const double* velocity, Range range) {
  const int sign = velocity[range.begin] > 0 ? 1 : -1;
  for (Index s = range.begin; s < range.end; ++s)
    if (velocity[s] * sign <= 0) return 0;
  return sign;
}

void finish(const SampleBlock& samples, SegmentedRun& run) {
  if (const int velocity = samples.find(channel::kVelocity); velocity >= 0)
    for (SignSegment& segment : run.segments)
      segment.direction = direction_of(samples.row(velocity, segment.joint), segment.range);
  Index kept = 0;
  for (const SignSegment& segment : run.segments) kept += segment.range.size();
  const Index all = run.effort.size();
  run.kept_share = all > 0 ? static_cast<double>(kept) / static_cast<double>(all) : 0;
  if (run.segments.empty())
    throw InputError({run.rms.size() > 0 && run.rms.maxCoeff() <= 0
                          ? std::string("all efforts are zero: there are no signs to recover")
                          : std::string("|effort| is nowhere above its threshold for long enough"),
                      {},
                      "at least one segment",
                      "lower `threshold` or `shortest`, or raise the filter's cut-off"});
}

}  // namespace

void SegmentOptions::validate() const {
  const auto refuse = [](const char* name, double value, const char* limit) {
    throw InputError({fmt::format("option {} of segments is {}", name, value), {}, limit, ""});
  };
  for (Index j = 0; j < threshold.size(); ++j)
    if (!(threshold[j] >= 0) || std::isinf(threshold[j]))
      refuse("threshold", threshold[j], "zero or positive");
  if (shortest != kAutomatic && shortest < 2)
    refuse("shortest", static_cast<double>(shortest), "at least 2 samples");
  if (low_minimum && !(*low_minimum >= 0)) refuse("low_minimum", *low_minimum, "zero or positive");
  if (trim != kAutomatic && trim < 0) refuse("trim", static_cast<double>(trim), "zero or positive");
}

SegmentedRun detect_segments(const SampleBlock& samples, double rate, const SegmentOptions& options) {
  SegmentedRun run = filter_efforts(samples, rate, options);
  const Index joints = samples.joints();
  if (options.threshold.size() > 1 && options.threshold.size() != joints)
    throw InputError({fmt::format("{} thresholds for {} joints", options.threshold.size(), joints),
                      {},
                      "one, or one per joint",
                      ""});
  const Index trim = trim_of(options, rate);
  for (Index j = 0; j < joints; ++j) {
    if (has_sign(options, j)) {
      Cutter cutter(samples.size(), 0);
      cut_standstill(samples, j, cutter);
      for (const Range range : cutter.ranges(shortest_of(options, run.band)))
        run.segments.push_back({j, range, 1, 0});
      continue;
    }
    for (const Range range : joint_ranges(samples, run, j, trim, options))
      run.segments.push_back({j, range, 0, 0});
  }
  finish(samples, run);
  return run;
}

SegmentedRun use_segments(const SampleBlock& samples, double rate, std::vector<SignSegment> segments,
                          const SegmentOptions& options) {
  SegmentedRun run = filter_efforts(samples, rate, options);
  std::sort(segments.begin(), segments.end(), [](const SignSegment& a, const SignSegment& b) {
    return a.joint != b.joint ? a.joint < b.joint : a.range.begin < b.range.begin;
  });
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const SignSegment& segment = segments[k];
    const bool overlaps =
        k > 0 && segments[k - 1].joint == segment.joint && segments[k - 1].range.end > segment.range.begin;
    if (segment.joint < 0 || segment.joint >= samples.joints() || segment.range.begin < 0 ||
        segment.range.end > samples.size() || segment.range.size() < 1 || overlaps ||
        std::abs(segment.sign) > 1)
      throw InputError({fmt::format("segment {} … {} of joint {} {}", segment.range.begin, segment.range.end,
                                    segment.joint + 1, overlaps ? "overlaps the previous one" : "is invalid"),
                        {"", 0, 0, joint_name(segment.joint)},
                        fmt::format("samples 0 … {} of joints 1 … {}", samples.size(), samples.joints()),
                        "correct the list of segments"});
  }
  run.segments = std::move(segments);
  finish(samples, run);
  return run;
}

}  // namespace steelyard
