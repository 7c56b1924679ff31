#include "identify/checks.hpp"

#include <algorithm>

#include "identify/bands.hpp"
#include "identify/extra_columns.hpp"
#include "identify/forecast.hpp"
#include "identify/friction.hpp"
#include "identify/summary.hpp"
#include "steelyard/validate/motions.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

struct RowNames {
  std::vector<std::string> joints, units;  // one per row of the plan
};

RowNames row_names(const Setup& setup) {
  const std::vector<LogJoint> joints = log_joints(setup.robot);
  RowNames names;
  for (const Row& row : setup.plan.rows) {
    const LogJoint& joint = joints[static_cast<std::size_t>(row.i)];
    names.joints.push_back(joint.name);
    names.units.emplace_back(joint.kind == JointKind::revolute ? "N·m" : "N");
  }
  return names;
}

Predicted predict_all(const Setup& setup, const Folded& folded, const Estimate& estimate,
                      BandCounter* counter) {
  const VectorXd values = values_for(setup.plan, estimate);
  const RowNames names = row_names(setup);
  Predicted out;
  for (std::size_t r = 0; r < folded.runs.size(); ++r) {
    const RunRows& run = folded.runs[r];
    out.runs.emplace_back();
    if (!run.has_samples()) continue;
    ErrorWatch watch;
    if (counter != nullptr) {
      counter->begin(r);
      watch = [&](const ErrorTile& tile) { counter->add(tile); };
    }
    const StudyRun& own = *run.run->run;
    out.runs.back() = setup.clock().time("predicting " + run.label(), [&] {
      return predict(run.prepared(), plan_of_run(setup, own), values, names.joints, names.units, watch,
                     extra_prediction(setup, own, estimate), own.unsigned_effort);
    });
  }
  out.band_coverage.resize(folded.runs.size());
  out.passes = fitted_passes(folded);
  if (counter == nullptr) return out;
  out.bands = counter->bands(names.joints, setup.study().intervals.level);
  for (std::size_t r = 0; r < folded.runs.size(); ++r) out.band_coverage[r] = counter->coverage(r, out.bands);
  return out;
}

std::vector<ResidualSummary> leave_out_motions(const Setup& setup, const Folded& folded, const Fit& fit) {
  std::vector<ResidualSummary> out;
  if (folded.runs.size() < 2 || fit.with_springs) return out;
  std::vector<std::vector<Fold>> runs;
  for (const RunRows& run : folded.runs) runs.push_back(run.folds.folds.total());
  for (const LeftOutMotion& found : leave_one_motion_out(runs, setup.study().estimate, fit.priors))
    out.push_back(residual_summary(found.residuals.per_row, setup.plan, setup.robot));
  return out;
}

}  // namespace

Predicted predict_runs(const Setup& setup, const Folded& folded, const Estimate& estimate) {
  return predict_all(setup, folded, estimate, nullptr);
}

Predicted predict_runs_with_bands(const Setup& setup, const Runs& runs, const Folded& folded, const Fit& fit,
                                  const Uncertainty& spread) {
  // Bands are about errors with signs, at samples.
  std::optional<BandCounter> counter;
  if (!has_unsigned_runs(setup.study()) && !fits_folds(runs) && !fit.with_springs)
    setup.clock().time("refits for bands", [&] { counter.emplace(setup, folded, fit, spread); });
  return predict_all(setup, folded, fit.estimated, counter ? &*counter : nullptr);
}

ResidualSummary run_residual(const Setup& setup, const RunRows& run, const Estimate& estimate,
                             const Prediction& prediction) {
  std::vector<const Prediction*> one;
  if (run.has_samples()) one.push_back(&prediction);
  ResidualSummary summary =
      residual_summary(residuals(run.folds.folds.total(), estimate.columns, estimate.values).per_row,
                       setup.plan, setup.robot, one);
  add_standstill(setup, {&run}, estimate, summary);
  return summary;
}

void add_standstill(const Setup& setup, const std::vector<const RunRows*>& runs, const Estimate& estimate,
                    ResidualSummary& summary) {
  std::vector<Fold> rows;
  bool any = false;
  for (const RunRows* run : runs) {
    for (Fold& fold : run->folds.folds.total()) rows.push_back(std::move(fold));
    if (!run->folds.rest) continue;
    for (Fold& fold : run->folds.rest->total()) {
      any = any || fold.rows() > 0;
      rows.push_back(std::move(fold));
    }
  }
  if (any)
    put_standstill(
        residual_summary(residuals(rows, estimate.columns, estimate.values).per_row, setup.plan, setup.robot),
        summary);
}

std::vector<const RunRows*> fitted_runs(const Folded& folded) {
  std::vector<const RunRows*> runs;
  for (const RunRows& run : folded.runs)
    if (run.is_fit()) runs.push_back(&run);
  return runs;
}

std::vector<const Prediction*> fitted_predictions(const Folded& folded,
                                                  const std::vector<Prediction>& predictions) {
  std::vector<const Prediction*> fitted;
  for (std::size_t r = 0; r < folded.runs.size(); ++r) {
    if (!folded.runs[r].is_fit()) continue;
    if (!folded.runs[r].has_samples()) return {};
    fitted.push_back(&predictions[r]);
  }
  return fitted;
}

int fitted_passes(const Folded& folded) {
  int passes = 0;
  for (const RunRows& run : folded.runs)
    if (run.is_fit() && run.has_samples()) passes = std::max(passes, run.prepared().passes());
  return passes;
}

Checks check_fit(const Setup& setup, const Runs& runs, const Folded& folded, const Fit& fit,
                 const Uncertainty& spread, const std::optional<FeasibleModel>& feasible) {
  Checks checks;
  checks.predicted = predict_runs_with_bands(setup, runs, folded, fit, spread);
  checks.held_out = cross_validate_runs(setup, folded, fit);
  if (feasible) checks.feasible = check_feasible(setup, folded, fit, *feasible);
  checks.forecasts = setup.clock().time("forecast", [&] {
    return forecast_errors(setup, folded, fit, feasible, checks.held_out.refits,
                           checks.feasible ? checks.feasible->refits : std::vector<VectorXd>());
  });
  checks.self = check_itself(setup, folded, fit, checks.feasible);
  checks.left_out =
      setup.clock().time("leaving out motions", [&] { return leave_out_motions(setup, folded, fit); });
  checks.band = score_at_band(setup, runs, fit.estimated, feasible);
  return checks;
}

}  // namespace steelyard
