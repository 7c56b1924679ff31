// Forward dynamics by articulated bodies, M by composite bodies, and many samples at a time.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cstring>
#include <limits>

#include "agreement.hpp"
#include "oracle/dense_dynamics.hpp"
#include "oracle/referee.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/isa.hpp"

namespace steelyard {
namespace articulated_test {

using oracle::Geometry;
using oracle::RandomCase;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// Both roads sum some hundred terms on every joint: 45 ε of their magnitudes, as against the referee, on each.
constexpr double kTerms = 90;

// Calls check() with every instruction set that this processor has.
template <class Check>
void for_all_levels(const Check& check) {
  const IsaLevel before = isa_level();
  for (const IsaLevel level : {IsaLevel::baseline, IsaLevel::avx2, IsaLevel::avx512}) {
    if (!is_available(level)) continue;
    set_isa_level(level);
    SCOPED_TRACE(to_string(level));
    check(level);
  }
  set_isa_level(before);
}

// Difference of accelerations against what rounding of M and of the efforts may do, in the coordinates in which
// the diagonal of M is one:
//   |Δy| ≤ terms ε (cond(M) |y| + |M⁻¹| |scale|).
void expect_accelerations(const VectorXd& qdd, const oracle::DenseForward& truth) {
  const VectorXd root = truth.M.diagonal().cwiseSqrt();
  const MatrixXd scaled = truth.M.cwiseQuotient(root * root.transpose());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled);
  const double smallest = eigen.eigenvalues().minCoeff(), largest = eigen.eigenvalues().maxCoeff();
  const double size = truth.qdd.cwiseProduct(root).norm();
  const double bound = largest / smallest * size + truth.scale.cwiseQuotient(root).norm() / smallest;
  EXPECT_LE((qdd - truth.qdd).cwiseProduct(root).norm(), kTerms * kEpsilon * bound);
}

// Links whose masses differ by many orders of magnitude.
Robot uneven(Robot robot, oracle::Random& random) {
  for (Joint& joint : robot.joints) {
    const double factor = std::pow(10.0, random.uniform(-3, 3));
    joint.inertia = Inertia::from_standard(factor * joint.inertia->to_standard());
  }
  return robot;
}

TEST(Articulated, ForwardDynamicsIsThatOfTheDenseMassMatrix) {
  for_all_levels([](IsaLevel) {
    oracle::for_random_robots(150, [](RandomCase& c) {
      const Vector6 w = c.tool_wrench();
      const MatrixXd none = MatrixXd::Zero(c.robot.size(), c.robot.size());
      for (const Robot& robot : {c.robot, uneven(c.robot, c.random)}) {
        const VectorXd tau = newton_euler(c.tree, c.parameters, c.x.q, c.x.qd, c.x.qdd, w).tau;
        const VectorXd qdd =
            forward_dynamics(compile(robot), standard_parameters(robot), c.x.q, c.x.qd, tau, w);
        expect_accelerations(qdd, oracle::dense_forward(robot, c.x.q, c.x.qd, tau, none, w));
      }
    });
  });
}

// The accelerations found need the given efforts, by virtual work in long double.
TEST(Articulated, EffortsOfTheAccelerationsAreThoseGiven) {
  for_all_levels([](IsaLevel) {
    oracle::for_random_robots(150, [](RandomCase& c) {
      const Robot robot = uneven(c.robot, c.random);
      const VectorXd tau = c.random.joint_vector(robot.size(), 50);
      const VectorXd qdd = forward_dynamics(compile(robot), standard_parameters(robot), c.x.q, c.x.qd, tau);
      const oracle::RefereeResult truth = oracle::referee(robot, c.x.q, c.x.qd, qdd);
      const Eigen::ArrayXd scale = truth.scale.array() + tau.array().abs();
      EXPECT_LE(oracle::largest(((truth.tau - tau).array() / scale).matrix()), kTerms / 2 * kEpsilon);
    });
  });
}

TEST(Articulated, CompositeBodiesGiveTheDenseMassMatrix) {
  for_all_levels([](IsaLevel) {
    oracle::for_random_robots(150, [](RandomCase& c) {
      for (const Robot& robot : {c.robot, uneven(c.robot, c.random)}) {
        const Tree tree = compile(robot);
        const VectorXd parameters = standard_parameters(robot);
        const MatrixXd M = mass_matrix(tree, parameters, c.x.q);
        const MatrixXd dense = oracle::dense_mass_matrix(tree, parameters, c.x.q);
        const VectorXd root = dense.diagonal().cwiseSqrt();
        EXPECT_LE(oracle::largest((M - dense).cwiseQuotient(root * root.transpose())), kTerms * kEpsilon);
        EXPECT_EQ(M, MatrixXd(M.transpose()));
      }
    });
  });
}

TEST(Articulated, RotorsAddToTheInertiaOfTheirJoint) {
  oracle::for_random_robots(60, [](RandomCase& c) {
    const Index n = c.robot.size();
    const VectorXd Ia = c.random.joint_vector(static_cast<int>(n), 1).cwiseAbs();
    const MatrixXd rotors = Ia.asDiagonal();
    const DynamicsPlan plan(c.tree, c.parameters, coordinates(c.robot), rotors);
    EXPECT_TRUE(plan.by_articulated_bodies());
    const VectorXd tau = c.random.joint_vector(static_cast<int>(n), 50);
    const oracle::DenseForward truth = oracle::dense_forward(c.robot, c.x.q, c.x.qd, tau, rotors);
    const VectorXd qdd = plan.forward(c.x.q, c.x.qd, tau);
    expect_accelerations(qdd, truth);
    EXPECT_LE(oracle::largest(plan.mass_matrix(c.x.q) - truth.M), kTerms * kEpsilon * truth.M.norm());
    const VectorXd bare = newton_euler(c.tree, c.parameters, c.x.q, c.x.qd, qdd).tau;
    const VectorXd with = plan.inverse(c.x.q, c.x.qd, qdd);
    const double scale = c.scale() + truth.M.norm() * qdd.norm();
    EXPECT_LE(oracle::largest(with - bare - rotors * qdd), kTerms * kEpsilon * scale);
  });
}

// Mimic joints and coupled rotors: no articulated bodies, the same equations.
TEST(Articulated, CouplingsGoThroughTheMassMatrix) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    RandomCase c(seed * 9 + 5);  // six joints
    const bool mimics = seed % 2 == 0;
    if (mimics) c.robot.mimics = {{4, 1, -1.5, 0.2}, {5, 1, 0.5, 0}};
    const Coordinates coords = coordinates(c.robot);
    const int n = c.robot.dof();
    MatrixXd rotors = MatrixXd::Zero(n, n);
    for (Index a = 0; a < n; ++a) rotors(a, a) = c.random.uniform(0.1, 1);
    if (!mimics) rotors(1, 2) = rotors(2, 1) = 0.05;
    const DynamicsPlan plan(c.tree, c.parameters, coords, rotors);
    EXPECT_FALSE(plan.by_articulated_bodies());
    EXPECT_EQ(plan.joints(), n);
    const oracle::State x = oracle::random_state(c.random, n);
    const VectorXd tau = c.random.joint_vector(n, 50);
    const VectorXd qdd = plan.forward(x.q, x.qd, tau);
    expect_accelerations(qdd, oracle::dense_forward(c.robot, x.q, x.qd, tau, rotors));
    const oracle::RefereeResult bodies = oracle::referee(c.robot, coords.matrix * x.q + coords.offset,
                                                         coords.matrix * x.qd, coords.matrix * qdd);
    const VectorXd back = plan.inverse(x.q, x.qd, qdd);
    const VectorXd expected = coords.matrix.transpose() * bodies.tau + rotors * qdd;
    const double scale =
        (coords.matrix.cwiseAbs().transpose() * bodies.scale).maxCoeff() + (rotors * qdd).norm();
    EXPECT_LE(oracle::largest(back - expected), kTerms * kEpsilon * scale);
  }
}

