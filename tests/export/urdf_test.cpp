// Numbers written into a URDF: they are there, and nothing else has changed.
#include "steelyard/export/formats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "export/random_model.hpp"
#include "oracle/data_folder.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ExportModel with_new_numbers(const Robot& robot, std::uint64_t seed) {
  oracle::Random random(seed);
  ExportModel model = oracle::random_model(robot, random);
  for (Drive& drive : model.parameters.drives) {
    drive.friction.viscous = random.uniform(0, 1);
    drive.friction.coulomb = random.uniform(0, 1);
  }
  return model;
}

// The text without inertials and joint dynamics, and without the blanks before them.
std::string everything_else(const std::string& text) {
  static const std::regex inertial("\\s*<inertial[\\s\\S]*?</inertial>"), dynamics("\\s*<dynamics[^>]*?/>");
  return std::regex_replace(std::regex_replace(text, inertial, ""), dynamics, "");
}

TEST(UrdfExport, OfRealFilesChangesInertialsAndDynamicsOnly) {
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  for (const char* file : {"kuka_lwr4_flobaroid/kuka_lwr4.urdf", "tiago_figaroh/tiago_48_schunk.urdf",
                           "staubli_tx40/tx40_mdh_modified.urdf", "kinova_gen3/gen3.urdf"}) {
    const std::string path = (*data / file).string(), original = read_text_file(path, "URDF");
    const ExportModel model = with_new_numbers(read_robot_urdf(original, path).robot, 3);
    const ExportedText out = to_urdf(model, original, path);
    EXPECT_EQ(everything_else(out.text), everything_else(original)) << file;
    EXPECT_LT(out.error, 1e-14) << file;  // numbers are written so that they are read back
    EXPECT_NE(out.text, original);
    // Written again with the same numbers: not a byte changes.
    EXPECT_EQ(to_urdf(model, out.text, path).text, out.text) << file;
  }
}

constexpr const char* kArm = R"(<?xml version="1.0"?>
<!-- <inertial> of a comment stays -->
<robot name='arm'>
  <link name="base"/>
  <link name="upper">
    <visual><geometry><mesh filename="package://x/upper>.stl"/></geometry></visual>
    <inertial><!-- from CAD --><mass value = '2.0'/><origin rpy='0.1 0 0' xyz="0 0 0.100"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
  </link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <dynamics damping="0.5"/><limit lower="-1" upper="1" effort="10" velocity="2"/></joint>
  <link name="lower"/>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 0.4"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/></joint>
  <link name="camera"><inertial><mass value="0.3"/><inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial></link>
  <joint name="mount" type="fixed"><parent link="lower"/><child link="camera"/><origin xyz="0 0 0.1"/></joint>
  <unknown kept="yes &amp; always"/>
</robot>
)";

ExportModel arm(const Inertia& lower) {
  ExportModel model{read_robot_urdf(kArm, "arm.urdf").robot, {}};
  model.parameters.standard.resize(20);
  model.parameters.standard.head<10>() =
      Inertia::from_mass_com_inertia(3, {0.01, 0, 0.2}, symmetric_matrix(0.2, 0.01, 0, 0.2, 0, 0.1))
          .to_standard();
  model.parameters.standard.tail<10>() = lower.to_standard();
  model.parameters.drives.resize(2);
  model.parameters.drives[0].friction.viscous = 0.25;
  model.parameters.drives[0].friction.coulomb = 1.5;
  model.parameters.drives[1].rotor_inertia = 0.2;
  return model;
}

TEST(UrdfExport, ReplacesValuesWhereTheyStand) {
  const Inertia lower = Inertia::from_mass_com_inertia(1, {0, 0, 0.1}, 0.02 * Matrix3::Identity());
  const ExportedText out = to_urdf(arm(lower), kArm, "arm.urdf");
  EXPECT_LT(out.error, 1e-14);
  EXPECT_THAT(out.text, HasSubstr("<!-- from CAD --><mass value = '3'/><origin rpy='"));
  EXPECT_THAT(out.text, HasSubstr("xyz=\"0.01 0 0.2"));
  EXPECT_THAT(out.text, HasSubstr("ixy=\"0\" ixz=\"0\" iyy=\""));  // by principal axes
  EXPECT_THAT(out.text, HasSubstr("<dynamics damping=\"0.25\" friction=\"1.5\"/>"));
  EXPECT_THAT(out.text, HasSubstr("<link name=\"lower\">\n    <inertial>"));
  EXPECT_THAT(out.text, HasSubstr("<mass value=\"0.7\"/>"));  // the camera keeps its 0.3 kg
  EXPECT_THAT(out.text, HasSubstr("kept=\"yes &amp; always\""));
  EXPECT_TRUE(out.zeroed.empty());
}

