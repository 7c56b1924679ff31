#include "steelyard/doctor/delay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "doctor/delay_fit.hpp"
#include "steelyard/log/run_file.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using doctor::DelayData;
using doctor::DelayFit;
using doctor::Shifts;

constexpr double kGain = 0.22;            // of one joint, beyond what sensors leave
constexpr double kPlainGain = 0.12;       // of one joint
constexpr double kBeyondFriction = 0.5;   // share that remains when friction may build up over a displacement
constexpr double kEarly = 2;              // times as much when the effort is before the position
constexpr double kCommonResidual = 0.04;  // per joint, when all have the same delay
constexpr double kFarther = 2;            // from reversals than a trial, for the gain that must remain there
constexpr double kOwnError = 0.01;        // of a joint's effort: what the copy leaves of a perfect log there
constexpr Index kStretches = 4;
constexpr int kMaxStretches = 3;
constexpr double kChance = 2.8;  // standard deviations of the gain that noise has by chance

Index nearest(const VectorXd& lateness, double seconds) {
  Index at = 0;
  (lateness.array() - seconds).abs().minCoeff(&at);
  return at;
}

// Gains over the residuals that a fit leaves with the shifts it was weighed with.
class Gains {
 public:
  Gains(const DelayData& data, const VectorXd& floors, const Shifts& shifts, int lagging = -1)
      : data_(data), floors_(floors.cwiseAbs2()), shifts_(shifts), fit_(data, lagging) {
    fit_.weigh(shifts_);
    none_ = fit_.residuals(shifts_);
  }

  DelayEstimate joint(std::size_t j, double DelayEstimate::*by) const {
    return best(by, [&](Index k) {
      Shifts shifts = shifts_;
      shifts[j] = k;
      DelayEstimate out = with(shifts, k);
      const auto i = static_cast<Index>(j);
      out.residual = 0.5 * std::log(none_[i] / fit_.residuals(shifts)[i]);
      return out;
    });
  }
  DelayEstimate common() const {
    return best(&DelayEstimate::plain, [&](Index k) { return with(Shifts(shifts_.size(), k), k); });
  }
  // Of this delay of one joint, or of all (−1).
  double beyond_own_error(int joint, double seconds) const {
    constexpr double kOwn = kOwnError * kOwnError;
    Shifts shifts = shifts_;
    for (std::size_t j = 0; j < shifts.size(); ++j)
      if (joint < 0 || static_cast<int>(j) == joint) shifts[j] = nearest(data_.lateness, seconds);
    return 0.5 * ((none_.array() + kOwn) / (fit_.residuals(shifts).array() + kOwn)).log().sum();
  }

  // Of the four sections of the rows, those in which this delay explains more.
  int stretches(int joint, double seconds) const {
    constexpr double kOwn = kOwnError * kOwnError;
    const Index k = nearest(data_.lateness, seconds);
    Shifts shifts = shifts_;
    for (std::size_t j = 0; j < shifts.size(); ++j)
      if (joint < 0 || static_cast<int>(j) == joint) shifts[j] = k;
    const Eigen::VectorXd before = fit_.solve(shifts_), after = fit_.solve(shifts);
    int better = 0;
    for (Index part = 0; part < kStretches; ++part) {
      double gain = 0;
      for (std::size_t j = 0; j < shifts.size(); ++j) {
        if (joint >= 0 && static_cast<int>(j) != joint) continue;
        const doctor::DelayRows& rows = data_.joints[j];
        const Index first = rows.Y.rows() * part / kStretches,
                    count = rows.Y.rows() * (part + 1) / kStretches - first;
        const auto share = [&](Index shift, const Eigen::VectorXd& x) {
          const Eigen::VectorXd effort = rows.efforts.col(shift).segment(first, count);
          const double left = (effort - rows.Y.middleRows(first, count) * x).squaredNorm();
          return left / std::max(effort.squaredNorm(), 1e-300) + kOwn;
        };
        if (count > 0) gain += std::log(share(shifts_[j], before) / share(shifts[j], after));
      }
      better += gain > 0;
    }
    return better;
  }

 private:
  DelayEstimate with(const Shifts& shifts, Index k) const {
    const Eigen::VectorXd r = fit_.residuals(shifts);
    DelayEstimate out;
    out.seconds = data_.lateness[k];
    for (Index j = 0; j < r.size(); ++j) {
      out.gain += 0.5 * std::log((none_[j] + floors_[j]) / (r[j] + floors_[j]));
      out.plain += 0.5 * std::log(none_[j] / r[j]);
    }
    out.residual = out.plain;
    return out;
  }

  template <class At>
  DelayEstimate best(double DelayEstimate::*by, const At& at) const {
    std::vector<DelayEstimate> all;
    for (Index k = 0; k < data_.lateness.size(); ++k) all.push_back(at(k));
    const auto top =
        std::max_element(all.begin(), all.end(), [&](const auto& a, const auto& b) { return a.*by < b.*by; });
    DelayEstimate out = *top;
    if (top == all.begin() || top + 1 == all.end()) return out;
    // The vertex of the parabola through the best shift and its neighbours.
    const double before = top[-1].*by, here = out.*by, after = top[1].*by;
    const double bend = 2 * here - before - after;
    if (bend > 0) out.seconds += 0.25 * (after - before) / bend * (top[1].seconds - top[-1].seconds);
    return out;
  }

