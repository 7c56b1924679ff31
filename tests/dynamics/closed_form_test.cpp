// Textbook robots, written out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "oracle/random_robot.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard {
namespace closed_form_test {

// A handful of products of numbers of order one.
constexpr double kTolerance = 1e-14;
constexpr double kGravity = 9.81;

Joint make_joint(const std::string& name, int parent, JointKind kind, const Vector3& axis,
                 const Inertia& inertia) {
  Joint joint;
  joint.name = name;
  joint.link = name + "_link";
  joint.parent = parent;
  joint.kind = kind;
  joint.axis = axis;
  joint.inertia = inertia;
  return joint;
}

Inertia planar_body(double m, const Vector3& com, double Izz) {
  const Matrix3 I = symmetric_matrix(Izz, 0, 0, Izz, 0, Izz);
  return Inertia::from_mass_com_inertia(m, com, I);
}

Robot vertical_plane(const std::string& name) {
  Robot robot;
  robot.name = name;
  robot.base_link = "base";
  robot.gravity = {0, -kGravity, 0};
  return robot;
}

VectorXd vector2(double a, double b) {
  return Eigen::Vector2d(a, b);
}

TEST(ClosedForm, PhysicalPendulum) {
  const double m = 2.5, l = 0.4, I = 0.07;
  Robot robot = vertical_plane("pendulum");
  robot.joints = {make_joint("hinge", -1, JointKind::revolute, {0, 0, 1}, planar_body(m, {0, -l, 0}, I))};
  const Tree tree = compile(robot);
  const VectorXd parameters = standard_parameters(robot);
  const VectorXd q = VectorXd::Constant(1, 0.7), qd = VectorXd::Constant(1, -3),
                 qdd = VectorXd::Constant(1, 5);
  const double expected = (I + m * l * l) * 5 + m * kGravity * l * std::sin(0.7);
  const InverseDynamics result = newton_euler(tree, parameters, q, qd, qdd);
  EXPECT_NEAR(result.tau[0], expected, kTolerance * expected);
  // The hinge carries weight and centripetal force; along the arm (link −y is outwards):
  const double along = m * kGravity * std::cos(0.7) + m * l * 9;
  EXPECT_NEAR(result.wrenches[0].force.y(), along, kTolerance * along);
  EXPECT_NEAR(energies(tree, parameters, q, qd).kinetic, 0.5 * (I + m * l * l) * 9, kTolerance * 10);
  EXPECT_NEAR(energies(tree, parameters, q, qd).potential, -m * kGravity * l * std::cos(0.7),
              kTolerance * 10);
}

// Arm in the vertical plane, joint angles relative, q = 0 along x; frames at the links' far ends (standard
// DH).
struct TwoLinkArm {
  double m1 = 3, m2 = 2, l1 = 0.5, l2 = 0.4, lc1 = 0.2, lc2 = 0.15, I1 = 0.06, I2 = 0.03;

