#include "steelyard/identify/gain_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "identify/friction.hpp"
#include "identify/gain_payloads.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/gains/choice.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kEssentialRatio = 30;  // the published one

bool is_fitted(const CurrentRun& run) {
  return run.run->file.label.role == RunRole::fit;
}

bool is_carried(const GainProblem& problem, const std::string& load) {
  return std::any_of(problem.runs.begin(), problem.runs.end(),
                     [&](const GainRun& run) { return run.load == load; });
}

std::string known_words(const GainProblem& problem) {
  Index most = 0, least = kParametersPerLink;
  for (const Load& load : problem.loads) {
    if (!is_carried(problem, load.name)) continue;
    most = std::max(most, load.known_count());
    least = std::min(least, load.known_count());
  }
  if (most == kParametersPerLink && least == most) return "ten";
  return most == 1 ? "mass" : fmt::format("{} of ten", most);
}

// Of every load that fitted runs carry its mass alone.
GainProblem with_masses_alone(GainProblem problem) {
  for (Load& load : problem.loads) {
    const LoadParameter mass = load.parameters[0];
    load = unknown_load(load.name);
    load.parameters[0] = mass;
  }
  return problem;
}

// Parameters that the study gives of carried loads.
void add_given(const GainProblem& problem, GainCase& out) {
  for (const Load& load : problem.loads) {
    if (!is_carried(problem, load.name)) continue;
    const std::vector<std::string> names = load_columns(load.name);
    for (int k = 0; k < kParametersPerLink; ++k) {
      if (!load.is_fixed(k)) continue;
      out.names.push_back(names[static_cast<std::size_t>(k)]);
      out.values[out.names.back()] = *load.parameters[static_cast<std::size_t>(k)].value;
    }
  }
}

void add_values(const std::vector<std::string>& columns, const VectorXd& values, const VectorXd& sigma,
                GainCase& out) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto at = static_cast<Index>(k);
    const bool is_gain =
        std::find(out.gain_names.begin(), out.gain_names.end(), columns[k]) != out.gain_names.end();
    if (!is_gain) out.names.push_back(columns[k]);
    out.values[columns[k]] = values[at];
    if (at < sigma.size() && std::isfinite(sigma[at])) out.sigma[columns[k]] = sigma[at];
  }
}

GainCase a_priori_case(const GainProblem& problem) {
  GainCase out{"a priori", "", problem.prior, problem.gains, {}, {}, {}, {}};
  GainProblem own = problem;
  for (Load& load : own.loads) load = unknown_load(load.name);
  own.prior.resize(0);
  const LoadFit fit = identify_loads(own, problem.prior);
  add_values(fit.columns, fit.values, fit.sigma, out);
  for (std::size_t j = 0; j < problem.gains.size(); ++j)
    out.values[problem.gains[j]] = problem.prior[static_cast<Index>(j)];
  return out;
}

GainCase case_of(const Setup& setup, const GainProblem& problem, GainMethod method) {
  GainOptions options = gain_options(setup);
  GainCase out{to_string(method), known_words(problem), {}, problem.gains, {}, {}, {}, {}};
  GainFit fit;
  if (method == GainMethod::prediction_error || method == GainMethod::feasible) {
    fit = fit_by(setup, problem, method, options);
  } else {
    EssentialGains found =
        essential_gains(problem, method, options, setup.study().gains->essential.value_or(kEssentialRatio));
    fit = std::move(found.fit);
    out.eliminated = std::move(found.eliminated);
  }
  out.gains = fit.gain_values();
  add_values(fit.columns, fit.values, fit.sigma_classical, out);
  add_given(problem, out);
  return out;
}

std::vector<GainCase> all_cases(const Setup& setup, const GainProblem& problem) {
  std::vector<GainCase> cases;
  const bool has_load = std::any_of(problem.runs.begin(), problem.runs.end(),
                                    [](const GainRun& run) { return !run.load.empty(); });
  if (problem.prior.size() > 0 && has_load) cases.push_back(a_priori_case(problem));
  const bool all_known = known_words(problem) == "ten";
  for (const GainMethod method : setup.study().gains->methods) {
    cases.push_back(case_of(setup, problem, method));
    if (all_known) cases.push_back(case_of(setup, with_masses_alone(problem), method));
  }
  return cases;
}

