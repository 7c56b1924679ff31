#include "steelyard/doctor/delay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "steelyard/log/run_file.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr double kLateGain = 0.12;        // of one joint
constexpr double kEarlyGain = 0.3;        // the same, effort before position
constexpr double kCommonResidual = 0.03;  // per joint, when all have the same delay

// The minimum of a function that falls towards it from both sides, to a fortieth of the interval.
double smallest(const std::function<double(double)>& score, double most) {
  double best = 0, least = score(0);
  for (double step = most / 2.5; step > most / 80; step /= 2)
    for (const double sign : {-1.0, 1.0})
      for (double next = best + sign * step; std::abs(next) <= most; next += sign * step) {
        const double value = score(next);
        if (value >= least) break;
        least = value;
        best = next;
      }
  return best;
}

}  // namespace

Delays examine_delays(const Trial& trial, double most) {
  const Index n = trial.joints();
  const VectorXd floors = trial.floors(1);
  const auto relative = [&](const VectorXd& delay) {
    SetUp set_up = SetUp::as_given(n);
    set_up.delay = delay;
    return VectorXd(trial.quick_fit(trial.given(), set_up).relative_fitted.cwiseMax(1e-6));
  };
  const VectorXd none = relative(VectorXd::Zero(n));
  const auto gain = [&](const VectorXd& r) {
    double sum = 0;
    for (Index j = 0; j < n; ++j) {
      const double floor = floors[j] * floors[j];
      sum += 0.5 * std::log((none[j] * none[j] + floor) / (r[j] * r[j] + floor));
    }
    return sum;
  };
  Delays delays;
  const auto common = [&](double x) { return VectorXd(VectorXd::Constant(n, x)); };
  delays.common.seconds = smallest([&](double x) { return relative(common(x)).array().log().sum(); }, most);
  const VectorXd shifted = relative(common(delays.common.seconds));
  delays.common.gain = gain(shifted);
  delays.common.residual = (none.array() / shifted.array()).log().sum();
  for (Index j = 0; j < n; ++j) {
    const auto one = [&](double x) { return VectorXd(x * VectorXd::Unit(n, j)); };
    DelayEstimate& own = delays.joints.emplace_back();
    own.seconds = smallest([&](double x) { return -gain(relative(one(x))); }, most);
    const VectorXd r = relative(one(own.seconds));
    own.gain = gain(r);
    own.residual = std::log(none[j] / r[j]);
  }
  return delays;
}

namespace {

// The joint whose delay alone explains enough, or −1.
int delayed_joint(const Delays& delays, double least) {
  int best = -1;
  double most = 0;
  for (std::size_t j = 0; j < delays.joints.size(); ++j)
    if (delays.joints[j].gain > most) {
      most = delays.joints[j].gain;
      best = static_cast<int>(j);
    }
  if (best < 0) return -1;
  const DelayEstimate& own = delays.joints[static_cast<std::size_t>(best)];
  if (most <= (own.seconds > 0 ? kLateGain : kEarlyGain) || most <= delays.common.gain ||
      std::abs(own.seconds) < least)
    return -1;
  for (std::size_t j = 0; j < delays.joints.size(); ++j)
    if (static_cast<int>(j) != best && 2 * delays.joints[j].gain > most) return -1;
  return best;
}

}  // namespace

std::vector<Finding> find_delays(const Delays& delays, const Robot& robot, double step) {
  const std::vector<LogJoint> names = log_joints(robot);
  const auto text = [](const DelayEstimate& delay) {
    return fmt::format(
        "the effort is {:.0f} ms {} than the position; shifted, the residual falls by {:.0f} %",
        1e3 * std::abs(delay.seconds), delay.seconds > 0 ? "later" : "earlier",
        100 * (1 - std::exp(-delay.residual)));
  };
  const auto n = static_cast<double>(names.size());
  const double least = std::max(0.002, step);
  if (const int joint = delayed_joint(delays, least); joint >= 0)
    return {make_finding("effort-delay", names[static_cast<std::size_t>(joint)].name,
                         text(delays.joints[static_cast<std::size_t>(joint)]))};
  if (delays.common.residual <= kCommonResidual * n || std::abs(delays.common.seconds) < least) return {};
  DelayEstimate mean = delays.common;
  mean.residual /= n;
  return {make_finding("effort-delay", "", text(mean) + " on average over all joints")};
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
