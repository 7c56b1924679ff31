// Bad MJCF: what is wrong, where, and what to do.
#include <gmock/gmock.h>

#include "steelyard/core/error.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace read_mjcf_test {

using testing::HasSubstr;

std::string model(const std::string& inside, const std::string& before = "") {
  return "<mujoco>\n" + before + "<worldbody>\n<body name=\"one\"" + inside +
         "</body>\n</worldbody>\n</mujoco>\n";
}

const std::string kInertial = "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>\n";

std::string complaint(const std::string& text) {
  try {
    read_robot_mjcf(text, "arm.xml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ReadMjcf, ComplaintsHaveALineAndARemedy) {
  const struct {
    std::string text;
    std::vector<std::string> words;
  } cases[] = {
      {model(">" + kInertial + "<freejoint/>"), {"arm.xml:4", "freejoint", "fixed base"}},
      {model(">" + kInertial + "<joint type=\"ball\"/>"), {"arm.xml:4", "ball", "hinges"}},
      {model(">" + kInertial + "<joint type=\"free\"/>"), {"free", "remove"}},
      {model(">" + kInertial + "<joint ref=\"0.3\"/>"), {"ref", "0.3"}},
      {model(">" + kInertial + "<joint axis=\"0 0 0\"/>"), {"zero vector"}},
      {model(">" + kInertial + "<joint axis=\"0 0\"/>"), {"axis", "three numbers"}},
      {model(">" + kInertial + "<joint range=\"3 -3\"/>"), {"reversed"}},
      {model(">" + kInertial + "<joint range=\"3\"/>"), {"range", "2 numbers"}},
      {model(" quat=\"1 0 0 0\" euler=\"0 0 0\">" + kInertial + "<joint/>"), {"several orientations"}},
      {model(" quat=\"0 0 0 0\">" + kInertial + "<joint/>"), {"quat is zero"}},
      {model(" xyaxes=\"1 0 0 2 0 0\">" + kInertial + "<joint/>"), {"parallel"}},
      {model(">" + kInertial), {"no moving joint"}},
      {model("><inertial mass=\"one\"/><joint/>"), {"mass", "one"}},
      {model(">" + kInertial + "<joint/><frame/>"), {"frame", "mj_saveLastXML"}},
      {model(">" + kInertial + "<joint/>", "<include file=\"x.xml\"/>"), {"include"}},
      {model(">" + kInertial + "<joint/>", "<compiler coordinate=\"global\"/>"), {"global"}},
      {model(">" + kInertial + "<joint/>", "<compiler eulerseq=\"xyq\"/>"), {"eulerseq"}},
      {model(">" + kInertial + "<joint/>", "<default><default/></default>"), {"class"}},
      {model(">" + kInertial + "<joint/>",
             "<default><default class=\"arm\"><default class=\"main\"/></default></default>"),
       {"'main'", "twice"}},
      {"<mujoco/>", {"worldbody"}},
      {"<robot/>", {"not <mujoco>", "robot"}},
      {"", {"empty"}},
      {model(">").substr(0, 40), {"not valid XML"}},
  };
  for (const auto& bad : cases)
    for (const std::string& word : bad.words) EXPECT_THAT(complaint(bad.text), HasSubstr(word)) << bad.text;
}

TEST(ReadMjcf, InertiasOfGeomsAreUnknownAndSaidToBe) {
  const RobotFile file =
      read_robot_mjcf(model("><geom type=\"sphere\" size=\"0.1\"/><joint name=\"j\"/>"), "arm.xml");
  EXPECT_FALSE(file.robot.joints[0].inertia);
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_THAT(file.warnings[0].what, HasSubstr("one"));
}

TEST(ReadMjcf, ALinearCouplingIsAMimicJointAndALoopIsLeftOpenAloud) {
  const std::string second = "<body name=\"two\">" + kInertial + "<joint name=\"b\"/></body>";
  std::string text = model(">" + kInertial + "<joint name=\"a\"/>" + second);
  text.insert(text.find("</mujoco>"),
              "<equality><joint joint1=\"b\" joint2=\"a\" polycoef=\"0.1 2 0 0 0\"/>"
              "<weld body1=\"one\" body2=\"two\"/></equality>");
  const RobotFile file = read_robot_mjcf(text, "arm.xml");
  ASSERT_EQ(file.robot.mimics.size(), 1u);
  EXPECT_EQ(file.robot.mimics[0].ratio, 2);
  EXPECT_EQ(file.robot.mimics[0].offset, 0.1);
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_THAT(file.warnings[0].what, HasSubstr("weld"));
}

}  // namespace read_mjcf_test
}  // namespace steelyard
