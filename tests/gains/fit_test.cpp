#include "steelyard/gains/fit.hpp"

#include <gmock/gmock.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "gains/tx40_case.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/gains/payload.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;

double mean_error(const GainFit& fit) {
  return tx40::gain_errors(fit.gain_values()).cwiseAbs().mean();
}

GainOptions quick() {
  GainOptions options;
  options.bootstrap.replicates = 100;
  return options;
}

GainOptions values_only() {
  GainOptions options;
  options.spread = false;
  return options;
}

// The noisy runs of one draw, made once.
const tx40::Bench& noisy_bench() {
  static const tx40::Bench bench;
  return bench;
}
const std::vector<GainRun>& noisy_runs() {
  static const std::vector<GainRun> runs = noisy_bench().runs(7);
  return runs;
}

TEST(Gains, ColumnsAreThoseOfThePaper) {
  EXPECT_EQ(noisy_bench().base().rank, 61);
  const auto with_scale = [](const GainProblem& problem) { return gain_columns(problem).size() + 1; };
  EXPECT_EQ(with_scale(noisy_bench().problem(noisy_runs(), true)), 68U);
  EXPECT_EQ(with_scale(noisy_bench().problem(noisy_runs(), false)), 77U);
}

// Without noise what is left is the error of differences behind a 5 Hz filter at 200 Hz.
TEST(Gains, NoiseFreeRunsGiveTheGainsBack) {
  tx40::Setting setting;
  setting.current_noise = setting.encoder_noise = 0;
  const tx40::Bench bench(setting);
  const std::vector<GainRun> runs = bench.runs(0);
  for (const bool ten : {true, false}) {
    for (const GainMethod method :
         {GainMethod::ls, GainMethod::wls, GainMethod::tls, GainMethod::prediction_error}) {
      const GainFit fit = fit_gains(bench.problem(runs, ten), method, values_only());
      EXPECT_LT(tx40::gain_errors(fit.gain_values()).cwiseAbs().maxCoeff(), 2e-4)
          << to_string(method) << " ten known: " << ten;
      EXPECT_LT(fit.values[3], 0);  // motor 4 turns against its joint
      for (const auto& [name, value] : tx40::true_base())
        EXPECT_NEAR(fit.values[fit.find(name)], value, 2e-3) << name;
    }
  }
}

// Bounds of one draw; bench/gains_bench.cpp has the statistics (0.5 % and 4.8 % on average).
TEST(Gains, TotalLeastSquaresAndPredictionErrorCureTheBiasOfLeastSquares) {
  const GainProblem problem = noisy_bench().problem(noisy_runs(), false);
  const GainFit wls = fit_gains(problem, GainMethod::wls, quick());
  const GainFit tls = fit_gains(problem, GainMethod::tls, quick());
  const GainFit prediction = fit_gains(problem, GainMethod::prediction_error, quick());
  EXPECT_LT(mean_error(tls), 0.015);
  EXPECT_LT(mean_error(prediction), 0.015);
  EXPECT_GT(mean_error(wls), 3 * mean_error(tls));
  EXPECT_LT(tx40::gain_errors(wls.gain_values()).maxCoeff(), 0) << "least squares finds gains too small";
  EXPECT_GT(tls.gap, 2);
  for (const GainFit* fit : {&tls, &prediction}) {
    for (Index j = 0; j < 6; ++j) {
      EXPECT_EQ(fit->status[static_cast<std::size_t>(j)], GainStatus::identified);
      // Four standard deviations: one draw, twelve numbers.
      EXPECT_LT(std::abs(fit->values[j] - tx40::true_gains()[j]), 4 * fit->sigma[j]);
    }
  }
}

