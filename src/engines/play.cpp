#include "steelyard/engines/play.hpp"

#include <fmt/format.h>

#include <cmath>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kSettle = 4;         // steps until a driven engine's constraints carry centripetal forces
constexpr double kPull = 20;       // [1/s] back to the motion, against drift of driven joints
constexpr double kRunsAway = 1e3;  // [rad or m]

// Calls visit(time, step) for steps of equal length from one sample to the next.
template <typename Visit>
void in_steps(double from, double to, double longest, Visit visit) {
  const auto count = static_cast<Index>(std::max(1.0, std::ceil((to - from) / longest - 1e-9)));
  const double step = (to - from) / static_cast<double>(count);
  for (Index k = 0; k < count; ++k) visit(from + static_cast<double>(k) * step, step);
}

MatrixXd driven_efforts(Engine& engine, const Trajectory& motion, const VectorXd& times, double longest) {
  MatrixXd efforts(times.size(), motion.joints());
  const JointState start = motion.at(times[0]);
  engine.set_state(start.q, start.qd);
  int steps = 0;
  const auto advance = [&](double time, double step) {
    const VectorXd here = motion.at(time).q, there = motion.at(time + step).q;
    ++steps;
    return engine.drive((there - here) / step + kPull * (here - engine.state().q), step);
  };
  for (Index s = 0; s < times.size(); ++s) {
    if (s + 1 == times.size()) {  // a last step behind the end
      efforts.row(s) = advance(times[s], longest);
      break;
    }
    bool pending = true;
    in_steps(times[s], times[s + 1], longest, [&](double time, double step) {
      const VectorXd effort = advance(time, step);
      if (pending) efforts.row(s) = effort;
      pending = steps < kSettle;
    });
  }
  return efforts;
}

// advance(time, step) from the motion's state at the first sample on; what the robot does at the samples.
template <typename Advance>
Followed simulate(Engine& engine, const Trajectory& motion, const VectorXd& times, double longest,
                  Advance advance) {
  Followed out{MatrixXd(times.size(), motion.joints()), {}};
  if (times.size() == 0) return out;
  const JointState start = motion.at(times[0]);
  engine.set_state(start.q, start.qd);
  for (Index s = 0; s < times.size(); ++s) {
    const VectorXd q = engine.state().q;
    if (!q.allFinite() || q.cwiseAbs().maxCoeff() > kRunsAway)
      throw InputError({fmt::format("{}: the robot becomes unstable after {:.3g} s", to_string(engine.kind()),
                                    times[s] - times[0]),
                        {},
                        {},
                        "use higher feedback gains, or a smaller step"});
    out.q.row(s) = q;
    out.tool.push_back(engine.tool_pose());
    if (s + 1 < times.size()) in_steps(times[s], times[s + 1], longest, advance);
  }
  return out;
}

}  // namespace

MatrixXd played_efforts(Engine& engine, const Trajectory& motion, const VectorXd& times, double step) {
  if (times.size() == 0) return MatrixXd(0, motion.joints());
  if (!engine.has_inverse()) return driven_efforts(engine, motion, times, step);
  MatrixXd efforts(times.size(), motion.joints());
  for (Index s = 0; s < times.size(); ++s) {
    const JointState state = motion.at(times[s]);
    efforts.row(s) = engine.inverse(state.q, state.qd, state.qdd);
  }
  return efforts;
}

Followed follow(Engine& engine, const Trajectory& motion, const Trajectory& effort, const VectorXd& times,
                const FollowOptions& options) {
  return simulate(engine, motion, times, options.step, [&](double time, double step) {
    const JointState wanted = motion.at(time + 0.5 * step);
    const EngineState now = engine.state();
    engine.step(effort.at(time + 0.5 * step).q + options.stiffness.cwiseProduct(wanted.q - now.q) +
                    options.damping.cwiseProduct(wanted.qd - now.qd),
                step);
  });
}

Followed command(Engine& engine, const Trajectory& motion, const VectorXd& times, Command what, double step) {
  return simulate(engine, motion, times, step, [&](double time, double length) {
    engine.drive(what == Command::velocity
                     ? VectorXd(motion.at(time).qd)
                     : VectorXd((motion.at(time + length).q - engine.state().q) / length),
                 length);
  });
}

}  // namespace steelyard
