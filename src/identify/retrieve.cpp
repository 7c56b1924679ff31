// Feasible parameters from base values alone: no log is read.
#include <algorithm>
#include <cmath>

#include "identify/earlier_model.hpp"
#include "identify/friction.hpp"
#include "identify/ripple.hpp"
#include "identify/robot_probe.hpp"
#include "identify/summarize.hpp"
#include "identify/summary.hpp"
#include "identify/temperature.hpp"
#include "steelyard/core/sha256.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/study/provenance.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Standard deviations of the values as if independent: a result does not contain their covariance.
void take_deviations(const Result& model, Estimate& estimate) {
  const Index count = estimate.values.size();
  estimate.sigma.setConstant(count, std::nan(""));
  estimate.relative_sigma.setConstant(count, std::nan(""));
  estimate.covariance.setZero(count, count);
  estimate.column_status.assign(static_cast<std::size_t>(count), ColumnStatus::determined);
  for (const BaseValue& value : model.base) {
    const Index k = estimate.find(value.name);
    if (k < 0 || !value.sigma) continue;
    estimate.sigma[k] = *value.sigma;
    estimate.relative_sigma[k] = *value.sigma / std::abs(value.value);
    estimate.covariance(k, k) = *value.sigma * *value.sigma;
  }
}

void require_deviations(const Study& study, const Estimate& estimate) {
  const FeasibleSpec& spec = *study.feasible;
  const bool needed = spec.coefficients.by_covariance || spec.interval_level ||
                      std::isfinite(spec.coefficients.max_relative_sigma);
  if (!needed) return;
  for (Index k = 0; k < estimate.values.size(); ++k)
    if (!std::isfinite(estimate.sigma[k]))
      throw InputError(
          {"base parameter '" + estimate.columns[static_cast<std::size_t>(k)] +
               "' has no standard deviation, which `weight`, `relative_sigma_below` and `intervals` need",
           spec.place, "sigma of every base parameter",
           "give `sigma`, or leave out `weight`, `relative_sigma_below` and `intervals`"});
}

// √(Δᵀ C⁻¹ Δ / number), where every value has a standard deviation.
std::optional<double> moved_deviations(const Estimate& estimate, const VectorXd& values) {
  if (!estimate.sigma.allFinite()) return std::nullopt;
  const VectorXd moved = (values - estimate.values).cwiseQuotient(estimate.sigma);
  return finite_or_none(moved.norm() / std::sqrt(static_cast<double>(moved.size())));
}

// The model without its feasible parameters.
Result without_feasible(Result model) {
  model.feasible.reset();
  model.links.clear();
  for (BaseValue& value : model.base) value.feasible.reset();
  for (RunValidation& run : model.validation) run.feasible.reset();
  std::erase_if(model.findings,
                [](const Finding& finding) { return has(finding, finding_trait::of_feasible); });
  return model;
}

Result summarize_retrieval(const Setup& setup, const Fit& fit, const FeasibleModel& feasible,
                           const Result& model, const std::string& base_values_path) {
  const FeasibleCheck check = check_feasible(setup, {}, fit, feasible);
  Result result = without_feasible(model);
  const bool by_hand = model.robot_name.empty();
  put_robot(setup, result);
  if (by_hand) result.base = base_values(setup.base, fit.estimated);
  add_to(result.findings, feasible.findings);
  result.feasible = check.summary;
  result.links = check.links;
  if (!result.links.empty()) put_feasible(check.values, result.base, *result.feasible);
  if (feasible.retrieval.x.size() > 0)
    result.feasible->moved_sigma =
        moved_deviations(fit.estimated, with_feasible_values(setup, fit.estimated, feasible).values);
  result.unavailable = {"residuals of the feasible parameters: made from base values, without rows"};
  if (by_hand) result.unavailable.emplace_back("residuals: base values written by hand have no rows");
  judge_result(setup.study(), result);
  result.provenance = provenance(setup.study(), setup.robot_hash);
  result.provenance.inputs.push_back({base_values_path, sha256_file(base_values_path)});
  return result;
}

}  // namespace

StudyOutcome retrieve_study(const Study& study, const std::string& base_values_path,
                            const StudyOptions& options) {
  const Result model = read_base_values(base_values_path);
  Study given = study;
  given.runs.clear();
  given.cross.reset();
  if (!given.feasible) given.feasible = FeasibleSpec{};
  given.feasible->fits_torque = false;
  StudyClock clock(options);
  Setup setup = with_robot_of(model, open_robot({&given, &options, &clock}));
  setup.ripple = ripple_of_model(setup.robot, model);
  setup.temperature = temperature_of_model(setup, model);
  setup = with_friction(setup, friction_of_model(setup, model));
  Fit fit;
  fit.estimated = base_values_of(model, setup);
  take_deviations(model, fit.estimated);
  require_deviations(given, fit.estimated);
  const std::optional<FeasibleModel> feasible = retrieve_feasible(setup, {}, {}, fit, {});
  return outcome_of(setup, summarize_retrieval(setup, fit, *feasible, model, base_values_path), {});
}

}  // namespace steelyard
