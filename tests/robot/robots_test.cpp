// The six robots that come with the project, against the published numbers they were typed from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <fstream>
#include <numbers>
#include <string>

#include "oracle/data_folder.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace robots_test {

constexpr double kPi = std::numbers::pi;

Robot load(const std::string& name) {
  const RobotFile file = read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/" + name + ".yaml");
  for (const Complaint& warning : file.warnings) ADD_FAILURE() << warning.to_string();
  return file.robot;
}

double smallest_eigenvalue(const Inertia& inertia) {
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(inertia.pseudo_inertia()).eigenvalues()[0];
}

double step(const Robot& robot, const std::string& name) {
  for (const Joint& joint : robot.joints) {
    for (const Steps* steps : {&joint.before, &joint.after}) {
      for (const Step& s : *steps) {
        if (s.name == name) return s.value;
      }
    }
  }
  ADD_FAILURE() << "no step " << name;
  return 0;
}

// Value of a standard parameter by machine name.
double parameter(const Robot& robot, const std::string& name) {
  const auto names = standard_parameter_names(robot);
  const auto found = std::find(names.begin(), names.end(), name);
  EXPECT_NE(found, names.end()) << name;
  return standard_parameters(robot)[found - names.begin()];
}

TEST(Robots, DeclareDriveTermsOnlyForTheTx40) {
  const std::pair<const char*, int> all[] = {{"kr5", 6},   {"lwr4", 7}, {"panda", 7},
                                             {"two_r", 2}, {"tx40", 6}, {"ur10", 6}};
  for (const auto& [name, size] : all) {
    const Robot robot = load(name);
    EXPECT_EQ(robot.name, name);
    EXPECT_EQ(robot.size(), size);
    EXPECT_EQ(robot.gravity, Vector3(0, 0, -9.81));
    const bool expected = robot.name == "tx40";
    for (const Joint& joint : robot.joints) {
      EXPECT_EQ(joint.drive.viscous, expected) << name;
      EXPECT_EQ(joint.drive.coulomb, expected) << name;
      EXPECT_EQ(joint.drive.offset, expected) << name;
      EXPECT_EQ(joint.drive.rotor_inertia, expected) << name;
    }
    EXPECT_EQ(robot.pairs.size(), expected ? 1u : 0u);
    EXPECT_EQ(robot.transmission.is_given(), expected);
  }
}

TEST(Docs, ExamplesOfTheRobotPageAreRobots) {
  std::ifstream stream(std::string(STEELYARD_SOURCE_DIR) + "/docs/robot.md");
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const std::string start = "```yaml\nname: ";
  int examples = 0;
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    const std::size_t from = at + 8;  // after the fence
    const RobotFile file = read_robot_yaml(text.substr(from, text.find("```", from) - from), "docs/robot.md");
    EXPECT_GE(file.robot.size(), 2);
    EXPECT_TRUE(file.warnings.empty());
    ++examples;
  }
  EXPECT_EQ(examples, 3);  // one for each convention
}

TEST(Kr5, HasTheFeasibleGroundTruth) {
  const Robot robot = load("kr5");
  EXPECT_EQ(step(robot, "d1"), 0.132);
  EXPECT_EQ(step(robot, "a1"), 0.075);
  EXPECT_EQ(step(robot, "a2"), 0.27);
  EXPECT_EQ(step(robot, "a3"), 0.09);
  EXPECT_EQ(step(robot, "d4"), -0.295);
  EXPECT_EQ(step(robot, "d6"), -0.08);
  EXPECT_EQ(step(robot, "alpha6"), kPi);
  const double published[] = {0.0498, 0.0699, 0.0857, 0.0885, 0.0429, 0.0061};
  double mass = 0;
  for (int i = 0; i < 6; ++i) {
    mass += robot.joints[i].inertia->mass();
    EXPECT_NEAR(smallest_eigenvalue(*robot.joints[i].inertia), published[i], 5e-5)
        << i;  // four decimals are known
  }
  EXPECT_DOUBLE_EQ(mass, 28);
}

TEST(Panda, HasThePublishedFeasibleParameters) {
  const Robot robot = load("panda");
  EXPECT_EQ(step(robot, "d1"), 0.333);
  EXPECT_EQ(step(robot, "a4"), 0.0825);
  EXPECT_EQ(step(robot, "a5"), -0.0825);
  EXPECT_EQ(step(robot, "d5"), 0.384);
  EXPECT_EQ(step(robot, "a7"), 0.088);
  for (const Joint& joint : robot.joints) {
    EXPECT_GT(smallest_eigenvalue(*joint.inertia), 0) << joint.name;
    EXPECT_EQ(joint.bounds.size(), 10u);
  }
  const auto p = [&](const char* name) { return parameter(robot, name); };
  // Rows 1, 2 and 6 of the published base parameters, known to six digits.
  EXPECT_NEAR(p("Jzz1") + p("Jyy2"), 0.0373374, 1e-7);
  const double distal = p("m4") + p("m5") + p("m6") + p("m7");
  const double common = 0.099856 * p("m3") + 0.632 * p("mz3") + p("Jyy3") + 0.10666225 * distal;
  EXPECT_NEAR(p("Jxx2") - p("Jyy2") + common, 0.989623, 1e-6);
  EXPECT_NEAR(p("Jzz2") + common, 1.03578, 1e-5);
  EXPECT_EQ(robot.tool_link, 6);
  EXPECT_EQ(to_pose(robot.tool).position, Vector3(0, 0, 0.107));
  EXPECT_EQ(robot.joints[3].limits.upper, -0.0698);
  EXPECT_EQ(robot.joints[6].limits.effort, 12);
  EXPECT_EQ(robot.joints[1].limits.acceleration, 7.5);
}

