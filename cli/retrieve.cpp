// steelyard retrieve STUDY: physically feasible masses, centres of mass and inertias, from the logs of a
// study or from earlier base values; for comparison those of least squares alone, and what the joints carry
// inside by both.
#include <fmt/format.h>

#include "output.hpp"
#include "steelyard/feasible/compare.hpp"
#include "steelyard/feasible/retrieve.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/report/joint_loads.hpp"
#include "steelyard/result/result.hpp"
#include "steelyard/study/study.hpp"
#include "study_output.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

using steelyard::JointLoads;
using steelyard::LinkValues;
using steelyard::Result;

struct RetrieveVerb {
  std::string study;
  std::string base;                // result.json or YAML; empty: the study's logs
  std::vector<std::string> links;  // further sets whose joint forces are compared
};

std::string links_text(const Result& result) {
  Table table({"link", "mass", "cx", "cy", "cz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz", "margin"});
  for (const LinkValues& link : result.links) {
    std::vector<std::string> row = {link.name, number(link.mass)};
    for (const double value : link.com) row.push_back(number(value, 4));
    for (const double value : link.inertia_com) row.push_back(number(value, 4));
    row.push_back(number(link.margin, 2));
    table.add(row);
  }
  return "Links: kg, m, kg·m² about the centre of mass\n" + table.to_string();
}

// Parameters that the data do not determine, and their proven intervals where requested.
std::string open_text(const Result& result) {
  std::string text;
  for (const LinkValues& link : result.links)
    if (!link.chosen.empty()) text += fmt::format("  {}: {}\n", link.name, fmt::join(link.chosen, " "));
  if (!text.empty()) text = "\nNot determined by the data: one choice among many\n" + text;
  Table known({"parameter", "at least", "at most"});
  bool any = false;
  for (const LinkValues& link : result.links)
    for (const auto& [name, interval] : link.known) {
      known.add({name, interval.lower ? number(*interval.lower) : "-inf",
                 interval.upper ? number(*interval.upper) : "inf"});
      any = true;
    }
  return any ? text + "\nProven intervals\n" + known.to_string() : text;
}

std::string carried_text(const Result& result) {
  constexpr const char* kNames[] = {"fx", "fy", "fz", "mx", "my", "mz"};
  Table table({"joint", "", "value", "at least", "at most", "run", "at s"});
  bool any = false;
  for (std::size_t j = 0; j < result.links.size(); ++j) {
    if (!result.links[j].wrench) continue;
    any = true;
    const steelyard::KnownWrench& wrench = *result.links[j].wrench;
    for (std::size_t k = 0; k < 6; ++k)
      table.add({k == 0 ? result.links[j].name : "", kNames[k],
                 number(wrench.value[static_cast<Eigen::Index>(k)], 4),
                 wrench.known[k].lower ? number(*wrench.known[k].lower, 4) : "-inf",
                 wrench.known[k].upper ? number(*wrench.known[k].upper, 4) : "inf", k == 0 ? wrench.run : "",
                 k == 0 ? number(wrench.time, 4) : ""});
  }
  return any ? "\nLargest static load of the joint below each link, N and N·m\n" + table.to_string() : "";
}

// The estimate and what the links make of it, coefficient by coefficient.
std::string beside_text(const Result& result) {
  Table table({"base parameter", "estimate", "std. dev.", "of the links", "difference", "in std. dev."});
  for (const steelyard::BaseValue& value : result.base) {
    if (!value.feasible) continue;
    const double apart = *value.feasible - value.value;
    table.add({value.name, number(value.value, 4), value.sigma ? number(*value.sigma, 2) : "-",
               number(*value.feasible, 4), number(apart, 2),
               value.sigma && *value.sigma > 0 ? number(apart / *value.sigma, 2) : "-"});
  }
  const steelyard::FeasibleSummary& feasible = *result.feasible;
  std::string text = "\nBase parameters, estimated and of the links, SI units\n" + table.to_string();
  if (feasible.phi1) text += fmt::format("  φ1, sum of squared differences: {}\n", number(*feasible.phi1, 4));
  if (feasible.phi2)
    text += fmt::format("  φ2, sum of squared errors of the effort over {} rows: {}\n", result.rows,
                        number(*feasible.phi2, 4));
  return text;
}

// What the joints carry inside, where all sets have (nearly) the same torques.
std::string forces_text(const JointLoads& loads) {
  const std::vector<steelyard::WrenchExtremes> found = extremes_of(loads.sets);
  std::vector<std::string> titles = {"joint", "force", "moment", "torque"};
  for (std::size_t k = 1; k < found.size(); ++k)
    titles.insert(titles.end(), {found[k].set + ": force", "moment", "torque apart"});
  Table table(titles);
  table.together(3);
  for (std::size_t j = 0; j < loads.joints.size(); ++j) {
    const auto at = static_cast<Eigen::Index>(j);
    std::vector<std::string> row = {loads.joints[j], number(found[0].force[at], 4),
                                    number(found[0].moment[at], 4),
                                    number(loads.sets[0].torque.col(at).cwiseAbs().maxCoeff(), 4)};
    for (std::size_t k = 1; k < found.size(); ++k)
      row.insert(row.end(), {number(found[k].force[at], 4), number(found[k].moment[at], 4),
                             number(found[k].torque_error[at], 2)});
    table.add(row);
  }
  return fmt::format("\nLargest force and moment in each joint on {}, N and N·m\n", loads.motion.label) +
         table.to_string();
}

