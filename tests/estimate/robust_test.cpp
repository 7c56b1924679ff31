// Weights of single rows: through a real pass, against rows that are known to be bad.
#include "steelyard/estimate/robust.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "estimate_cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/fold/pass.hpp"

namespace steelyard {
namespace {

// A pendulum with friction; rows are τ = Y π with known π.
Robot pendulum() {
  Robot robot;
  robot.name = "pendulum";
  Joint joint;
  joint.name = joint.link = "arm";
  joint.axis = Vector3::UnitY();
  joint.drive = {true, true, true, false};
  robot.joints = {joint};
  return robot;
}

constexpr double kRate = 200;

// 60 s of three sines with exact derivatives and normal noise of standard deviation 0.2 on the torque.
Run clean_run(const Plan& plan, const VectorXd& truth, std::uint64_t seed) {
  Run run;
  run.samples = SampleBlock({"position", "velocity", "acceleration", "torque"}, 1, 12000);
  Random random(seed, "robust");
  for (Index s = 0; s < run.samples.size(); ++s) {
    const double t = static_cast<double>(s) / kRate;
    run.samples.time()[s] = t;
    VectorXd q = VectorXd::Zero(1), qd = q, qdd = q;
    for (const auto& [w, a] : {std::pair{1.1, 0.9}, {2.3, 0.5}, {5.7, 0.2}}) {
      q[0] += a * std::sin(w * t);
      qd[0] += a * w * std::cos(w * t);
      qdd[0] -= a * w * w * std::sin(w * t);
    }
    run.samples.row(0)[s] = q[0], run.samples.row(1)[s] = qd[0], run.samples.row(2)[s] = qdd[0];
    run.samples.row(3)[s] = (regressor(plan, q, qd, qdd) * truth)[0] + random.normal(0, 0.2);
  }
  return run;
}

struct Fitted {
  Estimate estimate;
  std::vector<RowScale> scales;
  int passes = 0;
};

// Least squares, then passes with row weights until the values stay.
Fitted fit_robustly(const Run& run, const Plan& plan, const std::vector<Layout>& layouts,
                    const PrepareOptions& prepare, const RobustOptions& options, int threads = 1) {
  PreparedRun prepared(view_run(run), {}, prepare);
  PassOptions pass;
  pass.threads = threads;
  Fitted out;
  EstimateOptions by_row;
  by_row.weighting = Weighting::by_row;
  out.estimate = estimate(fold_run(prepared, plan, layouts, pass).folds.total(), by_row);
  std::vector<double> sigma;
  for (out.passes = 1; out.passes < 20; ++out.passes) {
    ResidualCounts counts({layouts[0].row});
    const RowWeigher weigher(layouts, out.estimate.columns, out.estimate.values, sigma, options, counts);
    pass.weigh = [&](Index row, std::span<const double* const> columns, Index count, const std::uint8_t* mask,
                     double* weight) { weigher.weigh(row, columns, count, mask, weight); };
    const FoldPass folded = fold_run(prepared, plan, layouts, pass);
    out.scales = counts.scales(sigma, options);
    if (sigma.empty()) {
      sigma = {out.scales[0].sigma};
      continue;
    }
    const VectorXd before = out.estimate.values;
    out.estimate = estimate(folded.folds.total(), by_row);
    correct_deviations(out.scales, out.estimate);
    sigma = {out.scales[0].sigma};
    if ((out.estimate.values - before).cwiseQuotient(out.estimate.sigma).cwiseAbs().maxCoeff() < 0.01) break;
  }
  return out;
}

class Robust : public ::testing::Test {
 protected:
  Robust() {
    robot_ = pendulum();
    PlanOptions options;
    options.wanted = {"mx1", "mz1", "Jyy1", "fv1", "fc1", "fo1"};
    plan_ = make_plan(robot_, options);
    layouts_ = row_layouts(plan_, robot_);
    truth_.resize(6);
    for (std::size_t k = 0; k < 6; ++k) {
      const std::string& c = plan_.columns[k];
      truth_[static_cast<Index>(k)] = c == "mx1"    ? 0.8
                                      : c == "mz1"  ? -0.3
                                      : c == "Jyy1" ? 0.5
                                      : c == "fv1"  ? 0.7
                                      : c == "fc1"  ? 1.2
                                                    : 0.1;
    }
  }

  // Largest error in standard deviations of a fit without outliers.
  double worst(const VectorXd& values, const VectorXd& sigma) const {
    return (values - truth_).cwiseQuotient(sigma).cwiseAbs().maxCoeff();
  }

