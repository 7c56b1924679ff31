// What the SIMD kernels read and write: pointers, counts and plain numbers.
//
// A joint carries vectors from its parent's axes to its own in three stages,
//   x ← outᵀ Rz(q)ᵀ inᵀ x,      R(q) = in · Rz(q) · out,
// because in nearly every robot `in` and `out` are signed permutations, which cost no arithmetic.
#pragma once

#include "steelyard/core/simd.hpp"

namespace steelyard::simd {

inline constexpr int kTwist = 6;  // z, v
inline constexpr int kState = 9;  // ω, α, a
inline constexpr int kAllColumns = 0x3ff;
inline constexpr int kBaseColumns = 0x376;  // all but m, mz, Jyy: the base of a link behind a revolute joint

// Turns that are built into the kernels, and the two that they look up.
enum class TurnKind { identity, quarter_x, quarter_back_x, permuted, general };

// y = matrixᵀ x. For a signed permutation y[k] = sign[k] x[index[k]] and, the other way round,
// y[place[k]] = place_sign[k] x[k].
struct Turn {
  TurnKind kind = TurnKind::identity;
  int index[3] = {0, 1, 2};
  int place[3] = {0, 1, 2};
  double sign[3] = {0.0, 0.0, 0.0};                // +0 or −0: the sign bit to flip
  double place_sign[3] = {0.0, 0.0, 0.0};          // likewise
  double matrix[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};  // row by row
};

// How the parent's joint stands to a link that comes after_own_z: the axes are parallel or at a right angle,
// and its velocity v at the link's origin is zero, along the link's z, across it, or both.
enum class Beside { parallel, crossing, crossing_along, crossing_across, crossing_both };

struct Link {
  int parent = -1;  // index into View::links; −1: the base
  int channel = 0;  // which joint of the samples
  int depth = 1;    // joints on the path from the base, itself included
  bool prismatic = false;
  bool own_z = false;        // twist z = (0, 0, 1), v = 0
  bool saves_state = false;  // a child comes later than the next link
  Turn in, out;
  double shift_in[3] = {0, 0, 0};    // parent's origin → joint's, in the axes after `in`
  double shift_out[3] = {0, 0, 0};   // joint's origin → link's, in the axes before `out`
  double shift_link[3] = {0, 0, 0};  // the same in link axes
  bool shifts_out = false;
  bool simple = false;  // own_z, and `in` is built in
  // False: the own twist is not read, since every child knows it to be z = (0, 0, 1), v = 0.
  bool stores_twist = true;
  // Simple, and the parent has own_z; parent_v is then the parent's v after `in` and the shift.
  bool after_own_z = false;
  double parent_v[3] = {0, 0, 0};
  Beside beside = Beside::parallel;
  unsigned shift_pattern = 0;          // bit k: shift_in[k] is not zero
  unsigned parent_pattern = 0;         // likewise for shift_parent
  double shift_parent[3] = {0, 0, 0};  // shift_in in the parent's axes
  double z[3] = {0, 0, 1};
  double v[3] = {0, 0, 0};
  Size source = 0;  // twists of the parent's path, in vectors from the start of the twist buffers
  Size target = 0;  // twists of the own path; equal to `source` for the last child
  Size state = 0;   // where ω, α, a are saved, in vectors
  unsigned columns = kAllColumns;  // bit k: parameter k of the link is requested
  Size first = 0;                  // index into View::places
};

// Drive columns copy channels.
enum class DriveOp { acceleration, velocity, sign, one, sign_of_sum };
struct Drive {
  DriveOp op = DriveOp::one;
  int channel = 0;
  int partner = 0;
  Size place = 0;  // stored column
};

struct View {
  const Link* links = nullptr;
  int link_count = 0;
  int channels = 0;
  // Torque and gravity rows: first stored column of link J on the row of path joint k: places[first + k].
  // Inertia rows: places[first + k (k + 1) / 2 + l], l ≤ k.
  const Size* places = nullptr;
  const Drive* drives = nullptr;
  int drive_count = 0;
  double gravity[3] = {0, 0, 0};
  Size twist_vectors = 0;
  Size state_vectors = 0;
};

struct Call {
  const double* q = nullptr;
  const double* qd = nullptr;   // not read by gravity and inertia rows
  const double* qdd = nullptr;  // likewise
  Size stride = 0;
  Size count = 0;
  double* tile = nullptr;
  Size column_stride = 0;
  double* workspace = nullptr;  // workspace_vectors(view) vectors of kLanes doubles, 64-byte aligned
};

// Twists, saved states, scratch for permutations, sin and cos of every link for two groups, three channels of
// a padded last group.
inline constexpr Size kScratch = 9;
constexpr Size workspace_vectors(const View& view) {
  return view.twist_vectors + view.state_vectors + kScratch + 4 * view.link_count + 3 * view.channels;
}

struct Table {
  int lanes;
  void (*torque)(const View&, const Call&);
  void (*gravity)(const View&, const Call&);
  void (*inertia)(const View&, const Call&);
  void (*sin_cos)(const double* q, double* sin, double* cos, Size count);
};

// Null when the kernels were not compiled for the processor family.
const Table* baseline_table();
const Table* avx2_table();
const Table* avx512_table();
const Table* avx512_narrow_table();  // four lanes

}  // namespace steelyard::simd
