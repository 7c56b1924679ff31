// Robot files that are right: what each key means, checked against poses and inertias worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <limits>
#include <numbers>
#include <string>

#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace read_yaml_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kPi = std::numbers::pi;

Robot read(const std::string& text) {
  return read_robot_yaml(text, "test.yaml").robot;
}

std::vector<std::string> names_of(const Steps& steps) {
  std::vector<std::string> names;
  for (const Step& step : steps) names.push_back(step.name);
  return names;
}

// Pose of link i in its parent at joint position q.
Pose link_pose(const Joint& joint, double q) {
  Pose motion;
  if (joint.kind == JointKind::revolute) {
    motion.rotation = turn_about(joint.axis, q);
  } else {
    motion.position = q * joint.axis;
  }
  return to_pose(joint.before) * motion * to_pose(joint.after);
}

// The DH matrix of a row, written out as the textbooks print it.
Eigen::Matrix4d dh_matrix(bool modified, double a, double alpha, double d, double theta) {
  const double ct = std::cos(theta), st = std::sin(theta), ca = std::cos(alpha), sa = std::sin(alpha);
  Eigen::Matrix4d T;
  if (modified) {
    T << ct, -st, 0, a, st * ca, ct * ca, -sa, -d * sa, st * sa, ct * sa, ca, d * ca, 0, 0, 0, 1;
  } else {
    T << ct, -st * ca, st * sa, a * ct, st, ct * ca, -ct * sa, a * st, 0, sa, ca, d, 0, 0, 0, 1;
  }
  return T;
}

void expect_pose(const Pose& pose, const Eigen::Matrix4d& T) {
  // A product of four elementary matrices with entries of order 1.
  EXPECT_LT((pose.rotation - T.topLeftCorner<3, 3>()).norm(), 20 * kEps);
  EXPECT_LT((pose.position - T.topRightCorner<3, 1>()).norm(), 20 * kEps);
}

TEST(YamlRobot, RowsAreTheTextbookDhMatrices) {
  for (const bool modified : {false, true}) {
    for (const bool prismatic : {false, true}) {
      const Robot robot = read(std::string("convention: ") + (modified ? "modified_dh" : "standard_dh") +
                               "\njoints:\n  - {kind: " + (prismatic ? "prismatic" : "revolute") +
                               ", a: 0.3, alpha: 0.4, d: 0.5, theta: -0.6}\n");
      for (const double q : {0.0, 0.7, -1.9}) {
        expect_pose(link_pose(robot.joints[0], q),
                    dh_matrix(modified, 0.3, 0.4, prismatic ? 0.5 + q : 0.5, prismatic ? -0.6 : -0.6 + q));
      }
    }
  }
}

TEST(YamlRobot, StepsAreNamedByRowAndZerosAreLeftOut) {
  const Robot robot = read(R"(
convention: modified_dh
joints:
  - {a: 0, alpha: 0, d: 0}
  - {a: 0.1, alpha: -pi/2, d: 0.2, theta: pi}
)");
  EXPECT_TRUE(robot.joints[0].before.empty());
  EXPECT_THAT(names_of(robot.joints[1].before), ElementsAre("alpha2", "a2", "d2", "theta2"));
  EXPECT_EQ(robot.joints[1].before[0].value, -kPi / 2);
  EXPECT_EQ(robot.joints[1].name, "joint2");
  EXPECT_EQ(robot.joints[1].link, "joint2_link");
  EXPECT_EQ(robot.name, "test");
  EXPECT_EQ(robot.base_link, "base");
}

TEST(YamlRobot, DegreesApplyToEveryAngleAndToNothingElse) {
  const Robot robot = read(R"(
convention: standard_dh
angles: deg
base: {xyz: [0, 0, 90], rpy: [90, 0, 0]}
tool: {rpy: [0, 0, 45]}
transmission: {ratios: [2, 3], zero: [90, 90]}
joints:
  - {a: 1, alpha: 90, d: 2, theta: 180, limits: {position: [-90, 90], velocity: 3}}
  - {kind: prismatic, a: 0, alpha: 0, d: 0, limits: {position: [0, 90]}}
)");
  const Joint& first = robot.joints[0];
  EXPECT_DOUBLE_EQ(first.before[0].value, kPi);
  EXPECT_DOUBLE_EQ(first.after.back().value, kPi / 2);
  EXPECT_EQ(first.after[0].value, 2);
  EXPECT_DOUBLE_EQ(first.limits.upper, kPi / 2);
  EXPECT_EQ(first.limits.velocity, 3);
  EXPECT_EQ(robot.joints[1].limits.upper, 90);
  EXPECT_EQ(robot.base[0].value, 90);
  EXPECT_DOUBLE_EQ(robot.base[1].value, kPi / 2);
  EXPECT_DOUBLE_EQ(robot.tool[0].value, kPi / 4);
  EXPECT_DOUBLE_EQ(robot.transmission.zero[0], kPi / 2);
  EXPECT_EQ(robot.transmission.zero[1], 90);
}

