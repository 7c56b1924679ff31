// An earlier model on the runs of a study.
#include <algorithm>

#include "identify/earlier_model.hpp"
#include "identify/forecast.hpp"
#include "identify/kept_rows.hpp"
#include "identify/summarize.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

// `efforts`: of the forecast; null: the measured ones.
std::vector<RunForecast> forecast_runs(const Setup& setup, const Folded& folded, const Result& model,
                                       const Estimate* efforts) {
  const auto spread_with_values = [&](const SpreadSummary& summary) {
    ParameterSpread spread = spread_of(summary);
    if (efforts == nullptr) return spread;
    spread.values = VectorXd::Zero(static_cast<Index>(spread.columns.size()));
    for (std::size_t k = 0; k < spread.columns.size(); ++k)
      if (const Index at = efforts->find(spread.columns[k]); at >= 0)
        spread.values[static_cast<Index>(k)] = efforts->values[at];
    return spread;
  };
  const ParameterSpread spread = spread_with_values(model.forecast->spread);
  std::vector<RunForecast> out;
  for (const RunRows& run : folded.runs) {
    const std::vector<Fold> motion = run.folds.folds.total();
    out.push_back({run.label(), motion_forecast(setup, motion, spread), {}});
    if (model.forecast->feasible_spread)
      out.back().links = motion_forecast(setup, motion, spread_with_values(*model.forecast->feasible_spread));
  }
  return out;
}

}  // namespace

std::vector<JointForecast> worst_joints(const MotionForecast& forecast, std::size_t count) {
  std::vector<JointForecast> joints;
  for (const JointForecast& joint : forecast.per_joint)
    if (joint.expected) joints.push_back(joint);
  std::stable_sort(joints.begin(), joints.end(),
                   [](const JointForecast& a, const JointForecast& b) { return *a.expected > *b.expected; });
  joints.resize(std::min(count, joints.size()));
  return joints;
}

ForecastOutcome forecast_study(const Study& study, const Result& model, const StudyOptions& options) {
  if (!model.forecast)
    throw InputError(
        {"the result has no forecast",
         {study.path, 0, 0, ""},
         "a result of `steelyard run` or `identify` whose fitted runs can be divided into blocks",
         "identify the model again, with longer runs"});
  Study fresh = study;
  fresh.effort_delay = {};
  for (StudyRun& run : fresh.runs) {
    run.file.label.role = RunRole::validate;
    run.no_efforts.reset();
  }
  StudyClock clock(options);
  Setup setup = setup_of(model, {&fresh, &options, &clock});
  setup.motions_only = true;
  const Fit fit = fit_of(model, setup);
  Runs runs = open_runs(setup);
  Folded folded;
  folded.runs = fold_runs(setup, runs, {});
  return {forecast_runs(setup, folded, model, &fit.estimated), setup.warnings};
}

StudyOutcome validate_study(const Study& study, const Result& model, const StudyOptions& options) {
  Study fresh = study;
  for (StudyRun& run : fresh.runs) run.file.label.role = RunRole::validate;
  StudyClock clock(options);
  const Job job{&fresh, &options, &clock};
  require_engines(job, model);
  const Setup setup = setup_of(model, job);
  const Fit fit = fit_of(model, setup);
  Runs runs = open_runs(setup);
  const Examined examined = examine_runs(setup, runs);
  const std::optional<FeasibleModel> links = links_of(model, setup, fit.estimated);
  Folded folded;
  folded.runs = fold_runs(setup, runs, {});
  folded.findings = missing_rows(setup, folded.runs, {});
  Predicted predicted = predict_runs(setup, folded, fit.estimated);
  std::vector<ResidualSummary> feasible;
  if (links) feasible = feasible_residuals(setup, folded, fit.estimated, *links);
  const EngineRuns engines = check_engines(setup, runs, model);
  const std::vector<RunForecast> forecasts =
      model.forecast ? forecast_runs(setup, folded, model, nullptr) : std::vector<RunForecast>();
  const BandScore band = score_at_band_of(model, setup, runs, fit.estimated, links);
  Result result =
      summarize_validation(model, study, fit.estimated,
                           {setup, runs, examined, folded, predicted, feasible, engines, forecasts, band});
  return outcome_of(setup, std::move(result), std::move(predicted));
}

}  // namespace steelyard
