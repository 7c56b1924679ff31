// What joints carry: the wrenches of Newton-Euler.
#include <gtest/gtest.h>

#include "agreement.hpp"
#include "oracle/referee.hpp"

namespace steelyard {
namespace {

// The robot with six massless joints (three moves, three turns, all at zero) between link `at` and its body.
// Their efforts are by virtual work the force and the moment that the body and all it carries ask for.
struct Opened {
  Robot robot;
  std::vector<int> index;  // new index of every old joint
  int first;               // first of the six
};

Opened open_at(const Robot& robot, int at) {
  Opened opened;
  opened.robot = robot;
  opened.robot.joints.clear();
  for (int i = 0; i < robot.size(); ++i) {
    Joint joint = robot.joints[i];
    // Children of the opened link hang behind the six.
    if (joint.parent >= 0) joint.parent = opened.index[joint.parent] + (joint.parent == at ? 6 : 0);
    if (i == at) joint.inertia = Inertia::zero();
    opened.index.push_back(opened.robot.size());
    opened.robot.joints.push_back(joint);
    if (i != at) continue;
    opened.first = opened.robot.size();
    for (int k = 0; k < 6; ++k) {
      Joint test;
      test.name = "test" + std::to_string(k);
      test.link = "test_link" + std::to_string(k);
      test.kind = k < 3 ? JointKind::prismatic : JointKind::revolute;
      test.parent = opened.robot.size() - 1;
      test.axis = Vector3::Unit(k % 3);
      test.inertia = k < 5 ? Inertia::zero() : *robot.joints[i].inertia;
      opened.robot.joints.push_back(test);
    }
  }
  opened.robot.tool_link = opened.index[robot.tool_link] + (robot.tool_link == at ? 6 : 0);
  return opened;
}

VectorXd spread(const Opened& opened, const VectorXd& values) {
  VectorXd result = VectorXd::Zero(opened.robot.size());
  for (Index i = 0; i < values.size(); ++i) result[opened.index[i]] = values[i];
  return result;
}

TEST(Wrench, EveryJointCarriesWhatVirtualWorkSays) {
  oracle::for_random_robots(50, [](oracle::RandomCase& c) {
    const Vector6 w = c.tool_wrench();
    const InverseDynamics result = newton_euler(c.tree, c.parameters, c.x.q, c.x.qd, c.x.qdd, w);
    for (int at = 0; at < c.robot.size(); ++at) {
      const Opened opened = open_at(c.robot, at);
      const oracle::RefereeResult truth = oracle::referee(opened.robot, spread(opened, c.x.q),
                                                          spread(opened, c.x.qd), spread(opened, c.x.qdd), w);
      Vector6 carried;
      carried << result.wrenches[at].force, result.wrenches[at].moment;
      const Vector6 error = carried - truth.tau.segment<6>(opened.first);
      // Both sum the same terms in different orders: 45 ε of the sum of magnitudes.
      EXPECT_LE(oracle::largest((error.array() / truth.scale.segment<6>(opened.first).array()).matrix()),
                1e-14)
          << at;
    }
  });
}

TEST(Wrench, AtRestTheRootsCarryTheWeight) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    oracle::RandomRobotOptions options;
    options.branches = true;
    const Robot robot = oracle::random_robot(seed, options);
    const Tree tree = compile(robot);
    oracle::Random random(seed);
    const VectorXd q = random.joint_vector(robot.size(), 3);
    const VectorXd rest = VectorXd::Zero(robot.size());
    const InverseDynamics result = newton_euler(tree, standard_parameters(robot), q, rest, rest);
    const std::vector<Pose> poses = forward_kinematics(tree, q);
    Vector3 force = Vector3::Zero();
    double mass = 0;
    for (int i = 0; i < robot.size(); ++i) {
      mass += robot.joints[i].inertia->mass();
      if (robot.joints[i].parent < 0) force += poses[i].rotation * result.wrenches[i].force;
    }
    EXPECT_LE((force + mass * tree.gravity).norm(), 1e-14 * mass * 9.81) << "seed " << seed;
  }
}

}  // namespace
}  // namespace steelyard
