// Random robots on simulated motions, and how their proven intervals hold the truth.
#pragma once

#include "feasible/random_problem.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/core/statistics.hpp"
#include "steelyard/feasible/intervals.hpp"
#include "steelyard/regressor/plan.hpp"

namespace steelyard::feasible_test {

// Rows of a simulated motion of a robot, divided by their standard deviation; effort with noise.
struct Simulated {
  Robot robot;
  Quantities quantities{Robot{}};
  VectorXd truth;
  Objective objective;
  double noise = 0;  // of the effort's RMS
};

inline Simulated simulate(std::uint64_t seed, int joints, double noise) {
  Simulated out;
  out.noise = noise;
  oracle::RandomRobotOptions shape;
  shape.joints = joints;
  shape.geometry = oracle::Geometry::modified_dh;
  out.robot = oracle::random_robot(seed, shape);
  out.quantities = Quantities(out.robot);
  out.truth = standard_parameters(out.robot);
  for (Joint& joint : out.robot.joints) joint.inertia.reset();
  const Plan plan = make_plan(out.robot, {RowKind::torque, false, {}});
  oracle::Random random(seed + 7);
  constexpr int kSamples = 60;
  out.objective.columns = out.quantities.columns();
  out.objective.R.resize(Index{kSamples} * joints, out.quantities.size());
  for (int s = 0; s < kSamples; ++s) {
    const oracle::State state = oracle::random_state(random, joints);
    out.objective.R.middleRows(Index{s} * joints, joints) = regressor(plan, state.q, state.qd, state.qdd);
  }
  out.objective.z = out.objective.R * out.truth;
  const double sigma =
      std::max(noise, 1e-6) * out.objective.z.norm() / std::sqrt(static_cast<double>(out.objective.z.size()));
  Random normals(seed, "noise");
  for (Index i = 0; i < out.objective.z.size() && noise > 0; ++i)
    out.objective.z[i] += sigma * normals.normal();
  out.objective.R /= sigma;
  out.objective.z /= sigma;
  return out;
}

inline std::vector<Constraint> bodies(const Quantities& quantities, const Robot& robot) {
  return physical_constraints(robot, quantities, {1e-9, true, true, false});
}

inline bool contains(const ProvenInterval& interval, double value) {
  return interval.lower.outer <= value && value <= interval.upper.outer;
}

struct IntervalCounts {
  int asked = 0;
  int inside = 0;
  int infinite_ends = 0;
  // Largest |outer − inner| of a finite end, over the larger of the end and the quantity's scale: its true
  // value + 0.01, or 0.1 m for centres of mass.
  double worst = 0;
  std::string worst_name;
};

// All quantities, at 95 % (a hundredth of a standard deviation where there is no noise).
inline void check_intervals(const Simulated& robot, IntervalCounts& counts) {
  ProvenOptions how;
  how.allowance = robot.noise > 0 ? chi_squared_quantile(0.95, 1) : 1e-2;
  how.points = false;
  const std::vector<Functional> asked = all_functionals(robot.quantities);
  const auto found =
      proven_intervals(robot.objective, bodies(robot.quantities, robot.robot), robot.robot, asked, how);
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Functional& f = asked[k];
    const bool ratio = f.below.size() > 0;
    const double truth = f.above.dot(robot.truth) / (ratio ? f.below.dot(robot.truth) : 1);
    ++counts.asked;
    counts.inside += contains(found[k], truth);
    const double scale = ratio ? 0.1 : std::abs(truth) + 1e-2;
    for (const IntervalEnd* end : {&found[k].lower, &found[k].upper}) {
      counts.infinite_ends += end->infinite;
      if (end->infinite) continue;
      const double apart = std::abs(end->outer - end->inner) / std::max(scale, std::abs(end->inner));
      if (apart <= counts.worst) continue;
      counts.worst = apart;
      counts.worst_name = f.name;
    }
  }
}

}  // namespace steelyard::feasible_test