  Robot robot_;
  Plan plan_;
  std::vector<Layout> layouts_;
  VectorXd truth_;
};

// One sample in fifty is off by 20 to 40 N·m, and for a second something leans on the arm with 15 N·m.
void spoil(Run& run, std::uint64_t seed) {
  Random random(seed, "spikes");
  double* torque = run.samples.row(3);
  for (Index s = 0; s < run.samples.size(); ++s) {
    if (random.uniform() < 0.02) torque[s] += random.uniform(20, 40) * (random.uniform() < 0.7 ? 1 : -1);
    if (s > 5000 && s < 5200) torque[s] += 15;
  }
}

TEST_F(Robust, SpikesAndACollisionDoNotMoveTheParameters) {
  steelyard::Run run = clean_run(plan_, truth_, 1);
  const Fitted clean = fit_robustly(run, plan_, layouts_, {}, {});
  spoil(run, 2);
  PreparedRun prepared(view_run(run), {}, {});
  const Estimate ls = estimate(fold_run(prepared, plan_, layouts_).folds.total());
  const Fitted robust = fit_robustly(run, plan_, layouts_, {}, {});
  EXPECT_LT(worst(clean.estimate.values, clean.estimate.sigma), 3);
  EXPECT_GT(worst(ls.values, clean.estimate.sigma), 20);
  EXPECT_LT(worst(robust.estimate.values, robust.estimate.sigma), 3);
  EXPECT_LT((robust.estimate.values - clean.estimate.values)
                .cwiseQuotient(clean.estimate.sigma)
                .cwiseAbs()
                .maxCoeff(),
            2);
  // 2 % of 12 000 spikes and 199 samples of the collision are all beyond ten standard deviations.
  EXPECT_NEAR(static_cast<double>(robust.scales[0].far), 440, 60);
  // A median over 3.7 % bad rows is 5 % larger.
  EXPECT_NEAR(robust.scales[0].sigma, 0.2, 0.02);
}

// A spike is spread by the filter; the collision stays a stretch of rows.
TEST_F(Robust, OutliersBehindAFilterAreFoundAsWell) {
  steelyard::Run run = clean_run(plan_, truth_, 3);
  PrepareOptions prepare;
  prepare.column_filter.cutoff = 20;
  const Fitted clean = fit_robustly(run, plan_, layouts_, prepare, {});
  Random random(4, "few spikes");
  for (int k = 0; k < 40; ++k) run.samples.row(3)[random.below(12000)] += 60;
  for (Index s = 7000; s < 7300; ++s) run.samples.row(3)[s] += 12;
  PreparedRun prepared(view_run(run), {}, prepare);
  const Estimate ls = estimate(fold_run(prepared, plan_, layouts_).folds.total());
  const Fitted robust = fit_robustly(run, plan_, layouts_, prepare, {});
  EXPECT_GT(worst(ls.values, clean.estimate.sigma), 10);
  EXPECT_LT(worst(robust.estimate.values, robust.estimate.sigma), 3);
}

// With normal errors: σ by the median, 95 % of the efficiency of least squares, and standard deviations that
// say so.
TEST_F(Robust, WithoutOutliersItIsLeastSquaresWithFivePercentLess) {
  const steelyard::Run run = clean_run(plan_, truth_, 5);
  PreparedRun prepared(view_run(run), {}, {});
  EstimateOptions by_row;
  by_row.weighting = Weighting::by_row;
  const Estimate ls = estimate(fold_run(prepared, plan_, layouts_).folds.total(), by_row);
  const Fitted robust = fit_robustly(run, plan_, layouts_, {}, {});
  EXPECT_NEAR(robust.scales[0].sigma, 0.2, 0.006);  // 1.2 % of a median over 12 000 rows and the bins
  EXPECT_EQ(robust.scales[0].far, 0);
  // P(|u| > 1.345) = 0.1786
  EXPECT_NEAR(static_cast<double>(robust.scales[0].reduced) / 12000, 0.1786, 0.02);
  const VectorXd ratio = robust.estimate.sigma.cwiseQuotient(ls.sigma);
  EXPECT_NEAR(ratio.mean(), std::sqrt(1 / 0.95), 0.02);
}

TEST_F(Robust, ThreadsDoNotChangeAnything) {
  steelyard::Run run = clean_run(plan_, truth_, 6);
  spoil(run, 7);
  PrepareOptions prepare;
  prepare.chunk_size = 4096;
  const Fitted one = fit_robustly(run, plan_, layouts_, prepare, {}, 1);
  const Fitted three = fit_robustly(run, plan_, layouts_, prepare, {}, 3);
  EXPECT_EQ(one.estimate.values, three.estimate.values);
  EXPECT_EQ(one.passes, three.passes);
}

TEST_F(Robust, OptionsWithoutSenseAreRefused) {
  RobustOptions options;
  options.far = 1;
  EXPECT_THROW(options.validate(), InputError);
  options = {};
  options.huber = 0;
  EXPECT_THROW(options.validate(), InputError);
}

}  // namespace
}  // namespace steelyard
