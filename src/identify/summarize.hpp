// Step 6 of a study: only here, and in the summaries of `retrieve` and `reverse`, is a Result written.
#pragma once

#include <optional>
#include <vector>

#include "identify/checks.hpp"
#include "identify/elastic.hpp"
#include "identify/engines.hpp"
#include "identify/signs.hpp"
#include "steelyard/identify/run.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Everything that a study computed, in the order of the steps.
struct Identified {
  const Setup& setup;
  const Runs& runs;
  const Examined& examined;
  const std::vector<Finding>& friction;  // findings about its forms
  const Signs& signs;
  const Folded& folded;
  const Fit& fit;
  const Uncertainty& spread;
  const std::optional<ElasticJoints>& elastic;
  const std::optional<FeasibleModel>& feasible;
  const Checks& checks;
};
Result summarize(const Identified& all);

// A model on other runs: the model's result, with findings, validation and verdict of these runs.
struct Validated {
  const Setup& setup;
  const Runs& runs;
  const Examined& examined;
  const Folded& folded;
  const Predicted& predicted;
  const std::vector<ResidualSummary>& feasible;  // by run; empty: the model has no links
  const EngineRuns& engines;
  const std::vector<RunForecast>& forecasts;  // by run; empty: the model has none
  const BandScore& band;
};
Result summarize_validation(const Result& model, const Study& study, const Estimate& estimate,
                            const Validated& all);

// Residuals of a run with an estimate, fresh unless it is a fit run.
RunValidation validation_of(const Setup& setup, const RunRows& run, const Estimate& estimate,
                            const Prediction& prediction);

// Result, warnings, times and curves.
StudyOutcome outcome_of(const Setup& setup, Result result, Predicted predicted);

}  // namespace steelyard
