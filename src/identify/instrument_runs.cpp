// Step of a study: instrumental variables, from simulation to estimate and back until the estimate converges.
#include <fmt/format.h>

#include <cmath>

#include "identify/estimators.hpp"
#include "identify/instrument.hpp"
#include "identify/summary.hpp"
#include "steelyard/core/pool.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// The robot with these values on the reference of every run.
std::vector<std::shared_ptr<const InstrumentMotion>> follow_all(
    const Setup& setup, const TrueParameters& parameters, const std::vector<InstrumentMotion>& references) {
  std::vector<std::shared_ptr<const InstrumentMotion>> motions(references.size());
  const double bandwidth = setup.study().estimator.instrument.bandwidth;
  parallel_for(static_cast<Index>(references.size()), setup.threads(), [&](Index r) {
    const auto at = static_cast<std::size_t>(r);
    motions[at] =
        std::make_shared<const InstrumentMotion>(follow(setup.robot, parameters, references[at], bandwidth));
  });
  return motions;
}

// Folds of all fit runs with the instruments of a simulation with these values.
void fold_with_instruments(const Setup& setup, const std::vector<RunRows>& runs,
                           const std::vector<InstrumentMotion>& references, InstrumentSummary& summary,
                           Fit& fit) {
  auto motions = follow_all(setup, simulation_parameters(setup, fit.estimated), references);
  fit.instrument_folds.clear();
  Index number = 0;
  std::size_t log = 0;
  summary.simulated = true;
  fit.estimator_blocks.clear();
  for (const RunRows& run : runs) {
    if (!run.is_fit()) continue;
    if (!run.has_samples()) {  // with the instruments of the study that folded it
      const FoldedInstruments& folded = run.run->run->folded->instruments;
      summary.simulated = summary.simulated && folded.simulated;
      number = append_blocks(folded.blocks, number, fit.instrument_folds);
      fit.estimator_blocks.push_back(folded.blocks);
      continue;
    }
    const auto motion = std::move(motions[log++]);
    summary.simulated = summary.simulated && motion->simulated;
    PassOptions pass;
    pass.slot_samples = run.folds.slot_samples;
    const FoldPass found = fold_prepared(setup, *run.run->run, run.prepared(), pass, motion);
    number = append_blocks(found.folds.blocks(), number, fit.instrument_folds);
    fit.estimator_blocks.push_back(found.folds.blocks());
  }
}

}  // namespace

void report_instruments(const InstrumentEstimate& found, InstrumentSummary& summary,
                        std::vector<Finding>& findings) {
  summary.correlation = found.correlation;
  summary.first_stage = finite_or_none(found.first_stage);
  summary.weak = found.weak;
  summary.hausman = found.hausman;
  summary.hausman_degrees = found.hausman_degrees;
  summary.least_squares_biased = found.least_squares_is_biased();
  if (found.weak)
    findings.push_back(
        make_finding("weak-instruments", "",
                     fmt::format("F of the first stage is {:.3g}, the smallest canonical correlation {:.3g}",
                                 found.first_stage, found.correlation)));
  if (!summary.simulated)
    findings.push_back(make_finding("instruments-not-simulated", "",
                                    "the mass matrix of the estimated parameters is not positive definite"));
}

Fit with_instruments(const Setup& setup, const std::vector<RunRows>& runs, Fit fit) {
  const InstrumentSpec& spec = setup.study().estimator.instrument;
  InstrumentSummary summary;
  std::vector<InstrumentMotion> references;
  for (const RunRows& run : runs) {
    if (!run.is_fit() || !run.has_samples()) continue;
    summary.cutoff = reference_cutoff(run.prepared().preparation(), spec);
    references.push_back(setup.clock().time(
        "motion of " + run.label(), [&] { return reference_motion(run.prepared(), summary.cutoff); }));
  }
  EstimatorSummary& estimator = fit.estimator;
  estimator.converged = false;
  EstimateOptions options = setup.study().estimate;
  for (estimator.iterations = 0; estimator.iterations < spec.max_iterations && !estimator.converged;
       ++estimator.iterations) {
    setup.clock().time(fmt::format("instruments {}", estimator.iterations + 1), [&] {
      fold_with_instruments(setup, runs, references, summary, fit);
      fit.instrument = instrument_estimate(fit.instrument_folds, options, fit.priors);
    });
    estimator.converged = change_in_sigma(fit.estimated, fit.instrument->estimate) < spec.tolerance;
    fit.estimated = fit.instrument->estimate;
  }
  report_instruments(*fit.instrument, summary, fit.findings);
  estimator.instruments = summary;
  return fit;
}

}  // namespace steelyard
