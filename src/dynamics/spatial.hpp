// Six-dimensional vectors in one frame, order (linear, angular) for motions and (force, moment) for wrenches,
// all about the frame's origin. Inertias and the Coriolis operator of a body are 6×6 maps from motions to
// wrenches.
#pragma once

#include "dynamics/arguments.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace dynamics {

using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::DontAlign>;

// Motions from the parent's frame A to the link's frame B: V_B = X V_A. Wrenches go back by Xᵀ.
Matrix6 motion_transform(const Pose& T_AB);

// [[ m 1, −S(mc) ], [ S(mc), J ]]
Matrix6 spatial_inertia(const Body& body);

// V × W for motions V, W.
Vector6 cross_motion(const Vector6& V, const Vector6& W);

// B(I, V) = ½ ( (V×*) I − I (V×) + K(I V) ),  K(h) W = W ×* h:  the part of a body's Coriolis map that
// belongs to the Christoffel symbols; B V = V ×* I V and İ = B + Bᵀ.
Matrix6 coriolis_operator(const Matrix6& inertia, const Vector6& V);

// Twist per unit velocity of joint i in its link's frame.
Vector6 joint_twist(const TreeJoint& joint);

}  // namespace dynamics
}  // namespace steelyard
