// How often intervals hold the truth: a simulated robot identified again and again with other noise.
//
// The motion and the efforts without noise are computed once; every repetition adds its own noise, is
// prepared, folded and estimated as a study does it, and its intervals are compared with the parameters that
// the simulation was made with.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "identify/bias.hpp"
#include "identify/estimators.hpp"
#include "identify/instrument.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/estimate/bias.hpp"
#include "steelyard/estimate/intervals.hpp"
#include "steelyard/fold/pass.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/log/encoder_noise.hpp"
#include "steelyard/regressor/base.hpp"
#include "true_base.hpp"

namespace steelyard::coverage {

enum class Arm { panda, two_r };

struct Case {
  Arm arm = Arm::panda;
  int repetitions = 100;
  double rate = 200;           // [Hz]
  double cutoff = 10;          // [Hz] of the columns; positions an octave higher
  double effort_noise = 0.05;  // [N·m]
  double corner = 0;           // [Hz] of the effort noise (first order); 0: white
  double encoder_noise = 0;    // [rad]
  bool bias_check = false;
  bool instruments = false;  // IV instead of weighted least squares
  Weighting weighting = Weighting::by_row;
  IntervalOptions options;
};

struct Outcome {
  std::vector<std::string> names;
  VectorXd covered;  // share of the repetitions without a flag in which the interval holds the truth; 1
                     // when all are flagged
  VectorXd held_or_flagged;  // share of the repetitions
  VectorXd flagged;          // share of the repetitions in which the parameter is flagged as biased
  VectorXd bias;             // mean error over its standard deviation
  Index blocks = 0;
  double effective_rows = 0;
  Index rows = 0;
};

// The study's robot with everything a repetition needs.
struct Bench {
  Study study;
  Robot robot;
  BaseParameters base;
  Plan plan;
  std::vector<Layout> layouts;
  VectorXd truth;  // of base.base
  Run clean;
};

// The demo's Panda (21 s), or the two-link arm in fast motion (20 s).
inline Study arm_study(const std::string& source, Arm arm) {
  if (arm == Arm::panda) return read_study(source + "/examples/demo/study.yaml");
  return read_study_text(
      "robot: robots/two_r.yaml\n"
      "drives: {friction: [viscous, coulomb, offset]}\n"
      "runs:\n"
      "  - label: run\n"
      "    simulate:\n"
      "      motion: {multi_sine: {harmonics: 6, period: 20, center: [0, 0], reach: [1, 1], seed: 3}}\n"
      "      friction: {viscous: [0.5, 0.3], coulomb: [0.6, 0.4], offset: [0.1, -0.1]}\n"
      "      velocity: none\n",
      source + "/study.yaml");
}

inline Bench make_bench(const std::string& source, const Case& options) {
  Bench bench;
  bench.study = arm_study(source, options.arm);
  bench.study.runs.resize(1);
  SimulationSpec& spec = *bench.study.runs[0].simulation;
  spec.options.rate = options.rate;
  spec.options.effort_noise.resize(0);
  spec.options.quantum.resize(0);
  bench.robot = study_robot(bench.study);
  bench.base = base_parameters(bench.robot);
  PlanOptions plan;
  plan.wanted.clear();
  for (const BaseParameter& parameter : bench.base.base) plan.wanted.push_back(parameter.lead);
  bench.plan = make_plan(bench.robot, plan);
  bench.layouts = row_layouts(bench.plan, bench.robot);
  bench.truth = true_base(bench.study, bench.robot, bench.base);
  bench.clean.samples = read_all(*open_study_run(bench.study.runs[0], bench.robot));
  return bench;
}

// White noise, or white noise through a first-order filter with the same standard deviation.
inline void add_noise(double* values, Index count, double deviation, double corner, double rate,
                      Random random) {
  const double keep = corner > 0 ? std::exp(-2 * M_PI * corner / rate) : 0;
  double state = random.normal();
  for (Index s = 0; s < count; ++s) {
    state = keep * state + std::sqrt(1 - keep * keep) * random.normal();
    values[s] += deviation * state;
  }
}

inline Run noisy_run(const Bench& bench, const Case& options, int repetition) {
  Run run = bench.clean;
  SampleBlock& block = run.samples;
  const auto joints = static_cast<int>(block.joints());
  for (int j = 0; j < joints; ++j) {
    const auto index = static_cast<std::uint64_t>(repetition * joints + j);
    add_noise(block.row(block.find(channel::kTorque), j), block.size(), options.effort_noise, options.corner,
              options.rate, Random(1, "effort noise", index));
    if (options.encoder_noise > 0)
      add_noise(block.row(block.find(channel::kPosition), j), block.size(), options.encoder_noise, 0,
                options.rate, Random(1, "encoder noise", index));
  }
  return run;
}

struct Fitted {
  std::vector<Fold> folds;
  Estimate estimate;
  double effective = 1;
  std::optional<InstrumentEstimate> instruments;
};

inline PreparedRun prepare(std::unique_ptr<SampleSource> source, double cutoff) {
  PrepareOptions prepare;
  prepare.filter.cutoff = 2 * cutoff;
  prepare.column_filter.cutoff = cutoff;
  return PreparedRun(std::move(source), {"run", RunRole::fit, ""}, prepare);
}

inline std::vector<Fold> fold_blocks(const Bench& bench, PreparedRun& prepared,
                                     const std::vector<Layout>& layouts,
                                     std::vector<ExtraColumns> extra = {}) {
  PassOptions pass;
  pass.slot_samples = 128;  // 0.64 s at 200 Hz: two memories of 10 Hz
  pass.extra = std::move(extra);
  std::vector<Fold> folds;
  append_blocks(fold_run(prepared, bench.plan, layouts, pass).folds.blocks(), 0, folds);
  return folds;
}

inline Fitted fit(const Bench& bench, const Case& options, std::unique_ptr<SampleSource> source,
                  double cutoff) {
  PreparedRun prepared = prepare(std::move(source), cutoff);
  Fitted out;
  out.folds = fold_blocks(bench, prepared, bench.layouts);
  EstimateOptions estimate_options;
  estimate_options.weighting = options.weighting;
  estimate_options.conditions = false;
  out.estimate = estimate(out.folds, estimate_options);
  out.effective =
      effective_share(*prepared.preparation().column_filter, prepared.preparation().decimation.factor);
  return out;
}

// Instruments from the weighted least squares estimate, iterated as a study does it.
inline void refine_with_instruments(const Bench& bench, const Case& options, const Run& run, Fitted& fitted) {
  const InstrumentSpec spec;
  PreparedRun prepared = prepare(view_run(run), options.cutoff);
  const InstrumentMotion reference =
      reference_motion(prepared, reference_cutoff(prepared.preparation(), spec));
  EstimateOptions how;
  how.weighting = options.weighting;
  for (int k = 0; k < spec.max_iterations; ++k) {
    const auto motion = std::make_shared<const InstrumentMotion>(follow(
        bench.robot, simulation_parameters(bench.robot, bench.plan, values_for(bench.plan, fitted.estimate)),
        reference, spec.bandwidth));
    const std::vector<ExtraColumns> columns = {instrument_columns(bench.plan, {}, motion)};
    fitted.folds = fold_blocks(bench, prepared, with_extra_columns(bench.layouts, columns), columns);
    fitted.instruments = instrument_estimate(fitted.folds, how);
    const bool done = change_in_sigma(fitted.estimate, fitted.instruments->estimate) < spec.tolerance;
    fitted.estimate = fitted.instruments->estimate;
    if (done) break;
  }
}

// Refits at half and double the cut-off, and with more noise on the positions.
inline std::vector<bool> biased_columns(const Bench& bench, const Case& options, const Run& noisy,
                                        const Fitted& fitted, const VectorXd& sigma, std::uint64_t seed) {
  const Fitted low = fit(bench, options, view_run(noisy), options.cutoff / 2);
  const Fitted high = fit(bench, options, view_run(noisy), options.cutoff * 2);
  const VectorXd noise = position_noise(*view_run(noisy));
  const auto disturbed = [&](double sign) {
    return fit(bench, options, std::make_unique<DisturbedSource>(view_run(noisy), noise, sign, seed),
               options.cutoff)
        .estimate;
  };
  const VectorXd shift = shift_by_noise(fitted.estimate, disturbed(1), disturbed(-1));
  Index blocks = 0;
  for (const auto* folds : {&fitted.folds, &low.folds, &high.folds})
    for (const Fold& fold : *folds) blocks = std::max(blocks, fold.block() + 1);
  const auto influences = [&](const Fitted& of) {
    return influences_by_block(of.folds, of.estimate, {}, blocks, 1);
  };
  const OtherCutoff others[] = {{&low.estimate, influences(low), 0.5}, {&high.estimate, influences(high), 2}};
  return differentiation_bias(fitted.estimate, influences(fitted), sigma, others, shift).biased;
}

inline Outcome run(const std::string& source, const Case& options) {
  const Bench bench = make_bench(source, options);
  const Index n = bench.truth.size();
  Outcome out;
  for (const BaseParameter& parameter : bench.base.base) out.names.push_back(parameter.lead);
  VectorXd held = VectorXd::Zero(n), flagged = held, error = held, square = held;
  for (int r = 0; r < options.repetitions; ++r) {
    const Run noisy = noisy_run(bench, options, r);
    Fitted fitted = fit(bench, options, view_run(noisy), options.cutoff);
    if (options.instruments) refine_with_instruments(bench, options, noisy, fitted);
    IntervalOptions how = options.options;
    how.effective_share = fitted.effective;
    how.bootstrap.seed = static_cast<std::uint64_t>(r);
    const BlockMoments moments = fitted.instruments ? block_moments(fitted.folds, *fitted.instruments)
                                                    : block_moments(fitted.folds, fitted.estimate);
    const Intervals found = intervals(fitted.estimate, &moments, how);
    std::vector<bool> biased(static_cast<std::size_t>(n), false);
    if (options.bias_check)
      biased = biased_columns(bench, options, noisy, fitted, found.sigma, static_cast<std::uint64_t>(r));
    for (Index i = 0; i < n; ++i) {
      const Index k = fitted.estimate.find(out.names[static_cast<std::size_t>(i)]);
      const double off = fitted.estimate.values[k] - bench.truth[i];
      error[i] += off;
      square[i] += off * off;
      if (biased[static_cast<std::size_t>(k)])
        flagged[i] += 1;
      else
        held[i] += found.lower[k] <= bench.truth[i] && bench.truth[i] <= found.upper[k];
    }
    out.blocks = found.blocks;
    out.effective_rows = found.effective_rows;
    out.rows = fitted.estimate.rows;
  }
  const auto count = static_cast<double>(options.repetitions);
  out.flagged = flagged / count;
  out.held_or_flagged = (held + flagged) / count;
  out.covered = VectorXd::Ones(n);
  for (Index i = 0; i < n; ++i)
    if (flagged[i] < count) out.covered[i] = held[i] / (count - flagged[i]);
  const VectorXd mean = error / count;
  out.bias = mean.cwiseQuotient((square / count - mean.cwiseAbs2()).cwiseSqrt());
  return out;
}

}  // namespace steelyard::coverage
