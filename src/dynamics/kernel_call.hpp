// From samples to the kernels: levels, workspaces, far angles.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "dynamics/skeleton.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace dynamics {

struct FreeAlignedDoubles {
  void operator()(double* p) const { ::operator delete (p, std::align_val_t{64}); }
};

// Memory on the stack for small robots, from the heap for others; not set to anything.
class Scratch {
 public:
  explicit Scratch(std::size_t doubles) {
    if (doubles > kOnStack)
      heap_.reset(static_cast<double*>(::operator new (doubles * sizeof(double), std::align_val_t{64})));
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  double* data() { return heap_ ? heap_.get() : stack_; }

 private:
  static constexpr std::size_t kOnStack = 2048;  // a robot of ten joints fits
  alignas(64) double stack_[kOnStack];
  std::unique_ptr<double, FreeAlignedDoubles> heap_;
};

// The bodies of one call.
class Bodies {
 public:
  Bodies(const Skeleton& skeleton, const double* parameters) {
    const std::size_t n = skeleton.joints.size();
    if (n > kOnStack) heap_ = std::make_unique_for_overwrite<articulated::Body[]>(n);
    place_bodies(skeleton, parameters, heap_ ? heap_.get() : stack_);
  }
  Bodies(const Bodies&) = delete;
  Bodies& operator=(const Bodies&) = delete;
  const articulated::Body* data() const { return heap_ ? heap_.get() : stack_; }

 private:
  static constexpr std::size_t kOnStack = 12;
  articulated::Body stack_[kOnStack];
  std::unique_ptr<articulated::Body[]> heap_;
};

// The skeleton of a tree; made here for one that was not made by compile().
std::shared_ptr<const Skeleton> skeleton_of(const Tree& tree);

articulated::View view_of(const Skeleton& skeleton, const articulated::Body* bodies, const Vector3& gravity);

// A wrench on the tool, (force, moment) about its origin in its axes.
articulated::Push push_of(const Tree& tree, const Skeleton& skeleton, const Vector6& tool_wrench);

// `call` without workspace. A sample gives the same bytes alone and in any batch.
void run_forward(const articulated::View& view, articulated::Call call);
void run_inverse(const articulated::View& view, articulated::Call call);
void run_mass(const articulated::View& view, articulated::Call call);

}  // namespace dynamics
}  // namespace steelyard
