// DART: the robot built through its interface. Steps are semi-implicit Euler, as those of DART's own world.
#include <cmath>
#include <dart/dart.hpp>
#include <dart/utils/sdf/SdfParser.hpp>
#include <dart/utils/urdf/DartLoader.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "engines/world.hpp"

namespace steelyard::inline STEELYARD_ABI {
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

// With the base held; a link without an inertial weighs nothing (DART's default is 1 kg).
dd::SkeletonPtr read_urdf_text(const char* text) {
  dart::utils::DartLoader::Options options;
  options.mDefaultRootJointType = dart::utils::DartLoader::RootJointType::FIXED;
  const double nothing = 1e-30;  // exactly nothing would be warned about on the console
  options.mDefaultInertia =
      dd::Inertia(nothing, Eigen::Vector3d::Zero(), nothing * Eigen::Matrix3d::Identity());
  return dart::utils::DartLoader(options).parseSkeletonString(text, dart::common::Uri());
}

dd::SkeletonPtr read_skeleton(const WorldText& text) {
  const std::string format = text.format;
  dd::SkeletonPtr skeleton =
      format == "urdf"  ? read_urdf_text(text.text)
      : format == "sdf" ? dart::utils::SdfParser::readSkeleton(dart::common::Uri::createFromPath(text.path))
                        : nullptr;
  if (!skeleton) throw std::runtime_error("DART does not read the file");
  return skeleton;
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

  explicit DartWorld(const WorldText& text) : skeleton_(read_skeleton(text)), damped_(true) {
    skeleton_->setGravity(text.gravity);
    if (skeleton_->getNumDofs() != static_cast<std::size_t>(text.count))
      throw std::runtime_error("DART has a different number of joints");
    for (int i = 0; i < text.count; ++i) {
      dd::Joint* joint = skeleton_->getJoint(text.joints[i]);
      if (joint == nullptr) throw std::runtime_error(std::string("DART has no joint ") + text.joints[i]);
      nodes_.push_back(joint->getChildBodyNode());
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
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const dd::Joint& joint = *nodes_[i]->getParentJoint();
      effort[i] = joint.getForce(0);
      // DART's own damping force is that of the velocity one step later.
      if (damped_) effort[i] += joint.getDampingCoefficient(0) * qd[i];
    }
    return true;
  }

  // What is left of the efforts after a step. Damping, which DART takes one step later, is set aside.
  bool dry_friction(const double* q, const double* qd, const double* qdd, double* effort) override {
    const std::size_t n = nodes_.size();
    std::vector<double> damping(n), given(n), after(n);
    for (std::size_t i = 0; i < n; ++i) {
      dd::Joint& joint = *nodes_[i]->getParentJoint();
      damping[i] = joint.getDampingCoefficient(0);
      joint.setDampingCoefficient(0, 0);
    }
    inverse(q, qd, qdd, given.data());
    for (std::size_t i = 0; i < n; ++i) {
      dd::Joint& joint = *nodes_[i]->getParentJoint();
      given[i] += std::copysign(joint.getCoulombFriction(0), qd[i]);
      joint.setForce(0, given[i]);
    }
    const double step = 1e-3;
    const auto world = dart::simulation::World::create();
    world->setGravity(skeleton_->getGravity());
    world->setTimeStep(step);
    world->addSkeleton(skeleton_);
    world->step();
    world->removeSkeleton(skeleton_);
    for (std::size_t i = 0; i < n; ++i)
      after[i] = (nodes_[i]->getParentJoint()->getVelocity(0) - qd[i]) / step;
    inverse(q, qd, after.data(), effort);
    for (std::size_t i = 0; i < n; ++i) {
      effort[i] = given[i] - effort[i];
      nodes_[i]->getParentJoint()->setDampingCoefficient(0, damping[i]);
    }
    return true;
  }

  void drive(const double* velocity, double seconds, double* effort) override {
    drive_by_inverse(static_cast<int>(nodes_.size()), velocity, seconds, effort);
  }

  WorldFrame pose(int link) override {
    const Eigen::Isometry3d& transform = nodes_[static_cast<std::size_t>(link)]->getWorldTransform();
    return {transform.linear(), transform.translation()};
  }

 private:
  dd::SkeletonPtr skeleton_;
  std::vector<dd::BodyNode*> nodes_;
  bool damped_ = false;
};

}  // namespace
}  // namespace steelyard

STEELYARD_ENGINE_MODULE steelyard::World* steelyard_make_world(const steelyard::WorldRobot& robot) {
  return new steelyard::DartWorld(robot);
}

STEELYARD_ENGINE_MODULE steelyard::World* steelyard_load_world(const steelyard::WorldText& text) {
  return new steelyard::DartWorld(text);
}

STEELYARD_ENGINE_MODULE const char* steelyard_world_version() {
  return DART_VERSION;
}
