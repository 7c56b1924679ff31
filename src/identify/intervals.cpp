// Step of a study: intervals of the estimate, and whether differentiation has biased it.
#include "steelyard/estimate/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/bias.hpp"
#include "identify/gains.hpp"
#include "identify/intervals.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// The smallest over the fit runs: the efforts' noise goes through the filter of the columns only.
double effective_share_of(const Runs& runs) {
  double share = 1;
  for (const OpenRun& run : runs) {
    if (!run.is_fit()) continue;
    const Preparation& preparation = run.preparation();
    if (preparation.column_filter)
      share = std::min(share, effective_share(*preparation.column_filter, preparation.decimation.factor));
  }
  return share;
}

// Torques that follow from currents have the errors of gains and loads, too.
void add_drive_errors(const Setup& setup, const Estimate& estimate, Intervals& found) {
  if (!setup.gains || setup.gains->errors.columns.empty() || found.sigma.size() != estimate.values.size())
    return;
  const MatrixXd carried = carried_covariance(setup.gains->error_rows, setup.gains->errors, estimate);
  if (found.covariance.size() == carried.size()) found.covariance += carried;
  for (Index k = 0; k < found.sigma.size(); ++k) {
    if (!(found.sigma[k] > 0) || !std::isfinite(found.sigma[k])) continue;
    const double wider = std::sqrt(1 + carried(k, k) / (found.sigma[k] * found.sigma[k]));
    found.sigma[k] *= wider;
    found.lower[k] = estimate.values[k] - wider * (estimate.values[k] - found.lower[k]);
    found.upper[k] = estimate.values[k] + wider * (found.upper[k] - estimate.values[k]);
  }
}

std::vector<Finding> interval_findings(const Setup& setup, const Fit& fit, const Uncertainty& spread) {
  std::vector<Finding> findings;
  const Intervals& found = spread.intervals;
  if (setup.study().intervals.method == IntervalMethod::bootstrap && found.blocks < kFewBlocks)
    findings.push_back(make_finding(
        "few-blocks", "",
        found.method == IntervalMethod::classical
            ? fmt::format("{} blocks are too few for a bootstrap; intervals are classical", found.blocks)
            : fmt::format("intervals from {} blocks", found.blocks)));
  if (!spread.bias) return findings;
  std::string names;
  int count = 0;
  for (std::size_t k = 0; k < spread.bias->biased.size(); ++k) {
    if (!spread.bias->biased[k]) continue;
    if (++count <= 8) names += (names.empty() ? "" : ", ") + fit.estimated.columns[k];
  }
  if (count > 0)
    findings.push_back(make_finding(
        "biased-by-differentiation", "",
        fmt::format("{} of {} values move with the cut-off by more than half their standard deviation: {}{}",
                    count, fit.estimated.columns.size(), names,
                    count > 8 ? fmt::format(" and {} more", count - 8) : "")));
  return findings;
}

}  // namespace

Uncertainty estimate_intervals(const Setup& setup, const Runs& runs, const std::vector<RunRows>& rows,
                               const Fit& fit) {
  const IntervalSpec& spec = setup.study().intervals;
  IntervalOptions options;
  options.level = spec.level;
  options.method = spec.method;
  options.effective_share = effective_share_of(runs);
  options.bootstrap.replicates = spec.replicates;
  options.bootstrap.seed = setup.study().seed;
  options.bootstrap.threads = setup.threads();
  const bool usable = fit.estimated.status != EstimateStatus::too_few_rows;
  Uncertainty out;
  setup.clock().time("intervals", [&] {
    BlockMoments moments;
    if (usable)
      moments = fit.instrument ? block_moments(fit.instrument_folds, *fit.instrument, fit.priors)
                               : block_moments(fit.folds, fit.full(), fit.priors);
    out.intervals = intervals(fit.full(), usable ? &moments : nullptr, options);
    if (usable) add_drive_errors(setup, fit.full(), out.intervals);
  });
  if (spec.bias_check && usable && !fit.instrument && !fits_folds(runs) &&
      !has_unsigned_runs(setup.study())) {
    BiasCheck check = check_bias(setup, runs, rows, fit, out.intervals.sigma);
    out.bias = std::move(check.bias);
    out.passes = check.passes;
  }
  out.findings = interval_findings(setup, fit, out);
  return out;
}

IntervalSummary put_intervals(const Fit& fit, const Uncertainty& spread, std::vector<BaseValue>& base) {
  const Intervals& found = spread.intervals;
  for (BaseValue& value : base) {
    const Index k = fit.estimated.find(value.name);
    if (k < 0 || k >= found.sigma.size() || !std::isfinite(found.sigma[k])) continue;
    value.sigma = found.sigma[k];
    value.sigma_classical = found.sigma_classical[k];
    value.relative_sigma.reset();
    if (value.value != 0) value.relative_sigma = found.sigma[k] / std::abs(value.value);
    value.method = to_string(found.method);
    value.interval = {found.lower[k], found.upper[k]};
    if (!spread.bias || !spread.bias->biased[static_cast<std::size_t>(k)]) continue;
    value.interval.reset();
    value.status = "biased by differentiation";
  }
  return {found.level, to_string(found.method), found.blocks, found.effective_rows, spread.bias.has_value()};
}

}  // namespace steelyard