TEST(YamlRobot, ExplicitFramesNormaliseTheAxis) {
  const Robot robot = read(R"(
convention: frames
gravity: [0, 9.81, 0]
joints:
  - {name: slide, kind: prismatic, xyz: [1, 2, 3], rpy: [0, 0, pi/2], axis: [0, 3, 4]}
  - {name: hinge}
)");
  EXPECT_LT((robot.joints[0].axis - Vector3(0, 0.6, 0.8)).norm(), 4 * kEps);
  EXPECT_EQ(robot.joints[1].axis, Vector3(0, 0, 1));
  EXPECT_THAT(names_of(robot.joints[0].before), ElementsAre("slide.x", "slide.y", "slide.z", "slide.yaw"));
  EXPECT_EQ(robot.gravity, Vector3(0, 9.81, 0));
  // At q = 5 the slide has moved along the turned axis: Rz(90 deg) (0, 3, 4) = (-3, 0, 4).
  EXPECT_LT((link_pose(robot.joints[0], 5).position - Vector3(-2, 2, 7)).norm(), 20 * kEps);
}

TEST(YamlRobot, TreesNameAJointOrALinkAsParentInAnyOrder) {
  const Robot robot = read(R"(
convention: frames
joints:
  - {name: left, parent: trunk}
  - {name: trunk, parent: base, link: body}
  - {name: right, parent: body}
  - {name: hand}
)");
  ASSERT_EQ(robot.size(), 4);
  EXPECT_EQ(robot.joints[0].name, "trunk");
  EXPECT_EQ(robot.joints[1].name, "left");
  EXPECT_EQ(robot.joints[1].parent, 0);
  EXPECT_EQ(robot.joints[2].parent, 0);
  EXPECT_EQ(robot.joints[3].parent, 2);
}

