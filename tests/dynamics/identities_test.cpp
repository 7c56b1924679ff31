// Laws that hold for every robot, checked on random chains and trees.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "agreement.hpp"
#include "exact_derivative.hpp"
#include "oracle/referee.hpp"

namespace steelyard {
namespace identities_test {

using oracle::for_random_robots;
using oracle::RandomCase;

// 45 ε of the natural scale, for sums of up to a few hundred terms; measured below 2e-15.
constexpr double kTolerance = 1e-14;
constexpr std::uint64_t kSeeds = 40;

TEST(Law, MassMatrixIsSymmetricPositiveDefinite) {
  for_random_robots(kSeeds, [](RandomCase& c) {
    const MatrixXd M = c.mass_at(c.x.q);
    EXPECT_EQ(M, M.transpose());
    const VectorXd root = M.diagonal().cwiseSqrt();
    const MatrixXd scaled = M.cwiseQuotient(root * root.transpose());
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(scaled).eigenvalues().minCoeff(), 1e-9);
  });
}

TEST(Law, EffortIsInertiaPlusCoriolisPlusGravity) {
  for_random_robots(kSeeds, [](RandomCase& c) {
    const VectorXd tau = newton_euler(c.tree, c.parameters, c.x.q, c.x.qd, c.x.qdd).tau;
    const VectorXd sum = c.mass_at(c.x.q) * c.x.qdd +
                         coriolis_factor(c.tree, c.parameters, c.x.q, c.x.qd) * c.x.qd +
                         gravity_torque(c.tree, c.parameters, c.x.q);
    EXPECT_LE(oracle::largest(tau - sum), kTolerance * c.scale());
  });
}

TEST(Law, CoriolisFactorConsistsOfChristoffelSymbols) {
  for_random_robots(kSeeds, [](RandomCase& c) {
    const int n = c.robot.size();
    std::vector<MatrixXd> by;  // ∂M/∂q_k of the referee's M
    const VectorXd rest = VectorXd::Zero(n);
    for (int k = 0; k < n; ++k) {
      by.push_back(oracle::derivative_by(c.tree, c.x.q, k, [&](const VectorXd& q) {
        return oracle::referee(c.robot, q, rest, rest).mass_matrix;
      }));
    }
    MatrixXd expected = MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) {
          expected(i, j) += 0.5 * (by[k](i, j) + by[j](i, k) - by[i](j, k)) * c.x.qd[k];
        }
      }
    }
    const MatrixXd S = coriolis_factor(c.tree, c.parameters, c.x.q, c.x.qd);
    const double natural = oracle::largest(c.mass_at(c.x.q)) * c.x.qd.cwiseAbs().sum();
    EXPECT_LE(oracle::largest(S - expected), kTolerance * natural);
  });
}

TEST(Law, MassRateMinusTwiceCoriolisIsSkew) {
  for_random_robots(kSeeds, [](RandomCase& c) {
    MatrixXd rate = MatrixXd::Zero(c.robot.size(), c.robot.size());
    for (int k = 0; k < c.robot.size(); ++k) {
      rate += c.x.qd[k] *
              oracle::derivative_by(c.tree, c.x.q, k, [&](const VectorXd& q) { return c.mass_at(q); });
    }
    const MatrixXd N = rate - 2 * coriolis_factor(c.tree, c.parameters, c.x.q, c.x.qd);
    const double natural = oracle::largest(c.mass_at(c.x.q)) * c.x.qd.cwiseAbs().sum();
    EXPECT_LE(oracle::largest(N + N.transpose()), kTolerance * natural);
  });
}

TEST(Law, EnergyGrowsByThePowerOfTheEfforts) {
  for_random_robots(kSeeds, [](RandomCase& c) {
    const auto total = [&](const VectorXd& q, const VectorXd& qd) {
      const Energies e = energies(c.tree, c.parameters, q, qd);
      return e.kinetic + e.potential;
    };
    // T is quadratic in q̇: a central difference along q̈ is exact.
    const double by_velocity = 0.5 * (total(c.x.q, c.x.qd + c.x.qdd) - total(c.x.q, c.x.qd - c.x.qdd));
    const double by_position =
        oracle::gradient_by(c.tree, c.x.q, [&](const VectorXd& q) { return total(q, c.x.qd); }).dot(c.x.qd);
    const double power = newton_euler(c.tree, c.parameters, c.x.q, c.x.qd, c.x.qdd).tau.dot(c.x.qd);
    EXPECT_NEAR(by_velocity + by_position, power, kTolerance * c.scale() * c.x.qd.cwiseAbs().sum());
  });
}

TEST(Law, KineticEnergyIsTheMassMatrixsQuadraticForm) {
  for_random_robots(kSeeds, [](RandomCase& c) {
    const double form = 0.5 * c.x.qd.dot(c.mass_at(c.x.q) * c.x.qd);
    EXPECT_NEAR(energies(c.tree, c.parameters, c.x.q, c.x.qd).kinetic, form, kTolerance * form);
  });
}

