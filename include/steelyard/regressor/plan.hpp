// Rows and columns of the linear model τ = Y(q, q̇, q̈) π, and the batched evaluation of Y.
//
// A Plan defines which rows (torque of joint i, gravity g_i, inertia matrix entry M_ij) have which columns
// (the ten parameters of each link by machine name `m4`, `mx4`, `Jxx3`; drive columns `Ia2`, `fv1`, `fc1`,
// `fo1`; coupled columns `Iam6`, `fvm6`, `fcm6`). A row stores only the columns it can touch: those of the
// links its joint carries and its own drive columns. Plans are immutable and may be used from many threads.
//
// A tile is column-major with samples contiguous: entry of sample s, row r, own column k is
//   tile[(rows[r].offset + k) * column_stride + s].
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/isa.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class RowKind { torque, gravity, inertia };

struct Row {
  RowKind kind = RowKind::torque;
  int i = 0;                 // joint (index of the independent coordinate for robots with mimic joints)
  int j = 0;                 // inertia rows: M_ij with j ≤ i; otherwise equal to i
  std::vector<int> columns;  // indices into Plan::columns, ascending
  int offset = 0;            // first stored column of this row in a tile
};

struct PlanOptions {
  RowKind kind = RowKind::torque;
  bool drives = true;  // drive and coupled columns that the robot declares (inertia rows: Ia only)
  std::vector<std::string>
      wanted;  // machine names; empty: all. Names the row kind does not have are passed over
};

namespace kernels {
struct Program;
}
struct GearLoads;

struct Plan {
  // Those that are wanted: standard parameters in link order, drive columns joint by joint (Ia, fv, fc, fo),
  // pairs. Gravity rows have no drive columns and store m, mx, my, mz only; inertia rows store Ia on the
  // diagonal.
  std::vector<std::string> columns;
  std::vector<Row> rows;
  int joints = 0;  // channels that samples need: all joints, or the independent ones of a robot with mimics
  int stored_columns = 0;  // over all rows: the width of a tile
  std::shared_ptr<const kernels::Program> program;
  // Gears that take a share of what passes through them: the columns of links are then those at the drive
  // (regressor/gear_loads.hpp). Null: none does.
  std::shared_ptr<const GearLoads> gears;
};

// Throws InputError for a wanted column that the robot does not have (with the nearest one).
Plan make_plan(const Robot& robot, const PlanOptions& options = {});

// Samples as channels: joint j of sample s is q[j * stride + s]. Gravity and inertia rows read q only.
struct Samples {
  const double* q = nullptr;
  const double* qd = nullptr;
  const double* qdd = nullptr;
  Index stride = 0;
  Index count = 0;
};

// A column stride for `count` samples: an odd number of cache lines, so that columns do not fall on each
// other in the cache, and enough for evaluate(). Tiles are fastest when they begin on a cache line.
Index tile_stride(Index count);

// Fills the first `count` samples of every stored column. Needs column_stride ≥ count rounded up to a
// multiple of 8 (the padding is overwritten). A single sample goes through the same kernels and gives the
// same bytes.
void evaluate(const Plan& plan, const Samples& samples, double* tile, Index column_stride);

// Y of one sample as a dense matrix, rows.size() × columns.size(); for tests and small uses.
MatrixXd regressor(const Plan& plan, const VectorXd& q, const VectorXd& qd, const VectorXd& qdd);

}  // namespace steelyard
