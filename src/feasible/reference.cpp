#include "steelyard/feasible/reference.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "feasible/cones.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kWater = 1000;                     // [kg/m³]
constexpr double kLightest = 50, kDensest = 20000;  // densities of what robots are made of
constexpr double kShortest = 0.011;                 // mean lengths below are none (link_lengths) [m]
constexpr double kSlenderness = 0.2;                // radius over mean length
constexpr double kRoundness = 1e-3;                 // of repaired bodies
constexpr double kUnknownSize = 0.1;                // of robots of which nothing is known [m]

Vector3 axis_of(const Vector3& along) {
  return along.norm() > 0 ? Vector3(along.normalized()) : Vector3(Vector3::UnitZ());
}

// Mass, centre, length along an axis, radius.
Inertia cylinder(double mass, const Vector3& centre, const Vector3& axis, double length, double radius) {
  const double along = length * length / 12, across = radius * radius / 4;
  const Matrix3 second = mass * (across * Matrix3::Identity() + (along - across) * axis * axis.transpose());
  return Inertia::from_mass_com_inertia(mass, centre, second.trace() * Matrix3::Identity() - second);
}

// From the link's joint to the mean of the joints and the tool that it carries, in the link's frame.
struct Span {
  Vector3 from = Vector3::Zero(), to = Vector3::Zero();
  double length() const { return (to - from).norm(); }
};

std::vector<Span> spans_of(const Robot& robot) {
  std::vector<Span> spans(static_cast<std::size_t>(robot.size()));
  std::vector<int> carried(spans.size(), 0);
  const auto carry = [&](int link, const Vector3& at) {
    spans[static_cast<std::size_t>(link)].to += at;
    ++carried[static_cast<std::size_t>(link)];
  };
  for (int i = 0; i < robot.size(); ++i) {
    const Joint& joint = robot.joints[static_cast<std::size_t>(i)];
    const Pose after = to_pose(joint.after);
    spans[static_cast<std::size_t>(i)].from = -(after.rotation.transpose() * after.position);
    if (joint.parent >= 0) carry(joint.parent, to_pose(joint.before).position);
  }
  if (robot.size() > 0)
    if (const Vector3 tool = to_pose(robot.tool).position; tool.norm() > 0)
      carry(robot.tool_link < 0 ? robot.size() - 1 : robot.tool_link, tool);
  for (std::size_t k = 0; k < spans.size(); ++k)
    if (carried[k] > 0) spans[k].to /= carried[k];
  return spans;
}

std::vector<Inertia> uniform_bodies(const Robot& robot, double size) {
  const double radius = kSlenderness * size;
  std::vector<Inertia> bodies;
  for (const Span& span : spans_of(robot)) {
    const double length = span.length() + 4 * radius / 3;  // round ends
    const double mass = kWater * std::numbers::pi * radius * radius * length;
    bodies.push_back(cylinder(mass, (span.from + span.to) / 2, axis_of(span.to - span.from), length, radius));
  }
  return bodies;
}

// Where nothing is compared with them: as large as the link and round, which keeps problems well scaled.
std::vector<Inertia> round_bodies(const Quantities& quantities) {
  std::vector<Inertia> bodies;
  for (int link = 0; link < quantities.links(); ++link) {
    const double size = body_size(quantities, link), radius = size / 4;
    const double mass = kWater * std::numbers::pi * radius * radius * size;
    Matrix4 P = Matrix4::Zero();
    P.diagonal() << Vector3::Constant(mass * (size * size / 12 + radius * radius / 2) / 3), mass;
    bodies.push_back(Inertia::from_pseudo_inertia(P));
  }
  return bodies;
}

// What the rows say of a link alone: first moment and largest moment of inertia.
struct SeenMoments {
  Vector3 first = Vector3::Zero();
  double inertia = 0;
};

SeenMoments seen_moments(const VectorXd& x, int link) {
  const auto p = x.segment<10>(Index{10} * link);
  return {p.segment<3>(1), std::max({p[4], p[7], p[9], 0.0})};
}

// A rod from the joint with these moments; `mass` 0: that of a rod, |mc|² / (3/4 J).
Inertia rod(const SeenMoments& seen, double mass) {
  const double moment = seen.first.norm();
  const double own = moment * moment / (0.75 * seen.inertia);
  if (!(mass > 0)) mass = own;
  const double rest = std::max(0.05 * seen.inertia, seen.inertia - moment * moment / mass);
  const double length = std::sqrt(rest / mass / (1.0 / 12 + kSlenderness * kSlenderness / 4));
  return cylinder(mass, seen.first / mass, axis_of(seen.first), length, kSlenderness * length);
}

