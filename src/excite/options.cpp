#include <fmt/format.h>

#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/excite/motion.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& limit, const std::string& remedy,
                       const std::string& joint = {}) {
  throw InputError({what, {{}, 0, 0, joint}, limit, remedy});
}

void check_time(const ExciteOptions& o) {
  if (!(o.duration > 0) || !std::isfinite(o.duration))
    fail(fmt::format("a motion of {} s", o.duration), "above 0", "give its duration in seconds");
  if (!(o.rate > 0) || !std::isfinite(o.rate))
    fail(fmt::format("a rate of {} Hz", o.rate), "above 0", "give the rate of the rows");
  if (o.kind == MotionKind::points) {
    const double moves = o.duration - o.points * o.dwell;
    if (!(moves > 0))
      fail(fmt::format("{} s are too short for {} rests of {} s", o.duration, o.points, o.dwell),
           fmt::format("more than {} s", o.points * o.dwell), "give a longer duration, or fewer points");
    return;
  }
  if (!(o.lead > 0)) fail(fmt::format("a lead-in of {} s", o.lead), "above 0", "half a second or more");
  const double period = o.frequency > 0 ? 1 / o.frequency : 0.0;
  const double between = o.duration - 2 * o.lead;
  if (!(between > 0) || between < period * (1 - 1e-9))
    fail(fmt::format(
             "{:.6g} s are too short: leads of {:.6g} s leave {:.6g} s for a series with period {:.6g} s",
             o.duration, o.lead, between, period),
         fmt::format("at least {:.6g} s", 2 * o.lead + period),
         "give a longer duration, a shorter lead-in or a higher frequency");
  const double highest = o.harmonics * (o.frequency > 0 ? o.frequency : 1 / between);
  if (o.rate < 4 * highest)
    fail(fmt::format("a rate of {} Hz for harmonics up to {:.6g} Hz", o.rate, highest),
         fmt::format("at least {:.6g} Hz", 4 * highest), "give a higher rate");
}

void check_limits(const ExciteOptions& o, const Robot& robot) {
  if (!o.limits.empty() && o.limits.size() != robot.joints.size())
    fail(fmt::format("{} limits for {} joints", o.limits.size(), robot.joints.size()), "one per joint", "");
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const Limits& own = o.limits.empty() ? robot.joints[j].limits : o.limits[j];
    const std::string& name = robot.joints[j].name;
    if (!(own.lower < own.upper))
      fail(fmt::format("position limits {} to {} leave no range", own.lower, own.upper), "lower below upper",
           "correct the limits", name);
    for (const auto& [what, value] :
         {std::pair{"velocity", own.velocity}, {"acceleration", own.acceleration}, {"effort", own.effort}})
      if (!(value > 0))
        fail(fmt::format("{} limit {}", what, value), "above 0", "leave it out where there is none", name);
  }
}

}  // namespace

const char* to_string(MotionKind kind) {
  return kind == MotionKind::fourier ? "fourier" : "points";
}

Trajectory to_trajectory(const DesignedMotion& motion) {
  return std::visit([](const auto& one) { return Trajectory(one); }, motion);
}

void ExciteOptions::validate(const Robot& robot) const {
  if (kind == MotionKind::fourier && (harmonics < 1 || harmonics > 50))
    fail(fmt::format("{} harmonics", harmonics), "1 to 50", "5 is typical");
  if (kind == MotionKind::points && (points < 3 || points > 1000))
    fail(fmt::format("{} points", points), "3 to 1000", "20 is typical");
  check_time(*this);
  check_limits(*this, robot);
  if (!(usable > 0) || usable > 1) fail(fmt::format("usable share {}", usable), "above 0, at most 1", "");
  if (!(free_range > 0) || !std::isfinite(free_range))
    fail(fmt::format("free range {}", free_range), "above 0", "");
  if (starts < 1 && warm.empty()) fail("no start", "at least one", "");
  if (!(time_limit > 0)) fail(fmt::format("a time limit of {} s", time_limit), "above 0", "");
  if (noise.size() > 1 && noise.size() != robot.dof())
    fail(fmt::format("{} standard deviations of efforts for {} joints", noise.size(), robot.dof()),
         "one, or one per joint", "");
  if (noise.size() > 0 && !(noise.minCoeff() > 0))
    fail(fmt::format("a standard deviation of {}", noise.minCoeff()), "above 0", "");
  for (const auto* end : {&start, &finish})
    if (*end && ((*end)->size() != robot.dof() || !(*end)->allFinite()))
      fail(fmt::format("a pose has {} positions", (*end)->size()), fmt::format("{} numbers", robot.dof()),
           "give one per joint");
  workspace.validate(robot);
}

}  // namespace steelyard
