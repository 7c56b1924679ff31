// Kernel frames: z along the joint axis, and x such that the axis of one child lies in the plane of y and z. Any
// rotation from a child's axes to its parent's is Rz(turn) Rx(tilt) Rz(zero): for that child turn = 0.
#include "dynamics/skeleton.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace steelyard::inline STEELYARD_ABI {
namespace dynamics {
namespace {

using articulated::Angle;
using articulated::Tilt;

// Rounding of a few products; the robot stage makes multiples of π/2 exact.
constexpr double kExactTurn = 1e-14;

double exact(double x) {
  const double whole = std::round(x);
  return std::abs(x - whole) < kExactTurn ? whole + 0.0 : x;
}

Angle angle_of(double cos, double sin) {
  const double size = std::hypot(cos, sin);
  return {exact(cos / size), exact(sin / size)};
}

Matrix3 rotation_at_zero(const TreeJoint& joint) {
  return joint.R0 + joint.Rc;
}

Vector3 axis_of(const TreeJoint& joint) {
  return (joint.prismatic ? joint.v : joint.z).normalized();
}

// The part of `other` across `axis` is −y of the frame; none: any.
Matrix3 axes_with(const Vector3& axis, const Vector3* other) {
  const Eigen::Vector3d z = axis;
  Eigen::Vector3d y;
  if (other != nullptr) {
    y = -(*other - z * z.dot(*other)).normalized();
  } else {
    y = z.cross(Eigen::Vector3d::Unit(std::abs(z.x()) < 0.9 ? 0 : 1)).normalized();
  }
  Matrix3 axes;
  axes << y.cross(z), y, z;
  return axes.unaryExpr(&exact);
}

bool is_across(const Vector3& a, const Vector3& b) {
  return Eigen::Vector3d(a).cross(Eigen::Vector3d(b)).norm() > kExactTurn;
}

KernelFrame frame_for(const std::vector<TreeJoint>& joints, int i) {
  const TreeJoint& joint = joints[static_cast<std::size_t>(i)];
  KernelFrame frame;
  const Vector3 axis = axis_of(joint);
  Vector3 towards;
  bool found = false;
  for (std::size_t c = static_cast<std::size_t>(i) + 1; c < joints.size() && !found; ++c) {
    if (joints[c].parent != i) continue;
    towards = rotation_at_zero(joints[c]) * axis_of(joints[c]);
    found = is_across(axis, towards);
  }
  frame.axes = axes_with(axis, found ? &towards : nullptr);
  // The point of the axis next to the link's origin; along a sliding joint's axis any point will do.
  frame.origin.setZero();
  if (!joint.prismatic) frame.origin = axis.cross(joint.v);
  frame.distance = frame.origin.norm();
  return frame;
}

// rotation = Rz(turn) Rx(tilt) Rz(zero)
void split(const Matrix3& rotation, articulated::Joint& joint) {
  const double across = std::hypot(rotation(0, 2), rotation(1, 2));
  const bool parallel = across < kExactTurn;
  joint.tilt = angle_of(rotation(2, 2), parallel ? 0 : across);
  joint.turn = parallel ? Angle{} : angle_of(-rotation(1, 2), rotation(0, 2));
  joint.turns = joint.turn.cos != 1;
  joint.tilt_kind = joint.tilt.cos == 1 ? Tilt::none : joint.tilt.cos == 0 ? Tilt::quarter : Tilt::general;
  // First column of Rx(−tilt) Rz(−turn) rotation.
  const double x = joint.turn.cos * rotation(0, 0) + joint.turn.sin * rotation(1, 0);
  const double y = joint.turn.cos * rotation(1, 0) - joint.turn.sin * rotation(0, 0);
  joint.zero = angle_of(x, joint.tilt.cos * y + joint.tilt.sin * rotation(2, 0));
}

void put_shift(const Vector3& shift, double scale, articulated::Joint& joint) {
  for (unsigned k = 0; k < 3; ++k) {
    joint.shift[k] = std::abs(shift[k]) < kExactTurn * scale ? 0.0 : shift[k];
    if (joint.shift[k] != 0 || joint.slide[k] != 0) joint.pattern |= 1u << k;
  }
  joint.shift_size = shift.norm();
}

articulated::Joint place_joint(const TreeJoint& source, const KernelFrame* parent, const KernelFrame& own) {
  articulated::Joint joint;
  joint.parent = source.parent;
  joint.slides = source.prismatic;
  const Matrix3 to_parent =
      parent != nullptr ? Matrix3(parent->axes.transpose()) : Matrix3(Matrix3::Identity());
  const Vector3 from = parent != nullptr ? parent->origin : Vector3(Vector3::Zero());
  split(to_parent * rotation_at_zero(source) * own.axes, joint);
  if (joint.slides) {
    const Vector3 slide = to_parent * source.pc;
    for (int k = 0; k < 3; ++k) joint.slide[k] = exact(slide[k]);
  }
  put_shift(to_parent * (source.p0 - from), source.p0.norm() + from.norm(), joint);
  return joint;
}

// Slots of what children add, taken when the first of them does and given back behind the parent's turn.
void assign_gathered(Skeleton& skeleton) {
  std::vector<articulated::Joint>& joints = skeleton.joints;
  std::vector<articulated::Size> free;
  for (articulated::Joint& joint : joints) joint.is_leaf = true;
  for (std::size_t i = joints.size(); i-- > 0;) {
    articulated::Joint& joint = joints[i];
    if (!joint.is_leaf) free.push_back(joint.gathered);
    if (joint.parent < 0) continue;
    articulated::Joint& parent = joints[static_cast<std::size_t>(joint.parent)];
    joint.opens = parent.is_leaf;
    if (!joint.opens) continue;
    parent.is_leaf = false;
    if (free.empty()) free.push_back(skeleton.gathered_slots++);
    parent.gathered = free.back();
    free.pop_back();
  }
}

// Links with a child that is not the next link keep their motion.
void assign_kept(Skeleton& skeleton) {
  for (std::size_t i = 0; i < skeleton.joints.size(); ++i) {
    const int parent = skeleton.joints[i].parent;
    if (parent < 0 || static_cast<std::size_t>(parent) + 1 == i) continue;
    articulated::Joint& branching = skeleton.joints[static_cast<std::size_t>(parent)];
    if (branching.kept < 0) branching.kept = skeleton.kept_slots++;
  }
}

}  // namespace

std::shared_ptr<const Skeleton> make_skeleton(const std::vector<TreeJoint>& joints) {
  auto skeleton = std::make_shared<Skeleton>();
  for (std::size_t i = 0; i < joints.size(); ++i) {
    skeleton->frames.push_back(frame_for(joints, static_cast<int>(i)));
    const int parent = joints[i].parent;
    const KernelFrame* before = parent < 0 ? nullptr : &skeleton->frames[static_cast<std::size_t>(parent)];
    skeleton->joints.push_back(place_joint(joints[i], before, skeleton->frames[i]));
  }
  assign_gathered(*skeleton);
  assign_kept(*skeleton);
  return skeleton;
}

namespace {

// mc and J about the frame's origin o, in its axes: mc − m o, J − (2 o·mc 1 − o mcᵀ − mc oᵀ) + m (o² 1 − o oᵀ).
// Number by number: it is done for every call with parameters of its own.
void place_body(const double* p, const KernelFrame& frame, articulated::Body& body) {
  const double m = p[0];
  double hx = p[1], hy = p[2], hz = p[3];
  double xx = p[4], xy = p[5], xz = p[6], yy = p[7], yz = p[8], zz = p[9];
  body.m = m;
  body.size_h = std::abs(hx) + std::abs(hy) + std::abs(hz);
  body.size_J = std::abs(xx) + std::abs(yy) + std::abs(zz);
  if (frame.distance > 0) {
    const double x = frame.origin[0], y = frame.origin[1], z = frame.origin[2];
    const double tx = m * x - hx, ty = m * y - hy, tz = m * z - hz;
    const double ax = x * (tx - hx), ay = y * (ty - hy), az = z * (tz - hz);
    xx += ay + az, yy += ax + az, zz += ax + ay;
    xy += x * hy - tx * y, xz += x * hz - tx * z, yz += y * hz - ty * z;
    hx = -tx, hy = -ty, hz = -tz;
    body.size_J += frame.distance * (2 * body.size_h + frame.distance * std::abs(m));
    body.size_h += frame.distance * std::abs(m);
  }
  const double* const E = frame.axes.data();
  double half[9];  // J E
  for (int k = 0; k < 3; ++k) {
    const double x = E[3 * k], y = E[3 * k + 1], z = E[3 * k + 2];
    body.h[k] = x * hx + y * hy + z * hz;
    half[3 * k] = xx * x + xy * y + xz * z;
    half[3 * k + 1] = xy * x + yy * y + yz * z;
    half[3 * k + 2] = xz * x + yz * y + zz * z;
  }
  const auto entry = [&](int r, int c) {
    return E[3 * r] * half[3 * c] + E[3 * r + 1] * half[3 * c + 1] + E[3 * r + 2] * half[3 * c + 2];
  };
  body.J[0] = entry(0, 0), body.J[1] = entry(0, 1), body.J[2] = entry(0, 2);
  body.J[3] = entry(1, 1), body.J[4] = entry(1, 2), body.J[5] = entry(2, 2);
}

}  // namespace

void place_bodies(const Skeleton& skeleton, const double* parameters, articulated::Body* bodies) {
  const std::size_t n = skeleton.joints.size();
  for (std::size_t i = 0; i < n; ++i) {
    place_body(parameters + kParametersPerLink * i, skeleton.frames[i], bodies[i]);
    bodies[i].rotor = 0;
    bodies[i].carried = std::abs(bodies[i].m);
  }
  for (std::size_t i = n; i-- > 0;) {
    const int parent = skeleton.joints[i].parent;
    if (parent >= 0) bodies[parent].carried += bodies[i].carried;
  }
}

}  // namespace dynamics
}  // namespace steelyard
