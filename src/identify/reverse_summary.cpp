#include <algorithm>
#include <cmath>

#include "identify/reverse.hpp"
#include "identify/robot_probe.hpp"
#include "identify/summary.hpp"
#include "steelyard/core/statistics.hpp"
#include "steelyard/excite/configurations.hpp"
#include "steelyard/reverse/model.hpp"
#include "steelyard/reverse/rows.hpp"
#include "steelyard/validate/verdict.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kComparedWithRandom = 50;  // larger sets are as good as random ones
constexpr double kLevel = 0.95;

ReverseErrors errors_of(const std::string& label, const char* role, Index configurations,
                        const std::vector<ComponentError>& errors) {
  ReverseErrors summary;
  summary.label = label;
  summary.role = role;
  summary.configurations = configurations;
  summary.relative = relative_error(errors);
  for (const ComponentError& error : errors)
    summary.components.push_back({error.name, error.count, error.mean_square, error.largest, error.scale});
  return summary;
}

ReversePart part_summary(const ReverseFit& fit) {
  ReversePart part;
  part.rows = std::string(to_string(fit.rows)) + (fit.torques ? "+torque" : "");
  part.unknowns = static_cast<std::int64_t>(fit.base.base.size());
  part.rank = fit.estimate.rank;
  part.condition = finite_or_none(fit.estimate.condition);
  part.condition_scaled = finite_or_none(fit.estimate.condition_scaled);
  part.relative = fit.relative();
  for (Index k = 0; k < fit.values.size(); ++k) {
    const BaseParameter& parameter = fit.base.base[static_cast<std::size_t>(k)];
    part.coefficients.push_back(
        {parameter.lead, parameter.expression, fit.values[k], finite_or_none(fit.sigma[k])});
  }
  return part;
}

std::vector<BaseValue> base_of_fit(const ReverseFit& fit) {
  std::vector<BaseValue> values = base_values(fit.base, fit.estimate);
  const double quantile = fit.degrees > 0 ? student_quantile((1 + kLevel) / 2, fit.degrees) : 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    BaseValue& value = values[k];
    const auto at = static_cast<Index>(k);
    value.value = fit.values[at];
    value.sigma = value.sigma_classical = finite_or_none(fit.sigma[at]);
    value.relative_sigma.reset();
    value.interval.reset();
    if (fit.estimate.find(value.name) < 0 && fit.sigma[at] == 0) value.status = "known";
    if (!value.sigma) continue;
    if (value.value != 0) value.relative_sigma = *value.sigma / std::abs(value.value);
    value.interval = {value.value - quantile * *value.sigma, value.value + quantile * *value.sigma};
    value.method = "classical";
  }
  return values;
}

ReversePayload payload_summary(const PayloadChange& change) {
  constexpr const char* kNames[] = {"m", "mx", "my", "mz", "Jxx", "Jxy", "Jxz", "Jyy", "Jyz", "Jzz"};
  ReversePayload payload;
  payload.link = change.link;
  for (Index c = 0; c < 10; ++c)
    if (change.seen[static_cast<std::size_t>(c)])
      payload.parameters.push_back({kNames[c], change.parameters[c], finite_or_none(change.sigma[c])});
  for (const MassFrom& mass : change.masses)
    payload.masses.push_back({mass.lead, mass.coefficient, mass.mass, finite_or_none(mass.sigma)});
  payload.unexplained = std::isfinite(change.unexplained) ? change.unexplained : 0;
  return payload;
}