// As printed, eqs. (15) to (20): rows of each joint over their standard deviation, then the last right singular vector.
TEST(Gains, TotalLeastSquaresAsPrintedIsTheLastSingularVectorOfWeightedRows) {
  const GainProblem problem = noisy_bench().problem(noisy_runs(), true);
  const GainFit printed = fit_gains(problem, GainMethod::tls_rows, values_only());
  const GainFit wls = fit_gains(problem, GainMethod::wls, values_only());
  const std::vector<std::string> columns = gain_columns(problem);
  Eigen::MatrixXd rows(0, static_cast<Index>(columns.size()) + 1);
  for (const Fold& fold : gain_equations(problem, RowSide::joint)) {
    const auto joint =
        std::find_if(problem.joints.begin(), problem.joints.end(),
                     [&](const std::string& name) { return fold.layout().row == "torque:" + name; });
    ASSERT_NE(joint, problem.joints.end());
    const double sigma = wls.row_sigma[static_cast<std::size_t>(joint - problem.joints.begin())];
    const Index first = rows.rows();
    rows.conservativeResize(first + fold.depth(), Eigen::NoChange);
    rows.bottomRows(fold.depth()).setZero();
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (const Index at = fold.layout().find(columns[k]); at >= 0)
        rows.col(static_cast<Index>(k)).tail(fold.depth()) = fold.R().col(at) / sigma;
    rows.rightCols(1).bottomRows(fold.depth()) = -fold.efforts() / sigma;
  }
  const Eigen::VectorXd v =
      Eigen::JacobiSVD<Eigen::MatrixXd>(rows, Eigen::ComputeThinV).matrixV().rightCols(1);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const double wanted = v[static_cast<Index>(k)] / v[v.size() - 1];
    // Two ways to the same vector: rounding over the gap of the singular values.
    EXPECT_NEAR(printed.values[printed.find(columns[k])], wanted, 1e-7 * std::max(1.0, std::abs(wanted)))
        << columns[k];
  }
  EXPECT_EQ(printed.method, GainMethod::tls_rows);
  // What noise adds to the columns is another metric: another solution.
  const GainFit tls = fit_gains(problem, GainMethod::tls, values_only());
  EXPECT_GT((tls.gain_values() - printed.gain_values()).norm(), 1e-3 * tls.gain_values().norm());
}

TEST(Gains, ErrorsOfTheColumnsExplainTheSmallestSingularValue) {
  const GainFit fit = fit_gains(noisy_bench().problem(noisy_runs(), true), GainMethod::tls, values_only());
  // ‖W x‖² is what noise adds to it: one when rows, currents and positions have the noise that was estimated.
  EXPECT_NEAR(fit.singular[fit.singular.size() - 1], 1, 0.25);
}

TEST(Gains, NoiseIsFoundFromTheLog) {
  const steelyard::Run run = noisy_bench().simulate("", 1, 3);
  PreparedRun prepared(view_run(run), run.label, noisy_bench().preparation());
  const RunErrors errors = run_errors(prepared, noisy_bench().rows());
  for (Index j = 0; j < 6; ++j) {
    EXPECT_NEAR(errors.noise.position[j], 1e-4, 1e-5) << j;  // median of 4800 numbers: 2 %
    const Index channel = run.samples.find(channel::kCurrent);
    const Eigen::Map<const VectorXd> current(run.samples.row(channel, j), run.samples.size());
    const double rms = current.norm() / std::sqrt(static_cast<double>(current.size()));
    EXPECT_NEAR(errors.noise.current[j], 0.1 * rms, 0.015 * rms) << j;
  }
}

