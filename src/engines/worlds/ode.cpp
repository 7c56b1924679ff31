// ODE: free bodies held together by hinges and sliders (maximal coordinates), direct solver.
//
// ODE keeps joints together at the level of velocities and corrects the drift of a step in the next one
// (error reduction 1, nothing soft). Centripetal forces therefore appear only while a motion is played: the
// first steps behind set_state() lack them, and efforts are right to first order in the step. Driven joints
// have motors without a limit; their effort is the joint's wrench along its axis.
#include <ode/ode.h>
#include <ode/version.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <vector>

#include "engines/world.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

struct OdeLink {
  WorldBody body;
  dBodyID mass = nullptr;
  dJointID joint = nullptr;
  dJointFeedback feedback = {};
  double q = 0;  // keeps whole turns
};

Matrix3 about(const Vector3& axis, double angle) {
  const double s = std::sin(angle), c = std::cos(angle);
  Matrix3 cross;
  cross << 0, -axis[2], axis[1], axis[2], 0, -axis[0], -axis[1], axis[0], 0;
  return Matrix3::Identity() + s * cross + (1 - c) * cross * cross;
}

Vector3 from_ode(const dReal* v) {
  return {v[0], v[1], v[2]};
}

class OdeWorld : public World {
 public:
  explicit OdeWorld(const WorldRobot& robot) : world_(dWorldCreate()) {
    dWorldSetGravity(world_, robot.gravity[0], robot.gravity[1], robot.gravity[2]);
    dWorldSetERP(world_, 1);
    dWorldSetCFM(world_, 0);
    links_.resize(static_cast<std::size_t>(robot.count));
    for (std::size_t i = 0; i < links_.size(); ++i) add_body(links_[i], robot.bodies[i]);
    const std::vector<double> rest(links_.size(), 0.0);
    place(rest.data(), rest.data());
    for (OdeLink& link : links_) add_joint(link);
  }
  ~OdeWorld() override { dWorldDestroy(world_); }

  void set_state(const double* q, const double* qd) override { place(q, qd); }

