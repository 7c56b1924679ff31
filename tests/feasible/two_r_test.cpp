// Retrieval on the published 2R arm: feasible to the last bit, the same torques, and inner forces of the
// right order.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "feasible/two_r_cases.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/feasible/intervals.hpp"
#include "steelyard/feasible/penalty.hpp"

namespace steelyard {
namespace {

using Real = long double;
using Matrix3r = Eigen::Matrix<Real, 3, 3>;

struct Case {
  Robot robot = two_r::robot();
  BaseParameters base = base_parameters(robot);
  VectorXd truth = standard_parameters(robot);
  VectorXd coefficients = base.K * truth;
  Quantities quantities{robot};
  Objective objective = coefficient_objective(coefficients, base, quantities);
};

// All constraints of two_r_cases.hpp once more, in long double and without the library: the largest
// violation.
Real largest_violation(const Robot& robot, const VectorXd& x) {
  Real worst = -1e30L;
  const auto need = [&](Real value) { worst = std::max(worst, -value); };
  Real c[2][3];
  Real total = 0;
  for (int link = 0; link < 2; ++link) {
    Real v[10];
    for (int k = 0; k < 10; ++k) v[k] = x[10 * link + k];
    const Real m = v[0];
    total += m;
    for (int k = 0; k < 3; ++k) c[link][k] = v[1 + k] / m;
    const Real *q = c[link], square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
    Matrix3r I;
    I << v[4], v[5], v[6], v[5], v[7], v[8], v[6], v[8], v[9];
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) I(a, b) -= m * ((a == b ? square : 0) - q[a] * q[b]);
    need(m);
    const Matrix3r second = I.trace() / 2 * Matrix3r::Identity() - I;
    need(Eigen::SelfAdjointEigenSolver<Matrix3r>(second).eigenvalues()[0]);
    for (const ParameterBound& bound : robot.joints[static_cast<std::size_t>(link)].bounds) {
      Real value = 0;
      if (bound.parameter == "m") value = m;
      for (int k = 0; k < 3; ++k)
        if (bound.parameter == std::string("c") + "xyz"[k]) value = q[k];
      for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b)
          if (bound.parameter == std::string("I") + "xyz"[a] + "xyz"[b]) value = I(a, b);
      need(value - bound.lower);
      need(bound.upper - value);
    }
  }
  need(total - 1);
  need(15 - total);
  need(Real(two_r::kR1) - std::hypot(c[0][0], c[0][2]));
  const Real radius = c[1][0] < -Real(two_r::kCone)
                          ? Real(two_r::kR2)
                          : Real(two_r::kR2) + (Real(two_r::kR3) - Real(two_r::kR2)) / Real(two_r::kCone) *
                                                   (Real(two_r::kCone) + c[1][0]);
  need(radius - std::hypot(c[1][1], c[1][2]));
  return worst;
}

TEST(TwoR, EveryOfTwentySeedsEndsFeasibleWithTheSameTorques) {
  const Case arm;
  const Tree tree = compile(arm.robot);
  const std::vector<Constraint> constraints = two_r::constraints(arm.robot, arm.quantities);
  EXPECT_LE(largest_violation(arm.robot, arm.truth), 0);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    PenaltyOptions options;
    options.random_starts = 1;
    options.from_reference = false;
    options.seed = seed;
    const PenaltySolution found = solve_penalty(arm.objective, constraints, arm.robot, options);
    EXPECT_TRUE(found.feasible) << seed;
    EXPECT_LE(largest_violation(arm.robot, found.x), 0) << seed;
    EXPECT_LE((arm.base.K * found.x - arm.coefficients).squaredNorm(), 1e-9) << seed;
    const auto wrenches = compare_wrenches(
        tree, {{"real", arm.truth, {}, {}, {}, {}}, {"found", found.x, {}, {}, {}, {}}}, two_r::motion());
    EXPECT_LE(wrenches[1].torque_error.maxCoeff(), 1e-4) << seed;
  }
}

// All feasible parameters with φ1 ≤ 1e-9: what the joints may carry at an instant, by the published box, and
// what they do carry.
TEST(TwoR, IntervalsOfAllJointForcesContainTheRealOnes) {
  const Case arm;
  const std::vector<Constraint> constraints = two_r::constraints(arm.robot, arm.quantities);
  const MotionSamples motion = two_r::motion();
  const Tree tree = compile(arm.robot);
  ProvenOptions how;
  how.allowance = 1e-9;
  how.points = false;
  for (const Index s : {0, 123, 251, 400}) {
    const VectorXd q = motion.q.row(s), qd = motion.qd.row(s), qdd = motion.qdd.row(s);
    const auto functionals = wrench_functionals(arm.robot, arm.quantities, q, qd, qdd);
    const auto found = proven_intervals(arm.objective, constraints, arm.robot, functionals, how);
    const InverseDynamics real = newton_euler(tree, arm.truth, q, qd, qdd);
    for (std::size_t k = 0; k < found.size(); ++k) {
      const JointWrench& wrench = real.wrenches[k / 6];
      const auto axis = static_cast<Index>(k % 3);
      const double truth = k % 6 < 3 ? wrench.force[axis] : wrench.moment[axis];
      EXPECT_LE(found[k].lower.outer, truth) << found[k].name << " at sample " << s;
      EXPECT_GE(found[k].upper.outer, truth) << found[k].name << " at sample " << s;
      // Masses are bounded: forces are known within the weight of 15 kg in this motion, and no better than
      // the 5 kg that may be anywhere.
      if (k % 6 >= 3) continue;
      EXPECT_FALSE(found[k].lower.infinite || found[k].upper.infinite) << found[k].name;
      EXPECT_LE(found[k].upper.outer - found[k].lower.outer, 15 * 40) << found[k].name;
    }
  }
}

