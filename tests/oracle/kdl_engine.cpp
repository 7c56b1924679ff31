// KDL: a segment is joint and body; its inertia is given in the frame of its tip, which is our link frame.
// Chains use the chain solvers for everything. Trees have inverse dynamics only: M is made of its columns.
#include <kdl/chaindynparam.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <stdexcept>

#include "oracle/engine.hpp"

namespace steelyard::oracle {
namespace {

KDL::Vector to_kdl(const Vector3& v) {
  return {v[0], v[1], v[2]};
}

KDL::Frame to_kdl(const Pose& pose) {
  const Matrix3& R = pose.rotation;
  return {KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)),
          to_kdl(pose.position)};
}

KDL::JntArray to_kdl(const VectorXd& v) {
  KDL::JntArray array(static_cast<unsigned>(v.size()));
  array.data = v;
  return array;
}

KDL::Segment to_segment(const Joint& joint) {
  const Pose before = to_pose(joint.before);
  const auto type = joint.kind == JointKind::revolute ? KDL::Joint::RotAxis : KDL::Joint::TransAxis;
  const KDL::Joint kdl_joint(joint.name, to_kdl(before.position),
                             to_kdl(Vector3(before.rotation * joint.axis)), type);
  const Matrix3 I = joint.inertia->inertia_com();
  const KDL::RigidBodyInertia inertia(
      joint.inertia->mass(), to_kdl(joint.inertia->com()),
      KDL::RotationalInertia(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)));
  return KDL::Segment(joint.link, kdl_joint, to_kdl(before * to_pose(joint.after)), inertia);
}

KDL::Vector base_gravity(const Robot& robot) {
  return to_kdl(Vector3(to_pose(robot.base).rotation.transpose() * robot.gravity));
}

void require_success(int code) {
  if (code < 0) throw std::runtime_error("KDL returned " + std::to_string(code));
}

class KdlTree : public Engine {
 public:
  explicit KdlTree(const Robot& robot) : tree_("base"), gravity_(base_gravity(robot)) {
    for (const Joint& joint : robot.joints) {
      const std::string parent = joint.parent < 0 ? "base" : robot.joints[joint.parent].link;
      if (!tree_.addSegment(to_segment(joint), parent)) throw std::runtime_error("KDL refuses " + joint.link);
      names_.push_back(joint.name);
    }
  }

  std::vector<std::string> joint_names() const override { return names_; }

  Answer ask(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) override {
    const VectorXd rest = VectorXd::Zero(q.size());
    Answer answer;
    answer.tau = inverse(q, qd, qdd, gravity_);
    answer.gravity = inverse(q, rest, rest, gravity_);
    answer.coriolis = inverse(q, qd, rest, KDL::Vector::Zero());
    answer.mass_matrix.resize(q.size(), q.size());
    for (Index i = 0; i < q.size(); ++i) {
      answer.mass_matrix.col(i) = inverse(q, rest, VectorXd::Unit(q.size(), i), KDL::Vector::Zero());
    }
    return answer;
  }

 private:
  VectorXd inverse(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd, const KDL::Vector& gravity) {
    KDL::TreeIdSolver_RNE solver(tree_, gravity);
    KDL::JntArray tau(static_cast<unsigned>(q.size()));
    require_success(solver.CartToJnt(to_kdl(q), to_kdl(qd), to_kdl(qdd), KDL::WrenchMap(), tau));
    return tau.data;
  }

  KDL::Tree tree_;
  KDL::Vector gravity_;
  std::vector<std::string> names_;
};

class KdlChain : public Engine {
 public:
  explicit KdlChain(const Robot& robot) : gravity_(base_gravity(robot)) {
    for (const Joint& joint : robot.joints) {
      chain_.addSegment(to_segment(joint));
      names_.push_back(joint.name);
    }
  }

  std::vector<std::string> joint_names() const override { return names_; }

  Answer ask(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) override {
    const auto n = static_cast<unsigned>(q.size());
    KDL::ChainIdSolver_RNE solver(chain_, gravity_);
    KDL::ChainDynParam parts(chain_, gravity_);
    KDL::JntArray tau(n), coriolis(n), gravity(n);
    KDL::JntSpaceInertiaMatrix M(n);
    require_success(solver.CartToJnt(to_kdl(q), to_kdl(qd), to_kdl(qdd),
                                     KDL::Wrenches(chain_.getNrOfSegments(), KDL::Wrench::Zero()), tau));
    require_success(parts.JntToMass(to_kdl(q), M));
    require_success(parts.JntToCoriolis(to_kdl(q), to_kdl(qd), coriolis));
    require_success(parts.JntToGravity(to_kdl(q), gravity));
    return {tau.data, coriolis.data, gravity.data, M.data};
  }

 private:
  KDL::Chain chain_;
  KDL::Vector gravity_;
  std::vector<std::string> names_;
};

bool is_chain(const Robot& robot) {
  for (int i = 0; i < robot.size(); ++i) {
    if (robot.joints[i].parent != i - 1) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<Engine> make_kdl(const Robot& robot) {
  if (is_chain(robot)) return std::make_unique<KdlChain>(robot);
  return std::make_unique<KdlTree>(robot);
}

}  // namespace steelyard::oracle
