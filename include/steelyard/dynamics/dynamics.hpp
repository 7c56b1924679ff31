// Rigid-body dynamics of a tree with ten parameters a link.
//
//   τ = M(q) q̈ + S(q, q̇) q̇ + g(q) − J_tool(q)ᵀ w,     Ṁ − 2S skew-symmetric (S from Christoffel symbols)
//
// `parameters` are the 10·n standard parameters in link order. w is the external wrench that the surroundings
// exert on the tool, (force, moment) about the tool's origin in tool axes. No friction, no rotors: those are
// drive terms. All joints of the tree are coordinates here; mimic joints are reduced by `Coordinates`
// (robot/robot.hpp).
#pragma once

#include <memory>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace dynamics {
struct Skeleton;
struct Prepared;
}  // namespace dynamics

// A robot compiled to numbers: what every dynamics function and regressor kernel reads.
//
// For a revolute joint the pose of link i in its parent is affine in (cos q, sin q):
//   R(q) = R0 + Rc cos q + Rs sin q,   p(q) = p0 + pc cos q + ps sin q
// for a prismatic one R = R0, p = p0 + pc q (Rc = Rs = ps = 0).
// The joint's twist per unit velocity, in link i's own frame and about its origin, is constant: angular `z`,
// linear `v` (revolute with own axis at the origin: v = 0; prismatic: z = 0).

struct TreeJoint {
  int parent = -1;
  bool prismatic = false;
  Matrix3 R0, Rc, Rs;
  Vector3 p0, pc, ps;
  Vector3 z, v;
  std::vector<int> path;  // joints from the root to this one, itself included

  Pose pose(double q) const;  // T_parent,link
};

struct Tree {
  std::vector<TreeJoint> joints;
  Vector3 gravity;  // in the base frame
  Pose base;        // pose of the base frame in the frame gravity was given in
  Pose tool;        // T_link,tool
  int tool_link = -1;
  std::shared_ptr<const dynamics::Skeleton> skeleton;  // of `joints`, for the kernels

  int size() const { return static_cast<int>(joints.size()); }
};

Tree compile(const Robot& robot);

// Force and moment with which joint i acts on its link (that is: its parent on it), about the link frame's
// origin, in link axes.
struct JointWrench {
  Vector3 force;
  Vector3 moment;
};

struct InverseDynamics {
  VectorXd tau;                       // joint efforts
  std::vector<JointWrench> wrenches;  // force and moment in each joint
};

InverseDynamics newton_euler(const Tree& tree, const VectorXd& parameters, const VectorXd& q,
                             const VectorXd& qd, const VectorXd& qdd,
                             const Vector6& tool_wrench = Vector6::Zero());

MatrixXd mass_matrix(const Tree& tree, const VectorXd& parameters, const VectorXd& q);
VectorXd gravity_torque(const Tree& tree, const VectorXd& parameters, const VectorXd& q);
MatrixXd coriolis_factor(const Tree& tree, const VectorXd& parameters, const VectorXd& q, const VectorXd& qd);
VectorXd forward_dynamics(const Tree& tree, const VectorXd& parameters, const VectorXd& q, const VectorXd& qd,
                          const VectorXd& tau, const Vector6& tool_wrench = Vector6::Zero());

// Samples as channels: coordinate a of sample s is q[a * stride + s].
struct DynamicsSamples {
  const double* q = nullptr;
  const double* qd = nullptr;
  const double* given = nullptr;  // efforts (forward) or accelerations (inverse)
  Index stride = 0;
  Index count = 0;
};

// A robot with its parameters and the inertia B of its rotors, prepared for many samples:
//
//   (Cᵀ M C + B) q̈ + Cᵀ (S q̇ + g) = τ,     q_all = C q + offset  (Coordinates)
//
// Forward dynamics goes by articulated bodies, O(n), where every joint is a coordinate and B is diagonal; with
// mimic joints and coupled rotors by M of composite bodies and its factor. Many samples at a time take a
// fraction of the time; a sample gives the same bytes alone and in any batch. May be used from many threads.
class DynamicsPlan {
 public:
  DynamicsPlan() = default;  // of no robot: only to be assigned to
  DynamicsPlan(const Tree& tree, const VectorXd& parameters);
  DynamicsPlan(const Tree& tree, const VectorXd& parameters, const Coordinates& coordinates,
               const MatrixXd& rotors);

  Index joints() const;  // coordinates
  bool by_articulated_bodies() const;

  // Accelerations of coordinate a of sample s to qdd[a * stride + s]. Where the mass matrix is not positive
  // definite they have no meaning.
  struct Failure {
    Index sample = -1;  // the first one; −1: none
    int joint = -1;
  };
  Failure forward(const DynamicsSamples& samples, double* qdd, Index stride) const;
  VectorXd forward(const VectorXd& q, const VectorXd& qd, const VectorXd& tau) const;  // throws InputError

  // Efforts, likewise.
  void inverse(const DynamicsSamples& samples, double* tau, Index stride) const;
  VectorXd inverse(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) const;

  MatrixXd mass_matrix(const VectorXd& q) const;  // Cᵀ M C + B

 private:
  std::shared_ptr<const dynamics::Prepared> prepared_;
};

struct Energies {
  double kinetic;
  double potential;  // zero when every link's centre of mass is at the base frame's origin
};
Energies energies(const Tree& tree, const VectorXd& parameters, const VectorXd& q, const VectorXd& qd);

// Pose of every link in the base frame; `tool_pose` that of the tool.
std::vector<Pose> forward_kinematics(const Tree& tree, const VectorXd& q);
Pose tool_pose(const Tree& tree, const VectorXd& q);

// Twist of the tool per joint velocity, rows (linear, angular) about the tool's origin in base axes.
MatrixXd tool_jacobian(const Tree& tree, const VectorXd& q);

}  // namespace steelyard
