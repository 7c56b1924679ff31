#include "identify/gain_findings.hpp"
#include "identify/gain_payloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/extra_columns.hpp"
#include "identify/friction.hpp"
#include "identify/sign_gains.hpp"
#include "identify/summary.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/fold/slots.hpp"
#include "steelyard/gains/choice.hpp"
#include "steelyard/gains/feasible.hpp"
#include "steelyard/identify/runs.hpp"
#include "steelyard/study/provenance.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kMaxRounds = 6;        // of gains and friction
constexpr double kSameGains = 2e-4;  // relative: far below the standard deviation of any gain

// The rows of a run: the study's columns, and friction as far as it is known.
CurrentRows rows_of_run(const Setup& setup, const StudyRun& run) {
  CurrentRowOptions options;
  options.preparation = preparation_hash(setup.prepare);
  options.further = all_columns(setup, run);
  options.known = given_efforts(setup, run);
  if (setup.plan.gears) {
    options.gears = setup.plan.gears->gears;
    options.load_values = setup.friction.load_values;
    const auto load = setup.gains->loads.find(run.file.label.payload);
    if (load != setup.gains->loads.end()) {
      const VectorXd of_link = setup.gains->rows.load_to_link * load->second;
      for (std::size_t k = 0; k < setup.gains->rows.tool.size(); ++k)
        options.load_values[setup.gains->rows.tool[k]] += of_link[static_cast<Index>(k)];
    }
  }
  return current_rows(setup.robot, setup.base, options);
}

// `all`: the rows of the first run, with the columns of all.
std::vector<CurrentRun> fold_all(const Setup& setup, CurrentRows& all) {
  std::vector<CurrentRun> runs;
  Index block = 0;
  for (const StudyRun& run : setup.study().runs) {
    setup.clock().time("currents of " + run.file.label.label, [&] {
      const CurrentRows rows = rows_of_run(setup, run);
      if (runs.empty()) all = rows;
      for (const std::string& lead : rows.leads)
        if (std::find(all.leads.begin(), all.leads.end(), lead) == all.leads.end()) all.leads.push_back(lead);
      PreparedRun prepared(open_study_run(run, setup.robot), run.file.label,
                           of_run(setup, run, setup.prepare, channel::kCurrent));
      PassOptions pass;
      pass.threads = setup.threads();
      pass.slot_samples = slot_for_blocks(prepared, 0);
      const FoldPass folds = fold_currents(prepared, rows, pass);
      const RunErrors errors = run_errors(prepared, rows);
      runs.push_back({&run, gain_run(rows, folds, run.file.label, block, &errors)});
      block += runs.back().folds.blocks;
    });
  }
  return runs;
}

}  // namespace

CurrentFolds fold_currents_of(const Setup& setup) {
  CurrentFolds out;
  out.runs = fold_all(setup, out.rows);
  return out;
}

namespace {

VectorXd spread_list(const VectorXd& list, const VectorXd& values, const char* what) {
  if (list.size() == values.size()) return list;
  if (list.size() == 1) return VectorXd::Constant(values.size(), list[0]);
  throw InputError({fmt::format("{} has {} entries", what, list.size()),
                    {},
                    fmt::format("one, or {}", values.size()),
                    "give one number per joint"});
}

void check_count(const VectorXd& list, std::size_t joints, const char* what) {
  if (list.size() == 0 || list.size() == static_cast<Index>(joints)) return;
  throw InputError(
      {fmt::format("{} has {} gains", what, list.size()), {}, fmt::format("{}, one per joint", joints), {}});
}

}  // namespace

GainProblem problem_of(const Setup& setup, const CurrentRows& rows, const std::vector<CurrentRun>& runs) {
  std::vector<GainRun> fit;
  for (const CurrentRun& run : runs)
    if (run.run->file.label.role == RunRole::fit) fit.push_back(run.folds);
  GainProblem problem = gain_problem(rows, setup.study().payloads, std::move(fit));
  const GainSpec& spec = *setup.study().gains;
  check_count(spec.prior, rows.gains.size(), "prior");
  if (spec.prior.size() == 0) return problem;
  problem.prior = spec.prior;
  problem.prior_sigma = VectorXd::Constant(spec.prior.size(), kInfinity);
  if (spec.prior_sigma.size() > 0)
    problem.prior_sigma =
        spread_list(spec.prior_sigma, spec.prior, "prior_sigma").cwiseProduct(spec.prior.cwiseAbs());
  return problem;
}

