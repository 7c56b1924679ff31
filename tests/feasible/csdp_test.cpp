// The convex optimum against CSDP on random problems: one to twelve links, with and without boxes, optima
// inside and on the boundary.
#include <gtest/gtest.h>
#include <unistd.h>

#include "feasible/csdp.hpp"
#include "feasible/random_problem.hpp"

namespace steelyard {
namespace {

using feasible_test::random_problem;
using feasible_test::RandomProblem;
using feasible_test::RandomProblemOptions;
using feasible_test::Sdp;

// Pseudo-inertia with the margin δ, for both solvers.
void add_bodies(const RandomProblem& problem, double margin, std::vector<Constraint>& ours, Sdp& theirs) {
  for (int link = 0; link < problem.robot.size(); ++link)
    ours.push_back({"body " + std::to_string(link + 1), PseudoInertia{link, margin, 0}, {}});
  feasible_test::add_bodies(link_lengths(problem.robot), margin, theirs);
}

void add_row(const Quantities& quantities, const std::vector<std::pair<std::string, double>>& terms, double b,
             Sdp& theirs) {
  VectorXd a = VectorXd::Zero(quantities.size());
  for (const auto& [name, value] : terms) a[quantities.column(name)] += value;
  theirs.rows.emplace_back(a, b);
}

// Boxes on m, c and J, some of which the truth is outside of.
void add_boxes(const RandomProblem& problem, std::uint64_t seed, std::vector<Constraint>& ours, Sdp& theirs) {
  oracle::Random random(seed);
  const Quantities& quantities = problem.quantities;
  for (int link = 1; link <= problem.robot.size(); ++link) {
    const std::string number = std::to_string(link);
    const double mass = problem.truth[Index{10} * (link - 1)] * random.uniform(0.9, 2);
    ours.push_back({"m" + number, Bound{"m" + number, 0.1, mass}, {}});
    add_row(quantities, {{"m" + number, 1}}, -0.1, theirs);
    add_row(quantities, {{"m" + number, -1}}, mass, theirs);
    for (const char* axis : {"x", "y", "z"}) {
      const double half = random.uniform(0.1, 0.3);
      const std::string first = std::string("m") + axis + number;
      ours.push_back(
          {"c" + std::string(axis) + number, Bound{"c" + std::string(axis) + number, -half, half}, {}});
      add_row(quantities, {{first, 1}, {"m" + number, half}}, 0, theirs);
      add_row(quantities, {{first, -1}, {"m" + number, half}}, 0, theirs);
      const std::string J = "J" + std::string(axis) + axis + number;
      ours.push_back({J, Bound{J, -kInfinity, 0.4}, {}});
      add_row(quantities, {{J, -1}}, 0.4, theirs);
    }
  }
}

struct CsdpCase {
  int links;
  double rank;
  double noise;
  bool flat;
  bool boxes;
  double margin;
};

class AgainstCsdp : public testing::TestWithParam<int> {};

CsdpCase case_of(int index) {
  const int sizes[6] = {1, 2, 3, 4, 5, 7};
  CsdpCase out{};
  out.links = index == 35 ? 12 : sizes[index % 6];
  out.boxes = index % 2 == 1;
  out.rank = out.boxes && index % 4 == 1 ? 0.7 : 1;  // unseen directions need a box to be bounded for CSDP
  out.noise = index % 3 == 0 ? 0.003 : index % 3 == 1 ? 0.1 : 0.5;
  out.flat = index % 5 == 0;
  out.margin = index % 7 < 3 ? 0 : 1e-3;
  return out;
}

TEST_P(AgainstCsdp, OptimaAgree) {
  if (!feasible_test::csdp_is_there()) GTEST_SKIP() << "csdp is not installed (package coinor-csdp)";
  const CsdpCase wanted = case_of(GetParam());
  RandomProblemOptions options;
  options.links = wanted.links;
  options.rank_share = wanted.rank;
  options.noise = wanted.noise;
  options.flat = wanted.flat;
  const auto seed = static_cast<std::uint64_t>(GetParam() + 1);
  RandomProblem problem = random_problem(seed, options);
  std::vector<Constraint> constraints;
  Sdp sdp;
  add_bodies(problem, wanted.margin, constraints, sdp);
  if (wanted.boxes) add_boxes(problem, seed, constraints, sdp);
  const ConvexSolution ours = solve_convex(problem.objective, constraints, problem.robot);
  ASSERT_EQ(ours.status, ConvexStatus::solved) << ours.gap;
  for (const ConstraintState& state : ours.constraints) EXPECT_GE(state.margin, 0) << state.name;
  EXPECT_LE(ours.lower_bound, ours.value);
  EXPECT_LE(ours.gap, 1e-7);

  // CSDP stops at a gap of 1e-8 (1 + value): the squares are scaled to about ten.
  const double factor = std::sqrt(10 / ours.value);
  sdp.R = factor * problem.objective.R;
  sdp.z = factor * problem.objective.z;
  feasible_test::scale_columns(sdp);
  feasible_test::SdpAnswer theirs = solve_with_csdp(sdp, "case" + std::to_string(GetParam()));
  ASSERT_TRUE(theirs.solved) << theirs.text;
  theirs.attained /= factor * factor;
  const double scale = ours.value + 1e-6 * problem.objective.effort();
  EXPECT_NEAR(ours.value, theirs.attained, 1e-6 * scale);
  EXPECT_LE(ours.value, theirs.attained + 1e-6 * scale);
  EXPECT_LE(ours.lower_bound, theirs.attained + 1e-6 * scale);
}

INSTANTIATE_TEST_SUITE_P(Csdp, AgainstCsdp, testing::Range(0, 36));

}  // namespace
}  // namespace steelyard
