// Distances of capsules, boxes and half-spaces against sampling, and their gradients.
#include "excite/distances.hpp"

#include <gtest/gtest.h>

#include "excite_cases.hpp"
#include "oracle/random_robot.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard {
namespace {

struct Scene {
  Robot robot;
  Workspace workspace;
};

Scene scene(std::uint64_t seed) {
  oracle::RandomRobotOptions options;
  options.joints = 6;
  options.branches = true;
  Scene s{oracle::random_robot(seed, options), {}};
  s.workspace.half_spaces = {{"wall", {1, 2, -1}, -1.5}};
  s.workspace.boxes = {{"box", {-0.4, -0.4, -0.4}, {0.3, 0.3, 0.3}}};
  s.workspace.tool_points = {{0, 0, 0}, {0.1, 0, 0.2}};
  s.workspace.capsules = skeleton_capsules(s.robot, 0.02);
  s.workspace.capsules.push_back({"post", -1, {0.5, 0, 0}, {0.5, 0, 1}, 0.03});
  return s;
}

TEST(WorkspaceDistances, OfCapsulesAreThoseOfTheirClosestPoints) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Scene s = scene(seed);
    const WorkspaceDistances distances(s.robot, s.workspace);
    oracle::Random random(seed);
    const VectorXd q = random.joint_vector(6, 2);
    VectorXd d(distances.size());
    distances.evaluate(q.data(), d.data());
    const std::vector<Pose> poses = forward_kinematics(compile(s.robot), q);
    int compared = 0;
    for (std::size_t a = 0; a < s.workspace.capsules.size(); ++a)
      for (std::size_t b = a + 1; b < s.workspace.capsules.size(); ++b) {
        const Capsule &one = s.workspace.capsules[a], &two = s.workspace.capsules[b];
        for (std::size_t k = 0; k < distances.names().size(); ++k) {
          if (distances.names()[k] != one.name + " and " + two.name) continue;
          if (one.name == two.name) continue;
          const double sampled = sampled_distance(poses, one, two, 200);
          // Links with two children have two capsules of one name: the entry is one of them.
          const bool is_twin =
              std::count(distances.names().begin(), distances.names().end(), distances.names()[k]) > 1;
          if (is_twin) continue;
          // A grid of 1/200 of a metre-long segment is at most 2.5 mm off along each.
          EXPECT_NEAR(d[static_cast<Index>(k)], sampled, 5e-3) << seed << " " << distances.names()[k];
          EXPECT_LE(d[static_cast<Index>(k)], sampled + 1e-12);
          ++compared;
        }
      }
    EXPECT_GT(compared, 3);
  }
}

TEST(WorkspaceDistances, HaveTheGradientOfFiniteDifferences) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Scene s = scene(seed);
    const WorkspaceDistances distances(s.robot, s.workspace);
    oracle::Random random(seed + 100);
    VectorXd q = random.joint_vector(6, 2);
    VectorXd up(distances.size()), down(distances.size());
    for (Index k = 0; k < distances.size(); ++k) {
      VectorXd weights = VectorXd::Zero(distances.size()), gradient = VectorXd::Zero(6);
      weights[k] = 1;
      distances.add_gradient(q.data(), weights.data(), gradient.data());
      for (Index j = 0; j < 6; ++j) {
        constexpr double h = 1e-6;
        const double value = q[j];
        q[j] = value + h, distances.evaluate(q.data(), up.data());
        q[j] = value - h, distances.evaluate(q.data(), down.data());
        q[j] = value;
        EXPECT_NEAR(gradient[j], (up[k] - down[k]) / (2 * h), 1e-6)
            << distances.names()[static_cast<std::size_t>(k)];
      }
    }
  }
}

TEST(WorkspaceDistances, OfABoxAreNegativeInside) {
  oracle::RandomRobotOptions options;
  options.joints = 1;
  Robot robot = oracle::random_robot(1, options);
  const Tree tree = compile(robot);
  const VectorXd q = VectorXd::Zero(1);
  const Vector3 tool = tool_pose(tree, q).position;
  Workspace workspace;
  workspace.boxes = {{"around", tool - Vector3(0.1, 0.2, 0.3), tool + Vector3(0.4, 0.5, 0.6)},
                     {"beside", tool + Vector3(0.03, 0.04, -1), tool + Vector3(1, 1, 1)}};
  workspace.clearance = 0.01;
  const WorkspaceDistances distances(robot, workspace);
  VectorXd d(2);
  distances.evaluate(q.data(), d.data());
  EXPECT_NEAR(d[0], -0.11, 1e-12);
  EXPECT_NEAR(d[1], 0.04, 1e-12);
}

TEST(WorkspaceDistances, RefuseShapesWithoutRoom) {
  const Robot robot = oracle::random_robot(1);
  Workspace workspace;
  workspace.boxes = {{"flat", {0, 0, 0}, {1, 1, 0}}};
  EXPECT_THROW(WorkspaceDistances(robot, workspace), InputError);
  workspace = {};
  workspace.capsules = {{"nowhere", 40, {0, 0, 0}, {0, 0, 1}, 0.1}};
  EXPECT_THROW(WorkspaceDistances(robot, workspace), InputError);
  workspace = {};
  workspace.half_spaces = {{"none", {0, 0, 0}, 0}};
  EXPECT_THROW(WorkspaceDistances(robot, workspace), InputError);
}

}  // namespace
}  // namespace steelyard
