// Rank, lead columns and regrouping of one geometry.
#pragma once

#include <vector>

#include "regressor/base/stack.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace base {

struct Pivots {
  int rank = 0;
  int other_rank = 0;
  double gap = 0;
  double threshold = 0;  // between kept and dropped pivots
};

struct Structure {
  RandomRows rows;
  std::vector<int> seen;  // columns that are not zero
  Pivots pivots;
  std::vector<int> leads;

  bool is_ambiguous() const;
};

inline constexpr std::uint64_t kOwnSeries =
    0;  // random samples of the robot itself; geometries take the others

Structure derive_structure(const Robot& robot, const BaseOptions& options,
                           const std::vector<Column>& columns);

// K for given leads: R_L B = R_D column by column, in columns of unit norm; entries at rounding level become
// zero.
MatrixXd regrouping(const MatrixXd& R, const std::vector<int>& leads, const std::vector<int>& seen);

}  // namespace base
}  // namespace steelyard
