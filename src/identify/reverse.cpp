#include "identify/reverse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/prior.hpp"
#include "identify/summary.hpp"
#include "steelyard/reverse/rows.hpp"
#include "steelyard/robot/read.hpp"
#include "steelyard/study/provenance.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

ReverseOptions options_of(const ReverseSpec& spec, const Robot& robot) {
  ReverseOptions options = spec.options;
  std::vector<std::string> names;
  for (int j = 0; j < robot.dof(); ++j) names.push_back("q" + std::to_string(j + 1));
  for (const LeaveOutSpec& rule : spec.leave_out) {
    LeaveOut& out = options.left_out.emplace_back();
    out.components = rule.components;
    out.is_everywhere = rule.where.empty();
    if (!out.is_everywhere) out.where = Expression::parse(rule.where, names, rule.place);
  }
  return options;
}

bool has_rows(const ReverseTable& table, RowSet rows) {
  return rows == RowSet::gravity ? table.has_gravity() : table.has_inertia();
}

// Gravity that is zero for the robot but not in the table.
void identify_tilt(ReverseState& reverse, Setup& setup) {
  const ReverseTable& table = reverse.tables.training;
  if (!table.has_gravity() || reverse.options.rows == RowSet::inertia) return;
  const bool wanted = setup.study().reverse->tilt;
  if (!wanted) {
    const Plan plan = plan_of(with_rotors(setup.robot, false), RowKind::gravity, {});
    const ReverseTable level =
        predict_table(setup.robot, {"mx1"}, VectorXd::Ones(1), table.q, RowSet::gravity);
    const double scale = table.gravity.array().isNaN().select(0, table.gravity.array()).abs().maxCoeff();
    const VectorXd first = used_entries(table, plan.rows.front(), reverse.options);
    const double largest = first.array().isNaN().select(0, first.array().abs()).maxCoeff();
    // A first axis along gravity: nothing turns it.
    if (level.gravity.col(0).cwiseAbs().maxCoeff() > 1e-9 || largest < 1e-4 * scale) return;
  }
  const Tilt tilt = estimate_tilt(setup.robot, table, reverse.options);
  if (wanted) {
    reverse.tilt = tilt;
    setup.robot.gravity = tilt.gravity;
  } else if (tilt.residual < 0.5 * tilt.residual_level) {
    reverse.findings.push_back(make_finding(
        "base-not-level", "g1",
        fmt::format("g1 is not zero: the base would be tilted by {:.4g} ± {:.2g} deg; gravity then leaves "
                    "{:.3g} instead of {:.3g} (RMS)",
                    180 / M_PI * tilt.angle, 180 / M_PI * tilt.sigma, tilt.residual, tilt.residual_level)));
  }
}

void add_findings(std::vector<Finding>& to, std::vector<Finding> findings) {
  for (Finding& finding : findings) to.push_back(std::move(finding));
}

void fit_parts(ReverseState& reverse, const Setup& setup) {
  const ReverseTable& table = reverse.tables.training;
  if (reverse.options.rows == RowSet::gravity_inertia && table.has_gravity() && table.has_inertia())
    for (const RowSet rows : {RowSet::gravity, RowSet::inertia}) {
      ReverseOptions alone = reverse.options;
      alone.rows = rows;
      // Relations of columns that these rows do not have are left to the fit of both.
      if (rows == RowSet::gravity) alone.relations.clear(), alone.rotor_inertia = false;
      if (has_rows(table, rows) && shows_anything(setup.robot, rows, alone))
        reverse.parts.push_back(fit_table(setup.robot, table, alone));
    }
  reverse.fit = fit_table(setup.robot, table, reverse.options);
}

void examine_tables(ReverseState& reverse, const Setup& setup) {
  const ReverseTable& table = reverse.tables.training;
  add_findings(reverse.findings, examine(table));
  add_findings(reverse.findings, examine(setup.robot, table, reverse.fit, reverse.options));
  if (table.has_jacobian()) {
    reverse.kinematics = check_kinematics(setup.robot, table);
    add_findings(reverse.findings, examine(setup.robot, *reverse.kinematics));
  }
  reverse.gravity_scale = compare_gravity(setup.robot, table, reverse.options);
  // Joints in another order make g and M differ as well: the cause is reported once.
  if (reverse.gravity_scale && reverse.findings.empty())
    add_findings(reverse.findings, examine(*reverse.gravity_scale));
}

void weigh_load(ReverseState& reverse, const Setup& setup) {
  if (!reverse.tables.loaded) return;
  const ReverseTable& table = *reverse.tables.loaded;
  reverse.loaded = fit_table(setup.robot, table, reverse.options);
  std::vector<Finding> findings = examine(table);
  add_findings(findings, examine(setup.robot, table, *reverse.loaded, reverse.options));
  for (Finding& finding : findings) finding.evidence = "loaded: " + finding.evidence;
  add_findings(reverse.findings, std::move(findings));
  reverse.payload = payload_change(setup.robot, reverse.fit, *reverse.loaded);
}