// The smallest parameters with the same base values: what a plain pseudo-inverse gives.
steelyard::VectorXd smallest_of(const steelyard::Robot& robot, const Result& result) {
  const steelyard::BaseParameters base = base_parameters(robot);
  steelyard::VectorXd values(static_cast<Eigen::Index>(base.base.size()));
  for (std::size_t k = 0; k < base.base.size(); ++k)
    for (const steelyard::BaseValue& value : result.base)
      if (value.name == base.base[k].lead) values[static_cast<Eigen::Index>(k)] = value.value;
  return smallest_parameters(robot, base, values);
}

// The feasible links, the smallest parameters and those of files on the motion of the log, or on sinusoids.
JointLoads loads_of(const steelyard::Robot& robot, const RetrieveVerb& verb,
                    const steelyard::StudyOutcome& outcome, const steelyard::VectorXd& smallest) {
  JointLoads loads;
  loads.robot = robot.name;
  for (const steelyard::Joint& joint : robot.joints) loads.joints.push_back(joint.name);
  loads.motion = outcome.motion ? *outcome.motion : sinusoidal_motion(robot);
  std::vector<steelyard::ParameterSet> sets = {
      {"feasible", link_parameters(outcome.result.links), {}, {}, {}, {}},
      {"smallest", smallest, {}, {}, {}, {}}};
  for (const std::string& path : verb.links)
    sets.push_back(
        {path.substr(path.find_last_of('/') + 1), given_link_parameters(robot, path), {}, {}, {}, {}});
  loads.sets = wrench_curves(compile(robot), sets, loads.motion);
  return loads;
}

std::string infeasible_text(const steelyard::Robot& robot, const steelyard::VectorXd& smallest,
                            const JointLoads& loads) {
  const steelyard::VectorXd lengths = link_lengths(robot);
  Table table({"link", "mass", "margin", ""});
  for (int link = 0; link < robot.size(); ++link) {
    const auto body = steelyard::Inertia::from_standard(smallest.segment<10>(Eigen::Index{10} * link));
    const double margin = body_margin(body, lengths[link]);
    table.add({robot.joints[static_cast<std::size_t>(link)].link, number(body.mass()), number(margin, 2),
               margin > 0 ? "" : "no body"});
  }
  return "\nFor comparison: the smallest parameters with these base values, unconstrained\n" +
         table.to_string() + forces_text(loads);
}

std::string retrieval_text(const Result& result) {
  const steelyard::FeasibleSummary& feasible = *result.feasible;
  std::string text = fmt::format("{}: {} base parameters", result.robot_name, result.base.size());
  if (result.links.empty()) return text + ", no parameters satisfy the constraints\n";
  text += fmt::format(", {}", feasible.method);
  if (feasible.gap) text += fmt::format(", at most {:.1e} above the optimum", *feasible.gap);
  if (feasible.residual)
    text += fmt::format(", unexplained effort {:.2f} %", 100 * feasible.residual->prepared);
  text += "\n\n" + links_text(result) + open_text(result) + carried_text(result);
  std::vector<std::string> active;
  for (const steelyard::ConstraintMargin& constraint : feasible.constraints)
    if (constraint.active) active.push_back(constraint.name);
  if (!active.empty()) text += fmt::format("\nConstraints at their limit: {}\n", fmt::join(active, ", "));
  return text + beside_text(result);
}

int run_retrieve(const RetrieveVerb& verb, const CommonOptions& common) {
  OutcomeOptions written{"steelyard retrieve " + verb.study +
                         (verb.base.empty() ? "" : " --base " + verb.base)};
  for (const std::string& path : verb.links) written.command += " --links " + path;
  written.report = false;
  steelyard::Study study = steelyard::read_study(verb.study, verb.base.empty());
  if (common.seed) set_seed(study, *common.seed);
  if (!study.feasible) study.feasible = steelyard::FeasibleSpec{};
  std::vector<std::string> inputs = verb.links;
  inputs.push_back(verb.base);
  const steelyard::Robot robot = study_robot(study);
  for (const std::string& path : verb.links)
    (void)given_link_parameters(robot, path);  // refused before the work
  steelyard::OutputFolder folder(common.out, study_inputs(study, inputs));
  steelyard::StudyOutcome outcome;
  {
    Progress progress(common.quiet || common.json);
    steelyard::StudyOptions options = study_options(common, progress);
    options.keep_motion = true;
    outcome = verb.base.empty() ? run_study(study, options) : retrieve_study(study, verb.base, options);
  }
  written.text = retrieval_text(outcome.result);
  if (!outcome.result.links.empty()) {
    const steelyard::VectorXd smallest = smallest_of(robot, outcome.result);
    const JointLoads loads = loads_of(robot, verb, outcome, smallest);
    written.text += infeasible_text(robot, smallest, loads);
    folder.write("joint_loads.csv", joint_loads_csv(loads));
    folder.write("joint_loads.svg", joint_loads_svg(loads));
  }
  return write_outcome(outcome, written, common, folder);
}

}  // namespace

Run add_retrieve(Arguments& verb) {
  const auto options = std::make_shared<RetrieveVerb>();
  verb.add("STUDY", options->study, "Study file (.yaml); its runs are not needed with --base").required();
  verb.add("--base", options->base,
           "result.json of an earlier run, or YAML `base: {mx2: {value: 2.1, sigma: 0.02}}`");
  verb.add("--links", options->links,
           "Further links whose joint forces are compared: a robot file, a URDF, or YAML with `links:` or "
           "`standard:`; may be repeated");
  verb.footer(
      "Examples:\n"
      "  steelyard retrieve examples/two-r-retrieve/study.yaml\n"
      "  steelyard retrieve examples/two-r-retrieve/shapes.yaml --base examples/two-r-retrieve/base.yml\n"
      "  steelyard retrieve study.yaml --base published.yml --links infeasible.yml --out forces\n");
  return [options](const CommonOptions& common) { return run_retrieve(*options, common); };
}

}  // namespace cli
