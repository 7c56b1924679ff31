// Priors, known values and equalities are rows.
#include "steelyard/fold/prior.hpp"

#include <gmock/gmock.h>

#include <Eigen/QR>
#include <cmath>

#include "fold/fold_cases.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

using fold_tests::layout_of;

double cost(const Fold& fold, const VectorXd& x) {
  return (fold.columns() * x - fold.efforts().col(0)).squaredNorm();
}

TEST(Prior, CostsTheSquaredDistanceInDeviations) {
  const VectorXd mean = (VectorXd(4) << 1, -2, 30, 0.4).finished();
  const VectorXd sigma = (VectorXd(4) << 0.1, 2, INFINITY, 1e-3).finished();
  const Fold fold = prior(prior_layout(layout_of(4)), mean, sigma);
  EXPECT_EQ(fold.rows(), 3);
  EXPECT_EQ(fold.layout().unit, "1");
  EXPECT_NEAR(cost(fold, mean), 0, 1e-20);
  const VectorXd x = mean + (VectorXd(4) << 0.1, 4, 1000, -3e-3).finished();
  EXPECT_NEAR(cost(fold, x), 1 + 4 + 9, 1e-10);  // the third has no prior
}

TEST(Prior, WithInformationFactorCostsTheSquaredNorm) {
  const VectorXd mean = (VectorXd(3) << 1, 2, 3).finished();
  const MatrixXd W = (MatrixXd(2, 3) << 1, 1, 0, 0, 2, -1).finished();
  const Fold fold = prior(layout_of(3), mean, W);
  const VectorXd x = (VectorXd(3) << 0.5, 7, 2).finished();
  EXPECT_NEAR(cost(fold, x), (W * (x - mean)).squaredNorm(), 1e-12);
}

TEST(Prior, KnownValuesAndEqualitiesAreSingleRows) {
  const Fold known = known_value(layout_of(3), "c1", 5, 0.5);
  EXPECT_NEAR(cost(known, VectorXd::Constant(3, 4)), 4, 1e-13);
  const Fold equal = linear_equality(layout_of(3), (VectorXd(3) << 1, -1, 0).finished(), 0, 1e-2);
  EXPECT_NEAR(cost(equal, (VectorXd(3) << 3, 2.98, 9).finished()), 4, 1e-10);
}

TEST(Prior, NonsenseIsRefused) {
  EXPECT_THROW(known_value(layout_of(3), "c7", 1, 1), InputError);
  EXPECT_THROW(known_value(layout_of(3), "c1", 1, 0), InputError);
  EXPECT_THROW(prior(layout_of(3), VectorXd::Zero(2), VectorXd(VectorXd::Ones(2))), InputError);
  EXPECT_THROW(prior(layout_of(3, 2), VectorXd::Zero(3), VectorXd(VectorXd::Ones(3))), InputError);
  EXPECT_THROW(linear_equality(layout_of(3), VectorXd::Ones(3), 1, std::nan("")), InputError);
}

}  // namespace
}  // namespace steelyard
