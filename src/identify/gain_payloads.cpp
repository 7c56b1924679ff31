#include "identify/gain_payloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/summary.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/gains/payload.hpp"

namespace steelyard::inline STEELYARD_ABI {

GainOptions gain_options(const Setup& setup) {
  GainOptions options;
  options.level = setup.study().intervals.level;
  options.bootstrap.replicates = std::max(20, setup.study().intervals.replicates);
  options.bootstrap.seed = setup.study().seed;
  options.bootstrap.threads = setup.threads();
  options.rows = setup.study().gains->rows;
  return options;
}

namespace {

PayloadSummary summary_of(const LoadEstimate& load, const std::string& run, const Load& given) {
  PayloadSummary summary;
  summary.name = load.name;
  summary.run = run;
  summary.known_mass = given.parameters[0].value;
  for (Index k = 0; k < kParametersPerLink; ++k) {
    UncertainValue value{load.values[k], finite_or_none(load.sigma[k]), {}, {}};
    if (std::isfinite(load.lower[k]) && std::isfinite(load.upper[k]))
      value.interval = {load.lower[k], load.upper[k]};
    summary.parameters[kParameterStems[static_cast<std::size_t>(k)]] = value;
  }
  summary.mass_sigma_noise = load.sigma_noise[0];
  summary.mass_sigma_gains = load.sigma_gains[0];
  summary.gains_dominate = load.gains_dominate;
  // Few joints do not identify the mass: the rest is not a body.
  if (!load.body_is_found || !(load.body.mass() > 0)) return summary;
  summary.mass = load.body.mass();
  summary.com = load.body.com();
  const auto entries = [](const Matrix3& I) {
    Vector6 six;
    six << I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2);
    return six;
  };
  summary.inertia_com = entries(load.body.inertia_com());
  summary.inertia_origin = entries(load.body.inertia_origin());
  return summary;
}

}  // namespace

void identify_payloads(const Setup& setup, const std::vector<CurrentRun>& runs, DriveGains& gains) {
  std::vector<GainRun> unloaded;
  for (const CurrentRun& run : runs)
    if (run.run->file.label.role == RunRole::fit && run.folds.load.empty()) unloaded.push_back(run.folds);
  for (const CurrentRun& run : runs) {
    if (run.folds.load.empty()) continue;
    const auto given = std::find_if(setup.study().payloads.begin(), setup.study().payloads.end(),
                                    [&](const Load& load) { return load.name == run.folds.load; });
    if (unloaded.empty()) {
      if (gains.loads.count(given->name) == 0)
        throw InputError(
            {fmt::format("the load '{}' cannot be distinguished from the last link", given->name),
             {},
             "a fit run without load",
             "record a run without load"});
      continue;
    }
    std::vector<GainRun> both = unloaded;
    both.push_back(run.folds);
    const GainProblem problem = gain_problem(gains.rows, {unknown_load(given->name)}, std::move(both));
    const LoadFit fit = identify_loads(problem, gains.values, gains.covariance, gain_options(setup));
    gains.payloads.push_back(summary_of(fit.loads[0], run.folds.label, *given));
    gains.loads.try_emplace(given->name, fit.loads[0].values);
    if (fit.loads[0].gains_dominate && std::isfinite(fit.loads[0].sigma[0]))
      gains.findings.push_back(make_finding(
          "payload-gain-error", given->name,
          fmt::format("the mass is {:.3g} ± {:.2g} kg; the uncertainty of the gains contributes {:.2g}",
                      fit.loads[0].values[0], fit.loads[0].sigma[0], fit.loads[0].sigma_gains[0])));
  }
}

}  // namespace steelyard
