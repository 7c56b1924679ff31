#include "steelyard/validate/motions.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>

#include "steelyard/core/random.hpp"

namespace steelyard {
namespace {

MatrixXd random_rows(std::uint64_t seed, const VectorXd& truth, double noise) {
  Random random(seed, "rows");
  MatrixXd rows(60, truth.size() + 1);
  for (Index i = 0; i < rows.rows(); ++i) {
    double effort = noise * random.normal();
    for (Index k = 0; k < truth.size(); ++k) effort += truth[k] * (rows(i, k) = random.normal());
    rows(i, truth.size()) = effort;
  }
  return rows;
}

TEST(Motions, EveryRunIsPredictedByTheDenseSolutionOfTheOthers) {
  const Layout layout{"torque:a", "N*m", {"m1", "mx1", "fv1"}, {"torque"}, {"N*m"}, "", ""};
  const VectorXd truth = VectorXd::LinSpaced(3, 1, 3);
  std::vector<MatrixXd> rows;
  std::vector<std::vector<Fold>> runs;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    rows.push_back(random_rows(seed, truth, 0.3));
    runs.push_back({fold_rows(layout, rows.back())});
  }
  const std::vector<LeftOutMotion> found = leave_one_motion_out(runs);
  ASSERT_EQ(found.size(), 3U);
  for (std::size_t out = 0; out < 3; ++out) {
    MatrixXd training(120, 4);
    training << rows[(out + 1) % 3], rows[(out + 2) % 3];
    const VectorXd x = training.leftCols(3).colPivHouseholderQr().solve(training.col(3));
    const double expected = (rows[out].col(3) - rows[out].leftCols(3) * x).norm();
    // Well-conditioned random rows: both solutions to some roundings.
    EXPECT_NEAR(found[out].residuals.per_row[0].norm, expected, 1e-12 * expected);
  }
}

TEST(Motions, OneRunAloneCannotBeLeftOut) {
  const Layout layout{"torque:a", "N*m", {"m1"}, {"torque"}, {"N*m"}, "", ""};
  EXPECT_TRUE(leave_one_motion_out({{fold_rows(layout, MatrixXd::Ones(3, 2))}}).empty());
}

}  // namespace
}  // namespace steelyard
