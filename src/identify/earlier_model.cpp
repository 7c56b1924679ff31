#include "identify/earlier_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/extra_columns.hpp"
#include "identify/friction.hpp"
#include "identify/gains.hpp"
#include "identify/ripple.hpp"
#include "identify/robot_probe.hpp"
#include "identify/temperature.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/core/yaml_fields.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

BaseValue read_value(const YamlContext& context, const std::string& name, const YamlNode& node) {
  BaseValue value;
  value.name = name;
  value.method = "given";
  value.status = to_string(ColumnStatus::determined);
  if (node.kind == YamlNode::Kind::scalar) {
    value.value = to_number(context, node, name);
    return value;
  }
  const YamlFields fields(context, node, fmt::format("base parameter '{}'", name), {"value", "sigma"});
  value.value = to_number(context, fields.at("value"), "value");
  if (const YamlNode* sigma = fields.find("sigma")) {
    value.sigma = to_number(context, *sigma, "sigma");
    if (!(*value.sigma > 0))
      context.fail(*sigma, fmt::format("standard deviation {:g} of base parameter '{}'", *value.sigma, name),
                   "above 0", "leave it out when it is not known");
  }
  return value;
}

Result values_from_yaml(const std::string& text, const std::string& path) {
  const YamlContext context{path, "", 1};
  const YamlNode root = parse_yaml(text, path);
  const YamlFields fields(context, root, "base values", {"base"});
  const YamlNode& base = fields.at("base");
  if (base.kind != YamlNode::Kind::map || base.items.empty())
    context.fail(base, fmt::format("base is {}", to_string(base.kind)), "name: value",
                 "write `base: {mx2: 2.1}` or `base: {mx2: {value: 2.1, sigma: 0.02}}`");
  Result result;
  for (std::size_t k = 0; k < base.items.size(); ++k)
    result.base.push_back(read_value(context, base.keys[k].text, base.items[k]));
  return result;
}

// Coefficients agree to what a robot file's digits allow.
bool same_terms(const BaseParameter& own, const BaseValue& value) {
  return own.terms.size() == value.terms.size() &&
         std::all_of(own.terms.begin(), own.terms.end(), [&](const BaseTerm& term) {
           const auto found = value.terms.find(term.parameter);
           return found != value.terms.end() &&
                  std::abs(found->second - term.coefficient) <= 1e-6 * (1 + std::abs(term.coefficient));
         });
}

// Names written by hand may be wrong; results may have further columns of their own.
void require_known(const Result& model, const BaseParameters& base) {
  std::vector<std::string> known;
  for (const BaseParameter& own : base.base) known.push_back(own.lead);
  for (const BaseValue& value : model.base)
    if (value.terms.empty() && std::find(known.begin(), known.end(), value.name) == known.end())
      throw InputError(unknown("base parameter", value.name, known));
}

Complaint other_model(const std::string& lead, const char* problem, const BaseParameters& base,
                      const Place& place) {
  return {fmt::format("the model is not one of this robot: base parameter '{}' {}", lead, problem), place,
          fmt::format("the {} base parameters of the robot", base.base.size()),
          "use the robot file and drive terms of the study that made the model"};
}

}  // namespace

Result read_base_values(const std::string& path) {
  const std::string text = read_text_file(path, "base values");
  const bool json = path.size() > 5 && path.compare(path.size() - 5, 5, ".json") == 0;
  return json ? result_from_json(text, path) : values_from_yaml(text, path);
}

std::vector<const BaseValue*> match_base_values(const Result& model, const BaseParameters& base,
                                                const Place& place) {
  require_known(model, base);
  std::vector<const BaseValue*> values;
  for (const BaseParameter& own : base.base) {
    const auto same = [&](const BaseValue& value) { return value.name == own.lead; };
    const auto found = std::find_if(model.base.begin(), model.base.end(), same);
    values.push_back(found == model.base.end() ? nullptr : &*found);
    if (values.back() != nullptr && !found->terms.empty() && !same_terms(own, *found))
      throw InputError(other_model(own.lead, "has other terms", base, place));
  }
  return values;
}

Estimate base_values_of(const Result& model, const Setup& setup) {
  const Place place{setup.study().path, 0, 0, ""};
  const std::vector<const BaseValue*> values = match_base_values(model, setup.base, place);
  Estimate estimate;
  estimate.values.resize(static_cast<Index>(values.size()));
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::string& lead = setup.base.base[k].lead;
    if (values[k] == nullptr) throw InputError(other_model(lead, "is missing", setup.base, place));
    estimate.columns.push_back(lead);
    estimate.values[static_cast<Index>(k)] = values[k]->value;
  }
  return estimate;
}

Setup setup_of(const Result& model, const Job& job) {
  Setup setup = with_robot_of(model, open_robot(job));
  setup.ripple = ripple_of_model(setup.robot, model);
  setup.temperature = temperature_of_model(setup, model);
  setup = with_friction(setup, friction_of_model(setup, model));
  if (setup.study().drive_spec.offset_per_run && !setup.plan.rows.empty()) {
    const std::string stem = offset_stem(setup, 0);
    for (const BaseValue& value : model.base)
      if (value.name.starts_with(stem)) setup.offset_runs.push_back(value.name.substr(stem.size()));
  }
  setup = with_gains_of(model, std::move(setup));
  setup = with_delays(std::move(setup));
  return with_given_cutoff(std::move(setup), model.preparation.cutoff.value_or(0));
}