TEST(UrdfExport, TakesTheInertiaOfFixedLinksWhenTheRestIsNoBody) {
  // Lighter than the camera alone.
  const Inertia lower = Inertia::from_mass_com_inertia(0.2, {0, 0, 0.1}, 0.002 * Matrix3::Identity());
  const ExportedText out = to_urdf(arm(lower), kArm, "arm.urdf");
  EXPECT_THAT(out.zeroed, ElementsAre("camera"));
  EXPECT_LT(out.error, 1e-14);
  EXPECT_THAT(out.text, HasSubstr("<mass value=\"0.2\"/>"));
}

TEST(UrdfExport, SaysWhatUrdfHasNoWordFor) {
  const Inertia lower = Inertia::from_mass_com_inertia(1, {0, 0, 0.1}, 0.02 * Matrix3::Identity());
  ExportModel model = arm(lower);
  model.parameters.drives[0].friction.offset = -0.4;
  const auto missing = to_urdf(model, kArm, "arm.urdf").not_carried;
  ASSERT_EQ(missing.size(), 2u);
  EXPECT_EQ(missing[0].joint + " " + missing[0].what, "shoulder offset");
  EXPECT_EQ(missing[0].effort, 0.4);
  EXPECT_EQ(missing[1].joint + " " + missing[1].what, "elbow rotor inertia");
  EXPECT_NEAR(missing[1].effort, 0.2, 0.01);  // accelerations up to 1 rad/s² where no limit is given
}

// The same arm by its DH table: other frames, the same bodies.
TEST(UrdfExport, OfARobotGivenByItsDhTableTurnsTheInertias) {
  const Robot urdf = read_robot_urdf(kArm, "arm.urdf").robot;
  Robot dh = urdf;
  for (Joint& joint : dh.joints) {  // frames with z along the axis
    joint.name = "j" + joint.name;
    joint.axis = Vector3::UnitZ();
    joint.before.push_back({Motion::turn_x, -std::acos(0.0), {}});
    if (joint.parent >= 0) joint.before.insert(joint.before.begin(), {Motion::turn_x, std::acos(0.0), {}});
  }
  const ExportModel model = with_new_numbers(dh, 5);
  const ExportedText out = to_urdf(model, kArm, "arm.urdf");
  const ExportModel read{read_robot_urdf(out.text, "out.urdf").robot, {}};
  ExportModel back = read;
  back.parameters.standard = standard_parameters(read.robot);
  back.parameters.drives = model.parameters.drives;
  for (const ExportState& state : export_states(urdf, 10)) {
    const VectorXd wanted = model_effort(model, state.q, state.qd, state.qdd);
    EXPECT_LT((model_effort(back, state.q, state.qd, state.qdd) - wanted).norm(), 1e-12 * wanted.norm());
  }
}

TEST(UrdfExport, RefusesAnotherRobotAndBodiesThatCannotExist) {
  const Inertia lower = Inertia::from_mass_com_inertia(1, {0, 0, 0.1}, 0.02 * Matrix3::Identity());
  ExportModel model = arm(lower);
  std::string longer = kArm;
  longer.replace(longer.find("xyz=\"0 0 0.4\""), 13, "xyz=\"0 0 0.5\"");
  EXPECT_NO_THROW(to_urdf(model, kArm, "arm.urdf"));
  EXPECT_THROW(to_urdf(model, longer, "longer.urdf"), InputError);
  model.parameters.standard[4] = -1;
  EXPECT_THROW(to_urdf(model, kArm, "arm.urdf"), InputError);
  model.robot.joints.pop_back();
  model.parameters.standard.conservativeResize(10);
  EXPECT_THROW(to_urdf(model, kArm, "arm.urdf"), InputError);
}

}  // namespace
}  // namespace steelyard
