// The rows of a robot on random samples, reduced at once to their triangular factor.
#pragma once

#include <string>
#include <vector>

#include "steelyard/regressor/base.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace base {

// A column of the model: its name, the power of length in its unit (m 0, m·c 1, J 2; drives by their row) and
// the place it takes when leads are chosen.
struct Column {
  std::string name;
  int degree = 0;
  int link = 0;      // joint it belongs to; size() for the payload
  int priority = 0;  // smaller leads first
  bool inertial = true;
};

// All columns the options ask for, in machine order.
std::vector<Column> columns_of(const Robot& robot, const BaseOptions& options);

struct RandomRows {
  MatrixXd R;          // triangular factor of the rows, one column per Column
  VectorXd magnitude;  // largest entry of each column over its natural scale
};

// Rows on enough random samples within the limits. Velocities and accelerations are of order 1: they fix no
// scale.
RandomRows factor_of_random_rows(const Robot& robot, const BaseOptions& options,
                                 const std::vector<Column>& columns, std::uint64_t series);

}  // namespace base
}  // namespace steelyard
