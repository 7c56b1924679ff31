// Checks and small readers shared by the functions of the stage.
#pragma once

#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace dynamics {

// Throws InputError unless `vector` has one entry per joint.
void require_per_joint(const Tree& tree, const VectorXd& vector, const char* name);

// Throws InputError unless there are ten parameters per link.
void require_parameters(const Tree& tree, const VectorXd& parameters);

inline const TreeJoint& joint_of(const Tree& tree, int i) {
  return tree.joints[static_cast<std::size_t>(i)];
}

// Mass, first moment and inertia about the origin of link i, from the parameter vector.
struct Body {
  double m;
  Vector3 mc;
  Matrix3 J;
};
Body body_of(const VectorXd& parameters, int i);

}  // namespace dynamics
}  // namespace steelyard
