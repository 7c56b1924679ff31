// The penalty search against the convex method where the problem is convex, against closed forms where it is
// not, and its messages about invalid constraints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feasible/penalty_problem.hpp"
#include "feasible/two_r_cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/feasible/retrieve.hpp"

namespace steelyard {
namespace penalty_test {

using testing::HasSubstr;

const std::string kSource = STEELYARD_SOURCE_DIR;

struct Problem {
  Robot robot;
  Quantities quantities;
  Objective objective;
  std::vector<Constraint> constraints;
};

// Torques of random states with noise in per cent of each joint's RMS; few states, so that the noise pushes
// the unconstrained fit out of what bodies can be.
Problem noisy(const std::string& file, int states, double noise, std::uint64_t seed) {
  Robot robot = read_robot(kSource + "/robots/" + file).robot;
  Quantities quantities(robot);
  const Tree tree = compile(robot);
  const Plan plan = make_plan(robot);
  const VectorXd truth = standard_parameters(robot);
  Random random(seed, "noisy torques");
  const int n = robot.size();
  MatrixXd Y(states * n, 10 * n);
  VectorXd tau(states * n);
  for (int s = 0; s < states; ++s) {
    VectorXd state[3];
    for (VectorXd& v : state) {
      v.resize(n);
      for (double& x : v) x = random.uniform(-2, 2);
    }
    Y.middleRows(s * n, n) = regressor(plan, state[0], state[1], state[2]);
    tau.segment(s * n, n) = newton_euler(tree, truth, state[0], state[1], state[2]).tau;
  }
  for (int j = 0; j < n; ++j) {
    double square = 0;
    for (int s = 0; s < states; ++s) square += tau[s * n + j] * tau[s * n + j] / states;
    for (int s = 0; s < states; ++s) tau[s * n + j] += noise * std::sqrt(square) * random.normal();
  }
  Layout layout{"all", "1", plan.columns, {"torque"}, {"1"}, "", ""};
  MatrixXd rows(Y.rows(), Y.cols() + 1);
  rows << Y, tau;
  Objective objective = torque_objective(fold_rows(layout, rows), quantities);
  std::vector<Constraint> constraints = physical_constraints(robot, quantities);
  return {std::move(robot), std::move(quantities), std::move(objective), std::move(constraints)};
}

// Without what is not convex: bounds above on the diagonal of I and on its products.
std::vector<Constraint> convex_ones(const Problem& problem) {
  std::vector<Constraint> kept;
  for (const Constraint& constraint : problem.constraints)
    if (is_convex(constraint, problem.quantities)) kept.push_back(constraint);
  return kept;
}

void expect_agreement(const Problem& problem, std::uint64_t seed) {
  const std::vector<Constraint> constraints = convex_ones(problem);
  const ConvexSolution convex = solve_convex(problem.objective, constraints, problem.robot);
  ASSERT_TRUE(convex.usable());
  PenaltyOptions options;
  options.random_starts = 20;
  options.from_reference = false;
  options.seed = seed;
  const PenaltySolution found = solve_penalty(problem.objective, constraints, problem.robot, options);
  int close = 0;
  for (const PenaltyStart& start : found.starts) {
    close += start.violation <= 0 && start.value <= 1.01 * convex.value;
    if (start.violation > 0) continue;
    EXPECT_GE(start.value, convex.lower_bound);
  }
  EXPECT_GE(close, 18);
  // The certificate is worth something: proven to 1e-6, whatever the shape of the reference.
  EXPECT_LE(convex.gap, 1e-6);
  EXPECT_EQ(convex.status, ConvexStatus::solved);
}

TEST(Penalty, TwentyRandomStartsFindTheConvexOptimumOfTheTwoR) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) expect_agreement(noisy("two_r.yaml", 12, 0.1, seed), seed);
}

TEST(Penalty, TwentyRandomStartsFindTheConvexOptimumOfThePanda) {
  expect_agreement(noisy("panda.yaml", 60, 0.1, 1), 1);
}

TEST(Penalty, GradientsAgreeWithDifferences) {
  const Problem problem = noisy("two_r.yaml", 12, 0.1, 5);
  std::vector<Constraint> constraints = two_r::constraints(problem.robot, problem.quantities);
  constraints.push_back({"mx2", Bound{"mx2", 0.5, 1}, {}});
  Objective objective = problem.objective;
  pull_bodies(objective, problem.quantities, standard_parameters(problem.robot), 0.01 * objective.effort());
  const PenaltyProblem penalty(objective, constraints, problem.robot);
  int checked = 0;
  for (std::uint64_t k = 0; checked < 10 && k < 200; ++k) {
    const VectorXd p = penalty.locate(from_barycentric(problem.quantities, random_bodies(penalty, 9, k)));
    LocalModel model;
    const double value = penalty.smooth(p, 100, 1e-3, &model);
    if (!std::isfinite(value)) continue;  // moved into the box it is no body, and the pull has no value
    ++checked;
    for (Index i = 0; i < p.size(); ++i) {
      const double h = 1e-6;
      VectorXd up = p, down = p;
      up[i] += h;
      down[i] -= h;
      const double slope =
          (penalty.smooth(up, 100, 1e-3, nullptr) - penalty.smooth(down, 100, 1e-3, nullptr)) / (2 * h);
      // Differences carry rounding of the value over the step.
      EXPECT_NEAR(model.gradient[i], slope, 1e-5 * std::abs(slope) + 1e-8 * value)
          << "entry " << i << " of start " << k;
    }
  }
  EXPECT_EQ(checked, 10);
}

