#include "identify/given_base.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/state.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/core/yaml_fields.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
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
      context.fail(*sigma, fmt::format("deviation {:g} of base parameter '{}'", *value.sigma, name),
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

// Names written by hand may be wrong; results hold further columns, which are theirs.
void require_known(const Result& model, const BaseParameters& base) {
  std::vector<std::string> known;
  for (const BaseParameter& own : base.base) known.push_back(own.lead);
  for (const BaseValue& value : model.base)
    if (value.terms.empty() && std::find(known.begin(), known.end(), value.name) == known.end())
      throw InputError(unknown("base parameter", value.name, known));
}

Complaint other_model(const std::string& lead, const char* trouble, const BaseParameters& base,
                      const Place& place) {
  return {fmt::format("the model is not one of this robot: base parameter '{}' {}", lead, trouble), place,
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

void take_base_values(const Result& model, StudyState& state) {
  const Place place{state.study.path, 0, 0, ""};
  const std::vector<const BaseValue*> values = match_base_values(model, state.base, place);
  state.estimated.values.resize(static_cast<Index>(values.size()));
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::string& lead = state.base.base[k].lead;
    if (values[k] == nullptr) throw InputError(other_model(lead, "is missing", state.base, place));
    state.estimated.columns.push_back(lead);
    state.estimated.values[static_cast<Index>(k)] = values[k]->value;
  }
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