// Known zeros and relations hold for feasible parameters, too.
void constrain_known(const ReverseOptions& options, FeasibleSpec& spec) {
  const auto add = [&](const std::string& name, std::vector<std::pair<std::string, double>> terms,
                       double value) {
    ConstraintSpec& constraint = spec.constraints.emplace_back();
    constraint.kind = ConstraintKind::combination;
    constraint.name = name;
    constraint.terms = std::move(terms);
    constraint.lower = constraint.upper = value;
  };
  for (const std::string& name : options.zero) add(name + " = 0", {{name, 1}}, 0);
  for (std::size_t k = 0; k < options.relations.size(); ++k)
    add(fmt::format("relation {}", k + 1), options.relations[k].terms, options.relations[k].value);
}

void check_runs(const Study& study, const ReverseFit& tables) {
  const bool fits_torques = study.reverse->fits_torques;
  if (fits_torques && std::none_of(study.runs.begin(), study.runs.end(),
                                   [](const StudyRun& run) { return run.file.label.role == RunRole::fit; }))
    throw InputError({"`torques: fitted` without a run that is fitted", study.reverse->place,
                      "at least one run with `role: fit`", "add the log, or leave `torques` out"});
  if (study.runs.empty()) return;
  if (!fits_torques && !tables.whole_model())
    throw InputError({"runs need the whole model", study.reverse->place, "g(q) and M(q)",
                      "give both, `torques: fitted`, or leave out `runs`"});
  if (study.cutoff.automatic)
    throw InputError({"`cutoff: auto` beside `reverse`",
                      {study.path, 0, 0, ""},
                      "a number in Hz",
                      "the tables say nothing of noise, so no cut-off is chosen for the runs"});
}

// Simulated runs move the robot of the source.
Setup with_true_bodies(Setup setup) {
  const SourceSpec& source = *setup.study().reverse->training.source;
  if (source.kind != SourceKind::robot) return setup;
  const Robot truth = read_robot(source.path).robot;
  for (std::size_t k = 0; k < setup.robot.joints.size() && k < truth.joints.size(); ++k)
    setup.robot.joints[k].inertia = truth.joints[k].inertia;
  return setup;
}

Estimate estimate_of(const ReverseFit& fit) {
  Estimate estimate = fit.estimate;
  estimate.columns = fit.leads();
  estimate.values = fit.values;
  return estimate;
}

}  // namespace

StudyOutcome run_reverse(const Study& given, const StudyOptions& options) {
  validate(given);
  Study study = given;
  number_sets(*study.reverse);
  if (!study.reverse->fits_torques)
    for (StudyRun& run : study.runs) run.file.label.role = RunRole::validate;
  if (study.feasible) constrain_known(study.reverse->options, *study.feasible);
  StudyClock clock(options);
  Setup setup;
  setup.job = {&study, &options, &clock};
  setup.prepare = study.prepare;
  setup.prepare.threads = options.threads;
  setup.robot = with_rotors(study_robot(study, &setup.warnings), study.reverse->options.rotor_inertia);
  setup.robot_hash = robot_hash(study);
  ReverseState reverse;
  reverse.options = options_of(*study.reverse, setup.robot);
  reverse.tables = clock.time("asking", [&] { return open_tables(study, setup.robot); });
  clock.time("tilt", [&] { identify_tilt(reverse, setup); });
  clock.time("fitting", [&] { fit_parts(reverse, setup); });
  clock.time("examining", [&] {
    examine_tables(reverse, setup);
    weigh_load(reverse, setup);
  });
  check_runs(study, reverse.fit);
  setup.base = study.reverse->fits_torques ? base_of_torques(reverse.options, setup.robot) : reverse.fit.base;
  PlanOptions plan;
  plan.wanted = lead_names(setup.base);
  setup.plan = make_plan(setup.robot, plan);
  const Setup moved = with_true_bodies(setup);
  Runs runs;
  if (!study.runs.empty()) runs = open_runs(moved);
  Folded folded;
  folded.runs = fold_runs(moved, runs, {});
  if (study.reverse->fits_torques)
    clock.time("fitting torques", [&] { fit_torques(moved, runs, folded, reverse); });
  Fit fit;
  fit.estimated = reverse.fit.estimate;
  const std::optional<FeasibleModel> feasible = retrieve_feasible(setup, {}, {}, fit, {});
  if (feasible) add_findings(reverse.findings, feasible->findings);
  Result result = clock.time("summary", [&] { return summarize_reverse(reverse, setup, feasible); });
  const Estimate estimate = estimate_of(reverse.fit);
  Predicted predicted = predict_runs(moved, folded, estimate);
  summarize_torques(moved, folded, estimate, predicted, result);
  result.provenance = provenance(given, setup.robot_hash);
  return outcome_of(setup, std::move(result), std::move(predicted));
}

}  // namespace steelyard
