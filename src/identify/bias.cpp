#include "identify/bias.hpp"

#include <algorithm>

#include "identify/estimators.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/estimate/bias.hpp"
#include "steelyard/estimate/bootstrap.hpp"
#include "steelyard/log/encoder_noise.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kRefitPasses = 2;  // the scan of the stamps, and the folds

bool have_filters(const Runs& runs) {
  for (const OpenRun& run : runs)
    if (run.is_fit() && !run.prepared->preparation().filter && !run.prepared->preparation().column_filter)
      return false;
  return true;
}

// A refit of all fit runs from the same blocks, at `ratio` times the cut-offs that were used.
struct Refit {
  std::vector<Fold> folds;
  Estimate estimate;
  double ratio = 1;
};

PrepareOptions scaled_options(const PrepareOptions& given, const PreparedRun& run, double ratio) {
  PrepareOptions options = given;
  const Preparation& preparation = run.preparation();
  options.filter.cutoff = preparation.filter ? ratio * preparation.filter->cutoff : 0;
  options.column_filter.cutoff = preparation.column_filter ? ratio * preparation.column_filter->cutoff : 0;
  options.decimation = kAutomatic;
  options.trim = kAutomatic;
  // Halos double when cut-offs are halved; slots divide both sizes.
  options.chunk_size = ratio < 1 ? 2 * run.plan().size : run.plan().size;
  return options;
}

// The largest ratio up to 2 at which all filters stay below the Nyquist frequency.
double ratio_above(const Runs& runs) {
  constexpr double kOfNyquist = 0.9;
  double ratio = 2;
  for (const OpenRun& run : runs) {
    if (!run.is_fit()) continue;
    const Preparation& preparation = run.prepared->preparation();
    const double max_cutoff = kOfNyquist / 2 / preparation.grid.step;
    for (const auto& filter : {preparation.filter, preparation.column_filter})
      if (filter) ratio = std::min(ratio, max_cutoff / filter->cutoff);
  }
  return ratio;
}

// A run may be too short for half its cut-off.
bool is_long_enough(const PreparedRun& run, double ratio) {
  Index memory = 0;
  for (const auto& filter : {run.preparation().filter, run.preparation().column_filter})
    if (filter) memory = std::max(memory, filter->memory);
  return static_cast<double>(run.plan().samples) > 4 * static_cast<double>(memory) / ratio;
}

std::unique_ptr<SampleSource> open_disturbed(const Setup& setup, const StudyRun& run, const VectorXd& noise,
                                             double sign) {
  std::unique_ptr<SampleSource> source = open_source(setup, run);
  if (sign == 0) return source;
  return std::make_unique<DisturbedSource>(std::move(source), noise, sign, setup.study().seed);
}

// `noise`: of every fit run's positions, added `sign` times.
std::optional<Refit> refit_at(const Setup& setup, const std::vector<RunRows>& runs, const Fit& full,
                              double ratio, const std::vector<VectorXd>& noise, double sign) {
  Refit out;
  out.ratio = ratio;
  Index number = 0;
  std::size_t fit = 0;
  for (const RunRows& run : runs) {
    if (!run.is_fit()) continue;
    if (!is_long_enough(run.prepared(), ratio)) return std::nullopt;
    const StudyRun& own = *run.run->run;
    PreparedRun prepared(open_disturbed(setup, own, sign == 0 ? VectorXd() : noise[fit], sign),
                         own.file.label,
                         scaled_options(of_run(setup, own, setup.prepare), run.prepared(), ratio));
    ++fit;
    PassOptions pass;
    pass.slot_samples = run.folds.slot_samples;
    number = append_blocks(fold_prepared(setup, own, prepared, pass).folds.blocks(), number, out.folds);
  }
  EstimateOptions options = setup.study().estimate;
  options.conditions = false;
  out.estimate = estimate(out.folds, options, full.priors);
  return out;
}

// By the measured noise of the positions once more, and its opposite.
VectorXd shift_of(const Setup& setup, const std::vector<RunRows>& runs, const Fit& fit, int& passes) {
  std::vector<VectorXd> noise;
  for (const RunRows& run : runs)
    if (run.is_fit()) noise.push_back(position_noise(*open_source(setup, *run.run->run)));
  ++passes;
  const std::optional<Refit> plus = refit_at(setup, runs, fit, 1, noise, 1),
                             minus = refit_at(setup, runs, fit, 1, noise, -1);
  passes += kRefitPasses * (plus.has_value() + minus.has_value());
  if (!plus || !minus) return {};
  EstimateOptions options = setup.study().estimate;
  options.conditions = false;
  // By the same weights as the refits, whatever the method of the study.
  const Estimate given = estimate(fit.folds, options, fit.priors);
  require(given.columns == fit.full().columns, "refits have the columns of the estimate");
  return shift_by_noise(given, plus->estimate, minus->estimate);
}

BiasCheck examine_bias(const Setup& setup, const Runs& opened, const std::vector<RunRows>& runs,
                       const Fit& fit, const VectorXd& sigma) {
  BiasCheck out;
  std::vector<Refit> refits;
  for (const double ratio : {0.5, ratio_above(opened)})
    if (ratio < 1 || ratio > 1.4)
      if (std::optional<Refit> refit = refit_at(setup, runs, fit, ratio, {}, 0))
        refits.push_back(std::move(*refit));
  out.passes = kRefitPasses * static_cast<int>(refits.size());
  Index blocks = 0;
  for (const Fold& fold : fit.folds) blocks = std::max(blocks, fold.block() + 1);
  for (const Refit& refit : refits)
    for (const Fold& fold : refit.folds) blocks = std::max(blocks, fold.block() + 1);
  std::vector<OtherCutoff> others;
  for (const Refit& refit : refits)
    others.push_back({&refit.estimate,
                      influences_by_block(refit.folds, refit.estimate, fit.priors, blocks, setup.threads()),
                      refit.ratio});
  const MatrixXd own = influences_by_block(fit.folds, fit.full(), fit.priors, blocks, setup.threads());
  out.bias = differentiation_bias(fit.full(), own, sigma, others, shift_of(setup, runs, fit, out.passes));
  return out;
}

}  // namespace

MatrixXd influences_by_block(const std::vector<Fold>& folds, const Estimate& estimate,
                             const std::vector<Fold>& priors, Index blocks, int threads) {
  const BlockMoments moments = block_moments(folds, estimate, priors);
  const MatrixXd own = block_influences(moments, threads);
  MatrixXd all = MatrixXd::Zero(own.rows(), blocks);
  for (std::size_t k = 0; k < moments.numbers.size(); ++k)
    all.col(moments.numbers[k]) = own.col(static_cast<Index>(k));
  return all;
}

BiasCheck check_bias(const Setup& setup, const Runs& opened, const std::vector<RunRows>& runs, const Fit& fit,
                     const VectorXd& sigma) {
  if (!have_filters(opened)) return {};
  return setup.clock().time("refits for bias", [&] { return examine_bias(setup, opened, runs, fit, sigma); });
}

}  // namespace steelyard
