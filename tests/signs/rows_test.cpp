// Rows in the band of |τ|.
#include "steelyard/signs/rows.hpp"

#include <gtest/gtest.h>

#include "signs/sign_cases.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard {
namespace rows_test {

using namespace sign_cases;

// Exact torques with dry friction, filtered: every joint one segment over the whole run.
SegmentedRun whole_run_of(const Trial& trial, const RowBand& band) {
  SegmentedRun whole;
  whole.band = band;
  const int torque = trial.truth.find(channel::kTorque);
  whole.effort.resize(trial.truth.size(), trial.truth.joints());
  for (Index j = 0; j < trial.truth.joints(); ++j) {
    std::copy_n(trial.truth.row(torque, j), trial.truth.size(), whole.effort.col(j).data());
    whole.segments.push_back({j, {0, trial.truth.size()}, 1, 0});
  }
  band.pass(whole.effort.data(), whole.effort.rows(), whole.effort.cols());
  return whole;
}

double unexplained(const Bench& bench, const Trial& trial, const SegmentedRun& run) {
  return estimate(fold_segments(bench.plan, bench.layouts, trial.truth, run)).totals[0].relative;
}

// A filter is linear: with columns and efforts behind the same one the equation still holds to rounding, without
// it friction does not fit where a joint reverses.
TEST(SignRows, AreInTheBandOfTheEfforts) {
  const Bench bench = make_bench(STEELYARD_SOURCE_DIR, "kr5", true);
  Case options;
  options.coulomb = 0.3;
  const Trial trial = simulate_trial(bench, options, 3);
  RowBand band = row_band(trial.rate, {4, 5});
  EXPECT_EQ(band.factor, 1);
  EXPECT_LT(unexplained(bench, trial, whole_run_of(trial, band)), 1e-9);
  SegmentedRun efforts_alone = whole_run_of(trial, band);
  efforts_alone.band = {};
  EXPECT_GT(unexplained(bench, trial, efforts_alone), 1e-2);
}

TEST(SignRows, AreThinnedToFiveOfAnIndependentOne) {
  const RowBand band = row_band(1000, {4, 5});
  EXPECT_EQ(band.factor, 20);
  EXPECT_DOUBLE_EQ(band.correlation(), 5);
  EXPECT_EQ(row_band(1000, {4, 0}).factor, 1);
  EXPECT_EQ(row_band(1000, {4, 0}).correlation(), 1);

  const Bench bench = make_bench(STEELYARD_SOURCE_DIR, "kr5", false);
  const Trial trial = simulate_trial(bench, {}, 3);
  RowBand thin = row_band(trial.rate, {4, 5});
  thin.factor = 7;
  const SegmentedRun run = whole_run_of(trial, thin);
  const std::vector<Fold> folds = fold_segments(bench.plan, bench.layouts, trial.truth, run);
  EXPECT_EQ(folds[0].rows(), (trial.truth.size() + 6) / 7);
  EXPECT_LT(estimate(folds).totals[0].relative, 1e-9);
}

}  // namespace rows_test
}  // namespace steelyard