// The condition of W over the base parameters: of its factor, column by column in place.
double condition_of(const GainProblem& problem, const GainRun& run) {
  const auto count = static_cast<Index>(problem.leads.size());
  Index depth = 0;
  for (const Fold& fold : run.joint) depth += fold.depth();
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(std::max(depth, count), count);
  Index first = 0;
  for (const Fold& fold : run.joint) {
    const MatrixXd R = fold.R();
    for (Index k = 0; k < count; ++k)
      if (const Index at = fold.layout().find(problem.leads[static_cast<std::size_t>(k)]); at >= 0)
        W.col(k).segment(first, R.rows()) = R.col(at);
    first += R.rows();
  }
  const SingularRange range = singular_range(W, 1e-12);
  return range.smallest > 0 ? range.largest / range.smallest : INFINITY;
}

// ‖V g − W χ − W_L χ_L‖ / ‖V g‖ of each joint's rows.
VectorXd torque_errors(const GainProblem& problem, const GainRun& run, const GainCase& own) {
  const auto n = static_cast<Index>(problem.joints.size());
  VectorXd error = VectorXd::Zero(n), torque = error;
  for (const Fold& fold : run.joint) {
    VectorXd gains = VectorXd::Zero(fold.size()), others = gains;
    for (Index k = 0; k < fold.size(); ++k) {
      const auto value = own.values.find(fold.layout().name(k));
      if (value == own.values.end()) continue;
      const bool is_gain =
          std::find(problem.gains.begin(), problem.gains.end(), value->first) != problem.gains.end();
      (is_gain ? gains : others)[k] = is_gain ? value->second : -value->second;
    }
    const MatrixXd R = fold.R();
    for (Index j = 0; j < n; ++j) {
      if (fold.layout().row != "torque:" + problem.joints[static_cast<std::size_t>(j)]) continue;
      error[j] += (R * (gains + others)).squaredNorm();
      torque[j] += (R * gains).squaredNorm();
    }
  }
  return error.cwiseQuotient(torque.cwiseMax(1e-300)).cwiseSqrt();
}

// The mass of the load of a run that was not fitted, beside the fitted runs without load.
double mass_of(const GainProblem& problem, const CurrentRows& rows, const GainRun& run, const GainCase& own) {
  std::vector<GainRun> runs = {run};
  for (const GainRun& other : problem.runs)
    if (other.load.empty()) runs.push_back(other);
  GainOptions options;
  options.bootstrap.replicates = 20;  // their spread is not shown
  return identify_loads(gain_problem(rows, {unknown_load(run.load)}, std::move(runs)), own.gains, {}, options)
      .loads[0]
      .values[0];
}

GainTableRun run_of(const Setup& setup, const CurrentFolds& folds, const CurrentRun& run,
                    const GainProblem& problem, const std::vector<GainCase>& cases, bool tried) {
  GainTableRun out{run.folds.label, run.folds.load, condition_of(problem, run.folds), {}, {}, {}};
  for (const Load& load : setup.study().payloads)
    if (load.name == out.payload) out.weighed = load.parameters[0].value;
  const bool has_load_values = out.payload.empty() || is_carried(problem, out.payload);
  if (tried && has_load_values) {
    out.errors.resize(static_cast<Index>(problem.joints.size()), static_cast<Index>(cases.size()));
    for (std::size_t c = 0; c < cases.size(); ++c)
      out.errors.col(static_cast<Index>(c)) = torque_errors(problem, run.folds, cases[c]);
  }
  const bool has_unloaded = is_carried(problem, "");
  if (!is_fitted(run) && !out.payload.empty() && has_unloaded)
    for (const GainCase& own : cases) out.masses.push_back(mass_of(problem, folds.rows, run.folds, own));
  return out;
}

