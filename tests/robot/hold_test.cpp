// Robots derived from others: joints that stand still, gears that a URDF cannot say.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "oracle/random_robot.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/robot/read.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;

Pose motion(const Joint& joint, double q) {
  Pose pose;
  if (joint.kind == JointKind::revolute)
    pose.rotation = turn_about(joint.axis, q);
  else
    pose.position = joint.axis * q;
  return pose;
}

// Total mass, first moment and inertia about the world's origin of everything that moves, at q.
Inertia whole_body(const Robot& robot, const std::map<std::string, double>& q) {
  std::vector<Pose> poses;
  Inertia total = Inertia::zero();
  for (const Joint& joint : robot.joints) {
    const Pose parent = joint.parent < 0 ? Pose{} : poses[static_cast<std::size_t>(joint.parent)];
    poses.push_back(parent * to_pose(joint.before) * motion(joint, q.at(joint.name)) * to_pose(joint.after));
    total = total + joint.inertia->expressed_in(poses.back());
  }
  return total;
}

TEST(HoldJoints, KeepsEveryBodyWhereItIs) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    oracle::Random random(seed);
    const Robot robot = oracle::random_robot(seed);
    std::map<std::string, double> q, held;
    std::vector<std::string> moving;
    for (const Joint& joint : robot.joints) {
      q[joint.name] = random.uniform(-2, 2);
      // Joints on the base keep moving, so that no body is lost to it.
      if (joint.parent < 0 || random.index(2) == 0)
        moving.push_back(joint.name);
      else
        held[joint.name] = q[joint.name];
    }
    const Robot less = hold_joints(robot, moving, held);
    EXPECT_EQ(less.size(), static_cast<int>(moving.size()));
    // Only rounding is between the two ways of adding bodies of some 10 kg m².
    EXPECT_LT((whole_body(robot, q).to_standard() - whole_body(less, q).to_standard()).norm(), 1e-10)
        << "seed " << seed;
  }
}

TEST(HoldJoints, RefusesNamesThatAreNotThere) {
  const Robot robot = oracle::random_robot(1);
  EXPECT_THROW(hold_joints(robot, {"elbo"}), InputError);
  EXPECT_THROW(hold_joints(robot, {}), InputError);
  EXPECT_THROW(hold_joints(robot, {robot.joints[0].name}, {{robot.joints[0].name, 1.0}}), InputError);
}

class DerivedRobot : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("steelyard_derived_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  const std::string panda_ = std::string(STEELYARD_SOURCE_DIR) + "/robots/panda.yaml";
  std::filesystem::path folder_;
};

TEST_F(DerivedRobot, HasTheOthersJointsAndGearsOfItsOwn) {
  const std::string path =
      file("arm.yaml", "from: " + panda_ +
                           "\nmoving: [panda_joint1, panda_joint2]\nheld: {panda_joint4: -1.5}\n"
                           "drive: [viscous]\ntransmission: {ratios: [100, -50]}\n");
  const Robot robot = read_robot(path).robot;
  EXPECT_EQ(robot.size(), 2);
  EXPECT_EQ(robot.joints[1].name, "panda_joint2");
  EXPECT_TRUE(robot.joints[0].drive.viscous);
  EXPECT_EQ(robot.transmission.matrix(1, 1), -50);
  EXPECT_EQ(robot_files(path), (std::vector<std::string>{path, panda_}));
  EXPECT_EQ(robot_files(panda_), std::vector<std::string>{panda_});
}

TEST_F(DerivedRobot, ChangesItsHashWhenTheOtherFileChanges) {
  const std::string text = "convention: standard_dh\njoints:\n  - {name: a, a: 1, alpha: 0, d: 0}\n";
  file("base.yaml", text);
  const std::string path = file("arm.yaml", "from: base.yaml\n");
  const std::string before = robot_file_hash(path);
  file("base.yaml", text + "# heavier\n");
  EXPECT_NE(robot_file_hash(path), before);
}

TEST_F(DerivedRobot, MistakesHaveFileAndLine) {
  const auto complaint = [&](const std::string& text) -> std::string {
    try {
      read_robot(file("arm.yaml", text));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(complaint("from: " + panda_ + "\nmoving: [panda_joint9]\n"), HasSubstr("arm.yaml:2"));
  EXPECT_THAT(complaint("from: " + panda_ + "\nmovig: [panda_joint1]\n"), HasSubstr("moving"));
  EXPECT_THAT(complaint("from: " + panda_ + "\ntransmission: {ratios: [1, 2]}\n"), HasSubstr("arm.yaml:2"));
  EXPECT_THAT(complaint("from: arm.yaml\n"), HasSubstr("cycles"));
}

}  // namespace
}  // namespace steelyard
