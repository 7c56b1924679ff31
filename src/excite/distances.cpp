#include "excite/distances.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "excite/ranges.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kPoses = 64;  // at which a pair of capsules must be apart at least once
constexpr double kNoLength = 1e-12;

struct Closest {
  Vector3 a, b;
};

double share_on(double value) {
  return std::clamp(value, 0.0, 1.0);
}

// Closest points of two segments: the lines' own where they fall on the segments, otherwise clamped one after
// the other.
Closest closest_points(const Vector3& p, const Vector3& p_end, const Vector3& q, const Vector3& q_end) {
  const Vector3 u = p_end - p, v = q_end - q, w = p - q;
  const double uu = u.dot(u), vv = v.dot(v), uv = u.dot(v), uw = u.dot(w), vw = v.dot(w);
  double s = 0, t = 0;
  if (uu > kNoLength && vv > kNoLength) {
    const double denominator = uu * vv - uv * uv;
    if (denominator > kNoLength * uu * vv) s = share_on((uv * vw - uw * vv) / denominator);
    t = (uv * s + vw) / vv;
    if (t < 0 || t > 1) {
      t = share_on(t);
      s = share_on((uv * t - uw) / uu);
    }
  } else if (uu > kNoLength) {
    s = share_on(-uw / uu);
  } else if (vv > kNoLength) {
    t = share_on(vw / vv);
  }
  return {p + s * u, q + t * v};
}

Vector3 unit_or_z(const Vector3& v, double length) {
  return length > kNoLength ? Vector3(v / length) : Vector3(Vector3::UnitZ());
}

Vector3 on_link(const std::vector<Pose>& poses, int link, const Vector3& point) {
  if (link < 0) return point;
  const Pose& pose = poses[static_cast<std::size_t>(link)];
  return pose.rotation * point + pose.position;
}

}  // namespace

WorkspaceDistances::WorkspaceDistances(const Robot& robot, const Workspace& workspace)
    : tree_(compile(robot)), coordinates_(coordinates(robot)), workspace_(workspace) {
  workspace.validate(robot);
  for (HalfSpace& space : workspace_.half_spaces) space.normal /= space.normal.norm();
  if (workspace_.tool_points.empty()) workspace_.tool_points.emplace_back(Vector3::Zero());
  for (std::size_t p = 0; p < workspace_.tool_points.size(); ++p) {
    for (const HalfSpace& space : workspace_.half_spaces) names_.push_back("tool and " + space.name);
    for (const KeepOutBox& box : workspace_.boxes) names_.push_back("tool and " + box.name);
  }
  list_pairs(robot);
  for (const Pair& pair : pairs_)
    names_.push_back(workspace_.capsules[pair.a].name + " and " + workspace_.capsules[pair.b].name);
}

void WorkspaceDistances::list_pairs(const Robot& robot) {
  const auto parent = [&](int link) {
    return link < 0 ? -2 : robot.joints[static_cast<std::size_t>(link)].parent;
  };
  std::vector<Pair> candidates;
  const std::vector<Capsule>& capsules = workspace_.capsules;
  for (std::size_t a = 0; a < capsules.size(); ++a)
    for (std::size_t b = a + 1; b < capsules.size(); ++b) {
      const int la = capsules[a].link, lb = capsules[b].link;
      if (la != lb && parent(la) != lb && parent(lb) != la) candidates.push_back({a, b});
    }
  std::vector<bool> apart(candidates.size(), false);
  const std::vector<JointRange> ranges = joint_ranges(robot, {}, 3.14159265358979);
  Random random(1, "poses of capsules");
  VectorXd q(static_cast<Index>(ranges.size()));
  for (int k = 0; k < kPoses; ++k) {
    for (Index j = 0; j < q.size(); ++j) {
      const JointRange& range = ranges[static_cast<std::size_t>(j)];
      q[j] = random.uniform(range.low, range.high);
    }
    const std::vector<Pose> at = poses(q.data());
    for (std::size_t c = 0; c < candidates.size(); ++c)
      if (pair(candidates[c], at).distance > 0) apart[c] = true;
  }
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (apart[c])
      pairs_.push_back(candidates[c]);
    else
      left_out_.push_back(capsules[candidates[c].a].name + " and " + capsules[candidates[c].b].name);
  }
}