// Eqs. (24)–(25): rows of motor 5 are τ5 − τ6 with its own current alone, rows of joint 5 have both currents.
TEST(Gains, MotorRowsAndJointRowsAgree) {
  tx40::Setting setting;
  setting.current_noise = setting.encoder_noise = 0;
  const tx40::Bench bench(setting);
  const GainProblem exact = bench.problem(bench.runs(0), false);
  const GainProblem noisy = noisy_bench().problem(noisy_runs(), false);
  for (const GainMethod method : {GainMethod::ls, GainMethod::wls, GainMethod::tls}) {
    GainOptions options = quick();
    options.rows = RowSide::motor;
    const GainFit motor = fit_gains(exact, method, options);
    EXPECT_LT(tx40::gain_errors(motor.gain_values()).cwiseAbs().maxCoeff(), 2e-4) << to_string(method);
    const GainFit one = fit_gains(noisy, method, options), two = fit_gains(noisy, method, quick());
    EXPECT_EQ(one.columns, two.columns);
    EXPECT_LT(one.values[3], 0);
    for (Index j = 0; j < 6; ++j) {
      // The same equations, weighted otherwise: a fraction of a standard deviation apart, but not the same.
      EXPECT_LT(std::abs(one.values[j] - two.values[j]), two.sigma[j]) << to_string(method) << j;
      EXPECT_NEAR(one.sigma[j], two.sigma[j], 0.3 * two.sigma[j]);
    }
    EXPECT_NE(one.values[4], two.values[4]);
  }
}

TEST(Gains, IgnoredCouplingIsABadFit) {
  tx40::Setting setting;
  setting.ignore_coupling = true;
  const tx40::Bench bench(setting);
  const GainProblem wrong = bench.problem(bench.runs(7), false);
  const GainProblem right = noisy_bench().problem(noisy_runs(), false);
  const GainMethod method = GainMethod::prediction_error;
  const VectorXd bad = current_residual(wrong, fit_gains(wrong, method, values_only())).relative;
  const VectorXd good = current_residual(right, fit_gains(right, method, values_only())).relative;
  EXPECT_GT(bad[4], 3 * good[4]) << "joint 5 carries the torque of motor 6";
  EXPECT_NEAR(bad[0], good[0], 0.1 * good[0]);
}

TEST(Gains, TheDeviationOfAWeighedMassIsThatOfAllGains) {
  GainProblem problem = noisy_bench().problem(noisy_runs(), false);
  const GainFit exact = fit_gains(problem, GainMethod::prediction_error, quick());
  problem.loads[0].parameters[0].sigma = 0.05 * tx40::kHeavy;
  const GainFit weighed = fit_gains(problem, GainMethod::prediction_error, quick());
  for (Index j = 0; j < 6; ++j) {
    // The mass alone is known: everything is proportional to it.
    const double mass = 0.05 * std::abs(exact.values[j]);
    EXPECT_NEAR(weighed.sigma[j], std::hypot(exact.sigma[j], mass), 1e-3 * mass);
    EXPECT_NEAR(weighed.values[j], exact.values[j], 1e-6 * std::abs(exact.values[j]));
  }
}

TEST(Gains, ParametersWithADeviationLieBetweenKnownAndUnknown) {
  const GainMethod method = GainMethod::prediction_error;
  GainProblem problem = noisy_bench().problem(noisy_runs(), true);
  const GainFit known = fit_gains(problem, method, quick());
  for (std::size_t k = 1; k < 10; ++k) problem.loads[0].parameters[k].sigma = 1e-3;
  const GainFit between = fit_gains(problem, method, quick());
  const GainFit unknown = fit_gains(noisy_bench().problem(noisy_runs(), false), method, quick());
  EXPECT_EQ(between.columns.size(), 76U);
  EXPECT_LT(known.sigma[4], between.sigma[4]);
  EXPECT_LT(between.sigma[4], unknown.sigma[4]);
}