  const DelayData& data_;
  Eigen::VectorXd floors_;
  Shifts shifts_;
  DelayFit fit_;
  Eigen::VectorXd none_;
};

DelayedJoint most_delayed(const DelayData& data, const VectorXd& floors, const Gains& gains,
                          double DelayEstimate::*by) {
  DelayedJoint out;
  for (std::size_t j = 0; j < data.joints.size(); ++j) {
    const DelayEstimate own = gains.joint(j, by);
    if (own.*by <= out.estimate.*by) continue;
    out.joint = static_cast<int>(j);
    out.estimate = own;
  }
  if (out.joint < 0) return out;
  Shifts mended(data.joints.size(), data.none);
  mended[static_cast<std::size_t>(out.joint)] = nearest(data.lateness, out.estimate.seconds);
  const Gains left(data, floors, mended);
  for (std::size_t j = 0; j < data.joints.size(); ++j)
    if (static_cast<int>(j) != out.joint) out.others = std::max(out.others, left.joint(j, by).*by);
  const Gains lagging(data, floors, Shifts(data.joints.size(), data.none), out.joint);
  const DelayEstimate beyond = lagging.joint(static_cast<std::size_t>(out.joint), &DelayEstimate::plain);
  if (beyond.seconds * out.estimate.seconds > 0) out.beyond_friction = beyond.plain;
  return out;
}

}  // namespace

Delays examine_delays(const Trial& trial) {
  Delays delays;
  const double smear = trial.options().smear;
  const DelayData data = doctor::delay_data(trial, smear);
  const VectorXd floors = trial.floors(1);
  const Gains gains(data, floors, Shifts(data.joints.size(), data.none));
  for (std::size_t j = 0; j < data.joints.size(); ++j)
    delays.joints.push_back(gains.joint(j, &DelayEstimate::gain));
  delays.common = gains.common();
  delays.loaded = most_delayed(data, floors, gains, &DelayEstimate::gain);
  delays.light = most_delayed(data, floors, gains, &DelayEstimate::plain);
  const DelayData away = doctor::delay_data(trial, kFarther * smear);
  const Gains left(away, floors, Shifts(away.joints.size(), away.none));
  const auto look_away = [&](int joint, DelayEstimate& estimate) {
    estimate.away = left.beyond_own_error(joint, estimate.seconds);
    estimate.stretches = left.stretches(joint, estimate.seconds);
  };
  look_away(-1, delays.common);
  for (DelayedJoint* one : {&delays.loaded, &delays.light})
    if (one->joint >= 0) look_away(one->joint, one->estimate);
  for (const doctor::DelayRows& rows : away.joints)
    if (rows.Y.rows() > 0) delays.chance += 1 / static_cast<double>(rows.Y.rows());
  delays.chance = std::sqrt(delays.chance);
  return delays;
}

namespace {

bool stands_alone(const DelayedJoint& one, double gain, double common, double limit, double min_delay) {
  const double factor = one.estimate.seconds < 0 ? kEarly : 1;
  return one.joint >= 0 && std::abs(one.estimate.seconds) >= min_delay && gain > factor * limit &&
         gain > 2 * common && gain >= 2 * one.others && one.estimate.away > kPlainGain &&
         one.estimate.stretches >= kMaxStretches;
}

// The joint whose delay alone explains enough, or none.
const DelayedJoint* delayed_joint(const Delays& delays, double min_delay) {
  const DelayedJoint &loaded = delays.loaded, &light = delays.light;
  if (stands_alone(loaded, loaded.estimate.gain, delays.common.gain, kGain, min_delay)) return &loaded;
  if (stands_alone(light, light.estimate.plain, delays.common.plain, kPlainGain, min_delay) &&
      light.beyond_friction > kBeyondFriction * light.estimate.plain)
    return &light;
  return nullptr;
}

}  // namespace

std::vector<Finding> delay_findings(const Delays& delays, const Robot& robot, double step) {
  const std::vector<LogJoint> names = log_joints(robot);
  const auto text = [](const DelayEstimate& delay) {
    return fmt::format(
        "the effort is {:.0f} ms {} than the position; shifting it reduces the residual by {:.0f} %",
        1e3 * std::abs(delay.seconds), delay.seconds > 0 ? "later" : "earlier",
        100 * (1 - std::exp(-delay.residual)));
  };
  const auto n = static_cast<double>(names.size());
  const double min_delay = std::max(0.002, step);
  if (const DelayedJoint* one = delayed_joint(delays, min_delay))
    return {
        make_finding("effort-delay", names[static_cast<std::size_t>(one->joint)].name, text(one->estimate))};
  const double limit = kCommonResidual * n;
  if (delays.common.stretches < kMaxStretches || delays.common.plain <= limit ||
      delays.common.away <= std::max(limit, kChance * delays.chance) ||
      std::abs(delays.common.seconds) < min_delay)
    return {};
  DelayEstimate mean = delays.common;
  mean.residual /= n;
  return {make_finding("effort-delay", "", text(mean) + " on average over all joints")};
}

}  // namespace steelyard
