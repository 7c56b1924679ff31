#include "steelyard/gains/feasible.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "gains/tx40_case.hpp"

namespace steelyard {
namespace {

TEST(FeasibleGains, LinksLoadAndDrivesCanExistAndGainsKeepTheirSign) {
  const tx40::Bench bench;
  const GainProblem problem = bench.problem(bench.runs(7), false);
  GainOptions options;
  options.bootstrap.replicates = 100;
  const GainFit plain = fit_gains(problem, GainMethod::prediction_error, options);
  const FeasibleGains found = fit_feasible_gains(problem, bench.robot(), bench.base(), plain, options);
  ASSERT_TRUE(found.feasible);
  EXPECT_TRUE(found.fit.converged);
  // Ten a link: the six of the robot, then the load.
  for (int link = 0; link < 7; ++link) {
    const Inertia body = Inertia::from_standard(found.x.segment<10>(10 * link));
    EXPECT_FALSE(body.violated_law().has_value()) << "link " << link + 1;
  }
  EXPECT_NEAR(found.x[60], tx40::kHeavy, 1e-6);
  for (std::size_t k = 70; k < found.columns.size(); ++k) {
    const std::string stem = found.columns[k].substr(0, 2);
    if (stem == "fv" || stem == "fc") {
      EXPECT_GE(found.x[static_cast<Index>(k)], -1e-9) << found.columns[k];
    }
  }
  EXPECT_LT(found.fit.values[3], 0);
  EXPECT_GT(found.fit.values[4], 0);
  const double error = tx40::gain_errors(found.fit.gain_values()).cwiseAbs().mean();
  EXPECT_LT(error, 0.015);
  // The published parameters are no bodies by a little: what they cost in fit is small.
  EXPECT_LT(current_residual(problem, found.fit).total, 1.05 * current_residual(problem, plain).total);
}

}  // namespace
}  // namespace steelyard