std::vector<Pose> WorkspaceDistances::poses(const double* q) const {
  const Eigen::Map<const VectorXd> given(q, coordinates_.matrix.cols());
  return forward_kinematics(tree_, VectorXd(coordinates_.matrix * given + coordinates_.offset));
}

WorkspaceDistances::Measured WorkspaceDistances::half_space(const HalfSpace& space,
                                                            const Vector3& tool) const {
  Measured m{};
  m.distance = space.normal.dot(tool) - space.least - workspace_.clearance;
  m.pulls[0] = {tree_.tool_link, tool, space.normal};
  m.count = 1;
  return m;
}

WorkspaceDistances::Measured WorkspaceDistances::box(const KeepOutBox& box, const Vector3& tool) const {
  Vector3 outside;  // how far beyond the faces
  int nearest = 0;
  double depth = -kInfinity;
  Vector3 face = Vector3::Zero();
  for (int k = 0; k < 3; ++k) {
    const double below = box.lower[k] - tool[k], above = tool[k] - box.upper[k];
    outside[k] = below > 0 ? -below : above > 0 ? above : 0;
    const double beyond = std::max(below, above);
    if (beyond > depth) depth = beyond, nearest = k, face[0] = below > above ? -1 : 1;
  }
  Vector3 direction = Vector3::Zero();
  direction[nearest] = face[0];
  double distance = depth;
  if (const double length = outside.norm(); length > 0) distance = length, direction = outside / length;
  Measured m{};
  m.distance = distance - workspace_.clearance;
  m.pulls[0] = {tree_.tool_link, tool, direction};
  m.count = 1;
  return m;
}

WorkspaceDistances::Measured WorkspaceDistances::pair(const Pair& pair,
                                                      const std::vector<Pose>& poses) const {
  const Capsule &a = workspace_.capsules[pair.a], &b = workspace_.capsules[pair.b];
  const Closest points = closest_points(on_link(poses, a.link, a.from), on_link(poses, a.link, a.to),
                                        on_link(poses, b.link, b.from), on_link(poses, b.link, b.to));
  const Vector3 between = points.a - points.b;
  const double length = between.norm();
  const Vector3 direction = unit_or_z(between, length);
  Measured m{};
  m.distance = length - a.radius - b.radius - workspace_.clearance;
  m.pulls[0] = {a.link, points.a, direction};
  m.pulls[1] = {b.link, points.b, -direction};
  m.count = 2;
  return m;
}

template <typename Visit>
void WorkspaceDistances::visit(const std::vector<Pose>& poses, Visit&& visit) const {
  Index at = 0;
  if (!workspace_.half_spaces.empty() || !workspace_.boxes.empty()) {
    const int link = tree_.tool_link;
    for (const Vector3& point : workspace_.tool_points) {
      const Vector3 tool = on_link(poses, link, tree_.tool.rotation * point + tree_.tool.position);
      for (const HalfSpace& space : workspace_.half_spaces) visit(at++, half_space(space, tool));
      for (const KeepOutBox& keep_out : workspace_.boxes) visit(at++, box(keep_out, tool));
    }
  }
  for (const Pair& one : pairs_) visit(at++, pair(one, poses));
}

void WorkspaceDistances::evaluate(const double* q, double* distances) const {
  visit(poses(q), [&](Index at, const Measured& m) { distances[at] = m.distance; });
}

void WorkspaceDistances::add_gradient(const double* q, const double* weights, double* gradient) const {
  const std::vector<Pose> at_q = poses(q);
  VectorXd all = VectorXd::Zero(tree_.size());
  visit(at_q, [&](Index at, const Measured& m) {
    if (weights[at] == 0) return;
    for (int i = 0; i < m.count; ++i) {
      const Pull& pull = m.pulls[i];
      if (pull.link < 0) continue;
      for (const int k : tree_.joints[static_cast<std::size_t>(pull.link)].path) {
        const TreeJoint& joint = tree_.joints[static_cast<std::size_t>(k)];
        const Pose& pose = at_q[static_cast<std::size_t>(k)];
        const Vector3 z = pose.rotation * joint.z, v = pose.rotation * joint.v;
        all[k] += weights[at] * pull.force.dot(v + z.cross(pull.point - pose.position));
      }
    }
  });
  Eigen::Map<VectorXd>(gradient, coordinates_.matrix.cols()) += coordinates_.matrix.transpose() * all;
}

}  // namespace steelyard