GainFit fit_by(const Setup& setup, const GainProblem& problem, GainMethod method,
               const GainOptions& options) {
  if (method != GainMethod::feasible) return fit_gains(problem, method, options);
  const GainFit plain = fit_gains(problem, GainMethod::prediction_error, options);
  return fit_feasible_gains(problem, setup.robot, setup.base, plain, options).fit;
}

namespace {

GainMethodSummary summary_of(const GainProblem& problem, const GainFit& fit) {
  GainMethodSummary summary;
  summary.method = to_string(fit.method);
  summary.converged = fit.converged;
  if (is_total(fit.method)) summary.gap = finite_or_none(fit.gap);
  for (std::size_t j = 0; j < problem.gains.size(); ++j) {
    const auto at = static_cast<Index>(j);
    GainValue& joint = summary.joints.emplace_back();
    joint.joint = problem.joints[j];
    joint.status = to_string(fit.status[j]);
    if (fit.status[j] == GainStatus::not_identifiable) continue;
    UncertainValue value{
        fit.values[at], finite_or_none(fit.sigma[at]), finite_or_none(fit.sigma_classical[at]), {}};
    if (std::isfinite(fit.lower[at]) && std::isfinite(fit.upper[at]))
      value.interval = {fit.lower[at], fit.upper[at]};
    joint.gain = value;
  }
  return summary;
}

void take_loads(const GainProblem& problem, const GainFit& fit, DriveGains& gains) {
  for (const Load& load : problem.loads) {
    const std::vector<std::string> names = load_columns(load.name);
    if (std::none_of(problem.runs.begin(), problem.runs.end(),
                     [&](const GainRun& run) { return run.load == load.name; }))
      continue;
    Vector10 values = load.fixed_values();
    for (std::size_t k = 0; k < names.size(); ++k)
      if (const Index at = fit.find(names[k]); at >= 0) values[static_cast<Index>(k)] = fit.values[at];
    gains.loads[load.name] = values;
  }
}

// Values alone, by one method: what the rounds of gains and friction need of each other.
void quick_gains(const Setup& setup, const GainProblem& problem, DriveGains& gains) {
  const GainSpec& spec = *setup.study().gains;
  validate(problem);
  GainOptions options = gain_options(setup);
  options.spread = false;
  const GainMethod method =
      spec.use && *spec.use != GainMethod::feasible ? *spec.use : GainMethod::prediction_error;
  const GainFit fit = fit_gains(problem, method, options);
  gains.values = fit.gain_values();
  take_loads(problem, fit, gains);
}

void identify_gains(const Setup& setup, GainProblem problem, DriveGains& gains) {
  const GainSpec& spec = *setup.study().gains;
  const GainOptions options = gain_options(setup);
  validate(problem);
  std::optional<int> essential;
  if (spec.essential) {
    EssentialGains found = essential_gains(problem, GainMethod::tls, options, *spec.essential);
    essential = static_cast<int>(problem.leads.size() - found.eliminated.size());
    problem = std::move(found.problem);
  }
  gains.summary.columns = static_cast<int>(gain_columns(problem).size()) + 1;
  GainOptions values = options;
  values.spread = false;
  GainFit best;
  double smallest = INFINITY;
  for (const GainMethod method : spec.methods) {
    const GainFit fit = fit_by(setup, problem, method, options);
    GainMethodSummary& summary = gains.summary.methods.emplace_back(summary_of(problem, fit));
    summary.essential = essential;
    double score = current_residual(problem, fit).total;
    summary.residual = finite_or_none(score);
    const bool can_hold_out = std::all_of(problem.runs.begin(), problem.runs.end(),
                                          [&](const GainRun& run) { return run.blocks >= spec.blocks; });
    if (can_hold_out) {
      score =
          held_out_residual(
              problem, [&](const GainProblem& training) { return fit_by(setup, training, method, values); },
              spec.blocks)
              .total;
      summary.held_out = finite_or_none(score);
    }
    const bool better = spec.use ? method == *spec.use : score < smallest;
    if (!better) continue;
    smallest = score;
    best = fit;
  }
  if (best.values.size() == 0)
    throw InputError({"no method determines the gains: their currents have no finite residual",
                      {setup.study().path, 0, 0, ""},
                      "rows that determine every gain",
                      essential ? "leave out `essential` of `gains`, or use longer runs"
                                : "use longer runs, with loads or other motions"});
  gains.summary.used = to_string(best.method);
  gains.values = best.gain_values();
  gains.covariance = best.covariance.topLeftCorner(best.gains, best.gains);
  take_loads(problem, best, gains);
  gains.errors = drive_errors(problem, best);
  gains.error_rows = drive_rows(problem.runs, gains.errors);
  report_problems(problem, best, gains);
  report_drift(problem, options, gains);
}

void give_gains(const Setup& setup, DriveGains& gains) {
  const GainSpec& spec = *setup.study().gains;
  check_count(spec.known, gains.rows.gains.size(), "known");
  gains.values = spec.known;
  GainMethodSummary& summary = gains.summary.methods.emplace_back();
  summary.method = gains.summary.used = "given";
  if (spec.sigma.size() > 0) {
    const VectorXd sigma = spread_list(spec.sigma, spec.known, "sigma").cwiseProduct(spec.known.cwiseAbs());
    gains.covariance = sigma.cwiseAbs2().asDiagonal();
  }
  for (std::size_t j = 0; j < gains.rows.joints.size(); ++j) {
    const auto at = static_cast<Index>(j);
    UncertainValue value{spec.known[at], {}, {}, {}};
    if (gains.covariance.size() > 0) value.sigma = std::sqrt(gains.covariance(at, at));
    summary.joints.push_back({gains.rows.joints[j], "given", value});
  }
}

// The gains that were used, beside the other values of their drives.
void add_gain(const std::string& joint, const std::string& status, double gain,
              std::vector<DriveValues>& drives) {
  auto drive = std::find_if(drives.begin(), drives.end(),
                            [&](const DriveValues& item) { return item.joint == joint; });
  if (drive == drives.end()) {
    drives.push_back({joint, {}, status});
    drive = std::prev(drives.end());
  }
  drive->values["gain"] = gain;
}

void add_used_gains(const GainsSummary& gains, std::vector<DriveValues>& drives) {
  for (const GainMethodSummary& method : gains.methods) {
    if (method.method != gains.used) continue;
    for (const GainValue& joint : method.joints)
      if (joint.gain) add_gain(joint.joint, joint.status, joint.gain->value, drives);
  }
}

}  // namespace

