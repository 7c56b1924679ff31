#include "steelyard/robot/robot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "steelyard/core/error.hpp"

namespace steelyard {
namespace robot_test {

using ::testing::HasSubstr;

// Three joints: shoulder, elbow and a finger that follows the elbow.
Robot small_robot() {
  Robot robot;
  robot.name = "small";
  robot.base_link = "base";
  const char* names[] = {"shoulder", "elbow", "finger"};
  for (int i = 0; i < 3; ++i) {
    Joint joint;
    joint.name = names[i];
    joint.link = joint.name + "_link";
    joint.parent = i - 1;
    joint.before = {{Motion::move_x, 0.1 * (i + 1), "a"}};
    joint.inertia = Inertia::from_mass_com_inertia(1 + i, Vector3(0.1, 0, 0), Matrix3::Identity());
    robot.joints.push_back(joint);
  }
  return robot;
}

std::string complaint(const std::function<void(Robot&)>& spoil) {
  Robot robot = small_robot();
  spoil(robot);
  try {
    validate(robot);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Validate, AcceptsAnOrdinaryRobot) {
  EXPECT_EQ(complaint([](Robot&) {}), "accepted");
}

TEST(Validate, NamesTheBrokenRule) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto expect = [](const char* words, const std::function<void(Robot&)>& spoil) {
    EXPECT_THAT(complaint(spoil), HasSubstr(words));
  };
  expect("no moving joint", [](Robot& r) { r.joints.clear(); });
  expect("'elbow': parent index 1 does not come before", [](Robot& r) { r.joints[1].parent = 1; });
  expect("parent index -2", [](Robot& r) { r.joints[1].parent = -2; });
  expect("unit length", [](Robot& r) { r.joints[0].axis = Vector3(0, 0, 2); });
  expect("unit length", [&](Robot& r) { r.joints[0].axis = Vector3(nan, 0, 1); });
  expect("a = nan is not a finite number", [&](Robot& r) { r.joints[2].before[0].value = nan; });
  expect("'elbow': position limits [1, -1]", [](Robot& r) { r.joints[1].limits = {1, -1}; });
  expect("velocity limit 0 is not positive", [](Robot& r) { r.joints[1].limits.velocity = 0; });
  expect("effort limit -3 is not positive", [](Robot& r) { r.joints[1].limits.effort = -3; });
  expect("bounds [2, 1] of m", [](Robot& r) { r.joints[1].bounds = {{"m", 2, 1}}; });
  expect("'shoulder' is used twice", [](Robot& r) { r.joints[1].name = "shoulder"; });
  expect("link name 'base' is used twice", [](Robot& r) { r.joints[1].link = "base"; });
  expect("has no name", [](Robot& r) { r.joints[1].name = ""; });
  expect("not a finite number", [](Robot& r) { r.joints[1].inertia = Inertia(); });
  expect("does not name two joints", [](Robot& r) { r.pairs = {{1, 3}}; });
  expect("does not name two joints", [](Robot& r) { r.pairs = {{1, 1}}; });
  expect("does not name a pair of joints", [](Robot& r) { r.mimics = {{2, 7, 1, 0}}; });
  expect("is a mimic joint itself", [](Robot& r) { r.mimics = {{2, 1, 1, 0}, {1, 0, 1, 0}}; });
  expect("mimics two masters", [](Robot& r) { r.mimics = {{2, 1, 1, 0}, {2, 0, 1, 0}}; });
  expect("gravity is not a finite vector", [&](Robot& r) { r.gravity[0] = nan; });
  expect("tool link index 3", [](Robot& r) { r.tool_link = 3; });
  expect("base.x = inf is not", [](Robot& r) { r.base = {{Motion::move_x, kInfinity, "base.x"}}; });
}

TEST(Validate, WantsAnInvertibleTransmissionOfTheRightSize) {
  const auto with = [](const MatrixXd& N, int zeros) {
    return complaint([&](Robot& r) { r.transmission = {N, VectorXd::Zero(zeros)}; });
  };
  EXPECT_EQ(with(MatrixXd::Identity(3, 3), 3), "accepted");
  EXPECT_THAT(with(MatrixXd::Identity(2, 2), 2), HasSubstr("2 x 2"));
  EXPECT_THAT(with(MatrixXd::Identity(3, 3), 2), HasSubstr("2 zeros"));
  MatrixXd singular = MatrixXd::Identity(3, 3);
  singular.row(2) = 2 * singular.row(1);
  EXPECT_THAT(with(singular, 3), HasSubstr("singular"));
}

TEST(Robot, FindsJointsAndLinksByName) {
  const Robot robot = small_robot();
  EXPECT_EQ(robot.index_of("elbow"), 1);
  EXPECT_EQ(robot.index_of("finger_link"), 2);
  EXPECT_EQ(robot.index_of("base"), -1);
}

TEST(StandardParameters, AreTheLinksInOrder) {
  const Robot robot = small_robot();
  const VectorXd p = standard_parameters(robot);
  ASSERT_EQ(p.size(), 30);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(p.segment<10>(10 * i), robot.joints[i].inertia->to_standard());
  const std::vector<std::string> names = standard_parameter_names(robot);
  ASSERT_EQ(names.size(), 30u);
  EXPECT_EQ(names.front(), "m1");
  EXPECT_EQ(names[11], "mx2");
  EXPECT_EQ(names[15], "Jxy2");
  EXPECT_EQ(names.back(), "Jzz3");
}

TEST(StandardParameters, NameEveryLinkThatHasNone) {
  Robot robot = small_robot();
  robot.joints[0].inertia.reset();
  robot.joints[2].inertia.reset();
  try {
    standard_parameters(robot);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'shoulder_link', 'finger_link'"));
  }
}

TEST(Coordinates, AreTheIdentityWithoutMimics) {
  const Coordinates c = coordinates(small_robot());
  EXPECT_TRUE(c.matrix.isIdentity(0));
  EXPECT_TRUE(c.offset.isZero(0));
  EXPECT_EQ(c.joints, (std::vector<int>{0, 1, 2}));
}

TEST(Coordinates, LetAMimicFollowItsMaster) {
  Robot robot = small_robot();
  robot.mimics = {{1, 2, -0.5, 0.25}};  // the master may come later
  validate(robot);
  EXPECT_EQ(robot.dof(), 2);
  const Coordinates c = coordinates(robot);
  EXPECT_EQ(c.joints, (std::vector<int>{0, 2}));
  const VectorXd q = c.matrix * Eigen::Vector2d(0.7, 1.2) + c.offset;
  EXPECT_EQ(q, Eigen::Vector3d(0.7, -0.5 * 1.2 + 0.25, 1.2));
}

TEST(LinkLengths, ReachTheFarthestNeighbourAndAreNeverZero) {
  Robot robot = small_robot();
  EXPECT_EQ(link_lengths(robot), Eigen::Vector3d(0.2, 0.1 * 3, 0.01));
  robot.tool = {{Motion::move_z, 0.5, "tool.z"}};
  EXPECT_EQ(link_lengths(robot)[2], 0.5);
  robot.tool_link = 0;
  EXPECT_EQ(link_lengths(robot)[0], 0.5);
  robot.joints[2].after = {
      {Motion::move_x, -0.4, "a3"}};  // standard DH: the own joint is far from the origin
  EXPECT_EQ(link_lengths(robot)[2], 0.4);
}

}  // namespace robot_test
}  // namespace steelyard
