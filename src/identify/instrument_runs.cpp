// Step of a study: instrumental variables, from simulation to estimate and back until the values stay.
#include <fmt/format.h>

#include <cmath>

#include "identify/estimators.hpp"
#include "identify/instrument.hpp"
#include "identify/summary.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// Folds of all fit runs with the instruments of a simulation with these values.
std::vector<Fold> fold_with_instruments(StudyState& state, const std::vector<InstrumentMotion>& references,
                                        const VectorXd& values, InstrumentSummary& summary) {
  std::vector<Fold> folds;
  Index number = 0;
  std::size_t log = 0;
  summary.simulated = true;
  state.estimator_blocks.clear();
  for (RunState& run : state.runs) {
    if (!run.is_fit()) continue;
    if (!run.prepared) {  // with the instruments of the study that folded it
      const FoldedInstruments& folded = run.run->folded->instruments;
      summary.simulated = summary.simulated && folded.simulated;
      number = append_blocks(folded.blocks, number, folds);
      state.estimator_blocks.push_back(folded.blocks);
      continue;
    }
    const auto motion = std::make_shared<const InstrumentMotion>(follow(
        state.robot, state.plan, values, references[log++], state.study.estimator.instrument.bandwidth));
    summary.simulated = summary.simulated && motion->simulated;
    PassOptions pass;
    pass.slot_samples = run.folds->slot_samples;
    const FoldPass found = fold_prepared(state, *run.run, *run.prepared, pass, motion);
    number = append_blocks(found, number, folds);
    state.estimator_blocks.push_back(found.folds.blocks());
  }
  return folds;
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

void estimate_with_instruments(StudyState& state) {
  const InstrumentSpec& spec = state.study.estimator.instrument;
  InstrumentSummary summary;
  std::vector<InstrumentMotion> references;
  for (RunState& run : state.runs) {
    if (!run.is_fit() || !run.prepared) continue;
    summary.cutoff = reference_cutoff(run.prepared->preparation(), spec);
    references.push_back(state.clock.time("motion of " + run.label(),
                                          [&] { return reference_motion(*run.prepared, summary.cutoff); }));
  }
  EstimatorSummary& estimator = *state.result.estimator;
  estimator.converged = false;
  EstimateOptions options = state.study.estimate;
  for (estimator.iterations = 0; estimator.iterations < spec.most_iterations && !estimator.converged;
       ++estimator.iterations) {
    state.clock.time(fmt::format("instruments {}", estimator.iterations + 1), [&] {
      const VectorXd values = values_for(state.plan, state.estimated);
      state.instrument_folds = fold_with_instruments(state, references, values, summary);
      state.instrument = instrument_estimate(state.instrument_folds, options, state.priors);
    });
    estimator.converged = change_in_sigma(state.estimated, state.instrument->estimate) < spec.tolerance;
    state.estimated = state.instrument->estimate;
  }
  report_instruments(*state.instrument, summary, state.findings);
  estimator.instruments = summary;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
