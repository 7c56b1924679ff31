// DART: the robot built through its interface, or a URDF through its own reader. All use of DART's slow
// headers is in this file.
#include <dart/dart.hpp>
#include <dart/utils/urdf/DartLoader.hpp>
#include <stdexcept>

#include "oracle/engine.hpp"

namespace steelyard::oracle {
namespace {

namespace dd = dart::dynamics;

Eigen::Isometry3d to_dart(const Pose& pose) {
  Eigen::Isometry3d transform = Eigen::Isometry3d::Identity();
  transform.linear() = pose.rotation;
  transform.translation() = pose.position;
  return transform;
}

template <class DartJoint>
dd::BodyNode* add_body(const dd::SkeletonPtr& skeleton, dd::BodyNode* parent, const Joint& joint) {
  typename DartJoint::Properties properties;
  properties.mName = joint.name;
  properties.mAxis = joint.axis;
  properties.mT_ParentBodyToJoint = to_dart(to_pose(joint.before));
  properties.mT_ChildBodyToJoint = to_dart(to_pose(joint.after).inverse());
  const dd::Inertia inertia(joint.inertia->mass(), joint.inertia->com(),
                            Eigen::Matrix3d(joint.inertia->inertia_com()));
  const dd::BodyNode::Properties body(dd::BodyNode::AspectProperties(joint.link, inertia));
  return skeleton->createJointAndBodyNodePair<DartJoint>(parent, properties, body).second;
}

dd::SkeletonPtr to_skeleton(const Robot& robot) {
  const dd::SkeletonPtr skeleton = dd::Skeleton::create(robot.name);
  skeleton->setGravity(to_pose(robot.base).rotation.transpose() * robot.gravity);
  std::vector<dd::BodyNode*> bodies;
  for (const Joint& joint : robot.joints) {
    dd::BodyNode* parent = joint.parent < 0 ? nullptr : bodies[joint.parent];
    bodies.push_back(joint.kind == JointKind::revolute
                         ? add_body<dd::RevoluteJoint>(skeleton, parent, joint)
                         : add_body<dd::PrismaticJoint>(skeleton, parent, joint));
  }
  return skeleton;
}

class DartEngine : public Engine {
 public:
  explicit DartEngine(dd::SkeletonPtr skeleton) : skeleton_(std::move(skeleton)) {}

  std::vector<std::string> joint_names() const override {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < skeleton_->getNumDofs(); ++i) {
      names.push_back(skeleton_->getDof(i)->getJoint()->getName());
    }
    return names;
  }

  Answer ask(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) override {
    skeleton_->setPositions(q);
    skeleton_->setVelocities(qd);
    skeleton_->setAccelerations(qdd);
    skeleton_->computeInverseDynamics();  // without external, damping and spring forces
    Answer answer;
    // One by one and by reference: under AddressSanitizer our Eigen frees memory in another way than the one
    // inside DART allocates it, so that no matrix may change hands.
    answer.tau.resize(q.size());
    for (Index i = 0; i < q.size(); ++i) answer.tau[i] = skeleton_->getForce(static_cast<std::size_t>(i));
    answer.coriolis = skeleton_->getCoriolisForces();
    answer.gravity = skeleton_->getGravityForces();
    answer.mass_matrix = skeleton_->getMassMatrix();
    return answer;
  }

 private:
  dd::SkeletonPtr skeleton_;
};

}  // namespace

std::unique_ptr<Engine> make_dart(const Robot& robot) {
  return std::make_unique<DartEngine>(to_skeleton(robot));
}

std::unique_ptr<Engine> make_dart_from_urdf(const std::string& urdf) {
  dart::utils::DartLoader::Options options;
  // Otherwise a robot whose root is not called `world` floats.
  options.mDefaultRootJointType = dart::utils::DartLoader::RootJointType::FIXED;
  // A link without <inertial> would weigh 1 kg; exactly nothing would be warned about on the console.
  const double nothing = 1e-30;
  options.mDefaultInertia =
      dd::Inertia(nothing, Eigen::Vector3d::Zero(), nothing * Eigen::Matrix3d::Identity());
  const dd::SkeletonPtr skeleton =
      dart::utils::DartLoader(options).parseSkeletonString(urdf, dart::common::Uri());
  if (!skeleton) throw std::runtime_error("DART cannot read the URDF");
  return std::make_unique<DartEngine>(skeleton);
}

}  // namespace steelyard::oracle