namespace {

// With given gains: those of loads that fitted runs carry, and of the gains themselves.
void carry_given_errors(const std::vector<CurrentRun>& runs, const std::vector<LoadEstimate>& loads,
                        DriveGains& gains) {
  std::vector<GainRun> fit;
  for (const CurrentRun& run : runs)
    if (run.run->file.label.role == RunRole::fit) fit.push_back(run.folds);
  if (gains.covariance.size() == 0 && loads.empty()) return;
  gains.errors = drive_errors(gains.rows.gains, gains.covariance, loads);
  gains.error_rows = drive_rows(fit, gains.errors);
}

// Gains and loads with the friction that the set-up has.
enum class GainDetail { values, all };
DriveGains gains_with(const Setup& setup, GainDetail detail) {
  DriveGains gains;
  const std::vector<CurrentRun> runs = fold_all(setup, gains.rows);
  if (setup.study().gains->known.size() > 0)
    give_gains(setup, gains);
  else if (detail == GainDetail::values)
    setup.clock().time("gains", [&] { quick_gains(setup, problem_of(setup, gains.rows, runs), gains); });
  else
    setup.clock().time("gains", [&] { identify_gains(setup, problem_of(setup, gains.rows, runs), gains); });
  setup.clock().time("payloads", [&] {
    const std::vector<LoadEstimate> loads = identify_payloads(setup, runs, gains);
    if (setup.study().gains->known.size() > 0) carry_given_errors(runs, loads, gains);
  });
  return gains;
}

// Largest relative change of gains and masses.
double change_of(const DriveGains& before, const DriveGains& after) {
  double change = (after.values - before.values).cwiseQuotient(after.values).cwiseAbs().maxCoeff();
  for (const auto& [name, load] : after.loads)
    if (const auto old = before.loads.find(name); old != before.loads.end() && load[0] != 0)
      change = std::max(change, std::abs((load[0] - old->second[0]) / load[0]));
  return change;
}

// Friction needs torques, torques need gains, and gains need the friction: in turn, until neither changes; then all
// of the gains with that friction.
DriveGains gains_with_forms(const Setup& setup) {
  DriveGains gains = gains_with(setup, GainDetail::values);
  Setup at = setup;
  double change = INFINITY;
  for (int round = 0; round < kMaxRounds && !(change < kSameGains); ++round) {
    at = setup;
    at.gains = std::make_shared<const DriveGains>(gains);
    FrictionForms forms = fit_friction_forms(at, open_runs(at)).forms;
    at = with_friction(std::move(at), std::move(forms));
    DriveGains next = gains_with(at, GainDetail::values);
    change = change_of(gains, next);
    gains = std::move(next);
  }
  at.gains = std::make_shared<const DriveGains>(std::move(gains));
  gains = gains_with(at, GainDetail::all);
  if (!(change < kSameGains))
    gains.findings.push_back(
        make_finding("friction-not-converged", "",
                     fmt::format("gains and friction still change each other by {:.2g} % after {} rounds",
                                 100 * change, kMaxRounds)));
  return gains;
}

DriveGains all_gains(const Setup& setup) {
  const Study& study = setup.study();
  const bool unknown = study.gains->known.size() == 0 ||
                       std::any_of(study.runs.begin(), study.runs.end(),
                                   [](const StudyRun& run) { return !run.file.label.payload.empty(); });
  return unknown && has_friction_forms(study.drive_spec) ? gains_with_forms(setup)
                                                         : gains_with(setup, GainDetail::all);
}

}  // namespace

