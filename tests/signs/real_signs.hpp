// Public logs of real robots with their signs taken away, and how much of them comes back.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "signs/sign_cases.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/log/prepare.hpp"
#include "steelyard/log/run_file.hpp"
#include "steelyard/log/source.hpp"
#include "steelyard/log/whole_run.hpp"
#include "steelyard/signs/complete.hpp"

namespace steelyard::sign_cases {

struct RealLog {
  std::string robot;  // path
  std::string log;
  double cutoff = 8;
  int max_fits = 400;
};

struct RealScore {
  Score score;
  SignProof proof = SignProof::bound_only;
  std::vector<Index> wrong;          // segments with the wrong sign, per joint
  std::vector<Index> decided_wrong;  // decided ones among them
  double ours = 0;                   // residual of the model on the whole signed log, as a fraction
  double found = 0;                  // the same with completed efforts, joints guessed where that helps
  double with_signs = 0;             // of the model fitted to the signed log
  bool helps = false;                // `found`, as |τ| that was held out says
};

inline Bench real_bench(const std::string& path) {
  Bench bench;
  bench.robot = read_robot(path).robot;
  for (Joint& joint : bench.robot.joints) {
    joint.drive = {};
    joint.drive.viscous = joint.drive.coulomb = joint.drive.offset = true;
  }
  complete(bench);
  return bench;
}

// The prepared run with signed torques.
inline SampleBlock read_signed(const RealLog& log, const Bench& bench, double& rate) {
  RunFile file;
  file.path = log.log;
  file.channels = {{"position", {"q{j}_rad"}, {"rad"}, {}, {}, {}},
                   {"velocity", {"dq{j}_radps"}, {"rad/s"}, {}, {}, {}},
                   {"torque", {"tau{j}_Nm"}, {"N*m"}, {}, {}, {}}};
  PrepareOptions prepare;
  prepare.filter = {4, 2 * log.cutoff};
  PreparedRun run(open_run(file, log_joints(bench.robot)), {}, prepare);
  rate = 1 / run.preparation().grid.step;
  return whole_run(run);
}

inline RealScore try_real_log(const RealLog& log) {
  const Bench bench = real_bench(log.robot);
  double rate = 0;
  const SampleBlock with_signs = read_signed(log, bench, rate);
  const int torque = with_signs.find(channel::kTorque);
  SampleBlock truth = with_signs, without = with_signs;
  const LowPass filter = design_low_pass(4, log.cutoff, rate);
  for (Index j = 0; j < truth.joints(); ++j) {
    filter_zero_phase(filter, truth.row(torque, j), truth.size(), 1, truth.stride());
    for (Index s = 0; s < truth.size(); ++s)
      without.row(torque, j)[s] = std::abs(with_signs.row(torque, j)[s]);
  }
  SegmentOptions segments;
  segments.filter = {4, log.cutoff};
  segments.at_reversals = true;
  segments.shortest = std::max<Index>(8, static_cast<Index>(0.08 * rate));
  const SegmentedRun run = detect_segments(without, rate, segments);
  const std::vector<Fold> folds = fold_segments(bench.plan, bench.layouts, without, run);
  SignOptions options;
  options.correlation = run.band.correlation();
  options.max_nodes = 100'000;
  options.max_fits = log.max_fits;
  const WeighedSearch found = recover_signs_reweighed(folds, run.segments, rms_weights(run),
                                                      {&bench.robot, &bench.base, {}}, options, 2);
  RealScore out;
  out.score = score(truth, run, found.search);
  out.proof = found.search.proof;
  out.wrong.assign(static_cast<std::size_t>(truth.joints()), 0);
  out.decided_wrong = out.wrong;
  for (std::size_t k = 0; k < run.segments.size(); ++k) {
    if (true_sign(truth, run.segments[k]) == found.search.segments[k].sign) continue;
    ++out.wrong[static_cast<std::size_t>(run.segments[k].joint)];
    out.decided_wrong[static_cast<std::size_t>(run.segments[k].joint)] += found.search.segments[k].decided;
  }
  SegmentedRun whole;
  whole.effort.resize(truth.size(), truth.joints());
  for (Index j = 0; j < truth.joints(); ++j) {
    std::copy_n(truth.row(torque, j), truth.size(), whole.effort.col(j).data());
    whole.segments.push_back({j, {0, truth.size()}, 1, 0});
  }
  const std::vector<Fold> all = fold_segments(bench.plan, bench.layouts, truth, whole);
  EstimateOptions weighted;
  weighted.weighting = Weighting::by_row;
  const Estimate ours = estimate(signed_folds(folds, found.search.decided()), weighted);
  const Estimate reference = estimate(all, weighted);
  CompleteOptions complete;
  complete.correlation = rate / (2 * log.cutoff);
  complete.guess = GuessJoints::automatic;
  const auto whole_residual = [&](const std::vector<std::string>& columns, const VectorXd& values) {
    return residuals(all, columns, values).totals[0].relative;
  };
  const Completion best = complete_efforts(
      bench.plan, bench.layouts, {{&without, &run, found.search.signs, found.search.decided()}}, complete);
  out.found = whole_residual(best.columns, best.values);
  out.helps = best.helps();
  out.ours = whole_residual(ours.columns, ours.values);
  out.with_signs = whole_residual(reference.columns, reference.values);
  return out;
}

}  // namespace steelyard::sign_cases
