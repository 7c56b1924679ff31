// Columns of a plan before they get a place: what each stands for and on which rows it acts.
#pragma once

#include <string>
#include <vector>

#include "steelyard/regressor/plan.hpp"
#include "steelyard/regressor/simd.hpp"

namespace steelyard::inline STEELYARD_ABI {

// A drive column acts on the row of `joint` with the value `op(channel, partner)`.
struct DriveAction {
  int joint = 0;
  simd::DriveOp op = simd::DriveOp::one;
  int channel = 0;
  int partner = 0;
};

struct PlanColumn {
  std::string name;
  int link = -1;                     // of a standard parameter; −1: a drive column
  int parameter = 0;                 // 0 … 9
  std::vector<DriveAction> actions;  // of a drive column
};

// The columns of the plan in their final order. Throws InputError for a wanted name that the robot does not
// have.
std::vector<PlanColumn> plan_columns(const Robot& robot, const PlanOptions& options);

}  // namespace steelyard