TEST(TwoR, HasThePublishedBaseParameters) {
  const Robot robot = load("two_r");
  const auto p = [&](const char* name) { return parameter(robot, name); };
  const double base[] = {p("Jyy1") + p("Jyy2") - 0.64 * p("m2"),
                         p("Jxx2") - p("Jyy2") + 0.64 * p("m2"),
                         p("Jxy2"),
                         p("Jxz2") - 0.8 * p("mz2"),
                         p("Jyz2"),
                         p("Jzz2") - 0.64 * p("m2"),
                         0.8 * p("m2") + p("mx2"),
                         p("my2")};
  const double published[] = {-1.816, 1.86, 0, 0, 0, -1.85, 2.1, 0};
  for (int i = 0; i < 8; ++i)
    EXPECT_NEAR(base[i], published[i], 1e-12) << i;  // exact but for decimal rounding
  EXPECT_EQ(robot.joints[0].bounds[1].parameter, "cy");
  EXPECT_EQ(robot.joints[0].bounds[1].lower, -1.42);
}

TEST(Lwr4, HasTheRestoredSignsAndNoInertia) {
  const Robot robot = load("lwr4");
  const double alpha[] = {1, -1, -1, 1, 1, -1};
  for (int i = 0; i < 6; ++i)
    EXPECT_DOUBLE_EQ(step(robot, "alpha" + std::to_string(i + 1)), alpha[i] * kPi / 2);
  EXPECT_EQ(step(robot, "d3"), 0.4);
  EXPECT_EQ(step(robot, "d5"), 0.39);
  EXPECT_THROW(standard_parameters(robot), InputError);
  EXPECT_DOUBLE_EQ(robot.joints[0].limits.upper, 170 * kPi / 180);
  EXPECT_DOUBLE_EQ(robot.joints[1].limits.lower, -120 * kPi / 180);
}

TEST(Tx40, ConvertsMotorAnglesAsThePublishedIdentificationDoes) {
  const Robot robot = load("tx40");
  Eigen::VectorXd motor(6);
  motor << 3, 5, 7, 11, 13, 17;
  const Eigen::VectorXd q = robot.transmission.matrix.inverse() * motor + robot.transmission.zero;
  // Written out: q = inv(N) qm, then q2 -= pi/2, q3 += pi/2.
  const double q5 = 13.0 / 45;
  const double expected[] = {3.0 / 32, 5.0 / 32 - kPi / 2, 7.0 / 45 + kPi / 2, -11.0 / 48,
                             q5,       17.0 / 32 - q5};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(q[i], expected[i], 1e-14) << i;
  EXPECT_EQ(robot.pairs[0].joint, 4);
  EXPECT_EQ(robot.pairs[0].partner, 5);
}

// Poses of all link frames in the base at q.
std::vector<Pose> poses(const Robot& robot, const VectorXd& q) {
  std::vector<Pose> result;
  for (int i = 0; i < robot.size(); ++i) {
    const Joint& joint = robot.joints[i];
    Pose motion;
    motion.rotation = turn_about(joint.axis, q[i]);
    const Pose own = to_pose(joint.before) * motion * to_pose(joint.after);
    result.push_back(joint.parent < 0 ? own : result[joint.parent] * own);
  }
  return result;
}

TEST(Tx40, HasTheKinematicsOfTheUrdfThatCameWithTheLog) {
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  const Robot ours = load("tx40");
  const Robot theirs = read_robot((*data / "staubli_tx40/tx40_mdh_modified.urdf").string()).robot;
  Eigen::VectorXd q(6);
  q << 0.3, -0.8, 0.5, 1.1, -0.4, 0.9;
  const std::vector<Pose> a = poses(ours, q), b = poses(theirs, q);
  for (int i = 0; i < 6; ++i) {
    // The URDF starts 0.32 m higher and prints right angles with finitely many digits.
    EXPECT_LT((a[i].position + Vector3(0, 0, 0.32) - b[i].position).norm(), 1e-5) << i;
    EXPECT_LT((a[i].rotation.col(2) - b[i].rotation.col(2)).norm(), 1e-5) << i;
    if (i == 5) continue;  // counted from pi there
    EXPECT_LT((a[i].rotation - b[i].rotation).norm(), 1e-5) << i;
  }
}

TEST(Ur10, NamesItsJointsAsTheRecordedBagDoes) {
  const Robot robot = load("ur10");
  EXPECT_EQ(step(robot, "a2"), -0.612);
  EXPECT_EQ(step(robot, "a3"), -0.5723);
  EXPECT_EQ(step(robot, "d4"), 0.163941);
  EXPECT_EQ(robot.joints[2].limits.velocity, 3.15);
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  std::ifstream stream(*data / "ur10_unisa/ur10_exciting_trajectory.db3", std::ios::binary);
  std::string head(1 << 18, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  for (const Joint& joint : robot.joints) EXPECT_NE(head.find(joint.name), std::string::npos) << joint.name;
}

}  // namespace robots_test
}  // namespace steelyard