void require_tables(const Study& study) {
  const Place place{study.path, 0, 0, ""};
  if (!study.gains)
    throw InputError({"the study has no key `gains`", place, "runs with currents, and `gains: {}`", ""});
  if (study.gains->known.size() > 0)
    throw InputError({"the gains are given: there are no methods to compare", place,
                      "`gains: {prior: […]}` for gains to start from", "give them as `prior`"});
  if (has_friction_forms(study.drive_spec))
    throw InputError({"the tables are those of linear friction", place,
                      "friction: [viscous, coulomb, offset]",
                      "leave `friction` out, or use `steelyard run`"});
}

}  // namespace

GainTables gain_tables(const Study& study, const StudyOptions& options) {
  require_tables(study);
  StudyClock clock(options);
  Setup setup = open_robot({&study, &options, &clock});
  if (study.cutoff.automatic) setup = with_given_cutoff(std::move(setup), first_cutoff(setup));
  const CurrentFolds folds = fold_currents_of(setup);
  const GainProblem problem = problem_of(setup, folds.rows, folds.runs);
  validate(problem);
  GainTables out;
  out.robot = setup.robot.name;
  out.joints = problem.joints;
  out.a_priori = problem.prior;
  out.warnings = setup.warnings;
  out.cases = clock.time("cases", [&] { return all_cases(setup, problem); });
  const bool some_fresh = !std::all_of(folds.runs.begin(), folds.runs.end(), is_fitted);
  clock.time("runs", [&] {
    for (const CurrentRun& run : folds.runs)
      out.runs.push_back(run_of(setup, folds, run, problem, out.cases, is_fitted(run) != some_fresh));
  });
  return out;
}

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson case_json(const GainTables& tables, const GainCase& own) {
  OrderedJson json = {{"method", own.method}, {"known", own.known}};
  for (std::size_t j = 0; j < tables.joints.size(); ++j) {
    OrderedJson gain = {{"joint", tables.joints[j]}, {"value", own.gains[static_cast<Index>(j)]}};
    if (const auto sigma = own.sigma.find(own.gain_names[j]); sigma != own.sigma.end())
      gain["sigma"] = sigma->second;
    json["gains"].push_back(std::move(gain));
  }
  json["parameters"] = OrderedJson::array();
  for (const std::string& name : own.names) {
    OrderedJson parameter = {{"name", name}, {"value", own.values.at(name)}};
    if (const auto sigma = own.sigma.find(name); sigma != own.sigma.end()) parameter["sigma"] = sigma->second;
    json["parameters"].push_back(std::move(parameter));
  }
  json["eliminated"] = own.eliminated;
  return json;
}

OrderedJson run_json(const GainTables& tables, const GainTableRun& run) {
  OrderedJson json = {{"run", run.run}};
  if (!run.payload.empty()) json["payload"] = run.payload;
  if (std::isfinite(run.condition)) json["condition"] = run.condition;
  for (Index j = 0; j < run.errors.rows(); ++j) {
    OrderedJson row = {{"joint", tables.joints[static_cast<std::size_t>(j)]}};
    row["by_case"] = std::vector<double>(run.errors.row(j).begin(), run.errors.row(j).end());
    json["torque_errors"].push_back(std::move(row));
  }
  if (run.weighed) json["weighed"] = *run.weighed;
  if (!run.masses.empty()) json["masses_by_case"] = run.masses;
  return json;
}

}  // namespace

std::string to_json(const GainTables& tables) {
  OrderedJson json = {{"robot", tables.robot}};
  if (tables.a_priori.size() > 0)
    json["a_priori"] = std::vector<double>(tables.a_priori.begin(), tables.a_priori.end());
  for (const GainCase& own : tables.cases) json["cases"].push_back(case_json(tables, own));
  for (const GainTableRun& run : tables.runs) json["runs"].push_back(run_json(tables, run));
  return json.dump(2) + "\n";
}

}  // namespace steelyard
