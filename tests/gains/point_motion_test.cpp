// Gains from point-to-point motions, the kind of the paper: what is said of a gain holds.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "gains/tx40_case.hpp"

namespace steelyard {
namespace point_motion_test {
namespace {

int draws() {
  const char* wanted = std::getenv("STEELYARD_DRAWS");
  return wanted ? std::atoi(wanted) : 4;
}

struct Tally {
  int held = 0, intervals = 0, biased = 0, identified = 0;
  VectorXd error = VectorXd::Zero(6), attenuation = error, sigma = error;  // relative, means
};

Tally tally(const tx40::Bench& bench, GainMethod method) {
  GainOptions options;
  options.bootstrap.replicates = 100;
  Tally out;
  const VectorXd truth = tx40::true_gains();
  for (int draw = 0; draw < draws(); ++draw) {
    const GainFit fit =
        fit_gains(bench.problem(bench.runs(10 * static_cast<std::uint64_t>(draw)), false), method, options);
    out.error += tx40::gain_errors(fit.gain_values()) / draws();
    out.sigma += fit.sigma.head(6).cwiseQuotient(truth.cwiseAbs()) / draws();
    if (fit.attenuation.size() > 0) out.attenuation += fit.attenuation.head(6).cwiseQuotient(truth) / draws();
    for (Index j = 0; j < 6; ++j) {
      const GainStatus status = fit.status[static_cast<std::size_t>(j)];
      out.biased += status == GainStatus::biased;
      out.identified += status == GainStatus::identified;
      if (std::isnan(fit.lower[j])) continue;
      ++out.intervals;
      out.held += fit.lower[j] <= truth[j] && truth[j] <= fit.upper[j];
    }
  }
  std::printf("%s: %d identified, %d biased, %d of %d intervals hold\n", to_string(method), out.identified,
              out.biased, out.held, out.intervals);
  return out;
}

tx40::Bench bench_of_points() {
  tx40::Setting setting;
  setting.motion = tx40::point_motion;
  setting.standstill = VectorXd::Constant(6, 0.01);  // as studies with Coulomb friction have it
  return tx40::Bench(setting);
}

TEST(PointMotions, TotalLeastSquaresAndPredictionErrorHold) {
  const tx40::Bench bench = bench_of_points();
  for (const GainMethod method : {GainMethod::tls, GainMethod::prediction_error}) {
    const Tally found = tally(bench, method);
    EXPECT_EQ(found.identified, 6 * draws());
    // 95 %, less what few draws scatter.
    EXPECT_GE(found.held, (draws() < 50 ? 0.8 : 0.92) * found.intervals);
    EXPECT_LT(found.sigma.maxCoeff(), 0.03) << "rows at standstill have no errors";
  }
}

TEST(PointMotions, LeastSquaresSaysThatItIsBiased) {
  const tx40::Bench bench = bench_of_points();
  for (const GainMethod method : {GainMethod::ls, GainMethod::wls}) {
    const Tally found = tally(bench, method);
    EXPECT_GT(found.biased, 0.7 * 6 * draws());
    EXPECT_GE(found.held, 0.6 * found.intervals) << "what is not called biased is nearly right";
    // What errors of the columns take from a gain is what is missing.
    for (Index j = 0; j < 6; ++j)
      EXPECT_NEAR(-found.attenuation[j], found.error[j],
                  0.35 * found.attenuation[j] + 3 * found.sigma[j] / std::sqrt(draws()))
          << j;
  }
}

}  // namespace
}  // namespace point_motion_test
}  // namespace steelyard
