#include "oracle/referee.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace steelyard::oracle {
namespace {

using Real = long double;
using V3 = Eigen::Matrix<Real, 3, 1>;
using M3 = Eigen::Matrix<Real, 3, 3>;

struct Frame {
  M3 R = M3::Identity();
  V3 p = V3::Zero();
};

void turn(Frame& frame, const V3& axis, Real angle) {
  const Real c = std::cos(angle), s = std::sin(angle);
  const Real x = axis[0], y = axis[1], z = axis[2], t = 1 - c;
  M3 r;
  r << t * x * x + c, t * x * y - s * z, t * x * z + s * y,  //
      t * x * y + s * z, t * y * y + c, t * y * z - s * x,   //
      t * x * z - s * y, t * y * z + s * x, t * z * z + c;
  frame.R = (frame.R * r).eval();
}

void walk(Frame& frame, const Steps& steps) {
  for (const Step& step : steps) {
    V3 axis = V3::Zero();
    axis[static_cast<int>(step.motion) % 3] = 1;
    if (static_cast<int>(step.motion) < 3) {
      turn(frame, axis, step.value);
    } else {
      frame.p += frame.R * axis * Real(step.value);
    }
  }
}

// A joint in base axes: its axis, a point on it (fixed in the parent), and their rates.
struct WorldJoint {
  bool turns = true;
  V3 axis, axis_rate;
  V3 point, point_rate;
};

struct World {
  std::vector<Frame> links;
  std::vector<WorldJoint> joints;
  std::vector<V3> omega, alpha;
  std::vector<std::vector<int>> path;
};

// Velocity of the point x that is fixed in the body moved by the joints of `path`.
V3 velocity_of(const World& world, const std::vector<int>& path, const VectorXd& qd, const V3& x) {
  V3 v = V3::Zero();
  for (const int i : path) {
    const WorldJoint& joint = world.joints[i];
    v += (joint.turns ? joint.axis.cross(x - joint.point).eval() : joint.axis) * Real(qd[i]);
  }
  return v;
}

World lay_out(const Robot& robot, const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) {
  World world;
  for (int i = 0; i < robot.size(); ++i) {
    const Joint& source = robot.joints[i];
    const int parent = source.parent;
    const std::vector<int> above = parent < 0 ? std::vector<int>{} : world.path[parent];
    const V3 parent_omega = parent < 0 ? V3(V3::Zero()) : world.omega[parent];
    Frame frame = parent < 0 ? Frame{} : world.links[parent];
    walk(frame, source.before);
    const V3 local = source.axis.cast<Real>().normalized();
    WorldJoint joint;
    joint.turns = source.kind == JointKind::revolute;
    joint.axis = frame.R * local;
    joint.axis_rate = parent_omega.cross(joint.axis);
    joint.point = frame.p;
    joint.point_rate = velocity_of(world, above, qd, frame.p);
    if (joint.turns) {
      turn(frame, local, q[i]);
    } else {
      frame.p += joint.axis * Real(q[i]);
    }
    walk(frame, source.after);
    const Real turns = joint.turns ? 1 : 0;
    const V3 parent_alpha = parent < 0 ? V3(V3::Zero()) : world.alpha[parent];
    world.omega.push_back(parent_omega + turns * joint.axis * Real(qd[i]));
    world.alpha.push_back(parent_alpha + turns * (joint.axis * Real(qdd[i]) + joint.axis_rate * Real(qd[i])));
    world.links.push_back(frame);
    world.joints.push_back(joint);
    world.path.push_back(above);
    world.path.back().push_back(i);
  }
  return world;
}

V3 column(const WorldJoint& joint, const V3& x) {
  return joint.turns ? joint.axis.cross(x - joint.point) : joint.axis;
}

// Acceleration of a body-fixed point, J q̈ + J̇ q̇, and the sum of the magnitudes of its terms.
struct Acceleration {
  V3 value = V3::Zero();
  Real size = 0;
};

Acceleration acceleration_of(const World& world, const std::vector<int>& path, const VectorXd& qd,
                             const VectorXd& qdd, const V3& x) {
  const V3 v = velocity_of(world, path, qd, x);
  Acceleration a;
  for (const int i : path) {
    const WorldJoint& joint = world.joints[i];
    const V3 rate = joint.turns
                        ? V3(joint.axis_rate.cross(x - joint.point) + joint.axis.cross(v - joint.point_rate))
                        : joint.axis_rate;
    const V3 first = column(joint, x) * Real(qdd[i]);
    const V3 second = rate * Real(qd[i]);
    a.value += first + second;
    a.size += first.norm() + second.norm();
  }
  return a;
}

using VectorX = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using MatrixX = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

struct Sums {
  VectorX tau, scale;
  MatrixX mass;
};

// What a body's centre of mass does, and what it takes to make it do so.
struct BodyLoad {
  Real m;
  V3 c;  // centre of mass
  M3 I;  // about it, in base axes
  V3 force, moment;
  Real force_size, moment_size;
};

BodyLoad load_of(const World& world, int k, const Inertia& inertia, const V3& gravity, const VectorXd& qd,
                 const VectorXd& qdd) {
  const Eigen::Matrix<Real, 10, 1> parameters = inertia.to_standard().cast<Real>();
  BodyLoad load;
  load.m = parameters[0];
  const V3 com = load.m == 0 ? V3(V3::Zero()) : V3(parameters.segment<3>(1) / load.m);
  M3 J;
  J << parameters[4], parameters[5], parameters[6],  //
      parameters[5], parameters[7], parameters[8],   //
      parameters[6], parameters[8], parameters[9];
  const M3& R = world.links[k].R;
  const V3& omega = world.omega[k];
  const V3& alpha = world.alpha[k];
  load.c = world.links[k].p + R * com;
  load.I = R * (J - load.m * (com.squaredNorm() * M3::Identity() - com * com.transpose())) * R.transpose();
  const Acceleration a = acceleration_of(world, world.path[k], qd, qdd, load.c);
  load.force = load.m * (a.value - gravity);
  load.moment = load.I * alpha + omega.cross(load.I * omega);
  load.force_size = load.m * (a.size + gravity.norm());
  // J rather than I: the two are computed from each other, and that rounding is the parameters' own.
  load.moment_size = J.norm() * (alpha.norm() + omega.squaredNorm());
  return load;
}

void add_body(const World& world, int k, const BodyLoad& load, Sums& sums) {
  for (const int i : world.path[k]) {
    const WorldJoint& joint = world.joints[i];
    const V3 linear = column(joint, load.c);
    const V3 turning = joint.turns ? joint.axis : V3(V3::Zero());
    sums.tau[i] += linear.dot(load.force) + turning.dot(load.moment);
    sums.scale[i] +=
        joint.turns ? (load.c - joint.point).norm() * load.force_size + load.moment_size : load.force_size;
    for (const int j : world.path[k]) {
      const V3 other = world.joints[j].turns ? world.joints[j].axis : V3(V3::Zero());
      sums.mass(i, j) += load.m * linear.dot(column(world.joints[j], load.c)) + turning.dot(load.I * other);
    }
  }
}

void add_tool(const World& world, const Robot& robot, const Vector6& wrench, Sums& sums) {
  const int carrier = robot.tool_link < 0 ? robot.size() - 1 : robot.tool_link;
  Frame tool = world.links[carrier];
  walk(tool, robot.tool);
  const V3 push = tool.R * wrench.head<3>().cast<Real>();
  const V3 twist = tool.R * wrench.tail<3>().cast<Real>();
  for (const int i : world.path[carrier]) {
    const WorldJoint& joint = world.joints[i];
    sums.tau[i] -= column(joint, tool.p).dot(push) + (joint.turns ? joint.axis.dot(twist) : Real(0));
    sums.scale[i] += column(joint, tool.p).norm() * push.norm() + twist.norm();
  }
}

}  // namespace

RefereeResult referee(const Robot& robot, const VectorXd& q, const VectorXd& qd, const VectorXd& qdd,
                      const Vector6& tool_wrench) {
  const int n = robot.size();
  const World world = lay_out(robot, q, qd, qdd);
  Frame base;
  walk(base, robot.base);
  const V3 gravity = base.R.transpose() * robot.gravity.cast<Real>();
  Sums sums{VectorX::Zero(n), VectorX::Zero(n), MatrixX::Zero(n, n)};
  for (int k = 0; k < n; ++k) {
    add_body(world, k, load_of(world, k, *robot.joints[k].inertia, gravity, qd, qdd), sums);
  }
  add_tool(world, robot, tool_wrench, sums);
  return {sums.tau.cast<double>(), sums.scale.cast<double>(), sums.mass.cast<double>()};
}

}  // namespace steelyard::oracle