ReverseDesign design_of(const ReverseState& reverse, const Setup& setup) {
  ConfigurationOptions options;
  options.rows = reverse.fit.rows;
  options.seed = setup.study().seed;
  ReverseDesign design;
  design.least = min_configurations(setup.robot, reverse.fit.base, options);
  const ReverseTable& table = reverse.tables.training;
  if (table.size() > kComparedWithRandom) return design;
  const ConfigurationSet own = measure(setup.robot, reverse.fit.base, table.q, options);
  std::vector<double> log_det, variance;
  for (std::uint64_t k = 0; k < 21; ++k) {
    const ConfigurationSet other =
        measure(setup.robot, reverse.fit.base,
                random_configurations(setup.robot, table.size(), options, (1U << 16U) + k), options);
    log_det.push_back(other.log_det);
    variance.push_back(other.mean_variance);
  }
  std::nth_element(log_det.begin(), log_det.begin() + 10, log_det.end());
  std::nth_element(variance.begin(), variance.begin() + 10, variance.end());
  const auto count = static_cast<double>(reverse.fit.base.base.size());
  design.efficiency = finite_or_none(std::exp((own.log_det - log_det[10]) / count));
  design.mean_variance = finite_or_none(own.mean_variance / variance[10]);
  return design;
}

// Gravity by joint: the error of a torque at rest.
ResidualSummary residual_of(const Robot& robot, const std::vector<ComponentError>& errors) {
  ResidualSummary residual;
  residual.prepared = relative_error(errors);
  const std::vector<int> joints = coordinates(robot).joints;
  double largest = 0;  // what is negligible beside it is rounding
  for (const ComponentError& error : errors)
    if (error.name.front() == 'g') largest = std::max(largest, error.scale);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const std::string wanted = gravity_name(static_cast<Index>(j));
    for (const ComponentError& error : errors) {
      if (error.name != wanted) continue;
      JointResidual item;
      item.name = robot.joints[static_cast<std::size_t>(joints[j])].name;
      item.rms = std::sqrt(error.mean_square);
      if (error.scale > 1e-9 * largest) item.prepared = item.rms / error.scale;
      residual.per_joint.push_back(std::move(item));
    }
  }
  return residual;
}

std::string source_words(const Study& study, const ReverseFit& fit) {
  const SourceSpec& source = *study.reverse->training.source;
  std::string words = std::string(to_string(source.kind)) + " " + source.path_as_written;
  for (const StudyRun& run : study.runs)
    if (fit.torques && run.file.label.role == RunRole::fit) words += ", torques of " + run.file.label.label;
  return words;
}

void judge_reverse(const Setup& setup, const ReverseSummary& reverse, Result& result) {
  waive_findings(setup.study(), result.findings);
  Evidence evidence;
  evidence.of_tables = true;
  evidence.findings = result.findings;
  evidence.fitted = result.residual.prepared;
  for (const ReverseErrors& errors : reverse.errors)
    if (errors.role == "validation") evidence.not_used.push_back({errors.label, errors.relative, ""});
  result.verdict = judge(evidence);
}

void summarize_feasible_fit(const ReverseState& reverse, const Setup& setup, const FeasibleModel& feasible,
                            Result& result) {
  FeasibleSummary summary = feasible_outcome(feasible);
  const Retrieval& retrieval = feasible.retrieval;
  if (retrieval.x.size() > 0) {
    const Quantities quantities(setup.robot, feasible.columns);
    const std::vector<std::string> leads = reverse.fit.leads();
    const VectorXd values = lead_values(leads, reverse.fit.base, quantities, retrieval.x);
    summary.residual =
        residual_of(setup.robot, table_errors(setup.robot, leads, values, reverse.tables.training));
    result.links = link_values(setup.robot, feasible);
  }
  result.feasible = std::move(summary);
}

}  // namespace

