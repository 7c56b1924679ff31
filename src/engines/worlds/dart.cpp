// DART: the robot built through its interface. Steps are semi-implicit Euler, as those of DART's own world.
#include <dart/dart.hpp>
#include <stdexcept>
#include <vector>

#include "engines/world.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

namespace dd = dart::dynamics;

Eigen::Isometry3d to_isometry(const WorldFrame& frame) {
  Eigen::Isometry3d transform = Eigen::Isometry3d::Identity();
  transform.linear() = frame.rotation;
  transform.translation() = frame.position;
  return transform;
}

template <class DartJoint>
dd::BodyNode* add_node(const dd::SkeletonPtr& skeleton, dd::BodyNode* parent, const WorldBody& body) {
  typename DartJoint::Properties properties;
  properties.mName = body.joint;
  properties.mAxis = body.axis;
  properties.mT_ParentBodyToJoint = to_isometry(body.before);
  properties.mT_ChildBodyToJoint = to_isometry(body.after.inverse());
  const dd::Inertia inertia(body.mass, body.com.position, Eigen::Matrix3d(body.inertia));
  const dd::BodyNode::Properties node(dd::BodyNode::AspectProperties(body.link, inertia));
  return skeleton->createJointAndBodyNodePair<DartJoint>(parent, properties, node).second;
}

// Numbers pass one by one: DART's Eigen may allocate in another way than ours (address sanitizer).
class DartWorld : public World {
 public:
  explicit DartWorld(const WorldRobot& robot) : skeleton_(dd::Skeleton::create("robot")) {
    skeleton_->setGravity(robot.gravity);
    for (int i = 0; i < robot.count; ++i) {
      const WorldBody& body = robot.bodies[i];
      dd::BodyNode* parent = body.parent < 0 ? nullptr : nodes_[static_cast<std::size_t>(body.parent)];
      nodes_.push_back(body.prismatic ? add_node<dd::PrismaticJoint>(skeleton_, parent, body)
                                      : add_node<dd::RevoluteJoint>(skeleton_, parent, body));
    }
  }

  void set_state(const double* q, const double* qd) override {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      nodes_[i]->getParentJoint()->setPosition(0, q[i]);
      nodes_[i]->getParentJoint()->setVelocity(0, qd[i]);
    }
  }

  void state(double* q, double* qd) const override {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      q[i] = nodes_[i]->getParentJoint()->getPosition(0);
      qd[i] = nodes_[i]->getParentJoint()->getVelocity(0);
    }
  }

  void step(const double* effort, double seconds) override {
    for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i]->getParentJoint()->setForce(0, effort[i]);
    skeleton_->computeForwardDynamics();
    skeleton_->integrateVelocities(seconds);
    skeleton_->integratePositions(seconds);
  }

  bool inverse(const double* q, const double* qd, const double* qdd, double* effort) override {
    set_state(q, qd);
    for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i]->getParentJoint()->setAcceleration(0, qdd[i]);
    skeleton_->computeInverseDynamics();
    for (std::size_t i = 0; i < nodes_.size(); ++i) effort[i] = nodes_[i]->getParentJoint()->getForce(0);
    return true;
  }

  void drive(const double*, double, double*) override { throw std::logic_error("DART has inverse dynamics"); }

  WorldFrame pose(int link) override {
    const Eigen::Isometry3d& transform = nodes_[static_cast<std::size_t>(link)]->getWorldTransform();
    return {transform.linear(), transform.translation()};
  }

 private:
  dd::SkeletonPtr skeleton_;
  std::vector<dd::BodyNode*> nodes_;
};

}  // namespace
}  // namespace STEELYARD_ABI
}  // namespace steelyard

STEELYARD_ENGINE_MODULE steelyard::World* steelyard_make_world(const steelyard::WorldRobot& robot) {
  return new steelyard::DartWorld(robot);
}
