#include "steelyard/doctor/delay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "steelyard/log/run_file.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr double kGain = 0.45;        // of one joint
constexpr double kCommonGain = 0.03;  // per joint, when all have the same delay

// The minimum of a function that falls towards it from both sides, to a fortieth of the interval.
DelayEstimate smallest(const std::function<double(double)>& score, double most) {
  const double none = score(0);
  double best = 0, least = none;
  for (double step = most / 2.5; step > most / 80; step /= 2)
    for (const double sign : {-1.0, 1.0})
      for (double next = best + sign * step; std::abs(next) <= most; next += sign * step) {
        const double value = score(next);
        if (value >= least) break;
        least = value;
        best = next;
      }
  return {best, none - least};
}

}  // namespace

Delays examine_delays(const Trial& trial, double most) {
  const Index n = trial.joints();
  Delays delays;
  const auto score = [&](const VectorXd& delay, Index joint) {
    SetUp set_up = SetUp::as_given(n);
    set_up.delay = delay;
    const Fit fit = trial.quick_fit(trial.given(), set_up);
    double sum = 0;
    for (Index j = 0; j < n; ++j)
      if (joint < 0 || j == joint) sum += std::log(std::max(fit.relative_fitted[j], 1e-6));
    return sum;
  };
  delays.common = smallest([&](double x) { return score(VectorXd::Constant(n, x), -1); }, most);
  for (Index j = 0; j < n; ++j)
    delays.joints.push_back(smallest([&](double x) { return score(x * VectorXd::Unit(n, j), j); }, most));
  return delays;
}

std::vector<Finding> find_delays(const Delays& delays, const Robot& robot, double step) {
  const std::vector<LogJoint> names = log_joints(robot);
  const auto text = [](const DelayEstimate& delay) {
    return fmt::format(
        "the effort is {:.0f} ms {} than the position; shifted, the residual falls by {:.0f} %",
        1e3 * std::abs(delay.seconds), delay.seconds > 0 ? "later" : "earlier",
        100 * (1 - std::exp(-delay.gain)));
  };
  const double n = static_cast<double>(names.size());
  const double least = std::max(0.002, step);
  if (delays.common.gain > kCommonGain * n && std::abs(delays.common.seconds) >= least) {
    DelayEstimate mean = delays.common;
    mean.gain /= n;
    return {make_finding("effort-delay", "", text(mean) + " on average over all joints")};
  }
  std::vector<Finding> findings;
  for (std::size_t j = 0; j < names.size(); ++j)
    if (delays.joints[j].gain > kGain && std::abs(delays.joints[j].seconds) >= least)
      findings.push_back(make_finding("effort-delay", names[j].name, text(delays.joints[j])));
  return findings;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
