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

// What noise takes from a gain in least squares, and what flips of Coulomb friction may do in total least
// squares, is more than a quarter of this one.
TEST_F(StillJoint1, IsNotIdentifiableWithNoiseInTheColumnsAndTheOthersAreFound) {
  for (const GainMethod method : {GainMethod::wls, GainMethod::tls}) {
    const GainFit fit = fit_gains(problem(), method, hundred_replicates());
    EXPECT_EQ(fit.status[0], GainStatus::not_identifiable) << to_string(method);
    EXPECT_TRUE(std::isnan(fit.lower[0])) << "no confident wrong number";
    const GainStatus others = method == GainMethod::tls ? GainStatus::identified : GainStatus::biased;
    for (std::size_t j = 1; j < 6; ++j) EXPECT_EQ(fit.status[j], others) << to_string(method);
  }
  const GainFit tls = fit_gains(problem(), GainMethod::tls, hundred_replicates());
  for (Index j = 1; j < 6; ++j) EXPECT_LT(std::abs(tx40::gain_errors(tls.gain_values())[j]), 0.02);
}

TEST_F(StillJoint1, IsHeldAtItsPriorByTotalLeastSquaresAndTheOthersAreNotHarmed) {
  GainProblem with_prior = problem();
  with_prior.prior = tx40::manufacturer_gains();
  with_prior.prior_sigma = VectorXd::Constant(6, kInfinity);
  with_prior.prior_sigma[0] = 0.1 * with_prior.prior[0];
  const GainFit alone = fit_gains(problem(), GainMethod::tls, hundred_replicates());
  const GainFit held = fit_gains(with_prior, GainMethod::tls, hundred_replicates());
  EXPECT_EQ(held.status[0], GainStatus::prior);
  EXPECT_NEAR(held.values[0], with_prior.prior[0], 1e-3 * with_prior.prior[0]);
  EXPECT_NEAR(held.sigma[0], with_prior.prior_sigma[0], 0.05 * with_prior.prior_sigma[0]);
  const VectorXd errors = tx40::gain_errors(held.gain_values());
  for (Index j = 1; j < 6; ++j) {
    EXPECT_EQ(held.status[static_cast<std::size_t>(j)], GainStatus::identified);
    EXPECT_LT(std::abs(errors[j]), 0.015) << j;
    EXPECT_LT(held.sigma[j], alone.sigma[j]) << j;
  }
  // 95 % of 25, less two binomial standard deviations.
  int holds = 0;
  for (const std::uint64_t draw : {3, 13, 23, 33, 43}) {
    GainProblem other = bench().problem(bench().runs(draw), false);
    other.prior = with_prior.prior;
    other.prior_sigma = with_prior.prior_sigma;
    const GainFit fit = fit_gains(other, GainMethod::tls, hundred_replicates());
    for (Index j = 1; j < 6; ++j)
      holds += fit.lower[j] < tx40::true_gains()[j] && tx40::true_gains()[j] < fit.upper[j];
  }
  EXPECT_GE(holds, 21);
}

// Currents as outputs do not need the second candidate: what they say of joint 1 holds within its standard
// deviation.
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

// A joint at rest: its current is noise, and no method may say more than the prior does.
TEST(JointAtRest, IsNotIdentifiableOrItsPrior) {
  tx40::Setting setting;
  setting.reach1 = 1e-6;
  const tx40::Bench bench(setting);
  GainProblem problem = bench.problem(bench.runs(3), false);
  for (const GainMethod method : {GainMethod::wls, GainMethod::tls, GainMethod::prediction_error})
    EXPECT_EQ(fit_gains(problem, method, hundred_replicates()).status[0], GainStatus::not_identifiable)
        << to_string(method);
  problem.prior = tx40::manufacturer_gains();
  problem.prior_sigma = VectorXd::Constant(6, kInfinity);
  problem.prior_sigma[0] = 0.1 * problem.prior[0];
  const GainFit fit = fit_gains(problem, GainMethod::prediction_error, hundred_replicates());
  EXPECT_EQ(fit.status[0], GainStatus::prior);
  // The interval is as wide as the prior's, whatever the blocks of noise agree on.
  EXPECT_GT(fit.upper[0] - fit.lower[0], 2 * 1.9 * problem.prior_sigma[0]);
  EXPECT_LT(fit.lower[0], tx40::true_gains()[0]);
  EXPECT_GT(fit.upper[0], tx40::true_gains()[0]);
  for (Index j = 1; j < 6; ++j) EXPECT_LT(std::abs(tx40::gain_errors(fit.gain_values())[j]), 0.02) << j;
}

}  // namespace
}  // namespace steelyard
