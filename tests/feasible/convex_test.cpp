// The convex fit: closed forms, what constraints mean, errors, certificates, threads.
#include "steelyard/feasible/convex.hpp"
#include "steelyard/feasible/reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <thread>

#include "feasible/random_problem.hpp"

namespace steelyard {
namespace {

using feasible_test::random_problem;
using feasible_test::RandomProblem;
using feasible_test::RandomProblemOptions;

RandomProblem problem_of(int links, double noise = 0.01, double rank = 1, std::uint64_t seed = 1) {
  RandomProblemOptions options;
  options.links = links;
  options.noise = noise;
  options.rank_share = rank;
  return random_problem(seed, options);
}

std::vector<Constraint> bodies(const RandomProblem& problem, double margin = 1e-6) {
  return physical_constraints(problem.robot, problem.quantities, {margin, true, true, false});
}

// An objective that sees some quantities alone: Σ (x_k − value)².
Objective sees(const Quantities& quantities, const std::vector<std::pair<std::string, double>>& values) {
  Objective out;
  out.columns = quantities.columns();
  out.R = MatrixXd::Zero(static_cast<Index>(values.size()), quantities.size());
  out.z.resize(out.R.rows());
  for (Index i = 0; i < out.R.rows(); ++i) {
    out.R(i, quantities.column(values[static_cast<std::size_t>(i)].first)) = 1;
    out.z[i] = values[static_cast<std::size_t>(i)].second;
  }
  return out;
}

std::string message(const RandomProblem& problem, const std::vector<Constraint>& constraints) {
  try {
    solve_convex(problem.objective, constraints, problem.robot);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Convex, FindsTheTruthWithoutNoise) {
  const RandomProblem problem = problem_of(3, 0);
  const ConvexSolution found = solve_convex(problem.objective, bodies(problem), problem.robot);
  EXPECT_EQ(found.status, ConvexStatus::solved);
  EXPECT_EQ(found.seen, 30);
  EXPECT_LE(found.value, 1e-12 * problem.objective.effort());
  EXPECT_LE(found.gap, 1e-7);
  EXPECT_LE((found.x - problem.truth).norm(), 1e-5 * problem.truth.norm());
  for (const bool chosen : found.chosen) EXPECT_FALSE(chosen);
}

TEST(Convex, WithoutDataIsTheReference) {
  const RandomProblem problem = problem_of(3);
  const Objective nothing = sees(problem.quantities, {});
  const ConvexSolution found = solve_convex(nothing, bodies(problem, 0), problem.robot);
  const VectorXd reference = reference_bodies(problem.robot, problem.quantities).x;
  EXPECT_LE((found.x - reference).norm(), 1e-3 * reference.norm());
  for (const bool chosen : found.chosen) EXPECT_TRUE(chosen);
  for (const ConstraintState& state : found.constraints) EXPECT_FALSE(state.active);
}

TEST(Convex, ChoosesTheUnseenByTheSmallestDivergence) {
  // Only m and mx are seen. With P⁻¹ = P⁰⁻¹ + (multipliers of what is fixed), D is least at a P whose inverse
  // differs from that of P⁰ in the fixed entries only.
  const RandomProblem problem = problem_of(1);
  VectorXd reference = problem.truth;
  ConvexOptions options;
  options.reference = reference;
  const Objective objective = sees(problem.quantities, {{"m1", 3}, {"mx1", 0.2}});
  const ConvexSolution found = solve_convex(objective, bodies(problem, 0), problem.robot, options);
  EXPECT_NEAR(found.x[0], 3, 1e-4);
  EXPECT_NEAR(found.x[1], 0.2, 1e-5);
  const Eigen::Matrix4d P = Inertia::from_standard(found.x.head<10>()).pseudo_inertia();
  const Eigen::Matrix4d P0 = Inertia::from_standard(reference.head<10>()).pseudo_inertia();
  Eigen::Matrix4d difference = P.inverse() - P0.inverse();
  difference(3, 3) = difference(0, 3) = difference(3, 0) = 0;
  EXPECT_LE(difference.norm(), 1e-3 * P0.inverse().norm());
  EXPECT_FALSE(found.chosen[0]);
  EXPECT_FALSE(found.chosen[1]);
  EXPECT_TRUE(found.chosen[2]);
  EXPECT_TRUE(found.chosen[9]);
}

TEST(Convex, MarksWhatOnlyCombinationsShow) {
  const RandomProblem problem = problem_of(1);
  Objective objective = sees(problem.quantities, {{"m1", 3}, {"mx1", 0.1}});
  objective.R(1, problem.quantities.column("my1")) = 1;  // mx + my
  const ConvexSolution found = solve_convex(objective, bodies(problem), problem.robot);
  EXPECT_EQ(found.seen, 2);
  EXPECT_FALSE(found.chosen[0]);
  EXPECT_TRUE(found.chosen[1]);
  EXPECT_TRUE(found.chosen[2]);
}

TEST(Convex, GradientVanishesAtAnInnerOptimumWithPulls) {
  RandomProblem problem = problem_of(2, 0.05);
  pull_bodies(problem.objective, problem.quantities, reference_bodies(problem.robot, problem.quantities).x,
              3);
  const ConvexSolution found = solve_convex(problem.objective, bodies(problem, 0), problem.robot);
  EXPECT_EQ(found.status, ConvexStatus::solved);
  const VectorXd gradient = problem.objective.gradient(found.x);
  const VectorXd at_reference =
      problem.objective.gradient(reference_bodies(problem.robot, problem.quantities).x);
  EXPECT_LE(gradient.norm(), 1e-4 * at_reference.norm());
  EXPECT_LE(found.lower_bound, found.value);
  EXPECT_LE(found.gap, 1e-6);
}

TEST(Convex, StrongPullEndsAtTheReference) {
  RandomProblem problem = problem_of(2, 0.05);
  const VectorXd reference = reference_bodies(problem.robot, problem.quantities).x;
  pull_bodies(problem.objective, problem.quantities, reference, 1e9);
  const ConvexSolution found = solve_convex(problem.objective, bodies(problem, 0), problem.robot);
  EXPECT_LE((found.x - reference).norm(), 1e-4 * reference.norm());
}

// Every convex form: obeyed, active where the truth breaks it, and certified.
TEST(Convex, ObeysEveryConvexForm) {
  const RandomProblem problem = problem_of(2, 0.01);
  const VectorXd p = to_barycentric(problem.quantities, problem.truth);
  const Vector3 c = p.segment<3>(1);
  const auto length = [](const Vector3& v) { return v.norm(); };
  ComEllipsoid ellipsoid{0, Vector3(c + Vector3(0.1, 0, 0)), Matrix3(400 * Matrix3::Identity())};
  ComHull hull;
  hull.link = 0;
  hull.normals = MatrixXd::Identity(3, 3);
  hull.offsets = c - Vector3(0.02, -1, -1);
  ComBox box;
  box.link = 0;
  box.lower = c + Vector3(0.01, -1, -1);
  const std::vector<std::pair<std::string, ConstraintForm>> forms = {
      {"mass", Bound{"m1", problem.truth[0] * 1.1, kInfinity}},
      {"com", Bound{"cx1", c[0] + 0.01, kInfinity}},
      {"moment", Bound{"Izz1", p[9] * 1.2, kInfinity}},
      {"origin", Bound{"Jxx1", -kInfinity, problem.truth[4] * 0.9}},
      {"sum", Combination{{{"m1", 1}, {"m2", 1}}, -kInfinity, 0.9 * (problem.truth[0] + problem.truth[10])}},
      {"floor", InertiaFloor{0, 0.3}},
      {"ellipsoid", ellipsoid},
      {"hull", hull},
      {"box", box},
  };
  EXPECT_GT(length(c), 0);
  const double free = solve_convex(problem.objective, bodies(problem), problem.robot).value;
  for (const auto& [name, form] : forms) {
    auto constraints = bodies(problem);
    constraints.push_back({name, form, {}});
    EXPECT_LT(evaluate(constraints.back(), problem.quantities, problem.truth).margin(), 0) << name;
    const ConvexSolution found = solve_convex(problem.objective, constraints, problem.robot);
    ASSERT_EQ(found.status, ConvexStatus::solved) << name;
    EXPECT_GE(found.constraints.back().margin, 0) << name;
    EXPECT_TRUE(found.constraints.back().active) << name;
    EXPECT_GT(found.constraints.back().multiplier, 0) << name;
    EXPECT_GT(found.lower_bound, free) << name;
    EXPECT_LE(found.gap, 1e-7) << name;
  }
}

TEST(Convex, TriangleAboutTheCentreOfMassIsABody) {
  RandomProblemOptions options;
  options.links = 2;
  options.noise = 0.3;
  const RandomProblem problem = random_problem(9, options);
  std::vector<Constraint> triangle;
  for (int link = 0; link < 2; ++link)
    triangle.push_back({"t" + std::to_string(link), Triangle{link, true}, {}});
  const double as_triangle = solve_convex(problem.objective, triangle, problem.robot).value;
  const double as_body = solve_convex(problem.objective, bodies(problem, 0), problem.robot).value;
  EXPECT_NEAR(as_triangle, as_body, 1e-6 * as_body);
  for (Constraint& constraint : triangle) std::get<Triangle>(constraint.form).about_com = false;
  const ConvexSolution weaker = solve_convex(problem.objective, triangle, problem.robot);
  EXPECT_EQ(weaker.status, ConvexStatus::solved);
  EXPECT_LE(weaker.value, as_body * (1 + 1e-6));
}

TEST(Convex, KeepsEqualitiesExactly) {
  const RandomProblem problem = problem_of(3, 0.05);
  auto constraints = bodies(problem);
  constraints.push_back({"frozen", Bound{"m2", 1.25, 1.25}, {}});
  constraints.push_back({"symmetric", Combination{{{"Jxx3", 1}, {"Jyy3", -1}}, 0, 0}, {}});
  constraints.push_back({"middle", Bound{"cz1", 0.05, 0.05}, {}});
  constraints.push_back(total_mass(problem.quantities, 6, 6));
  const ConvexSolution found = solve_convex(problem.objective, constraints, problem.robot);
  ASSERT_EQ(found.status, ConvexStatus::solved);
  EXPECT_NEAR(found.x[10], 1.25, 1e-12);
  EXPECT_NEAR(found.x[24], found.x[27], 1e-12);
  EXPECT_NEAR(found.x[3], 0.05 * found.x[0], 1e-12);
  EXPECT_NEAR(found.x[0] + found.x[10] + found.x[20], 6, 1e-11);
  EXPECT_LE(found.gap, 1e-7);
}

TEST(Convex, PairMatrixIsPositive) {
  RandomProblem problem = problem_of(1);
  const Quantities quantities(problem.robot, {"Ia1", "Iam2", "Ia2"});
  const Objective objective = sees(quantities, {{"Ia1", 1}, {"Iam2", 3}, {"Ia2", 2}, {"m1", 1}});
  const std::vector<Constraint> constraints = {{"pair", PairMatrix{{"Ia1", "Iam2", "Ia2"}}, {}}};
  const ConvexSolution found = solve_convex(objective, constraints, problem.robot);
  // The nearest positive semidefinite matrix in (a, b, c) with b counted once: on the cone's boundary.
  EXPECT_NEAR(found.x[10] * found.x[12], found.x[11] * found.x[11], 1e-5);
  // Projection onto {a c = b²}: the residual is normal to the surface.
  const Vector3 residual(1 - found.x[10], 3 - found.x[11], 2 - found.x[12]);
  const Vector3 normal(-found.x[12], 2 * found.x[11], -found.x[10]);
  EXPECT_NEAR(residual.normalized().dot(normal.normalized()), 1, 1e-6);
}

TEST(Convex, RelaxesWhatIsNotConvexAndSaysSo) {
  const RandomProblem problem = problem_of(2, 0.01);
  const VectorXd p = to_barycentric(problem.quantities, problem.truth);
  auto constraints = bodies(problem);
  const double free = solve_convex(problem.objective, constraints, problem.robot).value;
  constraints.push_back({"slim", Bound{"Ixx1", -kInfinity, 0.3 * p[4]}, {}});
  const ConvexSolution alone = solve_convex(problem.objective, constraints, problem.robot);
  EXPECT_THAT(alone.relaxed, testing::ElementsAre("slim"));
  EXPECT_FALSE(alone.constraints.back().convex);
  EXPECT_NEAR(alone.value, free, 1e-6 * free);  // nothing follows without bounds on c
  ComBox box{0, Vector3(p.segment<3>(1) - Vector3::Constant(0.02)),
             Vector3(p.segment<3>(1) + Vector3::Constant(0.02))};
  constraints.push_back({"box", box, {}});
  const ConvexSolution boxed = solve_convex(problem.objective, constraints, problem.robot);
  EXPECT_GT(boxed.lower_bound, 2 * free);
  // What was added follows: every body in the box that is slim obeys it. So its optimum is a lower bound.
  VectorXd slim = p;
  slim[4] *= 0.29, slim[7] = slim[9];
  slim[5] = slim[6] = slim[8] = 0;
  const VectorXd x = from_barycentric(problem.quantities, slim);
  for (const Constraint& constraint : constraints)
    ASSERT_GE(evaluate(constraint, problem.quantities, x).margin(), 0) << constraint.name;
  EXPECT_LE(boxed.lower_bound, problem.objective.value(x));
}

TEST(Convex, RelaxedProductsFollowFromTheBox) {
  // Off-diagonal bounds: any body inside the box of c and within the bounds obeys what the relaxation adds.
  const RandomProblem problem = problem_of(1, 0.01);
  auto constraints = bodies(problem);
  constraints.push_back({"box", ComBox{0, Vector3(-0.1, 0, 0.05), Vector3(0.05, 0.2, 0.3)}, {}});
  for (const char* pair : {"xy", "xz", "yz"})
    constraints.push_back({std::string("I") + pair, Bound{std::string("I") + pair + "1", -0.01, 0.02}, {}});
  oracle::Random random(5);
  int tried = 0;
  for (int k = 0; k < 4000 && tried < 60; ++k) {
    VectorXd p = to_barycentric(problem.quantities, oracle::random_inertia(random).to_standard());
    p[1] = random.uniform(-0.1, 0.05), p[2] = random.uniform(0, 0.2), p[3] = random.uniform(0.05, 0.3);
    const VectorXd x = from_barycentric(problem.quantities, p);
    bool obeys = true;
    for (const Constraint& constraint : constraints)
      obeys = obeys && evaluate(constraint, problem.quantities, x).margin() >= 0;
    if (!obeys) continue;
    ++tried;
    Objective at_x = sees(problem.quantities, {});
    at_x.R = MatrixXd::Identity(10, 10);
    at_x.z = x;
    EXPECT_LE(solve_convex(at_x, constraints, problem.robot).value, 1e-9 * x.squaredNorm());
  }
  EXPECT_GE(tried, 20);
}

TEST(Convex, InfeasibleIsAStatus) {
  const RandomProblem problem = problem_of(2);
  auto constraints = bodies(problem);
  constraints.push_back({"heavy", Bound{"m1", 5, kInfinity}, {}});
  constraints.push_back({"light", Bound{"m1", -kInfinity, 4}, {}});
  const ConvexSolution found = solve_convex(problem.objective, constraints, problem.robot);
  EXPECT_EQ(found.status, ConvexStatus::infeasible);
  EXPECT_FALSE(found.usable());
}

TEST(Convex, SetsWithoutInteriorAreSolvedAndNamedThin) {
  const RandomProblem problem = problem_of(2);
  auto constraints = bodies(problem);
  constraints.push_back({"from", Bound{"m1", 2, kInfinity}, {}});
  constraints.push_back({"to", Bound{"m1", -kInfinity, 2}, {}});
  const ConvexSolution found = solve_convex(problem.objective, constraints, problem.robot);
  EXPECT_EQ(found.status, ConvexStatus::thin);
  EXPECT_NEAR(found.x[0], 2, 1e-5);
  EXPECT_GT(found.loosened, 0);
}

TEST(Convex, ErrorsNameTheConstraint) {
  const RandomProblem problem = problem_of(2);
  const auto with = [&](const ConstraintForm& form) {
    return message(problem, {{"my box", form, {"study.yaml", 3, 5, ""}}});
  };
  EXPECT_THAT(with(Bound{"m1", 3, 2}), testing::AllOf(testing::HasSubstr("'my box'"), testing::HasSubstr("3"),
                                                      testing::HasSubstr("study.yaml:3:5")));
  EXPECT_THAT(with(Bound{"mm1", 0, 2}),
              testing::AllOf(testing::HasSubstr("'my box'"), testing::HasSubstr("'mm1'"),
                             testing::HasSubstr("did you mean")));
  EXPECT_THAT(with(PseudoInertia{7, 0, 0}), testing::HasSubstr("no link 8"));
  EXPECT_THAT(with(PseudoInertia{0, -1, 0}), testing::HasSubstr("margin"));
  EXPECT_THAT(with(Combination{{}, 0, 1}), testing::HasSubstr("nothing"));
  EXPECT_THAT(with(Combination{{{"cx1", 1}}, 0, 1}), testing::HasSubstr("not linear"));
  EXPECT_THAT(with(ComBox{0, Vector3(0, 1, 0), Vector3(1, 0, 1)}), testing::HasSubstr("cy"));
  ComEllipsoid flat;
  flat.shape(2, 2) = -1;
  EXPECT_THAT(with(flat), testing::HasSubstr("positive definite"));
  EXPECT_THAT(message(problem, {{"", Bound{"m1", 0, 1}, {}}}), testing::HasSubstr("no name"));
  EXPECT_THAT(message(problem, {{"a", Bound{"m1", 0, 1}, {}}, {"a", Bound{"m2", 0, 1}, {}}}),
              testing::HasSubstr("'a'"));
  const Constraint division = {"ratio", expression_bound(problem.quantities, "1/(m1 - m1)", 0, 1), {}};
  EXPECT_THAT(message(problem, {division}), testing::HasSubstr("'ratio'"));
}

TEST(Convex, ExpressionsTakeThePapersNames) {
  const RandomProblem problem = problem_of(2);
  const Constraint constraint = {
      "cone", expression_bound(problem.quantities, "c1z < 0 ? c1x : cos(I2xx)*J2xy", -1, 2), {}};
  VectorXd x = problem.truth;
  const ConstraintValues at = evaluate(constraint, problem.quantities, x, true);
  const VectorXd p = to_barycentric(problem.quantities, x);
  const double value = p[3] < 0 ? p[1] : std::cos(p[14]) * x[15];
  EXPECT_NEAR(at.values[0], value + 1, 1e-12);
  EXPECT_NEAR(at.values[1], 2 - value, 1e-12);
  EXPECT_FALSE(is_convex(constraint, problem.quantities));
}

TEST(Constraints, HaveTheGradientsOfTheirValues) {
  const RandomProblem problem = problem_of(2);
  const Quantities quantities(problem.robot, {"Ia1", "Iam2", "Ia2"});
  VectorXd x(quantities.size());
  x << problem.truth, 1, 0.3, 2;
  ComHull hull{0, MatrixXd::Random(5, 3), VectorXd::Ones(5)};
  Matrix3 shape = Matrix3::Identity() * 30;
  shape(0, 1) = shape(1, 0) = 5;
  const std::vector<Constraint> constraints = {
      {"1", Bound{"cx1", -1, 1}, {}},
      {"2", Bound{"Ixy2", -1, 1}, {}},
      {"3", Combination{{{"m1", 2}, {"Jzz2", -1}}, 0, 1}, {}},
      {"4", PseudoInertia{1, 1e-3, 0.2}, {}},
      {"5", Triangle{0, true}, {}},
      {"6", Triangle{1, false}, {}},
      {"7", InertiaFloor{1, 1e-3}, {}},
      {"8", ComBox{0, Vector3(-1, -1, -1), Vector3(1, 1, 1)}, {}},
      {"9", ComEllipsoid{1, Vector3(0.1, 0, 0), shape}, {}},
      {"10", hull, {}},
      {"11", PairMatrix{{"Ia1", "Iam2", "Ia2"}}, {}},
      {"12", expression_bound(quantities, "m1*cx1^2 + Ixx2*Ia1", 0, kInfinity), {}},
  };
  for (const Constraint& constraint : constraints) {
    const ConstraintValues at = evaluate(constraint, quantities, x, true);
    ASSERT_EQ(at.gradients.rows(), at.values.size());
    for (Index k = 0; k < x.size(); ++k) {
      VectorXd up = x, down = x;
      up[k] += 1e-6, down[k] -= 1e-6;
      const VectorXd slope =
          (evaluate(constraint, quantities, up).values - evaluate(constraint, quantities, down).values) /
          2e-6;
      // Difference quotients of eigenvalues: 1e-6 of the largest slope.
      EXPECT_LE((slope - at.gradients.col(k)).cwiseAbs().maxCoeff(),
                1e-5 * (1 + at.gradients.cwiseAbs().maxCoeff()))
          << constraint.name << " " << quantities.columns()[static_cast<std::size_t>(k)];
    }
  }
}

TEST(Convex, TwoThreadsGiveTheBytesOfOne) {
  std::vector<RandomProblem> problems;
  std::vector<VectorXd> alone;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) problems.push_back(problem_of(3, 0.2, 0.7, seed));
  const auto solve_all = [&](std::vector<VectorXd>& out) {
    for (const RandomProblem& problem : problems)
      out.push_back(solve_convex(problem.objective, bodies(problem), problem.robot).x);
  };
  solve_all(alone);
  std::vector<VectorXd> first, second;
  std::thread other([&] { solve_all(first); });
  solve_all(second);
  other.join();
  for (std::size_t k = 0; k < alone.size(); ++k) {
    EXPECT_EQ(alone[k], first[k]);
    EXPECT_EQ(alone[k], second[k]);
  }
}

}  // namespace
}  // namespace steelyard
