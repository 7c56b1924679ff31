#include "regressor/symbolic/motion.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::inline STEELYARD_ABI {
namespace symbolic {

int Names::index_of(const std::string& name) const {
  const auto found = std::find(frame.symbols.begin(), frame.symbols.end(), name);
  return found == frame.symbols.end() ? -1 : static_cast<int>(found - frame.symbols.begin());
}

Names names_of(const Robot& robot) {
  Names names;
  names.frame = frame_of(robot);
  const auto add = [&](const std::string& name, double value) {
    if (name.empty() || names.index_of(name) >= 0) return;
    names.frame.symbols.push_back(name);
    names.symbols.push_back({name, value});
  };
  for (const Joint& joint : robot.joints)
    for (const Steps* steps : {&joint.before, &joint.after})
      for (const Step& step : *steps)
        if (!is_turn(step.motion) && step.value != 0) add(step.name, step.value);
  if (robot.gravity.norm() > 0) {
    std::string name = "g";
    while (names.index_of(name) >= 0) name += "_";  // a length has this name
    add(name, robot.gravity.norm());
    names.g = names.index_of(name);
  }
  return names;
}

Vector plus(const Vector& a, const Vector& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

Sum dot(const Frame& frame, const Vector& a, const Vector& b) {
  Sum out;
  for (std::size_t k = 0; k < 3; ++k) out += multiply(frame, a[k], b[k]);
  return out;
}

Vector cross(const Frame& frame, const Vector& a, const Vector& b) {
  Vector out;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t l = (k + 1) % 3, m = (k + 2) % 3;
    out[k] = multiply(frame, a[l], b[m]) - multiply(frame, a[m], b[l]);
    out[k].clean();
  }
  return out;
}

Vector turned(const Matrix3& A, const Vector& v) {
  Vector out;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      if (A(r, c) != 0) out[static_cast<std::size_t>(r)] += A(r, c) * v[static_cast<std::size_t>(c)];
  for (Sum& sum : out) sum.clean();
  return out;
}

namespace {

Vector constant_vector(const Frame& frame, const Vector3& v) {
  Vector out;
  for (int k = 0; k < 3; ++k)
    if (v[k] != 0) out[static_cast<std::size_t>(k)] = number(frame, v[k]);
  return out;
}

// The same body seen from a frame that a fixed step leads to.
void step_to(const Names& names, const Step& step, Motion& at) {
  if (is_identity(step)) return;
  if (is_turn(step.motion)) {
    const Matrix3 back = to_pose(step).rotation.transpose();
    for (std::size_t j = 0; j < at.w.size(); ++j) {
      at.w[j] = turned(back, at.w[j]);
      at.v[j] = turned(back, at.v[j]);
    }
    at.gravity = turned(back, at.gravity);
    return;
  }
  Vector way;
  const int known = names.index_of(step.name);
  way[static_cast<std::size_t>(axis_index(step.motion))] =
      known >= 0 ? symbol(names.frame, known) : number(names.frame, step.value);
  for (std::size_t j = 0; j < at.w.size(); ++j) at.v[j] = plus(at.v[j], cross(names.frame, at.w[j], way));
}

// Rᵀ v for a turn about a unit axis: v cos q − (axis × v) sin q + axis (axis · v) (1 − cos q).
Vector turned_back(const Frame& frame, const Vector3& axis, int joint, const Vector& v) {
  const Sum c = wave_of(frame, joint, cosine), s = wave_of(frame, joint, sine);
  const Vector along = turned(axis * axis.transpose(), v), aside = turned(-skew(axis), v);
  Vector out;
  for (std::size_t k = 0; k < 3; ++k) {
    out[k] = along[k] + multiply(frame, c, v[k] - along[k]) + multiply(frame, s, aside[k]);
    out[k].clean();
  }
  return out;
}

void move_by(const Names& names, const Robot& robot, int joint, Motion& at) {
  const Joint& own = robot.joints[static_cast<std::size_t>(joint)];
  const Frame& frame = names.frame;
  const Vector axis = constant_vector(frame, own.axis);
  if (own.kind == JointKind::prismatic) {
    Vector way;
    const Sum q = symbol(frame, frame.symbol_of_joint[static_cast<std::size_t>(joint)]);
    for (std::size_t k = 0; k < 3; ++k) way[k] = multiply(frame, axis[k], q);
    for (std::size_t j = 0; j < at.w.size(); ++j) at.v[j] = plus(at.v[j], cross(frame, at.w[j], way));
    at.v[static_cast<std::size_t>(joint)] = axis;
    return;
  }
  for (std::size_t j = 0; j < at.w.size(); ++j) {
    at.w[j] = turned_back(frame, own.axis, joint, at.w[j]);
    at.v[j] = turned_back(frame, own.axis, joint, at.v[j]);
  }
  at.gravity = turned_back(frame, own.axis, joint, at.gravity);
  at.w[static_cast<std::size_t>(joint)] = axis;
}

}  // namespace

std::vector<Motion> motions_of(const Names& names, const Robot& robot) {
  std::vector<Motion> motions;
  Motion base;
  base.w.resize(static_cast<std::size_t>(robot.size()));
  base.v.resize(static_cast<std::size_t>(robot.size()));
  if (names.g >= 0) {
    const Vector3 down = to_pose(robot.base).rotation.transpose() * robot.gravity.normalized();
    for (int k = 0; k < 3; ++k)
      if (std::abs(down[k]) > 1e-15)
        base.gravity[static_cast<std::size_t>(k)] = symbol(names.frame, names.g, down[k]);
  }
  for (int j = 0; j < robot.size(); ++j) {
    const Joint& joint = robot.joints[static_cast<std::size_t>(j)];
    Motion at = joint.parent < 0 ? base : motions[static_cast<std::size_t>(joint.parent)];
    for (const Step& step : joint.before) step_to(names, step, at);
    move_by(names, robot, j, at);
    for (const Step& step : joint.after) step_to(names, step, at);
    motions.push_back(std::move(at));
  }
  return motions;
}

}  // namespace symbolic
}  // namespace steelyard
