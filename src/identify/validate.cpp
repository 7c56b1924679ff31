// An earlier model on the runs of a study.
#include "identify/earlier_model.hpp"
#include "identify/kept_rows.hpp"
#include "identify/summarize.hpp"

namespace steelyard::inline STEELYARD_ABI {

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
  Result result = summarize_validation(model, study, fit.estimated,
                                       {setup, runs, examined, folded, predicted, feasible, engines});
  return outcome_of(setup, std::move(result), std::move(predicted));
}

}  // namespace steelyard
