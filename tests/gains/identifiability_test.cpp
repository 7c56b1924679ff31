// Gains that the runs do not fix.
#include <gmock/gmock.h>

#include <cmath>

#include "gains/tx40_case.hpp"

namespace steelyard {
namespace {

GainOptions hundred_replicates() {
  GainOptions options;
  options.bootstrap.replicates = 100;
  return options;
}

// Joint 1 has a vertical axis: it feels the load by its inertia alone, and hardly moves.
class StillJoint1 : public testing::Test {
 protected:
  static const tx40::Bench& bench() {
    static const tx40::Bench bench = [] {
      tx40::Setting setting;
      setting.reach1 = 0.02;
      return tx40::Bench(setting);
    }();
    return bench;
  }
  static const GainProblem& problem() {
    static const GainProblem problem = bench().problem(bench().runs(3), false);
    return problem;
  }
};

// Noise of positions is as large as the motion of joint 1: total least squares has two candidates.
TEST_F(StillJoint1, IsNotIdentifiableByTotalLeastSquaresAndTheOthersAreFound) {
  const GainFit tls = fit_gains(problem(), GainMethod::tls, hundred_replicates());
  EXPECT_EQ(tls.status[0], GainStatus::not_identifiable);
  EXPECT_TRUE(std::isnan(tls.lower[0])) << "no confident wrong number";
  for (std::size_t j = 1; j < 6; ++j) {
    EXPECT_EQ(tls.status[j], GainStatus::identified);
    EXPECT_LT(std::abs(tx40::gain_errors(tls.gain_values())[static_cast<Index>(j)]), 0.03);
  }
}

// Currents as outputs do not need the second candidate: what they say of joint 1 holds within its deviation.
TEST_F(StillJoint1, IsRightWithinItsDeviationByPredictionErrorAndAPriorHarmsNoOther) {
  GainProblem with_prior = problem();
  with_prior.prior = tx40::manufacturer_gains();
  with_prior.prior_sigma = VectorXd::Constant(6, kInfinity);
  with_prior.prior_sigma[0] = 0.1 * with_prior.prior[0];
  for (const GainProblem& own : {problem(), with_prior}) {
    const GainFit fit = fit_gains(own, GainMethod::prediction_error, hundred_replicates());
    EXPECT_LT(std::abs(fit.values[0] - tx40::true_gains()[0]), 3 * fit.sigma[0]);
    for (Index j = 1; j < 6; ++j) EXPECT_LT(std::abs(tx40::gain_errors(fit.gain_values())[j]), 0.03) << j;
  }
}

}  // namespace
}  // namespace steelyard
