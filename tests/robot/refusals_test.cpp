// Robots that are wrong in ways no file of tests/data/robots is: every refusal reports what, where and what
// to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "oracle/refusal.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/robot/read.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;

struct Case {
  std::string text;
  std::vector<std::string> words;
};

void expect_words(const std::string& message, const Case& bad) {
  for (const std::string& word : bad.words) EXPECT_THAT(message, HasSubstr(word)) << bad.text;
}

constexpr const char* kArm =
    "convention: standard_dh\n"
    "joints:\n"
    "  - {name: one, a: 1, alpha: 0, d: 0}\n"
    "  - {name: two, a: 1, alpha: 0, d: 0}\n";
constexpr const char* kFollower = "  - {name: three, a: 1, alpha: 0, d: 0, mimic: {joint: two, ratio: 2}}\n";

std::string frames(const std::string& joint) {
  return "convention: frames\njoints:\n  - {name: one, xyz: [1, 0, 0], axis: [0, 0, 1]}\n  - " + joint + "\n";
}

TEST(YamlRobot, RefusesWhatContradictsItself) {
  const std::string arm = kArm, follower = arm + kFollower;
  const Case cases[] = {
      {frames("{name: two, kind: fixed, axis: [0, 0, 1]}"),
       {"robot.yaml:4:", "'two'", "fixed joint has an axis"}},
      {frames("{name: two, kind: fixed, link: {name: hand, bounds: {m: [0, 1]}}}"),
       {"robot.yaml:4:", "link of a fixed joint has 'bounds'"}},
      {frames("{name: two, bounds: {m: [0, 1]}, link: {name: hand, bounds: {m: [0, 2]}}}"),
       {"bounds of m are given for the joint and for its link"}},
      {frames("{name: two, link: {mass: 1, com: [0, 0, 0], standard: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}}"),
       {"inertia of the link is given twice"}},
      {arm + "transmission: {matrix: [[1, 0]]}\n", {"robot.yaml:5:", "matrix has 1 rows"}},
      {arm + "transmission: {zero: [0, 0]}\n", {"neither 'matrix' nor 'ratios'"}},
      {arm + "transmission: {ratios: [1, 2], matrix: [[1, 0], [0, 1]]}\n", {"both 'matrix' and 'ratios'"}},
      {follower + "transmission: {ratios: [1, 2], coupling: [{motor: one, joint: three, ratio: 1}]}\n",
       {"robot.yaml:6:", "a mimic joint has no motor", "name its master"}},
      {arm + "coupled: [[one, two, one]]\n", {"coupled pair has 3 entries"}},
      {arm + "coupled: [[one, one]]\n", {"coupled with itself"}},
      {arm + "coupled: [[one, two], [one, two]]\n", {"partner of two coupled pairs"}},
  };
  for (const Case& bad : cases) expect_words(refusal([&] { read_robot_yaml(bad.text, "robot.yaml"); }), bad);
}

std::string body(const std::string& attributes, const std::string& before = "") {
  return "<mujoco>\n" + before + "\n<worldbody>\n<body name=\"a\" " + attributes +
         "><inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/><joint/></body>\n</worldbody></mujoco>";
}

TEST(Mjcf, RefusesDirectionsAndSettingsThatMeanNothing) {
  const Case cases[] = {
      {body("zaxis=\"0 0 0\""), {"arm.xml:4", "zaxis is the zero vector"}},
      {body("axisangle=\"0 0 0 1\""), {"arm.xml:4", "axis of axisangle is zero"}},
      {body("zaxis=\"0 0 up\""), {"arm.xml:4", "'up' is not a number"}},
      {body("", "<compiler angle=\"turns\"/>"), {"arm.xml:2", "angle is 'turns'", "degree or radian"}},
      {body("", "<compiler settotalmass=\"3\"/>"), {"arm.xml:2", "settotalmass"}},
  };
  for (const Case& bad : cases) expect_words(refusal([&] { read_robot_mjcf(bad.text, "arm.xml"); }), bad);
  EXPECT_NO_THROW(read_robot_mjcf(body("zaxis=\"0 1 1\""), "arm.xml"));
}

TEST(Urdf, RefusesRobotsWithoutLinksAndNegativeLimits) {
  const Case cases[] = {
      {"<robot name=\"a\"></robot>", {"arm.urdf:1", "no <link>"}},
      {"<?xml version=\"1.0\"?><!-- no root -->", {"arm.urdf:1", "nothing"}},
      {"<sdf/>", {"not <robot> but 'sdf'"}},
      {"<robot name=\"a\"><link name=\"b\"/><link name=\"c\"/>\n<joint name=\"j\" type=\"revolute\">"
       "<parent link=\"b\"/><child link=\"c\"/><limit lower=\"-1\" upper=\"1\" "
       "velocity=\"-2\"/></joint></robot>",
       {"arm.urdf:2", "velocity limit -2 is negative"}},
  };
  for (const Case& bad : cases) expect_words(refusal([&] { read_robot_urdf(bad.text, "arm.urdf"); }), bad);
}

class RobotInFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("steelyard_refusals_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(RobotInFolder, XacroIsAProgramAndNoRobot) {
  const std::string path = put("arm.xacro", "<robot/>");
  EXPECT_THAT(refusal([&] { read_robot(path); }), HasSubstr("run xacro first"));
}

TEST_F(RobotInFolder, PositionsThatAreHeldNeedNames) {
  put("arm.yaml", kArm);
  const std::string path = put("less.yaml", "from: arm.yaml\nheld: [0.3]\n");
  const std::string message = refusal([&] { read_robot(path); });
  EXPECT_THAT(message, HasSubstr("less.yaml:2:"));
  EXPECT_THAT(message, HasSubstr("'held' is not a map"));
}

TEST(Hold, RefusesFollowersAndTransmissionsOfJointsThatAreGone) {
  const Robot follows = read_robot_yaml(std::string(kArm) + kFollower, "robot.yaml").robot;
  try {
    hold_joints(follows, {"three"});
    FAIL() << "a follower cannot move on its own";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("joint 'three' only follows 'two'"));
  }
  const Robot geared =
      read_robot_yaml(std::string(kArm) + "transmission: {ratios: [50, 60]}\n", "robot.yaml").robot;
  EXPECT_NO_THROW(hold_joints(geared, {"one", "two"}));
  try {
    hold_joints(geared, {"one"});
    FAIL() << "the transmission has another size";
  } catch (const InputError& error) {
    EXPECT_THAT(error.complaint().remedy, HasSubstr("leave the transmission out"));
  }
}

// Robots made by code, not by a reader.
TEST(Validate, RefusesNumbersThatAreNone) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Robot good =
      read_robot_yaml(std::string(kArm) + kFollower + "transmission: {ratios: [50, 60]}\n", "robot.yaml")
          .robot;
  EXPECT_NO_THROW(validate(good));
  const auto message = [](const Robot& robot) -> std::string {
    try {
      validate(robot);
    } catch (const InputError& error) {
      EXPECT_NE(error.complaint().remedy, "") << error.what();
      return error.what();
    }
    return "accepted";
  };
  Robot bad = good;
  bad.joints[0].after.push_back({Motion::move_x, nan, ""});
  EXPECT_THAT(message(bad), HasSubstr("a step = nan"));
  bad = good;
  bad.mimics[0].offset = nan;
  EXPECT_THAT(message(bad), HasSubstr("mimic ratio 2 or offset nan"));
  bad = good;
  bad.transmission.matrix(0, 1) = nan;
  EXPECT_THAT(message(bad), HasSubstr("transmission has an entry"));
}

}  // namespace
}  // namespace steelyard
