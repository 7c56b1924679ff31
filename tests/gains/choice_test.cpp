#include "steelyard/gains/choice.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "gains/tx40_case.hpp"

namespace steelyard {
namespace {

GainOptions few_replicates() {
  GainOptions options;
  options.bootstrap.replicates = 100;
  return options;
}

const tx40::Bench& bench() {
  static const tx40::Bench bench;
  return bench;
}
const std::vector<GainRun>& runs() {
  static const std::vector<GainRun> runs = bench().runs(11);
  return runs;
}

TEST(ChoiceOfGains, HeldOutCurrentsPreferTheUnbiasedFit) {
  const GainProblem problem = bench().problem(runs(), false);
  GainOptions values;
  values.spread = false;
  const auto score = [&](GainMethod method) {
    return held_out_residual(problem,
                             [&](const GainProblem& training) { return fit_gains(training, method, values); })
        .total;
  };
  const double wls = score(GainMethod::wls), prediction = score(GainMethod::prediction_error);
  EXPECT_LT(prediction, wls);
  const double inside =
      current_residual(problem, fit_gains(problem, GainMethod::prediction_error, values)).total;
  EXPECT_GT(prediction, inside) << "what is held out is not fitted";
}

TEST(ChoiceOfGains, EssentialParametersKeepGainsAndLoad) {
  const GainProblem problem = bench().problem(runs(), true);
  const EssentialGains found = essential_gains(problem, GainMethod::tls, few_replicates());
  // 32 of the 61 are not zero.
  EXPECT_GE(61 - found.eliminated.size(), 26U);
  EXPECT_LE(61 - found.eliminated.size(), 36U);
  for (const std::string& gain : problem.gains) EXPECT_GE(found.fit.find(gain), 0);
  for (const auto& [name, value] : tx40::true_base()) {
    const bool gone =
        std::find(found.eliminated.begin(), found.eliminated.end(), name) != found.eliminated.end();
    if (name[0] == 'f' && name[1] == 'v') {
      EXPECT_FALSE(gone) << name;
    }
  }
  EXPECT_LT(tx40::gain_errors(found.fit.gain_values()).cwiseAbs().mean(), 0.015);
  const EssentialGains mass =
      essential_gains(bench().problem(runs(), false), GainMethod::wls, few_replicates());
  for (const std::string& name : mass.eliminated) EXPECT_EQ(name.find("_heavy"), std::string::npos) << name;
}

TEST(ChoiceOfGains, AGainThatChangedBetweenRunsIsFound) {
  const GainProblem steady = bench().problem(runs(), true);
  const GainMethod method = GainMethod::prediction_error;
  for (const GainDrift& drift :
       gain_drift(steady, fit_gains(steady, method, few_replicates()), few_replicates()))
    EXPECT_FALSE(drift.significant) << drift.joint << " " << drift.change << " ± " << drift.sigma;
  // Motor 3 of the loaded run needs 5 % more current.
  steelyard::Run loaded = bench().simulate("heavy", 2, 24);
  double* current = loaded.samples.row(loaded.samples.find(channel::kCurrent), 2);
  for (Index s = 0; s < loaded.samples.size(); ++s) current[s] *= 1.05;
  const GainProblem warm = bench().problem({runs()[0], bench().fold(loaded, 1000)}, true);
  int found = 0;
  for (const GainDrift& drift :
       gain_drift(warm, fit_gains(warm, method, few_replicates()), few_replicates())) {
    if (!drift.significant) continue;
    ++found;
    EXPECT_EQ(drift.joint, "joint3");
    EXPECT_EQ(drift.run, "heavy");
    EXPECT_NEAR(drift.change, 0.05, 4 * drift.sigma);
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace steelyard
