// Constraints that exclude each other: the set found is infeasible, irreducible and proven.
#include "steelyard/feasible/conflict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feasible/random_conflict.hpp"

namespace steelyard {
namespace {

Robot robot_of(int links) {
  feasible_test::RandomProblemOptions options;
  options.links = links;
  return feasible_test::random_problem(2, options).robot;
}

std::vector<std::string> names(const Conflict& conflict) {
  std::vector<std::string> out;
  for (const ConflictMember& member : conflict.members) out.push_back(member.name);
  return out;
}

void expect_proven(const Conflict& conflict) {
  EXPECT_FALSE(conflict.feasible);
  EXPECT_TRUE(conflict.irreducible);
  EXPECT_GT(conflict.violation, 0);
  EXPECT_GE(conflict.smallest_eigenvalue, 0);
  EXPECT_GE(conflict.within, 100);  // bodies a hundred times as large as the reference
  double sum = 0;
  for (const ConflictMember& member : conflict.members) {
    EXPECT_GT(member.weight, 0) << member.name;
    sum += member.weight;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Conflict, IsNoneWhenConstraintsAgree) {
  const Robot robot = robot_of(3);
  const Quantities quantities(robot);
  auto constraints = physical_constraints(robot, quantities);
  constraints.push_back(total_mass(quantities, 3, 4));
  EXPECT_TRUE(find_conflict(constraints, robot).feasible);
}

TEST(Conflict, OfTwoBoundsNamesBoth) {
  const Robot robot = robot_of(3);
  const Quantities quantities(robot);
  auto constraints = physical_constraints(robot, quantities);
  constraints.push_back({"heavy", Bound{"m2", 5, kInfinity}, {}});
  constraints.push_back({"light", Bound{"m2", -kInfinity, 4}, {}});
  constraints.push_back({"bystander", Bound{"m3", 0, 4}, {}});
  const Conflict conflict = find_conflict(constraints, robot);
  expect_proven(conflict);
  EXPECT_THAT(names(conflict), testing::ElementsAre("heavy", "light"));
  EXPECT_EQ(conflict.brief(), "'heavy' and 'light' contradict each other");
}

TEST(Conflict, OfSumsAndBoundsNeedsAllOfThem) {
  const Robot robot = robot_of(3);
  const Quantities quantities(robot);
  auto constraints = physical_constraints(robot, quantities);
  for (int link = 1; link <= 3; ++link)
    constraints.push_back({"m" + std::to_string(link), Bound{"m" + std::to_string(link), 0, 2}, {}});
  constraints.push_back(total_mass(quantities, 6.5, kInfinity));
  const Conflict conflict = find_conflict(constraints, robot);
  expect_proven(conflict);
  EXPECT_THAT(names(conflict), testing::UnorderedElementsAre("m1", "m2", "m3", "total mass"));
}

TEST(Conflict, OfABodyAndAnInertiaNamesTheBody) {
  // Jzz ≤ Jxx + Jyy for every body.
  const Robot robot = robot_of(2);
  const Quantities quantities(robot);
  auto constraints = physical_constraints(robot, quantities);
  constraints.push_back({"Jxx", Bound{"Jxx1", -kInfinity, 0.1}, {}});
  constraints.push_back({"Jyy", Bound{"Jyy1", -kInfinity, 0.1}, {}});
  constraints.push_back({"Jzz", Bound{"Jzz1", 0.5, kInfinity}, {}});
  const Conflict conflict = find_conflict(constraints, robot);
  expect_proven(conflict);
  EXPECT_THAT(names(conflict), testing::UnorderedElementsAre("link 1 is a body", "Jxx", "Jyy", "Jzz"));
}

TEST(Conflict, OfEqualitiesIsFoundToo) {
  const Robot robot = robot_of(2);
  const Quantities quantities(robot);
  std::vector<Constraint> constraints;
  constraints.push_back({"m1 is 2", Bound{"m1", 2, 2}, {}});
  constraints.push_back({"m2 is 3", Bound{"m2", 3, 3}, {}});
  constraints.push_back({"mx", Bound{"mx1", 0, 0}, {}});
  constraints.push_back(total_mass(quantities, 6, 6));
  const Conflict conflict = find_conflict(constraints, robot);
  expect_proven(conflict);
  EXPECT_THAT(names(conflict), testing::UnorderedElementsAre("m1 is 2", "m2 is 3", "total mass"));
  constraints.back() = total_mass(quantities, 6, kInfinity);
  const Conflict mixed = find_conflict(constraints, robot);
  expect_proven(mixed);
  EXPECT_THAT(names(mixed), testing::UnorderedElementsAre("m1 is 2", "m2 is 3", "total mass"));
}

TEST(Conflict, OfRandomConstraintsIsAlwaysIrreducible) {
  int conflicts = 0;
  std::vector<std::uint64_t> seeds = {123};  // excluded by 4e-4 only: hard to prove while others are there
  for (std::uint64_t seed = 1; seed <= 25; ++seed) seeds.push_back(seed);
  for (const std::uint64_t seed : seeds) {
    const feasible_test::ConflictCase wanted = feasible_test::random_conflict(seed);
    const Conflict conflict = find_conflict(wanted.constraints, wanted.problem.robot);
    if (conflict.feasible) continue;
    ++conflicts;
    expect_proven(conflict);
    EXPECT_EQ(feasible_test::judge_conflict(wanted, conflict), "") << seed;
  }
  EXPECT_GE(conflicts, 8);
}

}  // namespace
}  // namespace steelyard
