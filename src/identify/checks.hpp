// Step 5 of a study: checks of a fit. Predictions of every run, rows left out in turn, feasible parameters
// beside the estimate, motions left out, and the result computed a second way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "identify/band.hpp"
#include "identify/feasible.hpp"
#include "identify/intervals.hpp"
#include "steelyard/result/result.hpp"
#include "steelyard/validate/predict.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Pass 2 over every run that has samples; runs of folds have an empty prediction.
struct Predicted {
  std::vector<Prediction> runs;
  std::vector<JointBand> bands;
  std::vector<std::vector<double>> band_coverage;  // by run, per joint; empty: no bands
  int passes = 0;                                  // over the fit runs so far
};
Predicted predict_runs(const Setup& setup, const Folded& folded, const Estimate& estimate);
// The same with bands, from refits without groups of blocks.
Predicted predict_runs_with_bands(const Setup& setup, const Runs& runs, const Folded& folded, const Fit& fit,
                                  const Uncertainty& spread);

// Residuals of a run with an estimate; raw ones from its prediction.
ResidualSummary run_residual(const Setup& setup, const RunRows& run, const Estimate& estimate,
                             const Prediction& prediction);
// Adds to the summary of these runs what it is with their rows at standstill; nothing where there are none.
void add_standstill(const Setup& setup, const std::vector<const RunRows*>& runs, const Estimate& estimate,
                    ResidualSummary& summary);
std::vector<const RunRows*> fitted_runs(const Folded& folded);
// Those of the fit runs; empty where one of them has no samples.
std::vector<const Prediction*> fitted_predictions(const Folded& folded,
                                                  const std::vector<Prediction>& predictions);
// Largest number of passes over a fit run; 0 where one of them has no samples.
int fitted_passes(const Folded& folded);

// Refits without groups of blocks: `cross:` of the study, or its defaults.
struct HeldOutCheck {
  std::optional<CrossValidationSummary> summary;  // where the study requests it
  std::string unavailable;                        // why there is none although the study requests it
  CrossValidation refits;                         // empty: the runs are too short
};
HeldOutCheck cross_validate_runs(const Setup& setup, const Folded& folded, const Fit& fit);

struct FeasibleCheck {
  FeasibleSummary summary;
  Estimate values;  // the estimate with those of the feasible parameters; empty: there are none
  std::vector<LinkValues> links;
  std::vector<ResidualSummary> runs;  // empty: there are no rows
  int passes = 0;
  std::vector<VectorXd> refits;   // x without each group; empty: nothing could be left out
  std::vector<Finding> findings;  // constraints that cost much
};
FeasibleCheck check_feasible(const Setup& setup, const Folded& folded, const Fit& fit,
                             const FeasibleModel& feasible);
// Of every run; `raw` takes the predictions.
std::vector<ResidualSummary> feasible_residuals(const Setup& setup, const Folded& folded,
                                                const Estimate& estimate, const FeasibleModel& feasible,
                                                std::vector<Prediction>* raw = nullptr);

struct SelfChecks {
  std::vector<SelfCheck> checks;
  std::vector<Finding> findings;
  int passes = 0;
};
SelfChecks check_itself(const Setup& setup, const Folded& folded, const Fit& fit,
                        const std::optional<FeasibleCheck>& feasible);

// Of the error on other motions (forecast.hpp).
struct Forecasts {
  std::optional<ForecastSummary> summary;                      // none: nothing could be left out
  std::vector<std::optional<MotionForecast>> estimate, links;  // by run
};

struct Checks {
  Predicted predicted;
  HeldOutCheck held_out;
  std::optional<FeasibleCheck> feasible;
  SelfChecks self;
  Forecasts forecasts;
  std::vector<ResidualSummary> left_out;  // by run: of a model fitted to all others; empty: there is one run
  BandScore band;
};
Checks check_fit(const Setup& setup, const Runs& runs, const Folded& folded, const Fit& fit,
                 const Uncertainty& spread, const std::optional<FeasibleModel>& feasible);

}  // namespace steelyard
