// R(q) = in · Rz(q) · out with as many signed permutations as possible.
//
// The joint's axis is k = R z in the parent's frame and z in the link's, both constant. Any rotation `in`
// whose third column is k will do, with out = inᵀ R(0); so will any `out` whose third row is zᵀ, with in =
// R(0) outᵀ.
#include <Eigen/Geometry>
#include <cmath>

#include "regressor/program.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Rounding of a few products; the robot stage makes multiples of π/2 exact.
constexpr double kExact = 1e-14;

bool is_signed_permutation(const Matrix3& m) {
  return ((m - m.array().round().matrix()).array().abs() < kExact).all();
}

bool is_signed_axis(const Vector3& a) {
  return ((a - a.array().round().matrix()).array().abs() < kExact).all();
}

// A rotation with the given third column: a signed permutation when the column is a coordinate axis.
Matrix3 rotation_with_z(const Vector3& column) {
  const Eigen::Vector3d z = column;
  if (is_signed_axis(column)) {
    if (z.z() > 0.5) return Matrix3::Identity();
    Matrix3 m = Matrix3::Zero();
    Index axis;
    z.cwiseAbs().maxCoeff(&axis);
    m.col(2) = z.array().round();
    m((axis + 1) % 3, 0) = 1;
    m.col(1) = Eigen::Vector3d(m.col(2)).cross(Eigen::Vector3d(m.col(0)));
    return m;
  }
  const Eigen::Vector3d x = z.unitOrthogonal();
  Matrix3 m;
  m << x, z.cross(x), z;
  return m;
}

simd::TurnKind kind_of(const Matrix3& m) {
  if (!is_signed_permutation(m)) return simd::TurnKind::general;
  if (m.isIdentity(kExact)) return simd::TurnKind::identity;
  if (m(0, 0) > 0.5 && m(2, 1) > 0.5) return simd::TurnKind::quarter_x;
  if (m(0, 0) > 0.5 && m(1, 2) > 0.5) return simd::TurnKind::quarter_back_x;
  return simd::TurnKind::permuted;
}

simd::Turn turn_of(const Matrix3& m) {
  simd::Turn turn;
  turn.kind = kind_of(m);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) turn.matrix[3 * r + c] = m(r, c);
  }
  if (turn.kind == simd::TurnKind::general) return turn;
  for (int k = 0; k < 3; ++k) {
    Index row;
    m.col(k).cwiseAbs().maxCoeff(&row);
    const double sign = m(row, k) < 0 ? -0.0 : 0.0;
    turn.index[k] = static_cast<int>(row);
    turn.sign[k] = sign;
    turn.place[row] = k;
    turn.place_sign[row] = sign;
  }
  return turn;
}

struct Split {
  Matrix3 in, out;
  bool plain() const { return is_signed_permutation(in) && is_signed_permutation(out); }
};

Split split_revolute(const TreeJoint& joint) {
  const Matrix3 at_zero = joint.R0 + joint.Rc;
  Split by_out;
  by_out.out = rotation_with_z(joint.z).transpose();
  by_out.in = at_zero * by_out.out.transpose();
  if (by_out.plain()) return by_out;
  Split by_in;
  by_in.in = rotation_with_z(at_zero * joint.z);
  by_in.out = by_in.in.transpose() * at_zero;
  // With one general rotation left, an identity on the other side saves the most.
  const bool own_axis = by_out.out.isIdentity(kExact);
  return by_in.plain() || (!own_axis && is_signed_permutation(by_in.in)) ? by_in : by_out;
}

// Sums of products that should cancel leave 1e-17 m; as zeros they cost nothing.
void put(double* to, const Vector3& from, double scale) {
  for (int k = 0; k < 3; ++k) to[k] = std::abs(from[k]) < kExact * scale ? 0.0 : from[k];
}

}  // namespace

simd::Link compile_link(const TreeJoint& joint) {
  simd::Link link;
  link.prismatic = joint.prismatic;
  const double scale = joint.p0.norm() + joint.pc.norm() + joint.ps.norm();
  put(link.z, joint.z, joint.z.norm());
  put(link.v, joint.v, joint.prismatic ? joint.v.norm() : scale);
  if (joint.prismatic) {
    link.in = turn_of(joint.R0);
    put(link.shift_link, joint.R0.transpose() * joint.p0, scale);
    link.shifts_out = true;
    return link;
  }
  const Split split = split_revolute(joint);
  link.in = turn_of(split.in);
  link.out = turn_of(split.out);
  put(link.shift_parent, joint.p0, scale);
  put(link.shift_in, split.in.transpose() * joint.p0, scale);
  Vector3 beyond = split.in.transpose() * joint.pc;
  beyond.z() = 0;
  put(link.shift_out, beyond, scale);
  put(link.shift_link, split.out.transpose() * beyond, scale);
  link.shifts_out = link.shift_out[0] != 0 || link.shift_out[1] != 0;
  for (int k = 0; k < 3; ++k) {
    link.shift_pattern |= link.shift_in[k] != 0 ? 1u << k : 0u;
    link.parent_pattern |= link.shift_parent[k] != 0 ? 1u << k : 0u;
  }
  link.own_z =
      link.z[0] == 0 && link.z[1] == 0 && link.z[2] > 0 && link.v[0] == 0 && link.v[1] == 0 && link.v[2] == 0;
  if (link.own_z) link.z[2] = 1;
  link.simple = link.own_z && link.in.kind <= simd::TurnKind::quarter_back_x;
  return link;
}

}  // namespace steelyard