TEST(Law, GravityTorqueIsTheGradientOfPotentialEnergy) {
  for_random_robots(kSeeds, [](RandomCase& c) {
    const VectorXd gradient = oracle::gradient_by(c.tree, c.x.q, [&](const VectorXd& q) {
      return energies(c.tree, c.parameters, q, VectorXd::Zero(c.robot.size())).potential;
    });
    EXPECT_LE(oracle::largest(gradient - gravity_torque(c.tree, c.parameters, c.x.q)),
              kTolerance * c.scale());
  });
}

TEST(Law, ToolWrenchActsByTheTransposedJacobian) {
  for_random_robots(kSeeds, [](RandomCase& c) {
    Vector6 w, w_base;
    w << c.random.vector(20), c.random.vector(5);
    const Matrix3 R = tool_pose(c.tree, c.x.q).rotation;
    w_base << R * w.head<3>(), R * w.tail<3>();
    const VectorXd with = newton_euler(c.tree, c.parameters, c.x.q, c.x.qd, c.x.qdd, w).tau;
    const VectorXd without = newton_euler(c.tree, c.parameters, c.x.q, c.x.qd, c.x.qdd).tau;
    const VectorXd expected = -tool_jacobian(c.tree, c.x.q).transpose() * w_base;
    EXPECT_LE(oracle::largest(with - without - expected), kTolerance * (c.scale() + 25));
  });
}

TEST(Law, ToolJacobianIsTheDerivativeOfTheToolPose) {
  for_random_robots(kSeeds, [](RandomCase& c) {
    const MatrixXd jacobian = tool_jacobian(c.tree, c.x.q);
    const Matrix3 R = tool_pose(c.tree, c.x.q).rotation;
    for (int i = 0; i < c.robot.size(); ++i) {
      const Vector3 linear = oracle::derivative_by(
          c.tree, c.x.q, i, [&](const VectorXd& q) { return MatrixXd(tool_pose(c.tree, q).position); });
      const Matrix3 turning = oracle::derivative_by(
          c.tree, c.x.q, i, [&](const VectorXd& q) { return MatrixXd(tool_pose(c.tree, q).rotation); });
      EXPECT_LE((jacobian.col(i).head<3>() - linear).norm(), kTolerance * 10);  // reach of nine links: metres
      const Matrix3 spin = turning * R.transpose();
      EXPECT_LE((skew(jacobian.col(i).tail<3>()) - spin).norm(), kTolerance);
    }
  });
}

TEST(Law, ToolPoseIsTheLinkPoseAndTheToolStep) {
  for_random_robots(kSeeds, [](RandomCase& c) {
    const Pose direct = tool_pose(c.tree, c.x.q);
    const Pose composed =
        forward_kinematics(c.tree, c.x.q)[static_cast<std::size_t>(c.tree.tool_link)] * c.tree.tool;
    EXPECT_LE((direct.rotation - composed.rotation).norm(), kTolerance);
    EXPECT_LE((direct.position - composed.position).norm(), kTolerance * 10);
  });
}

TEST(Law, ForwardDynamicsUndoesInverseDynamics) {
  for_random_robots(kSeeds, [](RandomCase& c) {
    Vector6 w;
    w << c.random.vector(20), c.random.vector(5);
    const InverseDynamics inverse = newton_euler(c.tree, c.parameters, c.x.q, c.x.qd, c.x.qdd, w);
    const VectorXd qdd = forward_dynamics(c.tree, c.parameters, c.x.q, c.x.qd, inverse.tau, w);
    const VectorXd again = newton_euler(c.tree, c.parameters, c.x.q, c.x.qd, qdd, w).tau;
    const double natural = c.scale() + 25 + oracle::largest(c.mass_at(c.x.q)) * c.x.qdd.cwiseAbs().sum();
    EXPECT_LE(oracle::largest(again - inverse.tau), kTolerance * natural);
    // In q̈ the error grows with M's condition number, which stays below 1e5 here.
    EXPECT_LE((qdd - c.x.qdd).norm(), 1e-9 * c.x.qdd.norm());
  });
}

TEST(Law, WithoutGravityARobotAtRestNeedsNoEffort) {
  for_random_robots(kSeeds, [](RandomCase& c) {
    Robot floating = c.robot;
    floating.gravity.setZero();
    EXPECT_EQ(gravity_torque(compile(floating), c.parameters, c.x.q).norm(), 0);
  });
}

TEST(Law, EffortIsLinearInTheParameters) {
  for_random_robots(kSeeds, [](RandomCase& c) {
    const VectorXd other = 2 * c.parameters + c.random.joint_vector(static_cast<int>(c.parameters.size()), 1);
    const auto tau = [&](const VectorXd& pi) { return newton_euler(c.tree, pi, c.x.q, c.x.qd, c.x.qdd).tau; };
    const VectorXd sum = tau(c.parameters) + tau(other);
    const double natural =
        oracle::effort_scale(newton_euler(c.tree, c.parameters + other, c.x.q, c.x.qd, c.x.qdd));
    EXPECT_LE(oracle::largest(tau(c.parameters + other) - sum), kTolerance * (natural + c.scale()));
  });
}

}  // namespace identities_test
}  // namespace steelyard
