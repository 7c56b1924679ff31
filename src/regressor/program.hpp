// What a Plan keeps for its kernels: the links' numbers, where their columns go, and the mixing of mimic
// joints.
#pragma once

#include <vector>

#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/regressor/simd.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace kernels {

// Stored column `target` of the user's tile gains factor × stored column `source` of the joints' tile.
struct Mix {
  int target = 0;
  int source = 0;
  double factor = 1;
};

struct Program {
  RowKind kind = RowKind::torque;
  std::vector<simd::Link> links;
  std::vector<simd::Size> places;
  std::vector<simd::Drive> drives;
  simd::View view;  // points into the vectors above

  // Robots with mimic joints: samples of all joints are q_all = matrix · q + offset, and the rows of the
  // joints are computed into a tile of their own. `mixes` is empty for all other robots.
  std::vector<Mix> mixes;  // ascending targets
  Coordinates coordinates;
  int joint_columns = 0;  // width of the joints' tile

  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
};

}  // namespace kernels

// One joint's geometry for the kernels (parent, buffers and columns are set by the caller).
simd::Link compile_link(const TreeJoint& joint);

// Kernels of the level in use. `count` decides the width: few samples go through four lanes instead of eight,
// which gives the same bytes.
const simd::Table& kernel_table(Index count);

}  // namespace steelyard
