#include "identify/estimators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/folded_runs.hpp"
#include "identify/prior.hpp"
#include "identify/summary.hpp"
#include "steelyard/estimate/essential.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// The method that the runs allow: not every fold file has instruments or weights of single rows.
const char* method_name(const Study& study, const Runs& runs) {
  const bool single_rows = study.estimator.single_rows && !fits_folds(runs);
  const bool instruments = study.estimator.instruments && has_instruments(runs);
  return estimator_method(study.estimate.weighting, single_rows, instruments).name;
}

}  // namespace

double change_in_sigma(const Estimate& before, const Estimate& after) {
  double worst = 0;
  for (std::size_t k = 0; k < after.columns.size(); ++k) {
    const auto i = static_cast<Index>(k);
    const Index old = before.find(after.columns[k]);
    if (old < 0 || !std::isfinite(after.sigma[i]) || !(after.sigma[i] > 0)) continue;
    worst = std::max(worst, std::abs(after.values[i] - before.values[old]) / after.sigma[i]);
  }
  return worst;
}

VectorXd values_for(const Plan& plan, const Estimate& estimate) {
  VectorXd values = VectorXd::Zero(static_cast<Index>(plan.columns.size()));
  for (std::size_t k = 0; k < plan.columns.size(); ++k)
    if (const Index found = estimate.find(plan.columns[k]); found >= 0)
      values[static_cast<Index>(k)] = estimate.values[found];
  return values;
}

namespace {

// Joints that another weighting of the same rows explains far better: efforts of very different sizes.
void report_weights(const Study& study, Fit& fit) {
  constexpr double kMuch = 1.5;         // their residual over that with converged weights
  constexpr double kEnough = 0.05;      // of their effort
  constexpr std::size_t kSeveral = 10;  // rows per column: fewer fit anything
  const Weighting own = study.estimate.weighting;
  if (own != Weighting::none && own != Weighting::by_row) return;
  EstimateOptions options = study.estimate;
  options.weighting = Weighting::by_row_iterated;
  options.conditions = false;
  const Estimate other = estimate(fit.folds, options, fit.priors);
  if (other.status == EstimateStatus::not_converged) return;
  std::string text;
  for (std::size_t k = 0; k < other.per_row.size(); ++k) {
    const Residual &here = fit.estimated.per_row[k], &there = other.per_row[k];
    const bool counts =
        here.rows > static_cast<Index>(kSeveral * other.columns.size() / other.per_row.size());
    if (!counts || here.relative < kMuch * there.relative || here.relative < there.relative + kEnough)
      continue;
    text += fmt::format("{}{}: {:.0f} % of its effort is unexplained, {:.0f} % with converged weights",
                        text.empty() ? "" : "; ", here.row.substr(here.row.find(':') + 1),
                        100 * here.relative, 100 * there.relative);
  }
  if (!text.empty()) fit.findings.push_back(make_finding("weights-not-converged", "", text));
}

Fit reduced_to_essential(const EssentialOptions& options, Fit fit) {
  const Essential found = fit.instrument ? essential(fit.instrument_folds, *fit.instrument, options)
                                         : essential(fit.folds, fit.estimated, options);
  fit.before_elimination = fit.estimated;
  fit.estimated = reduced(fit.folds, fit.estimated, found);
  EssentialSummary& summary = fit.estimator.essential.emplace();
  summary.limit = options.ratio;
  summary.ratio = finite_or_none(found.ratio);
  summary.count = static_cast<std::int64_t>(found.columns.size());
  for (const EliminatedColumn& column : found.eliminated) summary.eliminated.push_back(column.column);
  const auto largest = std::max_element(found.totals.begin(), found.totals.end(),
                                        [](const Residual& a, const Residual& b) { return a.rows < b.rows; });
  summary.residual = largest->relative;
  summary.residual_full =
      found.totals_full[static_cast<std::size_t>(largest - found.totals.begin())].relative;
  return fit;
}

}  // namespace

Fit fit_rows(const Setup& setup, const Runs& runs, const std::vector<RunRows>& rows) {
  const Study& study = setup.study();
  Fit fit;
  fit.folds = fit_folds(rows);
  fit.priors = prior_folds(study, setup.robot, setup.base, fit.folds);
  fit.estimated =
      setup.clock().time("estimate", [&] { return estimate(fit.folds, study.estimate, fit.priors); });
  fit.estimator.method = method_name(study, runs);
  fit.estimator.iterations = fit.estimated.iterations;
  fit.estimator.converged = fit.estimated.status != EstimateStatus::not_converged;
  report_weights(study, fit);
  if (study.estimator.instruments && has_instruments(runs))
    fit = fits_logs(runs) ? with_instruments(setup, rows, std::move(fit))
                          : with_folded_instruments(setup, rows, std::move(fit));
  if (study.estimator.single_rows && !fits_folds(runs)) fit = with_row_weights(setup, rows, std::move(fit));
  if (study.estimator.essential)
    fit = setup.clock().time("essential parameters", [&] {
      return reduced_to_essential(*study.estimator.essential, std::move(fit));
    });
  return fit;
}

}  // namespace steelyard