void expect_refused(const GainProblem& problem, const std::string& words) {
  try {
    fit_gains(problem, GainMethod::wls, values_only());
    ADD_FAILURE() << "accepted; expected: " << words;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

TEST(Gains, ImpossibleInputsAreRefused) {
  const GainProblem good = noisy_bench().problem(noisy_runs(), false);
  GainProblem problem = good;
  problem.runs.pop_back();
  expect_refused(problem, "none of the 1 runs carries a load");
  problem.runs = {good.runs[1]};
  expect_refused(problem, "all runs carry the load 'heavy'");
  for (const double mass : {0.0, -4.59}) {
    problem = good;
    problem.loads[0].parameters[0].value = mass;
    expect_refused(problem, "the mass of the load is");
  }
  problem = good;
  problem.loads[0] = unknown_load("heavy");
  expect_refused(problem, "the scale of the gains is undetermined");
  problem = good;
  problem.runs[1].load = "heavier";
  expect_refused(problem, "unknown load 'heavier'");
  // The same file given twice, once as loaded.
  const steelyard::Run unloaded = noisy_bench().simulate("", 1, 3);
  steelyard::Run relabelled = unloaded;
  relabelled.label.payload = relabelled.label.label = "heavy";
  problem =
      noisy_bench().problem({noisy_bench().fold(unloaded, 0), noisy_bench().fold(relabelled, 1000)}, false);
  expect_refused(problem, "are the same data");
}

TEST(Gains, OtherJointCountsAreRefused) {
  const steelyard::Run run = noisy_bench().simulate("", 1, 3);
  steelyard::Run other{run.label, SampleBlock(run.samples.channels(), 5, run.samples.size())};
  std::copy_n(run.samples.time(), run.samples.size(), other.samples.time());
  PreparedRun prepared(view_run(other), other.label, noisy_bench().preparation());
  try {
    fold_currents(prepared, noisy_bench().rows());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("5"));
    EXPECT_THAT(error.what(), HasSubstr("6"));
  }
}

TEST(Loads, PayloadsOfBothMassesAreFoundWithFoundGains) {
  const GainFit tls = fit_gains(noisy_bench().problem(noisy_runs(), false), GainMethod::tls, quick());
  const auto identify = [&](const std::string& load, std::uint64_t motion) {
    const GainRun loaded = noisy_bench().fold(noisy_bench().simulate(load, motion, 77), 2000);
    const GainProblem problem =
        gain_problem(noisy_bench().rows(), {unknown_load(load)}, {noisy_runs()[0], loaded});
    return identify_loads(problem, tls.gain_values(), tls.covariance.topLeftCorner(tls.gains, tls.gains),
                          quick())
        .loads[0];
  };
  for (const char* name : {"heavy", "light"}) {
    const Inertia truth = std::string(name) == "heavy" ? tx40::heavy_body() : tx40::light_body();
    const LoadEstimate load = identify(name, std::string(name) == "heavy" ? 3 : 4);
    EXPECT_NEAR(load.values[0], truth.mass(), 0.02 * truth.mass())
        << name;  // of one draw: 3 to 4 standard deviations
    EXPECT_LT(load.lower[0], truth.mass());
    EXPECT_GT(load.upper[0], truth.mass());
    ASSERT_TRUE(load.body_is_found);
    EXPECT_FALSE(load.body.violated_law().has_value());
    EXPECT_LT((load.body.com() - truth.com()).norm(), 0.01);
    // Distance to the nearest body in standard deviations: the truth is a body, so that it is not farther
    // than that.
    EXPECT_LT(load.body_moved, 4.3);  // √χ²₁₀ at 0.95
  }
}

TEST(Loads, NearestBodyLeavesAPossibleBodyAndMovesAnImpossibleOne) {
  const Vector10 body = tx40::heavy_body().to_standard();
  MatrixXd covariance = MatrixXd::Zero(10, 10);
  covariance.diagonal() = (0.01 * body.cwiseAbs()).cwiseAbs2();
  bool found = false;
  double moved = 0;
  const Inertia same = nearest_body(body, covariance, found, moved);
  ASSERT_TRUE(found);
  EXPECT_LT(moved, 1e-3);
  EXPECT_LT((same.to_standard() - body).cwiseAbs().maxCoeff(), 1e-4);
  Vector10 impossible = body;
  impossible[9] = 0.01;  // Jzz below what the offset of the centre of mass alone gives
  const Inertia near = nearest_body(impossible, covariance, found, moved);
  ASSERT_TRUE(found);
  EXPECT_GT(moved, 1);
  EXPECT_FALSE(near.violated_law().has_value());
}

}  // namespace
}  // namespace steelyard
