// Signs of simulated logs whose truth is known; large tables are made by bench/signs_bench.
#include "steelyard/signs/recover.hpp"

#include <gtest/gtest.h>

#include "signs/sign_cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard {
namespace recover_test {

using namespace sign_cases;

struct Found {
  SegmentedRun run;
  std::vector<Fold> folds;
  SignProblem problem;
  SignSearch search;
  Score result;
};

Found recover(const Bench& bench, const Case& options, const Trial& trial, const SignOptions& search = {}) {
  Found found;
  found.run = detect_segments(trial.samples, trial.rate, options.segments);
  found.folds = fold_segments(bench.plan, bench.layouts, trial.samples, found.run);
  found.problem = make_sign_problem(found.folds, found.run.segments, rms_weights(found.run));
  found.search = recover_signs(found.problem, {&bench.robot, &bench.base, {}}, search);
  found.result = score(trial.truth, found.run, found.search);
  return found;
}

const Bench& kr5() {
  static const Bench bench = make_bench(STEELYARD_SOURCE_DIR, "kr5", false);
  return bench;
}

TEST(SignProblem, ResidualIsThatOfLeastSquaresOnSignedRows) {
  const Trial trial = simulate_trial(kr5(), {}, 1);
  const Found found = recover(kr5(), {}, trial);
  EXPECT_EQ(kr5().base.rank, 36);
  VectorXd signs = VectorXd::Ones(found.problem.size());
  for (Index k = 0; k < signs.size(); k += 3) signs[k] = -1;
  std::vector<Fold> folds = signed_folds(found.folds, signs);
  for (std::size_t k = 0; k < folds.size(); ++k)
    folds[k].scale(found.problem.weight[found.run.segments[k].joint]);
  const Estimate fitted = estimate(folds);
  double squares = 0;
  for (const Residual& residual : fitted.per_row) squares += residual.norm * residual.norm;
  EXPECT_NEAR(found.problem.residual(signs), squares, 1e-9 * squares);
  EXPECT_NEAR((found.problem.values(signs) -
               [&] {
                 VectorXd ordered(fitted.values.size());
                 for (Index k = 0; k < ordered.size(); ++k)
                   ordered[k] =
                       fitted.values[fitted.find(found.problem.columns[static_cast<std::size_t>(k)])];
                 return ordered;
               }())
                  .norm(),
              0, 1e-6 * fitted.values.norm());
}

TEST(RecoverSigns, FindsAllSignsOfTheKr5AndProvesThem) {
  for (const double noise : {0.01, 0.05, 0.3})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      Case options;
      options.noise = noise;
      const Found found = recover(kr5(), options, simulate_trial(kr5(), options, seed));
      EXPECT_EQ(found.result.wrong, 0) << noise << " " << seed;
      EXPECT_EQ(found.search.proof, SignProof::feasible_optimal) << noise << " " << seed;
      EXPECT_GE(found.search.cost, found.search.residual * (1 - 1e-9));
      EXPECT_LE(found.search.lower_bound, found.search.cost);
    }
}

TEST(RecoverSigns, FindsThemWithModelledFriction) {
  const Bench bench = make_bench(STEELYARD_SOURCE_DIR, "kr5", true);
  for (const double coulomb : {0.1, 0.3, 0.6}) {
    Case options;
    options.coulomb = coulomb;
    options.segments.at_reversals = true;
    const Found found = recover(bench, options, simulate_trial(bench, options, 11));
    EXPECT_EQ(found.result.wrong, 0) << coulomb;
    EXPECT_EQ(found.result.decided, found.result.segments) << coulomb;
  }
}

TEST(RecoverSigns, TakesKnownSignsAndSignedJoints) {
  Case options;
  options.segments.has_sign = {true, false, true, false, false, false};
  Trial trial = simulate_trial(kr5(), options, 5);
  const int torque = trial.samples.find(channel::kTorque);
  for (const Index j : {0, 2})
    for (Index s = 0; s < trial.samples.size(); ++s)
      trial.samples.row(torque, j)[s] = trial.truth.row(torque, j)[s];
  const Found found = recover(kr5(), options, trial);
  for (std::size_t k = 0; k < found.run.segments.size(); ++k) {
    const SignSegment& segment = found.run.segments[k];
    const int expected = segment.sign != 0 ? 1 : true_sign(trial.truth, segment);
    EXPECT_EQ(found.search.signs[static_cast<Index>(k)], expected) << k;
  }
}

TEST(RecoverSigns, WithinTightLimitsGivesABoundThatHolds) {
  const Trial trial = simulate_trial(kr5(), {}, 2);
  const Found whole = recover(kr5(), {}, trial);
  SignOptions tight;
  tight.max_nodes = 8;
  const Found found = recover(kr5(), {}, trial, tight);
  EXPECT_EQ(found.search.proof, SignProof::bound_only);
  EXPECT_LE(found.search.lower_bound, whole.search.cost);
  EXPECT_EQ(found.search.signs, whole.search.signs);  // the start is right, it is only not proven
}

// Segments cut into pieces of six samples: more than the tree finishes with few nodes.
TEST(RecoverSigns, OfVeryManySegmentsAreBoundedInNodes) {
  const Trial trial = simulate_trial(kr5(), {}, 3);
  std::vector<SignSegment> pieces;
  const SegmentedRun run = detect_segments(trial.samples, trial.rate);
  for (const SignSegment& segment : run.segments)
    for (Index s = segment.range.begin; s + 6 <= segment.range.end; s += 6)
      pieces.push_back({segment.joint, {s, s + 6}, 0, 0});
  const SegmentedRun cut = use_segments(trial.samples, trial.rate, pieces);
  EXPECT_GT(cut.segments.size(), 300U);
  const std::vector<Fold> folds = fold_segments(kr5().plan, kr5().layouts, trial.samples, cut);
  const SignProblem problem = make_sign_problem(folds, cut.segments, rms_weights(cut));
  SignOptions options;
  options.max_nodes = 20'000;
  const SignSearch search = recover_signs(problem, {&kr5().robot, &kr5().base, {}}, options);
  EXPECT_LE(search.nodes, options.max_nodes);
  EXPECT_LE(search.lower_bound, search.cost);
  const Score result = score(trial.truth, cut, search);
  EXPECT_LE(result.wrong_share, 0.01);
}

TEST(RecoverSigns, RefusesOptionsThatMakeNoSense) {
  SignOptions options;
  options.correlation = 0.5;
  EXPECT_THROW(options.validate(), InputError);
  options = {};
  options.max_nodes = 0;
  EXPECT_THROW(options.validate(), InputError);
}

}  // namespace recover_test
}  // namespace steelyard
