// URDF files that are right or only odd, and every URDF of the data folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <limits>
#include <string>

#include "oracle/data_folder.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace read_urdf_test {

using ::testing::HasSubstr;

constexpr double kEps = std::numeric_limits<double>::epsilon();

RobotFile read(const std::string& body) {
  return read_robot_urdf("<?xml version=\"1.0\"?>\n<robot name=\"r\">\n" + body + "</robot>\n", "test.urdf");
}

std::string link(const std::string& name, const std::string& inside = "") {
  return "<link name=\"" + name + "\">" + inside + "</link>\n";
}

std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& inside = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/>" + inside + "</joint>\n";
}

const std::string kUnitMass =
    "<inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" "
    "izz=\"1\"/></inertial>";

std::string all(const std::vector<Complaint>& warnings) {
  std::string text;
  for (const Complaint& warning : warnings) text += warning.to_string() + "\n";
  return text;
}

TEST(Urdf, JointOrderIsDepthFirstWithChildrenInFileOrder) {
  const Robot robot = read(link("tip") + link("a") + link("b") + link("root") + link("c") +
                           joint("jc", "revolute", "root", "c") + joint("jtip", "revolute", "a", "tip") +
                           joint("ja", "revolute", "c", "a") + joint("jb", "revolute", "c", "b"))
                          .robot;
  ASSERT_EQ(robot.size(), 4);
  EXPECT_EQ(robot.base_link, "root");
  const char* names[] = {"jc", "ja", "jtip", "jb"};
  const int parents[] = {-1, 0, 1, 0};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(robot.joints[i].name, names[i]);
    EXPECT_EQ(robot.joints[i].parent, parents[i]);
  }
}

TEST(Urdf, AxisIsNormalisedAndDefaultsToX) {
  const Robot robot =
      read(link("l0") + link("l1") + link("l2") +
           joint("a", "prismatic", "l0", "l1", "<axis xyz=\"0 -3 4\"/>") + joint("b", "revolute", "l1", "l2"))
          .robot;
  EXPECT_LT((robot.joints[0].axis - Vector3(0, -0.6, 0.8)).norm(), 4 * kEps);
  EXPECT_EQ(robot.joints[0].kind, JointKind::prismatic);
  EXPECT_EQ(robot.joints[1].axis, Vector3(1, 0, 0));
}

TEST(Urdf, InertialOriginMovesAndTurnsTheInertia) {
  const Robot robot =
      read(link("l0") +
           link("l1",
                "<inertial><origin xyz=\"1 0 0\" rpy=\"0 0 1.5707963267948966\"/><mass value=\"2\"/>"
                "<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"2\" iyz=\"0\" izz=\"2.5\"/></inertial>") +
           joint("a", "revolute", "l0", "l1"))
          .robot;
  // Turned by 90 deg: x and y change places; moved by 1 m along x: yy and zz grow by m.
  Vector10 expected;
  expected << 2, 2, 0, 0, 2, 0, 0, 1 + 2, 0, 2.5 + 2;
  EXPECT_LT((robot.joints[0].inertia->to_standard() - expected).norm(), 20 * kEps);
}

TEST(Urdf, FixedJointsAreMergedWithTheirInertia) {
  const Robot robot =
      read(link("world") + link("stand", kUnitMass) + link("arm", kUnitMass) + link("tool", kUnitMass) +
           link("finger", kUnitMass) + joint("bolt", "fixed", "world", "stand", "<origin xyz=\"0 0 1\"/>") +
           joint("swing", "continuous", "stand", "arm", "<limit effort=\"5\" lower=\"1\" upper=\"2\"/>") +
           joint("weld", "fixed", "arm", "tool", "<origin xyz=\"0 2 0\"/>") +
           joint("grip", "prismatic", "tool", "finger", "<origin xyz=\"0 0 3\"/>"))
          .robot;
  ASSERT_EQ(robot.size(), 2);
  EXPECT_EQ(robot.joints[0].inertia->mass(), 2);  // the stand never moves and is not in it
  EXPECT_NEAR(robot.joints[0].inertia->to_standard()[4], 1 + 1 + 4, 10 * kEps);
  EXPECT_EQ(to_pose(robot.joints[0].before).position, Vector3(0, 0, 1));
  EXPECT_EQ(to_pose(robot.joints[1].before).position, Vector3(0, 2, 3));
  EXPECT_EQ(robot.joints[0].limits.lower, -kInfinity);  // continuous
  EXPECT_EQ(robot.joints[0].limits.effort, 5);
}

TEST(Urdf, LinkWithoutInertialIsMasslessOnlyWhenOthersHaveMasses) {
  const std::string joints = joint("a", "revolute", "l0", "l1") + joint("b", "revolute", "l1", "l2");
  const RobotFile some = read(link("l0") + link("l1") + link("l2", kUnitMass) + joints);
  ASSERT_TRUE(some.robot.joints[0].inertia);
  EXPECT_EQ(some.robot.joints[0].inertia->to_standard(), Vector10::Zero());
  EXPECT_THAT(all(some.warnings), HasSubstr("test.urdf:4, 'l1': link 'l1' has no <inertial>"));
  const RobotFile none = read(link("l0") + link("l1") + link("l2") + joints);
  EXPECT_FALSE(none.robot.joints[0].inertia);
  EXPECT_EQ(all(none.warnings), "");
}