namespace {

void add_value(const std::string& column, double value, Estimate& estimate) {
  estimate.columns.push_back(column);
  estimate.values.conservativeResize(estimate.values.size() + 1);
  estimate.values[estimate.values.size() - 1] = value;
}

void add_offset_values(const Result& model, const Setup& setup, Estimate& estimate) {
  if (!setup.study().drive_spec.offset_per_run) return;
  for (std::size_t r = 0; r < setup.plan.rows.size(); ++r)
    for (const BaseValue& value : model.base)
      if (value.name.starts_with(offset_stem(setup, r))) add_value(value.name, value.value, estimate);
  if (setup.offset_runs.empty())
    throw InputError({"the model has no offsets of single runs",
                      {setup.study().path, 0, 0, ""},
                      "the drive terms of the study that made the model",
                      "leave out `offset: per_run`"});
}

void add_extra_values(const Result& model, const Setup& setup, const StudyRun& run, Estimate& estimate) {
  for (const ExtraColumns& extra : all_columns(setup, run))
    for (const ExtraColumn& column : extra.columns) {
      // Tangents are zero: the shapes are the model's.
      if (is_tangent(column.name) || estimate.find(column.name) >= 0) continue;
      const auto found = std::find_if(model.base.begin(), model.base.end(),
                                      [&](const BaseValue& value) { return value.name == column.name; });
      if (found == model.base.end())
        throw InputError({fmt::format("the model has no column '{}'", column.name),
                          {setup.study().path, 0, 0, ""},
                          "the columns of the study that made the model",
                          "use its `columns`, `drives` and run labels"});
      add_value(column.name, found->value, estimate);
    }
}

InputError other_links(const Setup& setup, const std::string& problem) {
  return InputError({"the model's links are not those of this robot: " + problem,
                     {setup.study().path, 0, 0, ""},
                     fmt::format("the {} links of the robot, with their drive terms", setup.robot.size()),
                     "use the robot file and drive terms of the study that made the model"});
}

// The model's value of a column that belongs to no link.
double further_value(const Result& model, const std::string& name, const Setup& setup) {
  if (model.feasible)
    if (const auto found = model.feasible->columns.find(name); found != model.feasible->columns.end())
      return found->second;
  throw other_links(setup, fmt::format("the feasible parameters have no column '{}'", name));
}

}  // namespace

namespace {

std::string remedy_for(const std::string& column) {
  const std::string stem = column.substr(0, column.find_first_of("0123456789"));
  for (const auto& [name, drives] : {std::pair{"fv", "friction: [viscous, …]"},
                                     {"fc", "friction: [coulomb, …]"},
                                     {"fo", "friction: [offset, …]"},
                                     {"Ia", "rotor_inertia: true"}})
    if (stem == name)
      return fmt::format("add `drives: {{{}}}`, as the study that made the model has it", drives);
  return "use the `drives` and `columns` of the study that made the model";
}

// Nothing of a model is left out: its other values were estimated beside it.
void require_all_used(const Result& model, const Setup& setup, const Estimate& estimate) {
  for (const BaseValue& value : model.base)
    if (estimate.find(value.name) < 0)
      throw InputError({fmt::format("the model has '{}', which the study lacks", value.name),
                        {setup.study().path, 0, 0, ""},
                        "every term of the model",
                        remedy_for(value.name)});
}

}  // namespace

Fit fit_of(const Result& model, const Setup& setup) {
  Fit fit;
  fit.estimated = base_values_of(model, setup);
  add_offset_values(model, setup, fit.estimated);
  for (const StudyRun& run : setup.study().runs) add_extra_values(model, setup, run, fit.estimated);
  require_all_used(model, setup, fit.estimated);
  return fit;
}

std::optional<FeasibleModel> links_of(const Result& model, const Setup& setup, const Estimate& estimate) {
  if (model.links.empty()) return std::nullopt;
  FeasibleModel feasible;
  const Quantities quantities = quantities_of(setup.robot, setup.base, estimate.columns);
  feasible.columns = quantities.columns();
  VectorXd& x = feasible.retrieval.x;
  x.setZero(quantities.size());
  if (static_cast<int>(model.links.size()) != setup.robot.size())
    throw other_links(setup, fmt::format("there are {}", model.links.size()));
  for (int k = 0; k < setup.robot.size(); ++k) {
    const LinkValues& link = model.links[static_cast<std::size_t>(k)];
    if (link.name != quantities.link_name(k))
      throw other_links(setup, fmt::format("'{}' instead of '{}'", link.name, quantities.link_name(k)));
  }
  x.head(quantities.standard_count()) = link_parameters(model.links);
  for (Index k = quantities.standard_count(); k < quantities.size(); ++k)
    x[k] = further_value(model, quantities.columns()[static_cast<std::size_t>(k)], setup);
  feasible.values = lead_values(setup.plan.columns, setup.base, quantities, x);
  return feasible;
}

}  // namespace steelyard