// Samples of a robot as channels with a stride of their own.
struct Batch {
  Batch(RandomCase& c, Index samples)
      : count(samples), q(samples + 3, c.robot.size()), qd(q), given(q), out(q) {
    for (Index s = 0; s < q.rows(); ++s) {
      const oracle::State x = oracle::random_state(c.random, c.robot.size());
      q.row(s) = x.q.transpose(), qd.row(s) = x.qd.transpose(), given.row(s) = 10 * x.qdd.transpose();
    }
    out.setConstant(-7);
  }
  DynamicsSamples from(Index first) const {
    return {q.data() + first, qd.data() + first, given.data() + first, q.rows(), count - first};
  }
  Index count;
  MatrixXd q, qd, given, out;
};

bool same_bytes(const MatrixXd& a, const MatrixXd& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

TEST(Articulated, ASampleGivesTheSameBytesAloneAndInAnyBatch) {
  for_all_levels([](IsaLevel) {
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
      SCOPED_TRACE(seed);
      RandomCase c(seed);
      const DynamicsPlan plan(c.tree, c.parameters);
      Batch batch(c, 1 + static_cast<Index>(seed));
      EXPECT_EQ(plan.forward(batch.from(0), batch.out.data(), batch.out.rows()).sample, -1);
      MatrixXd efforts = batch.out, shifted = batch.out;
      plan.inverse(batch.from(0), efforts.data(), efforts.rows());
      for (Index s = 0; s < batch.count; ++s) {
        const VectorXd q = batch.q.row(s), qd = batch.qd.row(s), given = batch.given.row(s);
        EXPECT_TRUE(same_bytes(plan.forward(q, qd, given), batch.out.row(s).transpose()));
        EXPECT_TRUE(same_bytes(plan.inverse(q, qd, given), efforts.row(s).transpose()));
        EXPECT_TRUE(
            same_bytes(forward_dynamics(c.tree, c.parameters, q, qd, given), batch.out.row(s).transpose()));
        EXPECT_TRUE(
            same_bytes(newton_euler(c.tree, c.parameters, q, qd, given).tau, efforts.row(s).transpose()));
      }
      // Behind the samples nothing is written; a batch that begins later has other neighbours.
      EXPECT_TRUE((batch.out.bottomRows(3).array() == -7).all() &&
                  (efforts.bottomRows(3).array() == -7).all());
      if (batch.count < 2) continue;
      plan.forward(batch.from(1), shifted.data() + 1, shifted.rows());
      EXPECT_TRUE(same_bytes(shifted.bottomRows(batch.count + 2), batch.out.bottomRows(batch.count + 2)));
    }
  });
}

