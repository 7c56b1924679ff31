#include "steelyard/gains/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

void check_parameter(const Load& load, int k) {
  const LoadParameter& parameter = load.parameters[static_cast<std::size_t>(k)];
  const char* stem = kParameterStems[static_cast<std::size_t>(k)];
  const Place place{{}, 0, 0, load.name};
  if (!std::isfinite(parameter.sigma) || parameter.sigma < 0)
    throw InputError({fmt::format("the standard deviation of {} is {}", stem, parameter.sigma),
                      place,
                      "zero or a positive number",
                      {}});
  if (!parameter.is_known()) return;
  if (!std::isfinite(*parameter.value))
    throw InputError({fmt::format("{} is {}", stem, *parameter.value), place, "finite numbers", {}});
  if (k == 0 && *parameter.value <= 0)
    throw InputError({fmt::format("the mass of the load is {} kg", *parameter.value), place,
                      "a mass above zero", "weigh the load, or leave the mass out when it is unknown"});
}

void check_body(const Load& load) {
  if (load.known_count() < kParametersPerLink) return;
  Vector10 values;
  for (int k = 0; k < kParametersPerLink; ++k) {
    const LoadParameter& parameter = load.parameters[static_cast<std::size_t>(k)];
    if (parameter.sigma > 0) return;
    values[k] = *parameter.value;
  }
  if (const auto law = Inertia::from_standard(values).violated_law())
    throw InputError(
        {fmt::format("the parameters of the load are not physically possible: {}", *law),
         {{}, 0, 0, load.name},
         {},
         "check that the inertia is about the origin of the tool frame, or give the mass alone"});
}

}  // namespace

Index Load::known_count() const {
  return std::count_if(parameters.begin(), parameters.end(),
                       [](const LoadParameter& parameter) { return parameter.is_known(); });
}

bool Load::is_fixed(int parameter) const {
  const LoadParameter& known = parameters[static_cast<std::size_t>(parameter)];
  return known.is_known() && (parameter == 0 || known.sigma == 0);
}

Vector10 Load::fixed_values() const {
  Vector10 values = Vector10::Zero();
  for (int k = 0; k < kParametersPerLink; ++k)
    if (is_fixed(k)) values[k] = *parameters[static_cast<std::size_t>(k)].value;
  return values;
}

Load unknown_load(const std::string& name) {
  Load load;
  load.name = name;
  return load;
}

Load weighed_load(const std::string& name, double mass, double sigma) {
  Load load = unknown_load(name);
  load.parameters[0] = {mass, sigma};
  return load;
}

Load known_load(const std::string& name, const Inertia& body) {
  Load load = unknown_load(name);
  for (std::size_t k = 0; k < load.parameters.size(); ++k)
    load.parameters[k].value = body.to_standard()[static_cast<Index>(k)];
  return load;
}

std::vector<std::string> load_columns(const std::string& load) {
  std::vector<std::string> names;
  for (const char* stem : kParameterStems) names.push_back(fmt::format("{}_{}", stem, load));
  return names;
}

void validate(std::span<const Load> loads) {
  std::set<std::string> names;
  for (const Load& load : loads) {
    if (load.name.empty()) throw InputError({"a load has no name", {}, {}, "give every load a name"});
    if (!names.insert(load.name).second)
      throw InputError({fmt::format("two loads are named '{}'", load.name), {}, "unique names", {}});
    for (int k = 0; k < kParametersPerLink; ++k) check_parameter(load, k);
    check_body(load);
  }
}

}  // namespace steelyard
