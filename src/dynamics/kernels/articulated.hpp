// What the kernels of forward and inverse dynamics read and write: pointers, counts and plain numbers. Shared
// by files compiled for different instruction sets (see core/simd.hpp).
//
// Every link has a frame of its own here: the joint axis is z, its origin is on the axis. The rotation from it
// to the parent's frame is
//   R(q) = Rz(turn) Rx(tilt) Rz(zero + q)      (sliding joints: q = 0)
// and its origin lies at shift + slide · q in the parent's axes. One child of every link has turn = 0, and most
// robots have tilts of 0 or 90°, which cost no arithmetic.
#pragma once

#include "steelyard/core/simd.hpp"

namespace steelyard::articulated {

using simd::kLanes;
using simd::Size;

enum class Tilt { none, quarter, general };

struct Angle {
  double cos = 1, sin = 0;
};

struct Joint {
  int parent = -1;
  bool slides = false;
  bool turns = false;  // turn is not zero
  Tilt tilt_kind = Tilt::none;
  Angle turn, tilt, zero;
  double shift[3] = {0, 0, 0};
  double slide[3] = {0, 0, 0};
  unsigned pattern = 0;   // bit k: shift[k] or slide[k] is not zero
  double shift_size = 0;  // |shift|
  bool opens = false;     // the first of its siblings, from the leaves on, that adds to the parent
  bool is_leaf = false;
  Size gathered = 0;  // slot of what the children add, unless a leaf
  Size kept = -1;     // slot of the motion for children that are not the next link
};

// The body in the frame above, and the inertia of its rotor. `size_h`, `size_J`: magnitudes of what h and J are
// sums of; `carried`: the sum of |m| of this link and of those behind it.
struct Body {
  double m;
  double h[3];
  double J[6];  // xx, xy, xz, yy, yz, zz about the origin
  double rotor;
  double size_h, size_J, carried;
};

// A constant force and moment on a link, about the origin of the frame above.
struct Push {
  int link = -1;
  double force[3] = {0, 0, 0};
  double moment[3] = {0, 0, 0};
};

struct View {
  const Joint* joints = nullptr;
  const Body* bodies = nullptr;
  int count = 0;
  Size gathered_slots = 0;
  Size kept_slots = 0;
  double gravity[3] = {0, 0, 0};
  Push push;
};

struct Call {
  const double* q = nullptr;
  const double* qd = nullptr;
  const double* given = nullptr;  // efforts (forward), accelerations (inverse)
  Size stride = 0;
  Size count = 0;
  double* out = nullptr;  // accelerations (forward), efforts (inverse)
  Size out_stride = 0;
  // Forward: the joint with the highest index whose inertia is not positive, −1: none. One for each sample.
  double* failed = nullptr;
  // Inverse: force and moment that a link's joint exerts on it, 6 n of them; null: not wanted. Needs one sample.
  double* wrenches = nullptr;
  double* workspace = nullptr;  // workspace_vectors(view) vectors of kLanes doubles, 64-byte aligned
};

inline constexpr Size kLinkVectors = 9;  // sin, cos; wrench, later U/D; u/D
inline constexpr Size kGathered = 23;    // M, H, J, two magnitudes
inline constexpr Size kMotion = 9;       // ω, α, a

// Links, slots, three channels of a padded last group.
constexpr Size workspace_vectors(const View& view) {
  return (kLinkVectors + 3) * view.count + kGathered * view.gathered_slots + kMotion * view.kept_slots;
}

struct Table {
  int lanes;
  void (*forward)(const View&, const Call&);
  void (*inverse)(const View&, const Call&);
  // Of one sample: M_ij, i before j or j itself, to out[i + j out_stride], without rotors; `failed` gets the
  // magnitudes of what the entries of the diagonal are sums of.
  void (*mass)(const View&, const Call&);
};

// Null when the kernels were not compiled for the processor family.
const Table* baseline_table();
const Table* avx2_table();
const Table* avx512_table();
const Table* avx512_narrow_table();  // four lanes

}  // namespace steelyard::articulated
