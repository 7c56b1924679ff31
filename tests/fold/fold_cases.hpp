// Shared by the tests of the fold stage: layouts, random rows, comparison with the referee, instruction sets.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "oracle/long_double_qr.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/fold/fold.hpp"
#include "steelyard/regressor/plan.hpp"

namespace steelyard::fold_tests {

inline Layout layout_of(int columns, int efforts = 1, const std::string& row = "torque:one") {
  Layout layout;
  layout.row = row;
  layout.unit = "N*m";
  for (int k = 0; k < columns; ++k) layout.columns.push_back("c" + std::to_string(k));
  for (int k = 0; k < efforts; ++k) layout.efforts.push_back("e" + std::to_string(k));
  layout.effort_units.assign(static_cast<std::size_t>(efforts), "N*m");
  layout.robot = "robot";
  layout.preparation = "plain";
  return layout;
}

inline MatrixXd random_rows(Index rows, Index columns, Random& random) {
  MatrixXd A(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) A(i, j) = random.normal();
  }
  return A;
}

// R is compared column by column, in units of the column's norm: an orthogonal transformation makes errors of
// that size, whatever the scales of other columns. `k` counts roundings: sums over rows and reflections,
// times the condition of the columns after scaling (about 3 for the Gaussian rows used here).
inline void expect_factor_of(const MatrixXd& A, const MatrixXd& R, double k = 40) {
  const oracle::LongMatrix expected = oracle::long_double_r(A);
  ASSERT_EQ(R.rows(), expected.rows());
  ASSERT_EQ(R.cols(), expected.cols());
  for (Index j = 0; j < R.cols(); ++j) {
    const double norm = A.col(j).norm();
    for (Index i = 0; i < R.rows(); ++i) {
      if (i > j) {
        EXPECT_EQ(R(i, j), 0.0) << i << ", " << j;
      }
      if (i == j) {
        EXPECT_GE(R(i, j), 0.0) << i;
      }
      EXPECT_NEAR(R(i, j), static_cast<double>(expected(i, j)), k * 2.2e-16 * norm) << i << ", " << j;
    }
  }
}

// Runs a test once per instruction set that the processor has.
class EachIsa : public testing::TestWithParam<IsaLevel> {
 protected:
  void SetUp() override {
    if (!is_available(GetParam())) GTEST_SKIP() << "this processor has no " << to_string(GetParam());
    set_isa_level(GetParam());
  }
  void TearDown() override { set_isa_level(before_); }

 private:
  IsaLevel before_ = isa_level();
};

inline std::string isa_name(const testing::TestParamInfo<IsaLevel>& info) {
  return to_string(info.param);
}
inline auto every_isa() {
  return testing::Values(IsaLevel::baseline, IsaLevel::avx2, IsaLevel::avx512);
}

}  // namespace steelyard::fold_tests
