// Bullet, double precision: btMultiBody (articulated bodies in joint coordinates), no collision shapes.
//
// Bullet ships no inverse dynamics: its forward step is affine in the efforts, v⁺ = v + h (a₀ + M⁻¹ τ), so
// one step without efforts and one with each of them, all from the same state, give M⁻¹ and a₀, and τ = M (q̈
// − a₀). Steps are semi-implicit Euler. Bullet's link frames are principal axes at the centre of mass.
#include <BulletDynamics/Featherstone/btMultiBody.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "engines/world.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kProbe = 1e-3;  // [s] of the steps that are taken for inverse dynamics; cancels

btVector3 to_bullet(const Vector3& v) {
  return {v[0], v[1], v[2]};
}

btQuaternion to_bullet(const Matrix3& rotation) {
  const Eigen::Quaterniond turn{Eigen::Matrix3d(rotation)};
  return {turn.x(), turn.y(), turn.z(), turn.w()};
}

class BulletWorld : public World {
 public:
  explicit BulletWorld(const WorldRobot& robot)
      : bodies_(robot.count, 0, btVector3(0, 0, 0), true, false),
        gravity_(robot.gravity),
        links_(robot.bodies, robot.bodies + robot.count) {
    for (int i = 0; i < robot.count; ++i) add(i);
    bodies_.finalizeMultiDof();
    bodies_.setLinearDamping(0);
    bodies_.setAngularDamping(0);
    bodies_.setUseGyroTerm(true);
    bodies_.setMaxCoordinateVelocity(1e9);
    bodies_.setBaseWorldTransform(btTransform::getIdentity());
  }

  void set_state(const double* q, const double* qd) override {
    for (int i = 0; i < count(); ++i) {
      bodies_.setJointPos(i, q[i]);
      bodies_.setJointVel(i, qd[i]);
    }
  }

  void state(double* q, double* qd) const override {
    for (int i = 0; i < count(); ++i) {
      q[i] = bodies_.getJointPos(i);
      qd[i] = bodies_.getJointVel(i);
    }
  }

  void step(const double* effort, double seconds) override {
    accelerate(effort, seconds);
    bodies_.stepPositionsMultiDof(seconds);
  }

  bool inverse(const double* q, const double* qd, const double* qdd, double* effort) override {
    const Index n = count();
    const Eigen::VectorXd free = probe(q, qd, Eigen::VectorXd::Zero(n));
    Eigen::MatrixXd inverse_mass(n, n);
    for (Index j = 0; j < n; ++j) inverse_mass.col(j) = probe(q, qd, Eigen::VectorXd::Unit(n, j)) - free;
    const Eigen::VectorXd wanted = Eigen::Map<const Eigen::VectorXd>(qdd, n) - free;
    Eigen::Map<Eigen::VectorXd>(effort, n) =
        (0.5 * (inverse_mass + inverse_mass.transpose())).llt().solve(wanted);
    set_state(q, qd);
    return true;
  }

  void drive(const double* velocity, double seconds, double* effort) override {
    drive_by_inverse(count(), velocity, seconds, effort);
  }

  WorldFrame pose(int link) override {
    // From the root on: in Bullet, a vector of the parent turns into one of the link.
    std::vector<int> path;
    for (int i = link; i >= 0; i = links_[static_cast<std::size_t>(i)].parent) path.push_back(i);
    btQuaternion to_link = btQuaternion::getIdentity();
    btVector3 origin(0, 0, 0);
    for (std::size_t k = path.size(); k-- > 0;) {
      to_link = bodies_.getParentToLocalRot(path[k]) * to_link;
      origin += quatRotate(to_link.inverse(), bodies_.getRVector(path[k]));
    }
    const Eigen::Quaterniond turn(to_link.w(), to_link.x(), to_link.y(), to_link.z());
    const WorldFrame com{turn.conjugate().toRotationMatrix(), Vector3(origin.x(), origin.y(), origin.z())};
    return com * links_[static_cast<std::size_t>(link)].com.inverse();
  }

 private:
  int count() const { return static_cast<int>(links_.size()); }

  void add(int i) {
    const WorldBody& body = links_[static_cast<std::size_t>(i)];
    const WorldFrame parent =
        body.parent < 0 ? WorldFrame{} : links_[static_cast<std::size_t>(body.parent)].com;
    const WorldFrame rest = parent.inverse() * body.before * body.after * body.com;
    const WorldFrame pivot = parent.inverse() * body.before;   // joint frame seen from the parent
    const WorldFrame own = (body.after * body.com).inverse();  // and from the link
    const btVector3 axis = to_bullet(Vector3(own.rotation * body.axis));
    const btVector3 moments = to_bullet(body.moments);
    const btQuaternion turn = to_bullet(Matrix3(rest.rotation.transpose()));
    const btVector3 to_pivot = to_bullet(pivot.position), to_com = to_bullet(Vector3(-own.position));
    if (body.prismatic) {
      bodies_.setupPrismatic(i, body.mass, moments, body.parent, turn, axis, to_pivot, to_com, true);
    } else {
      bodies_.setupRevolute(i, body.mass, moments, body.parent, turn, axis, to_pivot, to_com, true);
    }
  }

  void accelerate(const double* effort, double seconds) {
    bodies_.clearForcesAndTorques();
    for (int i = 0; i < count(); ++i) {
      bodies_.addLinkForce(i, to_bullet(Vector3(links_[static_cast<std::size_t>(i)].mass * gravity_)));
      bodies_.addJointTorque(i, effort[i]);
    }
    bodies_.computeAccelerationsArticulatedBodyAlgorithmMultiDof(seconds, numbers_, vectors_, matrices_,
                                                                 false, false, false);
  }

  Eigen::VectorXd probe(const double* q, const double* qd, const Eigen::VectorXd& effort) {
    set_state(q, qd);
    accelerate(effort.data(), kProbe);
    Eigen::VectorXd acceleration(count());
    for (int i = 0; i < count(); ++i) acceleration[i] = (bodies_.getJointVel(i) - qd[i]) / kProbe;
    return acceleration;
  }

  btMultiBody bodies_;
  Vector3 gravity_;
  std::vector<WorldBody> links_;
  btAlignedObjectArray<btScalar> numbers_;
  btAlignedObjectArray<btVector3> vectors_;
  btAlignedObjectArray<btMatrix3x3> matrices_;
};

}  // namespace
}  // namespace steelyard

STEELYARD_ENGINE_MODULE steelyard::World* steelyard_make_world(const steelyard::WorldRobot& robot) {
  return new steelyard::BulletWorld(robot);
}

STEELYARD_ENGINE_MODULE const char* steelyard_world_version() {
  static const std::string version =
      std::to_string(btGetVersion() / 100) + "." + std::to_string(btGetVersion() % 100);
  return version.c_str();
}
