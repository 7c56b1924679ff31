// A tree in the frames of the kernels (kernels/articulated.hpp), made once by compile().
#pragma once

#include <memory>
#include <vector>

#include "dynamics/kernels/articulated.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace dynamics {

// A kernel's frame in the frame of the link: its axes are the columns of `axes`.
struct KernelFrame {
  Matrix3 axes;
  Vector3 origin;
  double distance = 0;  // |origin|
};

struct Skeleton {
  std::vector<articulated::Joint> joints;
  std::vector<KernelFrame> frames;
  articulated::Size gathered_slots = 0, kept_slots = 0;
};

std::shared_ptr<const Skeleton> make_skeleton(const std::vector<TreeJoint>& joints);

// The bodies in the kernels' frames, without rotors: `bodies` has one for each link.
void place_bodies(const Skeleton& skeleton, const double* parameters, articulated::Body* bodies);

}  // namespace dynamics
}  // namespace steelyard
