// Robots from MJCF against MuJoCo itself: g(q) and M(q) at random configurations, armature apart.
#include <gmock/gmock.h>

#include "steelyard/core/random.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/engines/mujoco.hpp"
#include "steelyard/reverse/source.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace mjcf_robot_test {

const std::string kData = std::string(STEELYARD_SOURCE_DIR) + "/tests/data/";

// `tolerance`: MuJoCo's own diagonalisation of `fullinertia` is good to 1e-6 of M, everything else to
// rounding.
void expect_same_dynamics(const std::string& file, const VectorXd& armature, double tolerance) {
  const Robot robot = read_robot(kData + file).robot;
  ASSERT_EQ(robot.size(), armature.size());
  const ReverseSource mujoco = child_source([&] { return mujoco_source(kData + file); }, "mujoco");
  const Tree tree = compile(robot);
  const VectorXd pi = standard_parameters(robot);
  Random random(7, "configurations");
  for (int k = 0; k < 20; ++k) {
    VectorXd q(robot.size());
    for (double& angle : q) angle = random.normal();
    const ReverseAnswer answer = mujoco(q);
    MatrixXd M = mass_matrix(tree, pi, q);
    M.diagonal() += armature;
    const VectorXd g = gravity_torque(tree, pi, q);
    EXPECT_LE((answer.gravity - g).norm(), tolerance * g.norm()) << file;
    EXPECT_LE((answer.inertia - M).norm(), tolerance * M.norm()) << file;
  }
}

TEST(MjcfRobot, AnArmHasTheDynamicsThatMujocoGivesIt) {
  expect_same_dynamics("arm4.xml", (VectorXd(4) << 0.41, 0.33, 0.12, 0.05).finished(), 1e-13);
}

TEST(MjcfRobot, EveryWayToSayItMeansTheSame) {
  expect_same_dynamics("odd_arm.xml", (VectorXd(4) << 0.2, 0.2, 0.2, 0).finished(), 1e-6);
  const RobotFile file = read_robot(kData + "odd_arm.xml");
  const Robot& robot = file.robot;
  EXPECT_EQ(robot.name, "odd arm");
  EXPECT_EQ(robot.joints[2].kind, JointKind::prismatic);
  EXPECT_EQ(robot.joints[2].limits.upper, 0.3);
  EXPECT_NEAR(robot.joints[0].limits.lower, -std::acos(0.0), 1e-15);
  EXPECT_FALSE(std::isfinite(robot.joints[3].limits.upper));
  EXPECT_EQ(robot.joints[3].parent, 1);
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_THAT(file.warnings[0].what, testing::HasSubstr("pan, tilt, slide"));
}

}  // namespace mjcf_robot_test
}  // namespace steelyard