// The smallest change of the others that hides so many kg more in link 2 from every torque.
VectorXd hidden_mass(const Case& arm, double mass) {
  const Index m2 = 10;
  MatrixXd rows(arm.base.K.rows() + 1, arm.base.K.cols());
  rows << arm.base.K, VectorXd::Unit(20, m2).transpose();
  VectorXd wanted = VectorXd::Zero(rows.rows());
  wanted[rows.rows() - 1] = mass;
  const VectorXd shift =
      Eigen::MatrixXd(rows).completeOrthogonalDecomposition().solve(Eigen::VectorXd(wanted));
  EXPECT_NEAR(shift[m2], mass, 1e-6 * mass);
  return arm.truth + shift;
}

// Masses that no torque shows: the joints carry them all the same. A joint's force grows by the hidden mass
// times g and no more: joint 2 (34 N in truth) reaches 1e5 times its own with 0.4e6 kg, joint 1 (112 N) needs
// 1.2e6 kg, so that the million kg of the usual example gives it 8.8e4 times.
TEST(TwoR, InfeasibleParametersHaveTheRightTorquesAndAbsurdForces) {
  const Case arm;
  const Tree tree = compile(arm.robot);
  PenaltyOptions options;
  options.random_starts = 1;
  const PenaltySolution feasible =
      solve_penalty(arm.objective, two_r::constraints(arm.robot, arm.quantities), arm.robot, options);
  std::vector<ParameterSet> sets = {{"real", arm.truth, {}, {}, {}, {}},
                                    {"feasible", feasible.x, {}, {}, {}, {}}};
  for (const double mass : {1e1, 1e3, 1e6, 2e6}) {
    sets.push_back({std::to_string(mass), hidden_mass(arm, mass), {}, {}, {}, {}});
    EXPECT_LT(Inertia::from_standard(sets.back().parameters.segment<10>(10)).pseudo_inertia().determinant(),
              0);
  }
  const auto forces = compare_wrenches(tree, sets, two_r::motion());
  for (Index j = 0; j < 2; ++j) {
    EXPECT_LE(forces[1].force[j], 3 * forces[0].force[j]);
    EXPECT_GE(forces[1].force[j], forces[0].force[j] / 5);
    // The weight of the hidden mass, and on another sinusoid 9.9e3 and 9.8e3 N, 9.8e6 N both.
    EXPECT_NEAR(forces[3].force[j], 9.9e3, 0.1e3);
    EXPECT_NEAR(forces[4].force[j], 9.8e6, 0.05e6);
    EXPECT_GE(forces[5].force[j], 1e5 * forces[0].force[j]);
  }
  EXPECT_GE(forces[4].force[1], 1e5 * forces[0].force[1]);
  // Torques agree to rounding of 2e7 N times a metre.
  for (const WrenchExtremes& set : forces) EXPECT_LE(set.torque_error.maxCoeff(), 1e-4);
  EXPECT_LE(forces[4].torque_error.maxCoeff(), 1e-6);
}

TEST(TwoR, BoxesAloneLetTheCentreOfMassLeaveTheLinks) {
  const Case arm;
  const std::vector<Constraint> boxes = two_r::constraints(arm.robot, arm.quantities, false);
  int outside = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    PenaltyOptions options;
    options.random_starts = 1;
    options.from_reference = false;
    options.seed = seed;
    const PenaltySolution found = solve_penalty(arm.objective, boxes, arm.robot, options);
    EXPECT_TRUE(found.feasible);
    outside += largest_violation(arm.robot, found.x) > 0;
  }
  // Of ten random bodies; the search leaves what φ1 does not see where the start had it.
  EXPECT_GE(outside, 3);
}

TEST(TwoR, AnnealingAsPublishedAlsoFindsFeasibleParameters) {
  const Case arm;
  PenaltyOptions options;
  options.search = PenaltySearch::annealing;
  options.random_starts = 2;
  options.from_reference = false;
  options.annealing.descend_at_end = false;
  const std::vector<Constraint> constraints = two_r::constraints(arm.robot, arm.quantities);
  const PenaltySolution raw = solve_penalty(arm.objective, constraints, arm.robot, options);
  // A random search: close to the data and nearly feasible is all that it gives by itself.
  EXPECT_LE(raw.value, 1e-2 * arm.objective.effort());
  EXPECT_LE(raw.violation, 1e-2);
  options.annealing.descend_at_end = true;
  const PenaltySolution found = solve_penalty(arm.objective, constraints, arm.robot, options);
  EXPECT_TRUE(found.feasible);
  EXPECT_LE(largest_violation(arm.robot, found.x), 0);
  EXPECT_LE(found.value, 1e-9);
}

}  // namespace
}  // namespace steelyard