TEST(Urdf, OddThingsAreListedAndNotFatal) {
  const RobotFile file = read(link("l0") +
                              link("l1",
                                   "<inertial><mass value=\"1\"/><inertia ixx=\"0.1\" ixy=\"0\" ixz=\"0\" "
                                   "iyy=\"0.2\" iyz=\"0\" izz=\"0.5\"/></inertial>") +
                              joint("a", "revolute", "l0", "l1",
                                    "<origin rpy=\"1.5708 0 0\"/><origin/><dynamics damping=\"0.1\"/><limit "
                                    "lower=\"-1\" upper=\"1\" effort=\"0\" velocity=\"0\"/>"));
  const std::string warnings = all(file.warnings);
  EXPECT_THAT(warnings, HasSubstr("test.urdf:4, 'l1': impossible inertia, triangle inequality"));
  EXPECT_THAT(warnings, HasSubstr("0.1 + 0.2 < 0.5"));
  EXPECT_THAT(warnings, HasSubstr("more than one <origin>"));
  EXPECT_THAT(warnings, HasSubstr("ignored for joints a"));
  EXPECT_THAT(warnings, HasSubstr("rounded to few digits, for joints a"));
  EXPECT_EQ(file.robot.joints[0].limits.velocity, kInfinity);
  EXPECT_EQ(file.robot.joints[0].limits.lower, -1);
}

TEST(Urdf, MimicJointsAreNoCoordinates) {
  const Robot robot =
      read(link("l0") + link("l1") + link("l2") +
           joint("a", "prismatic", "l0", "l1", "<mimic joint=\"b\" multiplier=\"-1\" offset=\"0.5\"/>") +
           joint("b", "prismatic", "l0", "l2"))
          .robot;
  EXPECT_EQ(robot.dof(), 1);
  ASSERT_EQ(robot.mimics.size(), 1u);
  EXPECT_EQ(robot.mimics[0].joint, 0);
  EXPECT_EQ(robot.mimics[0].master, 1);
  EXPECT_EQ(robot.mimics[0].ratio, -1);
  EXPECT_EQ(robot.mimics[0].offset, 0.5);
}

TEST(Urdf, EntityBombsAndXacroLeftoversAreHarmless) {
  const std::string bomb =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b "
      "\"&a;&a;&a;&a;&a;&a;&a;&a;\">]>\n"
      "<robot name=\"&b;\" xmlns:xacro=\"http://ros.org/wiki/xacro\"><link name=\"x\"/><link name=\"y\"/>" +
      joint("j", "revolute", "x", "y") + "</robot>";
  const RobotFile file = read_robot_urdf(bomb, "bomb.urdf");
  EXPECT_EQ(file.robot.size(), 1);
  EXPECT_LT(file.robot.name.size(), 10u);
}

TEST(Urdf, TwoHundredJointsLoadInAMoment) {
  std::string body = link("l0");
  for (int i = 0; i < 200; ++i) {
    body += link("l" + std::to_string(i + 1), kUnitMass) +
            joint("j" + std::to_string(i), "revolute", "l" + std::to_string(i), "l" + std::to_string(i + 1),
                  "<origin xyz=\"0.1 0.2 0.3\" rpy=\"0.1 0.2 0.3\"/><axis xyz=\"0 0 1\"/>");
  }
  const std::clock_t start = std::clock();  // processor time: the machine may be busy with others
  const Robot robot = read(body).robot;
  EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC);
  EXPECT_EQ(robot.size(), 200);
}

struct DataFile {
  const char* path;
  int size;
  int dof;
  const char* first;
  const char* last;
  double moving_mass;  // sum of the file's masses below a moving joint
  const char* warning;
};

class DataUrdf : public ::testing::TestWithParam<DataFile> {};

TEST_P(DataUrdf, LoadsWithItsJointsMassesAndWarnings) {
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  const DataFile& expected = GetParam();
  const RobotFile file = read_robot((*data / expected.path).string());
  EXPECT_EQ(file.robot.size(), expected.size);
  EXPECT_EQ(file.robot.dof(), expected.dof);
  EXPECT_EQ(file.robot.joints.front().name, expected.first);
  EXPECT_EQ(file.robot.joints.back().name, expected.last);
  double mass = 0;
  for (const Joint& joint : file.robot.joints) mass += joint.inertia->mass();
  EXPECT_NEAR(mass, expected.moving_mass, 1e-9);  // sums of decimal numbers in two orders
  EXPECT_THAT(all(file.warnings), HasSubstr(expected.warning));
}

INSTANTIATE_TEST_SUITE_P(DataFolder, DataUrdf,
                         ::testing::Values(DataFile{"kinova_gen3/gen3.urdf", 7, 7, "joint_1", "joint_7",
                                                    5.4772, "'shoulder_link': impossible inertia"},
                                           DataFile{"kuka_lwr4_flobaroid/kuka_lwr4.urdf", 7, 7, "lwr_0_joint",
                                                    "lwr_6_joint", 14.4, "more than one <origin>"},
                                           DataFile{"staubli_tx40/tx40_mdh_modified.urdf", 6, 6, "joint_1",
                                                    "joint_6", 23.01, ""},
                                           DataFile{"tiago_figaroh/tiago_48_schunk.urdf", 24, 23,
                                                    "suspension_right_joint", "gripper_right_finger_joint",
                                                    43.1131618, "'arm_1_link': impossible inertia"}));

}  // namespace read_urdf_test
}  // namespace steelyard