TEST(YamlRobot, FixedJointsCarryGeometryInertiaAndTool) {
  const Robot robot = read(R"(
convention: frames
tool: {link: flange, xyz: [0, 0, 0.5]}
joints:
  - {name: stand, kind: fixed, xyz: [0, 0, 1], link: {name: pillar, mass: 50, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}}
  - {name: arm, xyz: [0.1, 0, 0], link: {name: upper, mass: 2, com: [0.1, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}}
  - {name: bolts, kind: fixed, xyz: [0.3, 0, 0], rpy: [0, 0, pi/2], link: {name: flange, mass: 1, com: [0, 0.2, 0], inertia: {xx: 0, yy: 0, zz: 0}}}
  - {name: wrist, xyz: [0, 0.4, 0], link: hand}
)");
  ASSERT_EQ(robot.size(), 2);
  EXPECT_THAT(names_of(robot.joints[0].before), ElementsAre("stand.z", "arm.x"));
  EXPECT_THAT(names_of(robot.joints[1].before), ElementsAre("bolts.x", "bolts.yaw", "wrist.y"));
  // The 1 kg point sits at (0.3, 0, 0) + Rz(90 deg) (0, 0.2, 0) = (0.1, 0, 0).
  const Vector10 p = robot.joints[0].inertia->to_standard();
  EXPECT_EQ(p[0], 3);
  EXPECT_NEAR(p[1], 0.3, 4 * kEps);
  EXPECT_NEAR(p[2], 0, 4 * kEps);
  EXPECT_NEAR(p[9], 0.1 + 3 * 0.01, 4 * kEps);
  EXPECT_FALSE(robot.joints[1].inertia);
  EXPECT_EQ(robot.tool_link, 0);
  EXPECT_THAT(names_of(robot.tool), ElementsAre("bolts.x", "bolts.yaw", "tool.z"));
}

TEST(YamlRobot, InertiaMayBeGivenInThreeWays) {
  const Robot robot = read(R"(
convention: frames
joints:
  - {link: {mass: 2, com: [0.1, 0.2, 0.3], inertia: {xx: 1, xy: 0.1, xz: 0.2, yy: 1, yz: 0.3, zz: 1}}}
  - {link: {mass: 2, com: [0.1, 0.2, 0.3], inertia_origin: {xx: 1.26, xy: 0.06, xz: 0.14, yy: 1.2, yz: 0.18, zz: 1.1}}}
  - {link: {standard: [2, 0.2, 0.4, 0.6, 1.26, 0.06, 0.14, 1.2, 0.18, 1.1]}}
  - {link: {standard: {m: 2, mx: 0.2, my: 0.4, mz: 0.6, Jxx: 1.26, Jxy: 0.06, Jxz: 0.14, Jyy: 1.2, Jyz: 0.18, Jzz: 1.1}}}
)");
  for (int i = 1; i < 4; ++i) {
    // The four texts describe one body; only decimal rounding differs.
    EXPECT_LT((robot.joints[i].inertia->to_standard() - robot.joints[0].inertia->to_standard()).norm(),
              10 * kEps);
  }
}

TEST(YamlRobot, DriveTermsPairsAndBoundsAreRead) {
  const Robot robot = read(R"(
convention: frames
drive: [viscous, rotor_inertia]
coupled: [[b, c]]
joints:
  - {name: a, bounds: {fv: [0, 10], m: [1, null]}}
  - {name: b, drive: [coulomb], link: {bounds: {cx: [-0.1, 0.1]}}}
  - {name: c, drive: []}
)");
  EXPECT_TRUE(robot.joints[0].drive.viscous && robot.joints[0].drive.rotor_inertia);
  EXPECT_FALSE(robot.joints[0].drive.coulomb || robot.joints[0].drive.offset);
  EXPECT_TRUE(robot.joints[1].drive.coulomb);
  EXPECT_FALSE(robot.joints[1].drive.viscous);
  EXPECT_FALSE(robot.joints[2].drive.viscous);
  ASSERT_EQ(robot.pairs.size(), 1u);
  EXPECT_EQ(robot.pairs[0].joint, 1);
  EXPECT_EQ(robot.pairs[0].partner, 2);
  ASSERT_EQ(robot.joints[0].bounds.size(), 2u);
  EXPECT_EQ(robot.joints[0].bounds[1].parameter, "m");
  EXPECT_EQ(robot.joints[0].bounds[1].upper, kInfinity);
  EXPECT_EQ(robot.joints[1].bounds[0].lower, -0.1);
}

TEST(YamlRobot, TransmissionIsAMatrixOrRatiosWithCouplings) {
  const std::string joints = "convention: frames\njoints: [{name: a}, {name: b}]\n";
  const Robot full = read(joints + "transmission: {matrix: [[32, 0], [-4, 45]], zero: [0, pi/2]}\n");
  const Robot parts = read(joints +
                           "transmission: {ratios: [32, 45], zero: [0, pi/2], "
                           "coupling: [{motor: b, joint: a, ratio: -4}]}\n");
  EXPECT_EQ(full.transmission.matrix, parts.transmission.matrix);
  EXPECT_EQ(full.transmission.zero, parts.transmission.zero);
  EXPECT_EQ(full.transmission.matrix(1, 0), -4);
}

TEST(YamlRobot, MimicChainsLeadToTheFirstMaster) {
  const Robot robot = read(R"(
convention: frames
joints:
  - {name: a, mimic: {joint: b, ratio: 2, offset: 1}}
  - {name: b, mimic: {joint: c, ratio: 3, offset: 5}}
  - {name: c}
)");
  ASSERT_EQ(robot.mimics.size(), 2u);
  // a = 2 b + 1 = 2 (3 c + 5) + 1
  EXPECT_EQ(robot.mimics[0].master, 2);
  EXPECT_EQ(robot.mimics[0].ratio, 6);
  EXPECT_EQ(robot.mimics[0].offset, 11);
  EXPECT_EQ(robot.dof(), 1);
}

TEST(YamlRobot, ImpossibleInertiaIsAWarningWithLineLinkAndLaw) {
  const RobotFile file = read_robot_yaml(R"(convention: frames
joints:
  - name: a
    link: {name: plate, mass: 1, com: [0, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.3}}
)",
                                         "bad.yaml");
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_THAT(file.warnings[0].to_string(), HasSubstr("bad.yaml:4:11, 'plate'"));
  EXPECT_THAT(file.warnings[0].to_string(), HasSubstr("0.1 + 0.1 < 0.3"));
}

TEST(YamlRobot, TwoHundredJointsLoadInAMoment) {
  std::string text = "convention: modified_dh\njoints:\n";
  for (int i = 0; i < 200; ++i) {
    text += "  - {a: 0.01, alpha: pi/2, d: 0.1, limits: {position: [-pi, pi]}, drive: [viscous],\n";
    text += "     link: {mass: 1, com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}}\n";
  }
  const std::clock_t start = std::clock();  // processor time: the machine may be busy with others
  const Robot robot = read(text);
  EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC);
  ASSERT_EQ(robot.size(), 200);
  EXPECT_EQ(robot.joints[199].before[1].name, "a200");
}

}  // namespace read_yaml_test
}  // namespace steelyard
