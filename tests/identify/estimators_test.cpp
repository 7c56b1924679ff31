// Estimators beyond weights by joint, through the steps of a study: instruments, single rows, essential
// parameters.
#include "identify/estimators.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "identify/instrument.hpp"
#include "oracle/data_folder.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/estimate/intervals.hpp"

namespace steelyard {
namespace estimators_test {

const std::string kSource = STEELYARD_SOURCE_DIR;

// The steps up to the estimate.
struct Estimated {
  explicit Estimated(const Study& study)
      : clock(options), setup(open_robot({&study, &options, &clock})), runs(open_runs(setup)) {
    fit_again();
  }
  void fit_again() {
    rows = fold_runs(setup, runs, {});
    fit = fit_rows(setup, runs, rows);
  }

  StudyOptions options;
  StudyClock clock;
  Setup setup;
  Runs runs;
  std::vector<RunRows> rows;
  Fit fit;
};

// Two joints in fast motion, measured by encoders alone, behind a filter that lets much of their noise pass.
Study noisy_study(double encoder_noise, std::uint64_t seed, const std::string& method) {
  Study study = read_study_text(
      "robot: robots/two_r.yaml\n"
      "drives: {friction: [viscous, coulomb, offset]}\n"
      "runs:\n"
      "  - label: run\n"
      "    simulate:\n"
      "      motion: {multi_sine: {harmonics: 6, period: 10, center: [0, 0], reach: [1, 1], seed: 3}}\n"
      "      rate: 500\n"
      "      friction: {viscous: [0.5, 0.3], coulomb: [0.6, 0.4], offset: [0.1, -0.1]}\n"
      "      effort_noise: 0.05\n"
      "      velocity: none\n"
      "prepare: {filter: {order: 4, cutoff: 20}, columns: filtered, decimate: auto}\n"
      "estimate: {method: " +
          method + "}\n",
      kSource + "/study.yaml");
  study.runs[0].simulation->options.position_noise = VectorXd::Constant(1, encoder_noise);
  set_seed(study, seed);
  return study;
}

// Values of the columns that the simulated robot has.
VectorXd truth_of(const Setup& setup, const Estimate& estimated) {
  VectorXd all = VectorXd::Zero(static_cast<Index>(setup.base.columns.size()));
  all.head(10 * setup.robot.size()) = standard_parameters(setup.robot);
  for (std::size_t k = 0; k < setup.base.columns.size(); ++k) {
    const std::string& c = setup.base.columns[k];
    if (c.size() != 3 || c[0] != 'f') continue;
    const Friction& f =
        setup.study().runs[0].simulation->drives[static_cast<std::size_t>(c[2] - '1')].friction;
    all[static_cast<Index>(k)] = c[1] == 'v' ? f.viscous : c[1] == 'c' ? f.coulomb : f.offset;
  }
  const VectorXd leads = setup.base.K * all;
  VectorXd out(estimated.values.size());
  for (std::size_t b = 0; b < setup.base.base.size(); ++b) {
    const Index k = estimated.find(setup.base.base[b].lead);
    if (k >= 0) out[k] = leads[static_cast<Index>(b)];
  }
  return out;
}

struct Coverage {
  VectorXd instruments, least_squares;  // share of draws whose interval holds the truth, per column
  double reported = 0;                  // share of draws in which least squares was found to be biased
  double simulated = 0;
};

VectorXd holds(const Intervals& found, const VectorXd& truth) {
  return ((found.lower.array() <= truth.array()) && (truth.array() <= found.upper.array())).cast<double>();
}

// Bootstrap intervals by instruments and, from the same rows, by least squares.
Coverage coverage(double encoder_noise, int draws) {
  Coverage out;
  for (int draw = 0; draw < draws; ++draw) {
    const Study study = noisy_study(encoder_noise, 100 + static_cast<std::uint64_t>(draw), "iv");
    const Estimated state(study);
    const Fit& fit = state.fit;
    const VectorXd truth = truth_of(state.setup, fit.estimated);
    const BlockMoments by_iv = block_moments(state.fit.instrument_folds, *state.fit.instrument);
    const Estimate ls = estimate(state.fit.folds, study.estimate);
    const BlockMoments by_ls = block_moments(state.fit.folds, ls);
    EXPECT_TRUE(state.fit.estimator.converged);
    EXPECT_FALSE(state.fit.instrument->weak);
    if (draw == 0) out.instruments = out.least_squares = VectorXd::Zero(truth.size());
    out.instruments += holds(intervals(state.fit.estimated, &by_iv), truth) / draws;
    out.least_squares += holds(intervals(ls, &by_ls), truth) / draws;
    out.reported += state.fit.instrument->least_squares_is_biased() / static_cast<double>(draws);
    out.simulated += state.fit.estimator.instruments->simulated / static_cast<double>(draws);
  }
  std::cout << "encoder noise " << encoder_noise << ": covered by instruments " << out.instruments.mean()
            << " (worst " << out.instruments.minCoeff() << "), by least squares " << out.least_squares.mean()
            << " (worst " << out.least_squares.minCoeff() << ")\n";
  return out;
}

// 14 values in 10 draws; they share their noise, so that a mean has a standard deviation of some 4 %.
TEST(Instruments, CoverTheTruthWhereEncoderNoiseBiasesLeastSquares) {
  const Coverage found = coverage(1e-4, 10);
  EXPECT_GE(found.instruments.mean(), 0.9);
  EXPECT_GE(found.instruments.minCoeff(), 0.7);
  EXPECT_LE(found.least_squares.mean(), 0.9);
  EXPECT_LE(found.least_squares.minCoeff(), 0.4);
  EXPECT_NEAR(found.reported, 1, 1e-9);
  EXPECT_NEAR(found.simulated, 1, 1e-9);
}

TEST(Instruments, AgreeWithLeastSquaresWhereEncodersAreFine) {
  const Coverage found = coverage(1e-5, 10);
  EXPECT_GE(found.instruments.mean(), 0.86);
  EXPECT_GE(found.least_squares.mean(), 0.86);
  EXPECT_EQ(found.reported, 0);
}

TEST(Instruments, ParametersThatCannotMoveLeaveTheReference) {
  const Study study = noisy_study(1e-5, 1, "wls");
  const Estimated state(study);
  const InstrumentMotion reference = reference_motion(*state.runs[0].prepared, 8);
  VectorXd values = values_for(state.setup.plan, state.fit.estimated);
  const auto followed = [&] {
    return follow(state.setup.robot, simulation_parameters(state.setup.robot, state.setup.plan, values),
                  reference, 10);
  };
  EXPECT_TRUE(followed().simulated);
  values = -values;
  const InstrumentMotion same = followed();
  EXPECT_FALSE(same.simulated);
  EXPECT_EQ(same.q, reference.q);
}

// The drives of the simulation have the friction that was fitted, and none that would push.
TEST(Instruments, SimulateTheFittedFormsOfFriction) {
  const Study study = noisy_study(1e-5, 1, "wls");
  const Estimated state(study);
  steelyard::Setup setup = state.setup;
  FrictionModel sigmoid = friction_model(FrictionForm::sigmoid),
                peak = friction_model(FrictionForm::stribeck);
  sigmoid.slope = 9, sigmoid.shift = 0.1, peak.velocity = 0.2;
  setup.friction.joints = {{1, 0, 0, 1}, {2, 1, 1, 1}};
  setup.friction.models = {sigmoid, peak};
  Estimate estimate = state.fit.estimated;
  for (const auto& [column, value] : {std::pair{"fh1", 2.0}, {"fs2", 0.7}, {"fn2", -1.0}}) {
    estimate.columns.push_back(column);
    estimate.values.conservativeResize(estimate.values.size() + 1);
    estimate.values[estimate.values.size() - 1] = value;
  }
  const TrueParameters found = simulation_parameters(setup, estimate);
  Friction first =
      simulation_parameters(setup.robot, setup.plan, values_for(setup.plan, estimate)).drives[0].friction;
  first.sigmoid_height = 2, first.sigmoid_slope = 9, first.sigmoid_shift = 0.1;
  for (const double qd : {-0.7, -0.05, 0.0, 0.02, 1.3})
    EXPECT_EQ(friction_effort(found.drives[0].friction, qd), friction_effort(first, qd)) << qd;
  EXPECT_EQ(found.drives[1].friction.stribeck, 0.7);
  EXPECT_EQ(found.drives[1].friction.stribeck_velocity, 0.2);
  EXPECT_EQ(found.drives[1].friction.coulomb_negative, 0);
}

BlockGroups groups_of_five(const HeldOut& held) {
  BlockGroups groups;
  for (const auto& blocks : held.blocks)
    groups.push_back(groups_by_index(static_cast<Index>(blocks.size()), 5));
  return groups;
}

// Largest |mean of the refits − value| / σ over the columns.
double moved_refits(const CrossValidation& refits, const Estimate& to) {
  double worst = 0;
  for (std::size_t k = 0; k < refits.columns.size(); ++k) {
    const Index at = to.find(refits.columns[k]);
    double mean = 0;
    for (const VectorXd& values : refits.values)
      mean += values[static_cast<Index>(k)] / static_cast<double>(refits.values.size());
    worst = std::max(worst, std::abs(mean - to.values[at]) / to.sigma[at]);
  }
  return worst;
}

// Fifteen spikes on the torques of the first joint, each smeared over some three rows by the filter, and a
// push of half a second against the second.
TEST(SingleRows, OutliersOfALogDoNotMoveTheParameters) {
  const Study clean_study = noisy_study(1e-6, 5, "wls"), study = noisy_study(1e-6, 5, "huber");
  const Estimated clean(clean_study);
  Estimated state(study);
  steelyard::Run run{{}, read_all(*open_study_run(study.runs[0], state.setup.robot))};
  Random random(9, "outliers of the study");
  const int torque = run.samples.find("torque");
  for (int k = 0; k < 15; ++k)
    run.samples.row(torque, 0)[random.below(static_cast<std::uint64_t>(run.samples.size()))] += 30;
  for (Index s = 3000; s < 3250; ++s) run.samples.row(torque, 1)[s] += 5;
  state.runs[0].prepared = std::make_unique<PreparedRun>(view_run(run), RunLabel{}, state.setup.prepare);
  state.fit_again();
  const Estimate wls = estimate(fit_folds(state.rows), clean_study.estimate);
  const auto moved = [&](const VectorXd& values) {
    return (values - clean.fit.estimated.values)
        .cwiseQuotient(clean.fit.estimated.sigma)
        .cwiseAbs()
        .maxCoeff();
  };
  std::cout << "moved by outliers, in deviations of the clean log: wls " << moved(wls.values) << ", huber "
            << moved(state.fit.estimated.values) << "\n";
  EXPECT_GT(moved(wls.values), 10);
  EXPECT_LT(moved(state.fit.estimated.values), 2);
  EXPECT_TRUE(state.fit.estimator.converged);
  ASSERT_EQ(state.fit.estimator.rows.size(), 2u);
  EXPECT_GT(state.fit.estimator.rows[1].far_share, 0.01);
  // Cross-validation refits with the same weights of rows: without them outliers move its refits, too.
  const HeldOut held = held_out_groups(state.rows, CrossOptions{});
  const BlockGroups groups = groups_of_five(held);
  const double by_rows = moved_refits(cross_validate_estimator(state.setup, state.fit, held.blocks, groups),
                                      clean.fit.estimated);
  EXPECT_LT(by_rows, 2);
  EXPECT_GT(moved_refits(cross_validate(held.blocks, groups, study.estimate), clean.fit.estimated), by_rows);
}

// Refits without a fifth of the run lie around the estimate of the same kind, not around least squares.
TEST(CrossValidationOfAStudy, IsByInstrumentsWhereTheEstimateIs) {
  const Study study = noisy_study(1e-4, 11, "iv");
  const Estimated state(study);
  const HeldOut held = held_out_groups(state.rows, CrossOptions{});
  const BlockGroups groups = groups_of_five(held);
  const Estimate ls = estimate(state.fit.folds, study.estimate);
  const double by_iv = moved_refits(cross_validate_estimator(state.setup, state.fit, held.blocks, groups),
                                    state.fit.estimated);
  const double by_ls = moved_refits(cross_validate(held.blocks, groups, study.estimate), state.fit.estimated);
  EXPECT_LT(by_iv, 1);
  EXPECT_GT(by_ls, 2 * by_iv);
  EXPECT_LT(moved_refits(cross_validate(held.blocks, groups, study.estimate), ls), 1);
}

TEST(EssentialParameters, Tx40) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  ::setenv("STEELYARD_DATA", oracle::data_folder()->c_str(), 1);
  Study study = read_study(kSource + "/examples/tx40-real/study.yaml");
  study.estimate.weighting = Weighting::by_row;
  study.estimator.essential = EssentialOptions{30, {}};
  const Estimated state(study);
  const EssentialSummary& found = *state.fit.estimator.essential;
  std::cout << found.count << " of " << state.fit.estimated.columns.size() << " essential, residual "
            << 100 * found.residual_full << " % before and " << 100 * found.residual << " % after\n";
  EXPECT_LE(found.count, 32);
  EXPECT_LT(found.residual - found.residual_full, 0.003);
  EXPECT_EQ(found.eliminated.size() + static_cast<std::size_t>(found.count),
            state.fit.estimated.columns.size());
  Index eliminated = 0;
  for (std::size_t k = 0; k < state.fit.estimated.columns.size(); ++k) {
    if (state.fit.estimated.column_status[k] != ColumnStatus::eliminated) continue;
    ++eliminated;
    EXPECT_EQ(state.fit.estimated.values[static_cast<Index>(k)], 0);
    EXPECT_TRUE(std::isfinite(state.fit.estimated.sigma[static_cast<Index>(k)]));
  }
  EXPECT_EQ(static_cast<std::size_t>(eliminated), found.eliminated.size());
}

TEST(EstimateSection, MethodsAndOptionsAreRead) {
  const auto read = [](const std::string& estimate) {
    return read_study_text(
        "robot: robots/two_r.yaml\nruns: [{file: x.csv, columns: {time: t, position: \"q{j}\", torque: "
        "\"t{j}\"}}]\nestimate: " +
            estimate + "\n",
        kSource + "/study.yaml");
  };
  EXPECT_TRUE(read("{method: iv}").estimator.instruments);
  EXPECT_TRUE(read("{method: huber, huber: {far: 6}}").estimator.single_rows);
  EXPECT_EQ(read("{method: huber, huber: {far: 6}}").estimator.robust.far, 6);
  EXPECT_EQ(read("{method: iv, instruments: {cutoff: 3}}").estimator.instrument.cutoff, 3);
  EXPECT_FALSE(read("{essential: false}").estimator.essential);
  EXPECT_EQ(read("{essential: true}").estimator.essential->ratio, 30);
  EXPECT_EQ(read("{essential: 12}").estimator.essential->ratio, 12);
  EXPECT_EQ(read("{essential: {ratio: 12, keep: [fc1]}}").estimator.essential->keep.size(), 1u);
  for (const char* wrong :
       {"{essential: 0.5}", "{method: hubber}", "{instruments: {cutoff: 0}}", "{huber: {limit: 3, far: 2}}"})
    EXPECT_THROW(read(wrong), InputError) << wrong;
}

// A heavy first joint with much noise beside a light one with hardly any: equal weights leave the light joint with the
// errors of the heavy one.
Study unequal_study(const std::string& method) {
  Study study = noisy_study(0, 4, method);
  study.runs[0].simulation->options.effort_noise = Eigen::Vector2d(400, 1e-4);
  return study;
}

TEST(Weights, ThatHaveNotConvergedAreReported) {
  const auto says = [](const Study& study) {
    const Estimated found(study);
    for (const Finding& finding : found.fit.findings)
      if (finding.code == "weights-not-converged") return finding.evidence;
    return std::string();
  };
  EXPECT_NE(says(unequal_study("ols")).find("joint2"), std::string::npos);
  EXPECT_EQ(says(unequal_study("irls")), "");
  for (const char* method : {"ols", "wls"}) EXPECT_EQ(says(noisy_study(1e-5, 4, method)), "") << method;
}

}  // namespace estimators_test
}  // namespace steelyard