// Links without first moment (a vertical axis) get bodies of the others' size.
std::vector<Inertia> bodies_from_data(const Objective& objective, const Quantities& quantities,
                                      std::optional<double> total_mass) {
  const VectorXd x = ShortestSolution(objective.R).solve(objective.z);
  std::vector<SeenMoments> seen;
  double size = 0, mass = 0;
  for (int link = 0; link < quantities.links(); ++link) {
    const SeenMoments& one = seen.emplace_back(seen_moments(x, link));
    const double moment = one.first.norm();
    if (!(one.inertia > 0) || !(moment > 1e-6 * one.inertia)) continue;
    size = std::max(size, std::min(5.0, 1.5 * one.inertia / moment));
    mass += moment * moment / (0.75 * one.inertia);
  }
  if (!(size > 0)) size = kUnknownSize;
  const double scale = total_mass && mass > 0 ? *total_mass / mass : 1;
  std::vector<Inertia> bodies;
  for (const SeenMoments& one : seen) {
    const double moment = one.first.norm();
    const bool rodlike = one.inertia > 0 && 1.5 * one.inertia / std::max(moment, 1e-300) <= 5.0;
    if (rodlike) {
      bodies.push_back(rod(one, scale * moment * moment / (0.75 * one.inertia)));
      continue;
    }
    const double radius = kSlenderness * size;
    const double own = one.inertia > 0 ? one.inertia / (size * size / 3)
                                       : kWater * std::numbers::pi * radius * radius * size;
    bodies.push_back(cylinder(own, Vector3::Zero(), Vector3::UnitZ(), size, radius));
  }
  return bodies;
}

Inertia repaired(const Inertia& inertia, double size) {
  const Eigen::Vector4d scale(1 / size, 1 / size, 1 / size, 1);
  const Eigen::Matrix4d P =
      scale.asDiagonal() * Eigen::Matrix4d(inertia.pseudo_inertia()) * scale.asDiagonal();
  const auto eigen = small_eigen(P);
  const SmallVector values = eigen.values.cwiseMax(kRoundness * eigen.values[3]);
  const Eigen::Matrix4d body = eigen.vectors * values.asDiagonal() * eigen.vectors.transpose();
  const Eigen::Vector4d back(size, size, size, 1);
  return Inertia::from_pseudo_inertia(back.asDiagonal() * body * back.asDiagonal());
}

// What slides is as long as its way, whatever the distance to the next axis.
double length_of(const Robot& robot, const Quantities& quantities, int link) {
  const Joint& joint = robot.joints[static_cast<std::size_t>(link)];
  const double way = joint.limits.upper - joint.limits.lower, length = quantities.length(link);
  return joint.kind == JointKind::prismatic && std::isfinite(way) ? std::max(length, way) : length;
}