  Robot robot() const {
    Robot arm = vertical_plane("2R");
    arm.joints = {
        make_joint("shoulder", -1, JointKind::revolute, {0, 0, 1}, planar_body(m1, {lc1 - l1, 0, 0}, I1)),
        make_joint("elbow", 0, JointKind::revolute, {0, 0, 1}, planar_body(m2, {lc2 - l2, 0, 0}, I2))};
    arm.joints[0].after = {{Motion::move_x, l1, "l1"}};
    arm.joints[1].after = {{Motion::move_x, l2, "l2"}};
    return arm;
  }
};

TEST(ClosedForm, TwoLinkArm) {
  const TwoLinkArm a;
  const Robot robot = a.robot();
  const Tree tree = compile(robot);
  const VectorXd parameters = standard_parameters(robot);
  const double q1 = 0.3, q2 = -1.1, w1 = 1.7, w2 = -2.3;
  const VectorXd q = vector2(q1, q2), qd = vector2(w1, w2);

  Eigen::Matrix2d M, S;
  const double m22 = a.I2 + a.m2 * a.lc2 * a.lc2;
  const double m12 = m22 + a.m2 * a.l1 * a.lc2 * std::cos(q2);
  M << a.I1 + a.m1 * a.lc1 * a.lc1 + a.m2 * a.l1 * a.l1 + 2 * m12 - m22, m12, m12, m22;
  EXPECT_LE((mass_matrix(tree, parameters, q) - M).norm(), kTolerance);

  const double h = -a.m2 * a.l1 * a.lc2 * std::sin(q2);
  S << h * w2, h * (w1 + w2), -h * w1, 0;
  EXPECT_LE((coriolis_factor(tree, parameters, q, qd) - S).norm(), kTolerance * 10);

  const double outer = a.m2 * a.lc2 * kGravity * std::cos(q1 + q2);
  const VectorXd g = vector2((a.m1 * a.lc1 + a.m2 * a.l1) * kGravity * std::cos(q1) + outer, outer);
  EXPECT_LE((gravity_torque(tree, parameters, q) - g).norm(), kTolerance * g.norm());

  const Vector3 tip = tool_pose(tree, q).position;
  EXPECT_NEAR(tip.x(), a.l1 * std::cos(q1) + a.l2 * std::cos(q1 + q2), kTolerance);
  EXPECT_NEAR(tip.y(), a.l1 * std::sin(q1) + a.l2 * std::sin(q1 + q2), kTolerance);
}

TEST(ClosedForm, CartPole) {
  const double cart = 4, m = 1.5, l = 0.6, I = 0.05, theta = 2.2, rate = -1.4;
  Robot robot = vertical_plane("cart-pole");
  robot.joints = {
      make_joint("rail", -1, JointKind::prismatic, {1, 0, 0}, planar_body(cart, {0, 0.1, 0}, 0.2)),
      make_joint("pivot", 0, JointKind::revolute, {0, 0, 1}, planar_body(m, {0, -l, 0}, I))};
  const Tree tree = compile(robot);
  const VectorXd parameters = standard_parameters(robot);
  const VectorXd q = vector2(0.8, theta), qd = vector2(0.9, rate);
  Eigen::Matrix2d M;
  M << cart + m, m * l * std::cos(theta), m * l * std::cos(theta), m * l * l + I;
  EXPECT_LE((mass_matrix(tree, parameters, q) - M).norm(), kTolerance * 10);
  Eigen::Matrix2d S = Eigen::Matrix2d::Zero();
  S(0, 1) = -m * l * std::sin(theta) * rate;
  EXPECT_LE((coriolis_factor(tree, parameters, q, qd) - S).norm(), kTolerance * 10);
  const VectorXd g = vector2(0, m * kGravity * l * std::sin(theta));
  EXPECT_LE((gravity_torque(tree, parameters, q) - g).norm(), kTolerance * 10);
}

TEST(ClosedForm, FreeArmKeepsItsEnergy) {
  const Robot robot = TwoLinkArm{}.robot();
  const Tree tree = compile(robot);
  const VectorXd parameters = standard_parameters(robot);
  VectorXd q = vector2(0.5, 1), qd = vector2(1, -2);
  const auto total = [&] {
    const Energies e = energies(tree, parameters, q, qd);
    return e.kinetic + e.potential;
  };
  const double before = total();
  const VectorXd none = VectorXd::Zero(2);
  const double h = 1e-3;
  for (int step = 0; step < 2000; ++step) {  // classical Runge-Kutta
    const VectorXd k1 = forward_dynamics(tree, parameters, q, qd, none);
    const VectorXd v2 = qd + 0.5 * h * k1;
    const VectorXd k2 = forward_dynamics(tree, parameters, q + 0.5 * h * qd, v2, none);
    const VectorXd v3 = qd + 0.5 * h * k2;
    const VectorXd k3 = forward_dynamics(tree, parameters, q + 0.5 * h * v2, v3, none);
    const VectorXd v4 = qd + h * k3;
    const VectorXd k4 = forward_dynamics(tree, parameters, q + h * v3, v4, none);
    q += h / 6 * (qd + 2 * v2 + 2 * v3 + v4);
    qd += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  // The method's global error is of order h⁴ = 1e-12 times powers of the arm's rates (some 10 rad/s).
  EXPECT_NEAR(total(), before, 1e-7);
  EXPECT_GT((q - vector2(0.5, 1)).norm(), 0.5);
}

TEST(Arguments, WrongSizesAreNamed) {
  const Robot robot = TwoLinkArm{}.robot();
  const Tree tree = compile(robot);
  const VectorXd parameters = standard_parameters(robot);
  try {
    mass_matrix(tree, parameters, VectorXd::Zero(3));
    FAIL() << "three positions for two joints were accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.complaint().what, "q has 3 entries instead of 2");
  }
  EXPECT_THROW(gravity_torque(tree, VectorXd::Zero(10), VectorXd::Zero(2)), InputError);
}

TEST(ForwardDynamics, NamesTheJointThatCarriesNoInertia) {
  for (const double length : {0.4, 0.3, 1.0 / 3, 0.7}) {
    TwoLinkArm arm;
    arm.l2 = length;
    Robot robot = arm.robot();
    robot.joints[1].inertia = planar_body(1.7, {-length, 0, 0}, 0);  // point mass on the elbow's axis
    const Tree tree = compile(robot);
    const VectorXd zero = VectorXd::Zero(2);
    try {
      forward_dynamics(tree, standard_parameters(robot), zero, zero, zero);
      ADD_FAILURE() << "a singular mass matrix was accepted, length " << length;
    } catch (const InputError& error) {
      EXPECT_NE(error.complaint().what.find("joint 2"), std::string::npos) << error.what();
    }
  }
}

}  // namespace closed_form_test
}  // namespace steelyard