Result summarize_reverse(const ReverseState& reverse, const Setup& setup,
                         const std::optional<FeasibleModel>& feasible) {
  const ReverseSpec& spec = *setup.study().reverse;
  const ReverseFit& fit = reverse.fit;
  Result result;
  put_robot(setup, result);
  result.samples = reverse.tables.training.size();
  result.rows = fit.estimate.rows;
  result.condition = finite_or_none(fit.estimate.condition);
  result.condition_scaled = finite_or_none(fit.estimate.condition_scaled);
  result.residual = residual_of(setup.robot, fit.training);
  result.residual.prepared_weighted = finite_or_none(fit.estimate.residual_weighted);
  result.base = base_of_fit(fit);
  result.drives = drive_values(setup.robot, fit.estimate);
  ReverseSummary summary;
  summary.source = source_words(setup.study(), fit);
  for (const ReverseFit& part : reverse.parts) summary.parts.push_back(part_summary(part));
  summary.parts.push_back(part_summary(fit));
  summary.errors.push_back(
      errors_of(spec.training.label, "training", reverse.tables.training.size(), fit.training));
  for (std::size_t k = 0; k < reverse.tables.validation.size(); ++k) {
    const ReverseTable& table = reverse.tables.validation[k];
    summary.errors.push_back(errors_of(spec.validation[k].label, "validation", table.size(),
                                       table_errors(setup.robot, fit.leads(), fit.values, table)));
  }
  if (reverse.loaded)
    summary.errors.push_back(
        errors_of(spec.loaded->label, "loaded", reverse.tables.loaded->size(), reverse.loaded->training));
  if (spec.reference) {
    ReferenceComparison comparison = compare_with_reference(*spec.reference, reverse, setup.robot);
    summary.reference = std::move(comparison.reference);
    if (comparison.errors)
      summary.errors.push_back(
          errors_of(spec.reference->label, "reference", reverse.tables.training.size(), *comparison.errors));
  }
  if (reverse.tilt)
    summary.tilt =
        ReverseTilt{reverse.tilt->angle, reverse.tilt->sigma, reverse.tilt->rotation, reverse.tilt->gravity};
  if (reverse.kinematics)
    summary.kinematics =
        ReverseKinematics{reverse.kinematics->tool_axes ? "tool" : "base", reverse.kinematics->offset,
                          reverse.kinematics->angular, reverse.kinematics->linear};
  if (reverse.gravity_scale)
    summary.gravity_scale = ReverseGravityScale{reverse.gravity_scale->scale, reverse.gravity_scale->apart,
                                                reverse.gravity_scale->together};
  if (fit.whole_model())
    summary.skew_symmetry = finite_or_none(skew_symmetry_error(ReverseModel(setup.robot, fit), setup.robot));
  if (reverse.payload) summary.payload = payload_summary(*reverse.payload);
  if (fit.estimate.rank > 0 && !fit.torques) summary.design = design_of(reverse, setup);
  for (const Identifiability& item : identifiability(setup.robot, fit.base))
    if (item.kind == Identifiability::Kind::unseen) summary.unknown.push_back(item.parameter);
  if (feasible) summarize_feasible_fit(reverse, setup, *feasible, result);
  result.findings = reverse.findings;
  judge_reverse(setup, summary, result);
  result.reverse = std::move(summary);
  return result;
}

void summarize_torques(const Setup& setup, const Folded& folded, const Estimate& estimate,
                       const Predicted& predicted, Result& result) {
  for (std::size_t k = 0; k < folded.runs.size(); ++k) {
    const RunRows& run = folded.runs[k];
    const Prediction& prediction = predicted.runs[k];
    ReverseErrors errors;
    errors.label = run.label();
    errors.role = "torque";
    const RunValidation validation = validation_of(setup, run, estimate, prediction);
    result.validation.push_back(validation);
    errors.relative = validation.residual.raw.value_or(validation.residual.prepared);
    for (std::size_t r = 0; r < prediction.curves.size(); ++r) {
      const EffortCurve& curve = prediction.curves[r];
      const auto row = static_cast<Index>(r);
      ReverseComponent component;
      component.name = curve.joint;
      component.count = run.folds.samples;
      errors.configurations = run.folds.samples;
      const auto samples = static_cast<double>(std::max<Index>(run.folds.samples, 1));
      component.mean_square = prediction.residual_squared[row] / samples;
      component.scale = std::sqrt(prediction.effort_squared[row] / samples);
      for (std::size_t s = 0; s < curve.residual_min.size(); ++s)
        component.largest =
            std::max({component.largest, std::abs(curve.residual_min[s]), std::abs(curve.residual_max[s])});
      errors.components.push_back(std::move(component));
    }
    result.reverse->errors.push_back(std::move(errors));
  }
}

}  // namespace steelyard