DriveGains gain_values(const Setup& setup) {
  return gains_with(setup, GainDetail::values);
}

Setup with_gains(Setup setup) {
  if (!setup.study().gains) return setup;
  const bool open = setup.study().cutoff.automatic && setup.cutoff.chosen == 0;
  DriveGains gains = all_gains(open ? with_given_cutoff(setup, first_cutoff(setup)) : setup);
  setup.findings = gains.findings;
  setup.gains = std::make_shared<const DriveGains>(std::move(gains));
  return setup;
}

Setup with_gains_of(const Result& model, Setup setup) {
  if (setup.study().signs.gains) setup.sign_gains = sign_gains_of(model, setup);
  if (!setup.study().gains) return setup;
  if (!model.gains)
    throw InputError({"the model has no gains, but the study has currents",
                      {setup.study().path, 0, 0, ""},
                      {},
                      "use a model that was identified from currents"});
  DriveGains gains;
  gains.rows = current_rows(setup.robot, setup.base);
  gains.values = VectorXd::Zero(static_cast<Index>(gains.rows.gains.size()));
  for (const GainMethodSummary& method : model.gains->methods) {
    if (method.method != model.gains->used) continue;
    for (std::size_t j = 0; j < method.joints.size() && j < gains.rows.gains.size(); ++j)
      if (method.joints[j].gain) gains.values[static_cast<Index>(j)] = method.joints[j].gain->value;
  }
  for (const PayloadSummary& load : model.payloads) {
    Vector10 values = Vector10::Zero();
    for (std::size_t k = 0; k < kParameterStems.size(); ++k)
      if (const auto found = load.parameters.find(kParameterStems[k]); found != load.parameters.end())
        values[static_cast<Index>(k)] = found->second.value;
    gains.loads.try_emplace(load.name, values);
  }
  for (const StudyRun& run : setup.study().runs)
    if (!run.file.label.payload.empty() && gains.loads.count(run.file.label.payload) == 0)
      throw InputError({fmt::format("the model does not know the load '{}'", run.file.label.payload),
                        {setup.study().path, 0, 0, ""},
                        {},
                        "identify it first"});
  setup.gains = std::make_shared<const DriveGains>(std::move(gains));
  return setup;
}

void add_gains(const Setup& setup, const std::optional<SignsSummary>& signs,
               std::vector<DriveValues>& drives) {
  if (signs)
    for (const SignGain& gain : signs->gains) add_gain(gain.joint, gain.status, gain.value, drives);
  if (setup.gains) add_used_gains(setup.gains->summary, drives);
}

}  // namespace steelyard