// min (m1 − 5)² + … with Ixx1 ≤ 0.02: upper bounds about the centre of mass hold although they are not
// convex.
TEST(Penalty, UpperBoundsAboutTheCentreOfMassHold) {
  Problem problem = noisy("two_r.yaml", 40, 0.02, 3);
  problem.constraints.push_back({"thin", Bound{"Ixx2", 0, 0.004}, {}});
  problem.constraints.push_back({"no product", Bound{"Ixy2", -1e-4, 1e-4}, {}});
  const Retrieval found = retrieve(problem.objective, problem.constraints, problem.robot);
  ASSERT_TRUE(found.feasible) << found.brief();
  const Inertia link = Inertia::from_standard(found.x.segment<10>(10));
  EXPECT_LE(link.inertia_com()(0, 0), 0.004);
  EXPECT_LE(std::abs(link.inertia_com()(0, 1)), 1e-4);
  EXPECT_EQ(found.method, FeasibleMethod::penalty);
  ASSERT_TRUE(found.lower_bound);
  EXPECT_GE(found.value, *found.lower_bound);
  EXPECT_GE(*found.gap, 0);
}

TEST(Retrieve, StaysWithTheConvexSolutionWhenNothingIsBroken) {
  const Problem problem = noisy("two_r.yaml", 40, 0.02, 4);
  const Retrieval found = retrieve(problem.objective, convex_ones(problem), problem.robot);
  EXPECT_TRUE(found.feasible);
  EXPECT_EQ(found.method, FeasibleMethod::convex);
  EXPECT_FALSE(found.search);
}

TEST(Retrieve, ContradictingBoundsAreNamed) {
  Problem problem = noisy("two_r.yaml", 40, 0.02, 4);
  problem.constraints.push_back({"light", Bound{"m2", -kInfinity, 2}, {}});
  problem.constraints.push_back({"heavy", Bound{"m2", 3, kInfinity}, {}});
  const Retrieval found = retrieve(problem.objective, problem.constraints, problem.robot);
  EXPECT_FALSE(found.feasible);
  ASSERT_TRUE(found.conflict);
  std::vector<std::string> names;
  for (const ConflictMember& member : found.conflict->members) names.push_back(member.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("light", "heavy"));
}

TEST(Penalty, DivisionByZeroIsAnErrorWithTheConstraintsName) {
  Problem problem = noisy("two_r.yaml", 12, 0.02, 4);
  problem.constraints.push_back({"ratio", expression_bound(problem.quantities, "m1 / (m2 - m2)", 0, 1), {}});
  for (FeasibleMethod method :
       {FeasibleMethod::automatic, FeasibleMethod::penalty, FeasibleMethod::annealing}) {
    RetrieveOptions options;
    options.method = method;
    try {
      retrieve(problem.objective, problem.constraints, problem.robot, options);
      FAIL() << "accepted by " << to_string(method);
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("ratio"));
    }
  }
}

TEST(Penalty, WithoutAFeasiblePointTheBrokenConstraintsAreListed) {
  Problem problem = noisy("two_r.yaml", 12, 0.02, 4);
  problem.constraints.push_back({"far out", expression_bound(problem.quantities, "c2x", 0.5, kInfinity), {}});
  PenaltyOptions options;
  options.random_starts = 2;
  const PenaltySolution found = solve_penalty(problem.objective, problem.constraints, problem.robot, options);
  EXPECT_FALSE(found.feasible);  // the robot's file has c2x ≤ 0
  EXPECT_GT(found.violation, 0);
  for (const std::string& name : found.violated)
    EXPECT_TRUE(name == "far out" || name == "bound cx2") << name;
  EXPECT_FALSE(found.violated.empty());
}

TEST(Penalty, FrozenValuesAndEqualitiesHold) {
  Problem problem = noisy("two_r.yaml", 40, 0.02, 6);
  problem.constraints.push_back({"weighed", Bound{"m2", 3.2, 3.2}, {}});
  problem.constraints.push_back({"alike", Combination{{{"Jxx1", 1}, {"Jzz1", -1}}, 0, 0}, {}});
  RetrieveOptions options;
  options.method = FeasibleMethod::penalty;
  options.penalty.random_starts = 2;
  const Retrieval found = retrieve(problem.objective, problem.constraints, problem.robot, options);
  ASSERT_TRUE(found.feasible) << found.brief();
  EXPECT_EQ(found.x[10], 3.2);
  EXPECT_NEAR(found.x[4], found.x[9], 1e-8);
}

TEST(Penalty, ThreadsDoNotChangeTheBytes) {
  const Problem problem = noisy("two_r.yaml", 12, 0.1, 7);
  PenaltyOptions one, two;
  one.random_starts = two.random_starts = 4;
  two.threads = 2;
  const PenaltySolution a = solve_penalty(problem.objective, problem.constraints, problem.robot, one);
  const PenaltySolution b = solve_penalty(problem.objective, problem.constraints, problem.robot, two);
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.best, b.best);
}

TEST(Penalty, OptionsOutOfRangeAreRefused) {
  const Problem problem = noisy("two_r.yaml", 12, 0.1, 7);
  PenaltyOptions options;
  options.levels = {10, 1};
  EXPECT_THROW(solve_penalty(problem.objective, problem.constraints, problem.robot, options), InputError);
  options = {};
  options.random_starts = 0;
  options.from_reference = false;
  EXPECT_THROW(solve_penalty(problem.objective, problem.constraints, problem.robot, options), InputError);
  options = {};
  options.annealing.cooling = 1;
  EXPECT_THROW(solve_penalty(problem.objective, problem.constraints, problem.robot, options), InputError);
}

}  // namespace penalty_test
}  // namespace steelyard
