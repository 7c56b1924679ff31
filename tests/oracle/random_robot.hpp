// Robots nobody would build: chains and trees with arbitrary axes, poses and full inertias, from a seed.
//
// The numbers come from std::mt19937_64, whose output the standard fixes, and own mappings: the same seed is
// the same robot on every machine. A failing test prints the seed and `to_string(robot)`.
#pragma once

#include <cmath>
#include <cstdint>
#include <iomanip>
#include <random>
#include <sstream>
#include <string>

#include "steelyard/robot/robot.hpp"

namespace steelyard::oracle {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  double uniform(double lower, double upper) {
    const double unit = static_cast<double>(engine_() >> 11) * 0x1p-53;
    return lower + (upper - lower) * unit;
  }
  int index(int count) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(count)); }
  Vector3 vector(double bound) {
    const double x = uniform(-bound, bound);
    const double y = uniform(-bound, bound);
    return {x, y, uniform(-bound, bound)};
  }
  Vector3 direction() {
    for (;;) {
      const Vector3 v = vector(1);
      if (v.norm() > 0.1) return v / v.norm();
    }
  }
  VectorXd joint_vector(int size, double bound) {
    VectorXd v(size);
    for (Index i = 0; i < size; ++i) v[i] = uniform(-bound, bound);
    return v;
  }

 private:
  std::mt19937_64 engine_;
};

struct State {
  VectorXd q, qd, qdd;
};

inline State random_state(Random& random, int joints) {
  State state;
  state.q = random.joint_vector(joints, 3);
  state.qd = random.joint_vector(joints, 2);
  state.qdd = random.joint_vector(joints, 4);
  return state;
}

// What the joints look like: any axis and pose; URDF (no `after`); standard DH; modified DH (right angles
// included).
enum class Geometry { any, urdf, standard_dh, modified_dh };

struct RandomRobotOptions {
  int joints = 7;
  bool branches = false;         // parents drawn at random instead of a chain
  double prismatic_share = 0.3;  // probability of a prismatic joint
  Geometry geometry = Geometry::any;
  bool turned_base = true;  // base pose, gravity direction and tool at random; otherwise upright and no tool
};

// A body that can exist, as a cloud of positive density: pseudo-inertia positive definite.
inline Inertia random_inertia(Random& random) {
  const double mass = random.uniform(0.2, 5);
  const Vector3 com = random.vector(0.2);
  Matrix3 spread;
  for (int i = 0; i < 3; ++i) spread.col(i) = random.vector(0.1);
  Matrix4 pseudo = Matrix4::Zero();
  pseudo.topLeftCorner<3, 3>() =
      mass * (spread * spread.transpose() + com * com.transpose() + 1e-3 * Matrix3::Identity());
  pseudo.topRightCorner<3, 1>() = mass * com;
  pseudo.bottomLeftCorner<1, 3>() = mass * com.transpose();
  pseudo(3, 3) = mass;
  return Inertia::from_pseudo_inertia(pseudo);
}

namespace detail {

inline double random_dh_angle(Random& random) {
  constexpr double kPi = 3.14159265358979323846;
  switch (random.index(4)) {
    case 0:
      return kPi / 2;
    case 1:
      return -kPi / 2;
    case 2:
      return 0;
    default:
      return random.uniform(-3, 3);
  }
}

inline Steps random_steps(Random& random, const std::string& prefix) {
  const Vector3 xyz = random.vector(0.5);
  const Vector3 rpy = random.vector(3);
  return steps_from_xyz_rpy(xyz, rpy, prefix);
}

inline void set_geometry(Random& random, Geometry geometry, const std::string& number, Joint& joint) {
  const double a = random.index(3) == 0 ? 0 : random.uniform(-0.5, 0.5);
  const double d = random.index(3) == 0 ? 0 : random.uniform(-0.5, 0.5);
  const double alpha = random_dh_angle(random);
  const double theta = random_dh_angle(random);
  const Step turn_theta{Motion::turn_z, theta, "theta" + number};
  const Step move_d{Motion::move_z, d, "d" + number};
  const Step move_a{Motion::move_x, a, "a" + number};
  const Step turn_alpha{Motion::turn_x, alpha, "alpha" + number};
  switch (geometry) {
    case Geometry::standard_dh:
      joint.before = {turn_theta};
      joint.after = {move_d, move_a, turn_alpha};
      break;
    case Geometry::modified_dh:
      joint.before = {turn_alpha, move_a, move_d, turn_theta};
      break;
    case Geometry::urdf:
    case Geometry::any:
      joint.before = random_steps(random, "before" + number);
      joint.axis = random.direction();
      if (geometry == Geometry::any) joint.after = random_steps(random, "after" + number);
      break;
  }
}

}  // namespace detail

inline Robot random_robot(std::uint64_t seed, const RandomRobotOptions& options = {}) {
  Random random(seed);
  Robot robot;
  robot.name = "random " + std::to_string(seed);
  robot.base_link = "base";
  for (int i = 0; i < options.joints; ++i) {
    const std::string number = std::to_string(i + 1);
    Joint joint;
    joint.name = "joint" + number;
    joint.link = "link" + number;
    joint.parent = options.branches ? random.index(i + 1) - 1 : i - 1;
    joint.kind = random.uniform(0, 1) < options.prismatic_share ? JointKind::prismatic : JointKind::revolute;
    detail::set_geometry(random, options.geometry, number, joint);
    joint.inertia = random_inertia(random);
    robot.joints.push_back(joint);
  }
  if (options.turned_base) {
    robot.base = detail::random_steps(random, "base");
    robot.tool = detail::random_steps(random, "tool");
    robot.gravity = 9.81 * random.direction();
    robot.tool_link = random.index(options.joints);
  }
  return robot;
}

// All numbers with 17 digits, for reproduction.
inline std::string to_string(const Robot& robot) {
  static constexpr const char* kMotions[] = {"turn_x", "turn_y", "turn_z", "move_x", "move_y", "move_z"};
  std::ostringstream out;
  out << std::setprecision(17);
  const auto print = [&out](const char* label, const Steps& steps) {
    out << ", " << label << " {";
    for (const Step& step : steps) out << " " << kMotions[static_cast<int>(step.motion)] << " " << step.value;
    out << " }";
  };
  out << robot.name << ": gravity " << robot.gravity.transpose();
  print("base", robot.base);
  print("tool", robot.tool);
  out << ", tool_link " << robot.tool_link << "\n";
  for (const Joint& joint : robot.joints) {
    out << joint.name << (joint.kind == JointKind::revolute ? " revolute" : " prismatic") << ", parent "
        << joint.parent << ", axis " << joint.axis.transpose();
    print("before", joint.before);
    print("after", joint.after);
    if (joint.inertia) out << ", parameters " << joint.inertia->to_standard().transpose();
    out << "\n";
  }
  return out.str();
}

}  // namespace steelyard::oracle