  void state(double* q, double* qd) const override {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      q[i] = links_[i].q;
      qd[i] = links_[i].body.prismatic ? slider_rate(links_[i]) : dJointGetHingeAngleRate(links_[i].joint);
    }
  }

  void step(const double* effort, double seconds) override {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      set_motor(links_[i], 0, 0);
      if (links_[i].body.prismatic) {
        dJointAddSliderForce(links_[i].joint, effort[i]);
      } else {
        dJointAddHingeTorque(links_[i].joint, effort[i]);
      }
    }
    advance(seconds);
  }

  bool inverse(const double*, const double*, const double*, double*) override { return false; }

  void drive(const double* velocity, double seconds, double* effort) override {
    std::vector<Vector3> axes, arms;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      set_motor(links_[i], velocity[i], dInfinity);
      const WorldFrame joint = joint_frame(links_[i]);
      axes.emplace_back(joint.rotation * links_[i].body.axis);
      arms.emplace_back(joint.position - from_ode(dBodyGetPosition(links_[i].mass)));
    }
    advance(seconds);
    for (std::size_t i = 0; i < links_.size(); ++i) {
      // The wrench is about the centre of mass: a hinge's moment is taken about its own axis.
      const Vector3 force = from_ode(links_[i].feedback.f1), moment = from_ode(links_[i].feedback.t1);
      effort[i] = axes[i].dot(links_[i].body.prismatic ? force : Vector3(moment - arms[i].cross(force)));
    }
  }

  WorldFrame pose(int link) override { return frame_of(links_[static_cast<std::size_t>(link)]); }

 private:
  void add_body(OdeLink& link, const WorldBody& body) {
    link.body = body;
    link.mass = dBodyCreate(world_);
    dMass mass;
    const Matrix3& I = body.inertia;
    dMassSetParameters(&mass, body.mass, 0, 0, 0, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
    dBodySetMass(link.mass, &mass);
    dBodySetFiniteRotationMode(link.mass, 1);
  }

  // The frames of ODE's bodies: link axes at the centre of mass.
  WorldFrame frame_of(const OdeLink& link) const {
    const dReal* R = dBodyGetRotation(link.mass);
    WorldFrame frame;
    frame.rotation << R[0], R[1], R[2], R[4], R[5], R[6], R[8], R[9], R[10];
    frame.position = from_ode(dBodyGetPosition(link.mass)) - frame.rotation * link.body.com.position;
    return frame;
  }

  // Where the joint stands, seen from its link.
  WorldFrame joint_frame(const OdeLink& link) const { return frame_of(link) * link.body.after.inverse(); }

  // ODE's own rate of a slider leaves out that its parent turns.
  double slider_rate(const OdeLink& link) const {
    const Vector3 axis = joint_frame(link).rotation * link.body.axis;
    Vector3 velocity = from_ode(dBodyGetLinearVel(link.mass));
    if (link.body.parent >= 0) {
      const dBodyID parent = links_[static_cast<std::size_t>(link.body.parent)].mass;
      const Vector3 arm = from_ode(dBodyGetPosition(link.mass)) - from_ode(dBodyGetPosition(parent));
      velocity -= from_ode(dBodyGetLinearVel(parent)) + from_ode(dBodyGetAngularVel(parent)).cross(arm);
    }
    return axis.dot(velocity);
  }

  // Poses and velocities of all bodies from those of the joints.
  void place(const double* q, const double* qd) {
    std::vector<WorldFrame> frames;
    std::vector<Vector3> turning, moving;  // of the link's frame
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const WorldBody& body = links_[i].body;
      const auto parent = static_cast<std::size_t>(body.parent < 0 ? 0 : body.parent);
      const bool root = body.parent < 0;
      const WorldFrame joint = (root ? WorldFrame{} : frames[parent]) * body.before;
      WorldFrame motion;
      if (body.prismatic) {
        motion.position = q[i] * body.axis;
      } else {
        motion.rotation = about(body.axis, q[i]);
      }
      const WorldFrame frame = joint * motion * body.after;
      const Vector3 axis = joint.rotation * body.axis;
      Vector3 omega = root ? Vector3(Vector3::Zero()) : turning[parent];
      Vector3 velocity = Vector3::Zero();
      if (!root) velocity = moving[parent] + omega.cross(frame.position - frames[parent].position);
      if (body.prismatic) {
        velocity += qd[i] * axis;
      } else {
        omega += qd[i] * axis;
        velocity += qd[i] * axis.cross(frame.position - joint.position);
      }
      frames.push_back(frame), turning.push_back(omega), moving.push_back(velocity);
      put(links_[i], frame, omega, velocity);
      links_[i].q = q[i];
    }
  }

  static void put(const OdeLink& link, const WorldFrame& frame, const Vector3& omega,
                  const Vector3& velocity) {
    const Vector3 arm = frame.rotation * link.body.com.position;
    const Vector3 com = frame.position + arm, speed = velocity + omega.cross(arm);
    const Matrix3& R = frame.rotation;
    const dMatrix3 rotation = {R(0, 0), R(0, 1), R(0, 2), 0,       R(1, 0), R(1, 1),
                               R(1, 2), 0,       R(2, 0), R(2, 1), R(2, 2), 0};
    dBodySetPosition(link.mass, com[0], com[1], com[2]);
    dBodySetRotation(link.mass, rotation);
    dBodySetLinearVel(link.mass, speed[0], speed[1], speed[2]);
    dBodySetAngularVel(link.mass, omega[0], omega[1], omega[2]);
  }

  void add_joint(OdeLink& link) {
    const dBodyID parent =
        link.body.parent < 0 ? nullptr : links_[static_cast<std::size_t>(link.body.parent)].mass;
    const WorldFrame frame = joint_frame(link);
    const Vector3 axis = frame.rotation * link.body.axis;
    link.joint =
        link.body.prismatic ? dJointCreateSlider(world_, nullptr) : dJointCreateHinge(world_, nullptr);
    dJointAttach(link.joint, link.mass, parent);
    if (link.body.prismatic) {
      dJointSetSliderAxis(link.joint, axis[0], axis[1], axis[2]);
    } else {
      dJointSetHingeAnchor(link.joint, frame.position[0], frame.position[1], frame.position[2]);
      dJointSetHingeAxis(link.joint, axis[0], axis[1], axis[2]);
    }
    dJointSetFeedback(link.joint, &link.feedback);
  }

  static void set_motor(const OdeLink& link, double velocity, double limit) {
    const auto set = link.body.prismatic ? dJointSetSliderParam : dJointSetHingeParam;
    set(link.joint, dParamVel, velocity);
    set(link.joint, dParamFMax, limit);
  }

  void advance(double seconds) {
    dWorldStep(world_, seconds);
    for (OdeLink& link : links_) {
      if (link.body.prismatic) {
        link.q = dJointGetSliderPosition(link.joint);
      } else {
        link.q += std::remainder(dJointGetHingeAngle(link.joint) - link.q, 2 * std::numbers::pi);
      }
    }
  }

  dWorldID world_;
  std::vector<OdeLink> links_;
};

}  // namespace
}  // namespace steelyard

STEELYARD_ENGINE_MODULE steelyard::World* steelyard_make_world(const steelyard::WorldRobot& robot) {
  dInitODE2(0);
  return new steelyard::OdeWorld(robot);
}

STEELYARD_ENGINE_MODULE const char* steelyard_world_version() {
  return dODE_VERSION;
}
