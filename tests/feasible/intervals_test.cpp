// Proven intervals: closed forms where there are some, known truths elsewhere.
#include "steelyard/feasible/intervals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "feasible/simulated_robot.hpp"
#include "steelyard/core/statistics.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard {
namespace {

using namespace feasible_test;

TEST(ProvenIntervals, AreTheEllipsoidWhereNoConstraintIsNear) {
  feasible_test::RandomProblemOptions options;
  options.links = 2;
  options.noise = 1e-4;
  const RandomProblem problem = random_problem(3, options);
  ProvenOptions how;
  how.allowance = 1e-6 * problem.objective.effort();
  const auto found = proven_intervals(problem.objective, bodies(problem.quantities, problem.robot),
                                      problem.robot, all_functionals(problem.quantities), how);
  const MatrixXd gram = problem.objective.R.transpose() * problem.objective.R;
  const VectorXd centre = gram.ldlt().solve(problem.objective.R.transpose() * problem.objective.z);
  const MatrixXd inverse = gram.inverse();
  for (Index k = 0; k < problem.quantities.size(); ++k) {
    const ProvenInterval& interval = found[static_cast<std::size_t>(k)];
    const double half = std::sqrt(how.allowance * inverse(k, k));
    // φ_min is known to 1e-7 of the squares at the optimum: far below the allowance.
    EXPECT_NEAR(interval.lower.inner, centre[k] - half, 1e-4 * half) << interval.name;
    EXPECT_NEAR(interval.upper.inner, centre[k] + half, 1e-4 * half) << interval.name;
    EXPECT_LE(interval.lower.outer, interval.lower.inner);
    EXPECT_GE(interval.upper.outer, interval.upper.inner);
    EXPECT_FALSE(interval.chosen);
  }
}

TEST(ProvenIntervals, OfARatioAreThoseOfTheEllipsoidToo) {
  feasible_test::RandomProblemOptions options;
  options.links = 1;
  options.noise = 1e-4;
  const RandomProblem problem = random_problem(4, options);
  ProvenOptions how;
  how.allowance = 1e-5 * problem.objective.effort();
  const auto found = proven_intervals(problem.objective, bodies(problem.quantities, problem.robot),
                                      problem.robot, {functional(problem.quantities, "cy1")}, how);
  // (my/m) over an ellipsoid: the two t at which the largest (smallest) my − t m is zero.
  const MatrixXd gram = problem.objective.R.transpose() * problem.objective.R;
  const VectorXd centre = gram.ldlt().solve(problem.objective.R.transpose() * problem.objective.z);
  const MatrixXd inverse = gram.inverse();
  const auto reaches = [&](double t, double sign) {
    VectorXd a = VectorXd::Zero(10);
    a[2] = 1, a[0] = -t;
    return a.dot(centre) + sign * std::sqrt(how.allowance * a.dot(inverse * a));
  };
  for (const double sign : {-1.0, 1.0}) {
    double low = -1, high = 1;
    for (int k = 0; k < 100; ++k) {
      const double middle = (low + high) / 2;
      (reaches(middle, sign) > 0 ? low : high) = middle;
    }
    const IntervalEnd& end = sign < 0 ? found[0].lower : found[0].upper;
    EXPECT_NEAR(end.inner, low, 2e-6);
    EXPECT_NEAR(end.outer, low, 2e-6);
  }
}

TEST(ProvenIntervals, HavePointsThatAttainThem) {
  const Simulated robot = simulate(11, 2, 0.02);
  const auto constraints = bodies(robot.quantities, robot.robot);
  ProvenOptions how;
  how.allowance = chi_squared_quantile(0.95, 1);
  const auto functionals = all_functionals(robot.quantities);
  const auto found = proven_intervals(robot.objective, constraints, robot.robot, functionals, how);
  const double smallest = solve_convex(robot.objective, constraints, robot.robot).value;
  for (std::size_t k = 0; k < found.size(); ++k) {
    for (const IntervalEnd* end : {&found[k].lower, &found[k].upper}) {
      if (end->infinite) continue;
      EXPECT_TRUE(end->reached) << found[k].name;
      ASSERT_EQ(end->point.size(), robot.quantities.size());
      const double below = functionals[k].below.size() > 0 ? functionals[k].below.dot(end->point) : 1;
      EXPECT_NEAR(functionals[k].above.dot(end->point) / below, end->inner,
                  1e-12 + 1e-12 * std::abs(end->inner));
      EXPECT_LE(robot.objective.squares(end->point), smallest * (1 + 1e-6) + how.allowance * (1 + 1e-9))
          << found[k].name;
      for (const Constraint& constraint : constraints)
        EXPECT_GE(evaluate(constraint, robot.quantities, end->point).margin(), 0)
            << found[k].name << constraint.name;
    }
  }
}

TEST(ProvenIntervals, AreInfiniteWhereNothingHolds) {
  // Torque of the first joint never shows the mass of the first link; nothing else limits it.
  const Simulated robot = simulate(5, 2, 0.01);
  ProvenOptions how;
  how.allowance = 3.84;
  const auto found =
      proven_intervals(robot.objective, bodies(robot.quantities, robot.robot), robot.robot,
                       {functional(robot.quantities, "m1"), functional(robot.quantities, "Jxx2")}, how);
  const BaseParameters base = base_parameters(robot.robot);
  const bool unseen = std::find(base.unseen.begin(), base.unseen.end(), "m1") != base.unseen.end();
  if (unseen) {
    EXPECT_TRUE(found[0].upper.infinite);
    EXPECT_EQ(found[0].upper.outer, kInfinity);
    EXPECT_TRUE(found[0].chosen);
  }
  EXPECT_FALSE(found[0].lower.infinite);  // a mass is not negative
  EXPECT_GE(found[0].lower.inner, 0);
  EXPECT_LE(found[0].lower.outer, robot.truth[0]);
}

TEST(ProvenIntervals, OfBoxedUnseenQuantitiesAreTheBox) {
  const Simulated robot = simulate(5, 2, 0.01);
  auto constraints = bodies(robot.quantities, robot.robot);
  constraints.push_back({"box", Bound{"m1", 0.95 * robot.truth[0], 3 * robot.truth[0]}, {}});
  ProvenOptions how;
  how.allowance = 3.84;
  const auto found =
      proven_intervals(robot.objective, constraints, robot.robot, {functional(robot.quantities, "m1")}, how);
  const BaseParameters base = base_parameters(robot.robot);
  ASSERT_THAT(base.unseen, testing::Contains("m1"));
  EXPECT_NEAR(found[0].lower.inner, 0.95 * robot.truth[0], 1e-4);
  EXPECT_NEAR(found[0].upper.inner, 3 * robot.truth[0], 1e-4);
}

// All quantities of robots of one to three joints; bench/proven_bench has 200 of them.
IntervalCounts check_robots(int first, int count, double noise) {
  IntervalCounts counts;
  for (int seed = first; seed < first + count; ++seed)
    check_intervals(simulate(static_cast<std::uint64_t>(seed), 1 + seed % 3, noise), counts);
  return counts;
}

TEST(ProvenIntervals, ContainTheTruthOfNoisyRobots) {
  const IntervalCounts counts = check_robots(300, 24, 0.02);
  // 95 % for each quantity by itself; correlated within a robot, so that the share itself varies by some
  // percent. Constraints only make the set smaller without losing the truth.
  EXPECT_GE(counts.inside, 0.95 * counts.asked) << counts.inside << " of " << counts.asked;
  EXPECT_LE(counts.worst, 1e-5) << counts.worst_name;
}

TEST(ProvenIntervals, AlwaysContainTheTruthWithoutNoise) {
  const IntervalCounts counts = check_robots(400, 24, 0);
  EXPECT_EQ(counts.inside, counts.asked);
  EXPECT_LE(counts.worst, 1e-5) << counts.worst_name;
}

// Centres of mass at whose ends the mass is a fraction of the fit's: homogeneous coordinates alone leave
// inner and outer up to 2e-3 apart.
TEST(ProvenIntervals, OfCentresMeetFarFromTheFitToo) {
  const struct {
    std::uint64_t seed;
    double noise;
    const char* name;
  } cases[] = {{95, 0.02, "cz2"}, {125, 0.02, "cy2"}, {140, 0.02, "cz3"},
               {44, 0, "cx1"},    {95, 0, "cz2"},     {182, 0, "cz2"}};
  for (const auto& hard : cases) {
    const Simulated robot = simulate(hard.seed, 3, hard.noise);
    const auto constraints = bodies(robot.quantities, robot.robot);
    const Functional asked = functional(robot.quantities, hard.name);
    ProvenOptions how;
    how.allowance = hard.noise > 0 ? chi_squared_quantile(0.95, 1) : 1e-2;
    const auto found = proven_intervals(robot.objective, constraints, robot.robot, {asked}, how);
    const double smallest = solve_convex(robot.objective, constraints, robot.robot).value;
    // Without noise the smallest squares are known no better than to a share of the effort's.
    const double allowance = std::max(how.allowance, how.convex.gap * 1e-6 * robot.objective.effort());
    for (const IntervalEnd* end : {&found[0].lower, &found[0].upper}) {
      if (end->infinite) continue;
      EXPECT_TRUE(end->reached) << hard.seed << hard.name;
      EXPECT_NEAR(end->inner, end->outer, 1e-6 * std::max(0.1, std::abs(end->inner))) << hard.name;
      EXPECT_NEAR(asked.above.dot(end->point) / asked.below.dot(end->point), end->inner, 1e-12);
      EXPECT_LE(robot.objective.squares(end->point), (smallest + allowance) * (1 + 1e-6));
      for (const Constraint& constraint : constraints)  // up to the rounding of the division by b
        EXPECT_GE(evaluate(constraint, robot.quantities, end->point).margin(), -1e-13) << constraint.name;
    }
  }
}

TEST(ProvenIntervals, OfInnerForcesContainTheRealOnes) {
  const Simulated robot = simulate(21, 2, 0.01);
  auto constraints = bodies(robot.quantities, robot.robot);
  constraints.push_back(total_mass(robot.quantities, 0.1, 30));
  oracle::Random random(2);
  const oracle::State state = oracle::random_state(random, 2);
  const auto functionals = wrench_functionals(robot.robot, robot.quantities, state.q, state.qd, state.qdd);
  ASSERT_EQ(functionals.size(), 12u);
  const InverseDynamics real = newton_euler(compile(robot.robot), robot.truth, state.q, state.qd, state.qdd);
  ProvenOptions how;
  how.allowance = chi_squared_quantile(0.999, 1);
  const auto found = proven_intervals(robot.objective, constraints, robot.robot, functionals, how);
  for (std::size_t k = 0; k < found.size(); ++k) {
    const JointWrench& wrench = real.wrenches[k / 6];
    const double truth =
        k % 6 < 3 ? wrench.force[static_cast<Index>(k % 3)] : wrench.moment[static_cast<Index>(k % 3)];
    EXPECT_NEAR(functionals[k].above.dot(robot.truth), truth, 1e-10 * (1 + std::abs(truth)));
    EXPECT_TRUE(contains(found[k], truth))
        << found[k].name << " " << found[k].lower.outer << " " << truth << " " << found[k].upper.outer;
  }
}

TEST(ProvenIntervals, AreTheSameForAnyNumberOfThreads) {
  const Simulated robot = simulate(31, 2, 0.02);
  ProvenOptions how;
  how.allowance = 3.84;
  const auto constraints = bodies(robot.quantities, robot.robot);
  const auto functionals = all_functionals(robot.quantities);
  const auto one = proven_intervals(robot.objective, constraints, robot.robot, functionals, how);
  how.threads = 3;
  const auto three = proven_intervals(robot.objective, constraints, robot.robot, functionals, how);
  for (std::size_t k = 0; k < one.size(); ++k) {
    EXPECT_EQ(one[k].lower.inner, three[k].lower.inner);
    EXPECT_EQ(one[k].upper.outer, three[k].upper.outer);
    EXPECT_EQ(one[k].upper.point, three[k].upper.point);
  }
}

TEST(ProvenIntervals, RefuseWhatMakesNoSense) {
  const Simulated robot = simulate(5, 1, 0.01);
  auto constraints = bodies(robot.quantities, robot.robot);
  ProvenOptions how;
  how.allowance = -1;
  const std::vector<Functional> mass = {functional(robot.quantities, "m1")};
  EXPECT_THROW(proven_intervals(robot.objective, constraints, robot.robot, mass, how), InputError);
  how.allowance = 1;
  EXPECT_THROW(functional(robot.quantities, "Ixx1"), InputError);
  constraints.push_back({"heavy", Bound{"m1", 5, kInfinity}, {}});
  constraints.push_back({"light", Bound{"m1", -kInfinity, 4}, {}});
  EXPECT_THROW(proven_intervals(robot.objective, constraints, robot.robot, mass, how), InputError);
}

}  // namespace
}  // namespace steelyard
