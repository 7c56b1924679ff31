// steelyard gains STUDY: how accurately a motion with a load would identify each drive's gain; with --tables what
// every method makes of the study's currents. Nothing is written.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "output.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/identify/gain_advice.hpp"
#include "steelyard/identify/gain_tables.hpp"
#include "study_output.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

using steelyard::GainAdviceOutcome;
using steelyard::GainCase;
using steelyard::GainTables;
using steelyard::LoadAdvice;

std::string advice_text(const GainAdviceOutcome& outcome) {
  std::vector<std::string> heads = {"expected σ of the gain"};
  for (const LoadAdvice& load : outcome.loads)
    heads.push_back(load.name.empty() ? fmt::format("{:g} kg", load.mass) : load.name);
  Table table(heads);
  for (std::size_t j = 0; j < outcome.loads[0].joints.size(); ++j) {
    std::vector<std::string> row = {outcome.loads[0].joints[j].joint};
    for (const LoadAdvice& load : outcome.loads)
      row.push_back(load.joints[j].identifiable ? fmt::format("{:.2g} %", 100 * load.joints[j].relative_sigma)
                                                : "not identifiable");
    table.add(row);
  }
  std::string left_out;
  if (!outcome.not_counted.empty())
    left_out =
        fmt::format("not counted, they make gains less certain: {}\n", fmt::join(outcome.not_counted, ", "));
  return table.to_string() +
         fmt::format(
             "mass of the load known; noise {:g} % of each rms current, {:g} Hz, filter {:g} Hz;\n"
             "model errors come on top\n",
             100 * outcome.options.current_noise, outcome.options.rate, outcome.options.cutoff) +
         left_out;
}

// Values with their standard deviation in per cent.
std::string value_text(const GainCase& own, const std::string& name) {
  const auto value = own.values.find(name);
  return value == own.values.end() ? "–" : number(value->second, 4);
}

std::string share_text(const GainCase& own, const std::string& name) {
  const auto sigma = own.sigma.find(name);
  if (sigma == own.sigma.end() || own.values.at(name) == 0) return "–";
  return fmt::format("{:.2f}", 100 * sigma->second / std::abs(own.values.at(name)));
}

// Every parameter of any case; a case without it has eliminated it.
std::string parameters_text(const GainTables& tables) {
  std::vector<std::string> titles = {"parameter"}, names;
  for (const GainCase& own : tables.cases) {
    titles.insert(titles.end(), {own.name(), "%"});
    for (const std::string& name : own.names)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  Table table(titles);
  table.together(2);
  for (const std::string& name : names) {
    std::vector<std::string> row = {name};
    for (const GainCase& own : tables.cases)
      row.insert(row.end(), {value_text(own, name), share_text(own, name)});
    table.add(row);
  }
  return "Essential parameters (SI units; %: standard deviation by eqs. 22 and 23; –: eliminated)\n" +
         table.to_string();
}

std::string gains_text(const GainTables& tables) {
  const bool compared = tables.a_priori.size() > 0;
  std::vector<std::string> titles = {"joint"};
  for (const GainCase& own : tables.cases) {
    titles.insert(titles.end(), {own.name(), "%"});
    if (compared) titles.emplace_back("e");
  }
  Table table(titles);
  table.together(compared ? 3 : 2);
  for (std::size_t j = 0; j < tables.joints.size(); ++j) {
    const auto at = static_cast<Eigen::Index>(j);
    std::vector<std::string> row = {tables.joints[j]};
    for (const GainCase& own : tables.cases) {
      row.insert(row.end(), {number(own.gains[at], 4), share_text(own, own.gain_names[j])});
      if (compared)
        row.push_back(fmt::format("{:.1f}", 100 * std::abs(own.gains[at] / tables.a_priori[at] - 1)));
    }
    table.add(row);
  }
  return std::string("\nGains (%: standard deviation") +
         (compared ? "; e: from the gain a priori, %)\n" : ")\n") + table.to_string();
}

std::string runs_text(const GainTables& tables) {
  Table conditions({"run", "load", "condition"}), errors([&] {
    std::vector<std::string> titles = {"run, joint"};
    for (const GainCase& own : tables.cases) titles.push_back(own.name());
    return titles;
  }());
  Table masses([&] {
    std::vector<std::string> titles = {"run", "weighed"};
    for (const GainCase& own : tables.cases) titles.push_back(own.name());
    return titles;
  }());
  bool any_mass = false;
  for (const steelyard::GainTableRun& run : tables.runs) {
    conditions.add({run.run, run.payload.empty() ? "–" : run.payload, number(run.condition, 4)});
    for (Eigen::Index j = 0; j < run.errors.rows(); ++j) {
      std::vector<std::string> row = {run.run + ", " + tables.joints[static_cast<std::size_t>(j)]};
      for (const double error : run.errors.row(j)) row.push_back(fmt::format("{:.2f}", 100 * error));
      errors.add(row);
    }
    if (run.masses.empty()) continue;
    any_mass = true;
    std::vector<std::string> row = {run.run, run.weighed ? number(*run.weighed, 4) : "–"};
    for (const double mass : run.masses) row.push_back(fmt::format("{:.3f}", mass));
    masses.add(row);
  }
  return "\nCondition of the base parameters' columns\n" + conditions.to_string() +
         "\nRelative error of the torques, %\n" + errors.to_string() +
         (any_mass ? "\nMasses of loads on runs that were not fitted, kg\n" + masses.to_string() : "");
}

int run_tables(const std::string& path, const CommonOptions& common) {
  const steelyard::Study study = steelyard::read_study(path);
  GainTables tables;
  {
    Progress progress(common.quiet || common.json);
    tables = gain_tables(study, study_options(common, progress));
  }
  if (!common.quiet) print_warnings(tables.warnings);
  print(common.json
            ? to_json(tables)
            : tables.robot + "\n\n" + parameters_text(tables) + gains_text(tables) + runs_text(tables));
  return kDone;
}

int run_gains(const std::string& path, const std::vector<double>& masses, const CommonOptions& common) {
  const GainAdviceOutcome outcome = advise_study_gains(steelyard::read_study(path), masses);
  if (!common.quiet) print_warnings(outcome.warnings);
  print(common.json ? to_json(outcome) : advice_text(outcome));
  return kDone;
}

}  // namespace

Run add_gains(Arguments& verb) {
  const auto study = std::make_shared<std::string>();
  const auto masses = std::make_shared<std::vector<double>>();
  const auto tables = std::make_shared<bool>(false);
  verb.add("STUDY", *study, "Study file (.yaml) with a simulated run; with --tables of any log with currents")
      .required();
  verb.add("--load", *masses, "Mass of a candidate load [kg], a steel cube at the tool; may be repeated");
  verb.add_flag("--tables", *tables,
                "What every method makes of the currents instead: essential parameters, gains, condition, "
                "torque errors and "
                "masses");
  verb.footer(
      "Examples:\n"
      "  steelyard gains examples/tx40-gains/study.yaml --load 2 --load 8\n"
      "  steelyard gains examples/tx40-gains/tables.yaml --tables\n");
  return [study, masses, tables](const CommonOptions& common) {
    if (!*tables) return run_gains(*study, *masses, common);
    if (!masses->empty())
      throw steelyard::InputError({"--load beside --tables", {}, "one of them", "leave --load out"});
    return run_tables(*study, common);
  };
}

}  // namespace cli
