#include "dynamics/kernel_call.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <vector>

#include "steelyard/core/isa.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace dynamics {
namespace {

using articulated::Call;
using articulated::kLanes;
using articulated::Size;
using articulated::View;

constexpr double kFar = 1e6;  // rad; sin and cos of the kernels end there

const articulated::Table& articulated_table(Size count) {
  switch (isa_level()) {
    case IsaLevel::avx2:
      return *articulated::avx2_table();
    case IsaLevel::avx512:
      return count <= kLanes / 2 ? *articulated::avx512_narrow_table() : *articulated::avx512_table();
    case IsaLevel::baseline:
      break;
  }
  return *articulated::baseline_table();
}

using Run = void (*articulated::Table::*)(const View&, const Call&);

// A last group of at most half the width goes through the narrower kernels.
void run_groups(Run run, const View& view, Call& call) {
  const Size count = call.count, rest = count % kLanes;
  if (count > kLanes && rest > 0 && rest <= kLanes / 2) {
    call.count = count - rest;
    (articulated_table(call.count).*run)(view, call);
    call.q += call.count, call.qd += call.count, call.given += call.count, call.out += call.count;
    if (call.failed != nullptr) call.failed += call.count;
    call.count = rest;
  }
  (articulated_table(call.count).*run)(view, call);
}

bool is_far(const View& view, const Call& call) {
  bool far = false;
  for (int i = 0; i < view.count; ++i) {
    if (view.joints[i].slides) continue;
    const double* q = call.q + i * call.stride;
    for (Size s = 0; s < call.count; ++s) far |= std::abs(q[s]) >= kFar;
  }
  return far;
}

// The same samples with far angles less whole turns.
std::vector<double> near_samples(const View& view, Call& call) {
  const Size size = view.count * call.count;
  std::vector<double> near(static_cast<std::size_t>(3 * size));
  const double** const channels[] = {&call.q, &call.qd, &call.given};
  for (int k = 0; k < 3; ++k) {
    if (*channels[k] == nullptr) continue;
    double* const to = near.data() + k * size;
    for (int i = 0; i < view.count; ++i)
      for (Size s = 0; s < call.count; ++s) to[i * call.count + s] = (*channels[k])[i * call.stride + s];
    *channels[k] = to;
  }
  for (int i = 0; i < view.count; ++i) {
    if (view.joints[i].slides) continue;
    for (double* q = near.data() + i * call.count; q < near.data() + (i + 1) * call.count; ++q)
      if (std::abs(*q) >= kFar) *q = std::atan2(std::sin(*q), std::cos(*q));
  }
  call.stride = call.count;
  return near;
}

void run_kernel(Run run, const View& view, Call call) {
  if (call.count <= 0 || view.count == 0) return;
  Scratch workspace(static_cast<std::size_t>(kLanes * articulated::workspace_vectors(view)));
  call.workspace = workspace.data();
  std::vector<double> near;
  if (is_far(view, call)) near = near_samples(view, call);
  run_groups(run, view, call);
}

}  // namespace

std::shared_ptr<const Skeleton> skeleton_of(const Tree& tree) {
  const bool own = tree.skeleton && tree.skeleton->joints.size() == tree.joints.size();
  return own ? tree.skeleton : make_skeleton(tree.joints);
}

View view_of(const Skeleton& skeleton, const articulated::Body* bodies, const Vector3& gravity) {
  View view;
  view.joints = skeleton.joints.data();
  view.bodies = bodies;
  view.count = static_cast<int>(skeleton.joints.size());
  view.gathered_slots = skeleton.gathered_slots;
  view.kept_slots = skeleton.kept_slots;
  for (int k = 0; k < 3; ++k) view.gravity[k] = gravity[k];
  return view;
}

articulated::Push push_of(const Tree& tree, const Skeleton& skeleton, const Vector6& tool_wrench) {
  articulated::Push push;
  if (tree.tool_link < 0 || (tool_wrench.array() == 0).all()) return push;
  const KernelFrame& frame = skeleton.frames[static_cast<std::size_t>(tree.tool_link)];
  const Vector3 force = tree.tool.rotation * tool_wrench.head<3>();
  const Vector3 moment =
      tree.tool.rotation * tool_wrench.tail<3>() + (tree.tool.position - frame.origin).cross(force);
  push.link = tree.tool_link;
  for (int k = 0; k < 3; ++k) {
    push.force[k] = frame.axes.col(k).dot(force);
    push.moment[k] = frame.axes.col(k).dot(moment);
  }
  return push;
}

void run_forward(const View& view, Call call) {
  run_kernel(&articulated::Table::forward, view, call);
}

void run_inverse(const View& view, Call call) {
  run_kernel(&articulated::Table::inverse, view, call);
}

void run_mass(const View& view, Call call) {
  run_kernel(&articulated::Table::mass, view, call);
}

}  // namespace dynamics
}  // namespace steelyard
