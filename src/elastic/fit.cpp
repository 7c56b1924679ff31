#include "elastic/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "steelyard/core/error.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/log/source.hpp"

namespace steelyard::inline STEELYARD_ABI {

EstimateOptions elastic_estimate_options(const ElasticOptions& options, bool conditions) {
  EstimateOptions out;
  out.weighting = options.weighting;
  out.conditions = conditions;
  return out;
}

Intervals elastic_intervals(const ElasticModel& model, const Estimate& estimate, std::span<const Fold> folds,
                            double effective_share) {
  IntervalOptions options;
  options.level = model.options.level;
  options.effective_share = effective_share;
  options.bootstrap.replicates = model.options.replicates;
  options.bootstrap.seed = model.options.seed;
  options.bootstrap.threads = model.options.threads;
  if (estimate.status == EstimateStatus::too_few_rows) return intervals(estimate, nullptr, options);
  const BlockMoments moments = block_moments(folds, estimate);
  return intervals(estimate, &moments, options);
}

std::optional<ElasticValue> value_with_interval(const Estimate& estimate, const Intervals& intervals,
                                                const std::string& column) {
  const Index k = estimate.find(column);
  if (k < 0 || estimate.column_status[static_cast<std::size_t>(k)] != ColumnStatus::determined)
    return std::nullopt;
  ElasticValue out{estimate.values[k], {}, {}};
  if (std::isfinite(intervals.lower[k])) out.lower = intervals.lower[k];
  if (std::isfinite(intervals.upper[k])) out.upper = intervals.upper[k];
  return out;
}

void put_motor(const ElasticFit& fit, std::size_t joint, ElasticJoint& out) {
  out.motor_inertia = value_with_interval(fit.estimate, fit.intervals, numbered("B", joint));
  for (const char* stem : {"fv", "fc", "fo"})
    if (const Index k = fit.estimate.find(numbered(stem, joint));
        k >= 0 && fit.estimate.column_status[static_cast<std::size_t>(k)] == ColumnStatus::determined)
      out.friction[stem] = fit.estimate.values[k];
}

void refuse_joint(ElasticFit& fit, std::size_t joint, std::string reason) {
  ElasticJoint& out = fit.joints[joint];
  out.identifiable = false;
  out.reason = std::move(reason);
  fit.findings.push_back(make_finding("stiffness-unknown", out.name, out.reason));
}

double row_rms(const Estimate& estimate, const std::string& row) {
  for (const Residual& residual : estimate.per_row)
    if (residual.row == row) return residual.rms;
  return 0;
}

MotorSpring motor_spring(const ElasticModel& model, std::size_t joint, const ElasticFolds& rows) {
  const std::string spring = numbered("K", joint), torque(channel::kTorque);
  std::vector<Fold> direct, reverse;
  for (const Fold& fold : rows.folds) {
    if (joint_of(model, fold) != joint || fold.rows() == 0) continue;
    std::vector<ColumnTerm> with = offset_terms(rows, fold, "fo", joint);  // of the motor, and K δ0
    for (const char* stem : {"B", "fv", "fc"}) with.push_back({numbered(stem, joint), numbered(stem, joint)});
    std::vector<ColumnTerm> against = with;
    with.push_back({spring, spring, -1});
    against.push_back({"compliance", torque});
    direct.push_back(recombine(fold, "motor", with, {{"", torque}}));
    reverse.push_back(recombine(fold, "motor", against, {{"", spring, -1}}));
  }
  const EstimateOptions options = elastic_estimate_options(model.options);
  const Estimate low = estimate(direct, options), high = estimate(reverse, options);
  const double share = rows.effective_share;
  const auto smallest = value_with_interval(low, elastic_intervals(model, low, direct, share), spring);
  const auto compliance =
      value_with_interval(high, elastic_intervals(model, high, reverse, share), "compliance");
  MotorSpring out;
  if (!smallest || !compliance) return out;
  out.direct = smallest->value;
  out.reverse = 1 / compliance->value;
  if (smallest->lower && compliance->lower)
    out.bracket = {*smallest->lower, *compliance->lower > 0 ? 1 / *compliance->lower : kInfinity};
  return out;
}

std::optional<ElasticValue> elastic_value(const ElasticFit& fit, const std::string& column) {
  std::optional<ElasticValue> out = value_with_interval(fit.estimate, fit.intervals, column);
  if (out && std::find(fit.biased.begin(), fit.biased.end(), column) != fit.biased.end())
    out->lower = out->upper = std::nullopt;
  return out;
}

ElasticFit fit_elastic(const ElasticModel& model, const ElasticFolds& rows) {
  const bool empty =
      std::all_of(rows.folds.begin(), rows.folds.end(), [](const Fold& fold) { return fold.rows() == 0; });
  if (empty)
    throw InputError(
        {"no rows are left for the elastic equations", {}, "", "use longer runs, or reject fewer rows"});
  return model.options.equations == ElasticEquations::links ? fit_link_positions(model, rows)
                                                            : fit_springs(model, rows);
}

ElasticFit fit_elastic(const ElasticModel& model, const std::function<ElasticFolds(double sign)>& fold) {
  ElasticFit fit = fit_elastic(model, fold(0));
  if (!model.options.bias_check) return fit;
  ElasticModel refit = model;
  refit.options.replicates = 20;  // the fewest: their intervals are not used
  const ElasticFit plus = fit_elastic(refit, fold(1)), minus = fit_elastic(refit, fold(-1));
  mark_biased(model, plus, minus, fit);
  return fit;
}

ElasticFit identify_elastic(const Robot& robot, const std::vector<Run>& runs, const PrepareOptions& prepare,
                            const ElasticOptions& options) {
  if (runs.empty()) throw InputError({"there are no runs for the elastic equations", {}, "at least one", ""});
  const ElasticModel model = elastic_model(robot, runs.front().samples.channels(), options);
  return fit_elastic(model, [&](double sign) {
    ElasticFolds folds;
    for (const Run& run : runs) {
      PreparedRun prepared(elastic_source(disturbed_encoders(view_run(run), sign, options.seed), model),
                           run.label, elastic_preparation(prepare, model));
      fold_elastic(prepared, model, folds);
    }
    return folds;
  });
}

}  // namespace steelyard