TEST(Articulated, Avx2AndAvx512GiveTheSameBytes) {
  if (!is_available(IsaLevel::avx512)) GTEST_SKIP() << "this processor has no AVX-512";
  const IsaLevel before = isa_level();
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomCase c(seed);
    const DynamicsPlan plan(c.tree, c.parameters);
    Batch batch(c, 29);
    MatrixXd results[2][3];
    for (int k = 0; k < 2; ++k) {
      set_isa_level(k == 0 ? IsaLevel::avx2 : IsaLevel::avx512);
      for (MatrixXd& result : results[k]) result = batch.out;
      plan.forward(batch.from(0), results[k][0].data(), batch.out.rows());
      plan.inverse(batch.from(0), results[k][1].data(), batch.out.rows());
      results[k][2] = plan.mass_matrix(c.x.q);
    }
    for (int r = 0; r < 3; ++r) EXPECT_TRUE(same_bytes(results[0][r], results[1][r])) << seed << " " << r;
  }
  set_isa_level(before);
}

// What compile() prepares for the kernels is made where it is not there.
TEST(Articulated, ATreeWithoutItsSkeletonIsTheSameRobot) {
  oracle::for_random_robots(9, [](RandomCase& c) {
    Tree bare = c.tree;
    bare.skeleton.reset();
    EXPECT_TRUE(same_bytes(mass_matrix(bare, c.parameters, c.x.q), c.mass_at(c.x.q)));
    EXPECT_TRUE(same_bytes(newton_euler(bare, c.parameters, c.x.q, c.x.qd, c.x.qdd).tau,
                           newton_euler(c.tree, c.parameters, c.x.q, c.x.qd, c.x.qdd).tau));
  });
}

// Turns of a whole number change nothing, up to the rounding of the position itself.
TEST(Articulated, PositionsFarBeyondATurnAreGoodPositions) {
  oracle::for_random_robots(30, [](RandomCase& c) {
    VectorXd far = c.x.q;
    for (Index i = 0; i < far.size(); ++i)
      if (!c.tree.joints[static_cast<std::size_t>(i)].prismatic) far[i] += 2e7;
    VectorXd near = far;
    for (Index i = 0; i < far.size(); ++i)
      if (!c.tree.joints[static_cast<std::size_t>(i)].prismatic)
        near[i] = std::atan2(std::sin(far[i]), std::cos(far[i]));
    const double scale = c.scale();
    EXPECT_LE(oracle::largest(newton_euler(c.tree, c.parameters, far, c.x.qd, c.x.qdd).tau -
                              newton_euler(c.tree, c.parameters, near, c.x.qd, c.x.qdd).tau),
              kTerms * kEpsilon * scale);
    EXPECT_TRUE(mass_matrix(c.tree, c.parameters, far).allFinite());
  });
}

TEST(Articulated, TheFirstSampleWithoutInertiaAndItsJointAreNamed) {
  // A sliding counterweight: at q2 = 0 its point mass lies on the axis of joint 1, which has no other inertia.
  Robot robot;
  robot.name = "counterweight";
  for (const char* name : {"turn", "slide"}) {
    Joint joint;
    joint.name = joint.link = name;
    robot.joints.push_back(joint);
  }
  robot.joints[0].inertia = Inertia::zero();
  robot.joints[1].parent = 0;
  robot.joints[1].kind = JointKind::prismatic;
  robot.joints[1].axis = Vector3::UnitX();
  robot.joints[1].inertia = Inertia::from_mass_com_inertia(2, Vector3::Zero(), Matrix3::Zero());
  const DynamicsPlan plan(compile(robot), standard_parameters(robot));
  const Index count = 21;
  MatrixXd q = MatrixXd::Zero(count, 2), rest = MatrixXd::Zero(count, 2), tau = MatrixXd::Ones(count, 2),
           qdd = rest;
  q.col(1).setConstant(0.5);
  q(17, 1) = q(19, 1) = 0;
  const auto failure = plan.forward({q.data(), rest.data(), tau.data(), count, count}, qdd.data(), count);
  EXPECT_EQ(failure.sample, 17);
  EXPECT_EQ(failure.joint, 0);
  EXPECT_NEAR(qdd(16, 0), 1 / (2 * 0.25), 8 * kEpsilon);
  EXPECT_NEAR(qdd(18, 1), 0.5, 8 * kEpsilon);
  EXPECT_THROW(plan.forward(q.row(17), rest.row(17), tau.row(17)), InputError);
  EXPECT_THROW(plan.forward(VectorXd::Zero(3), VectorXd::Zero(2), VectorXd::Zero(2)), InputError);
}

}  // namespace articulated_test
}  // namespace steelyard