// Of the links that have one: axes that meet in a point, as those of a wrist, say nothing of how thick links are.
double mean_length(const Robot& robot, const Quantities& quantities) {
  double sum = 0;
  int count = 0;
  for (int k = 0; k < quantities.links(); ++k) {
    const double length = length_of(robot, quantities, k);
    if (length < kShortest) continue;
    sum += length;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

// Whether any point that a link carries moves when a joint below turns. Otherwise (a pendulum, a pan-tilt head) the
// robot's file says nothing of the size of its links.
bool has_levers(const Robot& robot) {
  const std::vector<Span> spans = spans_of(robot);
  // Joints at angles without symmetry.
  VectorXd q(robot.size());
  for (int k = 0; k < robot.size(); ++k) q[k] = 0.5 + 0.3 * k;
  const std::vector<Pose> poses = forward_kinematics(compile(robot), q);
  for (int end = 0; end < robot.size(); ++end) {
    const Pose& at = poses[static_cast<std::size_t>(end)];
    const Vector3 point = at.position + at.rotation * spans[static_cast<std::size_t>(end)].to;
    for (int link = end; link >= 0; link = robot.joints[static_cast<std::size_t>(link)].parent) {
      const Joint& joint = robot.joints[static_cast<std::size_t>(link)];
      if (joint.kind != JointKind::revolute) return true;
      const Pose& own = poses[static_cast<std::size_t>(link)];
      const Vector3 axis = own.rotation * (to_pose(joint.after).rotation.transpose() * joint.axis);
      const Vector3 arm = point - (own.position + own.rotation * spans[static_cast<std::size_t>(link)].from);
      if (Vector3(arm - arm.dot(axis) * axis).norm() > kShortest) return true;
    }
  }
  return false;
}

// Density, relative to the bodies given, whose efforts fit best.
double fitted_scale(const Objective& objective, const Quantities& quantities, const VectorXd& uniform,
                    const VectorXd& given) {
  const Index standard = quantities.standard_count(), further = quantities.size() - standard;
  MatrixXd A(objective.R.rows(), 1 + further);
  A.col(0) = objective.R * uniform;
  A.rightCols(further) = objective.R.rightCols(further);
  const VectorXd scale = A.colwise().norm().cwiseMax(1e-300).cwiseInverse();
  const VectorXd y = ShortestSolution(A * scale.asDiagonal()).solve(objective.z - objective.R * given);
  return std::clamp(y[0] * scale[0], kLightest / kWater, kDensest / kWater);
}

class Bodies {
 public:
  Bodies(const Robot& robot, const Quantities& quantities, const ReferenceOptions& options)
      : quantities_(quantities), options_(options) {
    reference_.x = VectorXd::Zero(quantities.size());
    for (int link = 0; link < quantities.links(); ++link) take_file(robot, link);
  }

  void put(const std::vector<Inertia>& bodies, ReferenceKind kind) {
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      if (reference_.links[k] != ReferenceKind::uniform) continue;
      uniform_.segment<10>(Index{10} * static_cast<Index>(k)) = bodies[k].to_standard();
      kinds_[k] = kind;
    }
  }
  Reference scaled(double scale) const {
    Reference out = reference_;
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      if (out.links[k] == ReferenceKind::uniform) out.links[k] = kinds_[k];
    if (options_.total_mass) scale = scale_to(*options_.total_mass, scale);
    out.x += scale * uniform_;
    return out;
  }
  bool has_uniform() const { return has_uniform_; }
  const VectorXd& uniform() const { return uniform_; }
  const VectorXd& given() const { return reference_.x; }

 private:
  void take_file(const Robot& robot, int link) {
    const std::optional<Inertia>& given = robot.joints[static_cast<std::size_t>(link)].inertia;
    ReferenceKind kind = ReferenceKind::uniform;
    if (options_.file && given && given->is_finite() && given->mass() > 0)
      kind = is_body(*given) ? ReferenceKind::file : ReferenceKind::repaired;
    if (kind != ReferenceKind::uniform)
      reference_.x.segment<10>(Index{10} * link) =
          (kind == ReferenceKind::file ? *given : repaired(*given, body_size(quantities_, link)))
              .to_standard();
    reference_.links.push_back(kind);
    kinds_.push_back(kind);
    has_uniform_ = has_uniform_ || kind == ReferenceKind::uniform;
    uniform_ = VectorXd::Zero(quantities_.size());
  }

  static double mass_in(const VectorXd& x, int links) {
    double sum = 0;
    for (int k = 0; k < links; ++k) sum += x[Index{10} * k];
    return sum;
  }
  double scale_to(double total, double otherwise) const {
    const double own = mass_in(uniform_, quantities_.links());
    const double rest = total - mass_in(reference_.x, quantities_.links());
    return own > 0 && rest > 0 ? rest / own : otherwise;
  }

  const Quantities& quantities_;
  ReferenceOptions options_;
  Reference reference_;
  VectorXd uniform_;
  std::vector<ReferenceKind> kinds_;
  bool has_uniform_ = false;
};

double robot_size(const Robot& robot, const Quantities& quantities) {
  const double mean = mean_length(robot, quantities);
  return mean < kShortest ? kUnknownSize : mean;
}

}  // namespace

const char* to_string(ReferenceKind kind) {
  constexpr const char* kWords[] = {"file", "repaired", "uniform", "data"};
  return kWords[static_cast<std::size_t>(kind)];
}

double Reference::mass() const {
  double sum = 0;
  for (std::size_t k = 0; k < links.size(); ++k) sum += x[Index{10} * static_cast<Index>(k)];
  return sum;
}

Reference reference_bodies(const Robot& robot, const Quantities& quantities,
                           const ReferenceOptions& options) {
  Bodies bodies(robot, quantities, options);
  bodies.put(round_bodies(quantities), ReferenceKind::uniform);
  return bodies.scaled(1);
}

Reference reference_bodies(const Robot& robot, const Quantities& quantities, const Objective& objective,
                           const ReferenceOptions& options) {
  Bodies bodies(robot, quantities, options);
  if (!bodies.has_uniform()) return bodies.scaled(1);
  if (!has_levers(robot)) {
    bodies.put(bodies_from_data(objective, quantities, options.total_mass), ReferenceKind::data);
    return bodies.scaled(1);
  }
  bodies.put(uniform_bodies(robot, robot_size(robot, quantities)), ReferenceKind::uniform);
  return bodies.scaled(fitted_scale(objective, quantities, bodies.uniform(), bodies.given()));
}

}  // namespace steelyard
