// The classical covariance is that of the estimates over repeated noise.
#include <gtest/gtest.h>

#include <cmath>

#include "estimate/estimate_cases.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard {
namespace {

using namespace estimate_tests;

TEST(Covariance, IsThatOfRepeatedExperiments) {
  constexpr int kRepeats = 4000;
  const std::uint64_t seed = 41;
  SCOPED_TRACE("seed 41");
  const std::vector<Rows> plan = three_kinds(60, seed);
  const double noise[] = {0.1, 1.0, 0.02};
  EstimateOptions options;
  options.weighting = Weighting::by_row_iterated;
  options.conditions = false;
  VectorXd mean = VectorXd::Zero(5);
  MatrixXd spread = MatrixXd::Zero(5, 5), claimed = MatrixXd::Zero(5, 5);
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    std::vector<Rows> rows = plan;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      Random random(seed, "noise", static_cast<std::uint64_t>(repeat) * 3 + k);
      rows[k].tau = rows[k].Y * truth();
      for (double& tau : rows[k].tau) tau += random.normal(0, noise[k]);
    }
    const Estimate found = estimate(folds_of(rows), options);
    const VectorXd error = found.values - truth();
    mean += error / kRepeats;
    spread += error * error.transpose() / kRepeats;
    claimed += found.covariance / kRepeats;
  }
  // A variance from 4000 draws is known to √(2/4000) = 2.2 %; weights from 60 rows each cost another few
  // percent.
  for (Index i = 0; i < 5; ++i) {
    const double sigma = std::sqrt(claimed(i, i));
    EXPECT_NEAR(spread(i, i) / claimed(i, i), 1, 0.15) << i;
    EXPECT_NEAR(mean[i], 0, 5 * sigma / std::sqrt(kRepeats)) << i;
    for (Index j = 0; j < i; ++j) {
      EXPECT_NEAR(spread(i, j), claimed(i, j), 0.12 * sigma * std::sqrt(claimed(j, j))) << i << ", " << j;
    }
  }
}

}  // namespace
}  // namespace steelyard
