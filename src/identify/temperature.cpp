#include "identify/temperature.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "identify/checks.hpp"
#include "identify/extra_columns.hpp"
#include "identify/friction.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/estimate/ripple_choice.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kTemperatureGroups = 10;
constexpr TermRule kTemperatureRule = {2, 0, 2};  // two terms are tried, where ripple has a hundred pairs

TemperatureTerm term_of_row(const Setup& setup, std::size_t row, bool viscous) {
  const Index coordinate = setup.plan.rows[row].i;
  return {static_cast<Index>(row), coordinate,
          coordinates(setup.robot).joints[static_cast<std::size_t>(coordinate)] + 1, viscous};
}

std::vector<TemperatureTerm> all_temperature_terms(const Setup& setup, bool viscous, bool coulomb) {
  std::vector<TemperatureTerm> terms;
  for (std::size_t r = 0; r < setup.plan.rows.size(); ++r) {
    if (viscous) terms.push_back(term_of_row(setup, r, true));
    if (coulomb) terms.push_back(term_of_row(setup, r, false));
  }
  return terms;
}

}  // namespace

std::string temperature_column(const TemperatureTerm& term) {
  return fmt::format("warm{}.{}", term.number, term.viscous ? "viscous" : "coulomb");
}

ExtraColumns temperature_columns(const TemperatureTerm& term) {
  const auto fill = [term](const SampleBlock& block, Index first, Index count, double* const* out) {
    const int channel = block.find(kTemperatureChannel);
    if (channel < 0) {  // motions that were not measured, at the reference temperature
      std::fill_n(out[0], count, 0.0);
      return;
    }
    const double* T = block.row(channel, term.channel) + first;
    const double* qd = block.row(block.find(channel::kVelocity), term.channel) + first;
    for (Index s = 0; s < count; ++s) {
      const double motion = term.viscous ? qd[s] : qd[s] > 0 ? 1 : qd[s] < 0 ? -1 : 0;
      out[0][s] = (T[s] - kReferenceTemperature) * motion;
    }
  };
  return {{{temperature_column(term), term.row}}, fill};
}

std::vector<TemperatureTerm> given_temperature(const Setup& setup) {
  const TemperatureSpec& spec = setup.study().drive_spec.temperature;
  return spec.automatic ? std::vector<TemperatureTerm>()
                        : all_temperature_terms(setup, spec.viscous, spec.coulomb);
}

std::vector<TemperatureTerm> temperature_of_model(const Setup& setup, const Result& model) {
  std::vector<TemperatureTerm> terms;
  for (const TemperatureTerm& term : all_temperature_terms(setup, true, true))
    if (std::any_of(model.base.begin(), model.base.end(),
                    [&](const BaseValue& value) { return value.name == temperature_column(term); }))
      terms.push_back(term);
  return terms;
}

void require_temperature(const Setup& setup, const StudyRun& run) {
  if (setup.temperature.empty() || has_channel(run, kTemperatureChannel)) return;
  throw InputError({fmt::format("run '{}' has no temperature, on which the friction depends ({})",
                                run.file.label.label, temperature_column(setup.temperature.front())),
                    run.place, "a channel `temperature` in every run",
                    "add `columns: {temperature: …}` to the run, or leave out `temperature` under `drives`"});
}

std::vector<TemperatureTerm> find_temperature(const Setup& setup, const Runs& runs) {
  return setup.clock().time("temperature", [&] {
    std::vector<TemperatureTerm> found;
    const std::vector<TemperatureTerm> all = all_temperature_terms(setup, true, true);
    Setup probe = setup;
    probe.temperature = all;
    for (const OpenRun& run : runs)
      if (run.is_fit()) require_temperature(probe, *run.run);
    CrossOptions cross = setup.study().cross.value_or(CrossOptions{});
    cross.blocks = std::max(cross.blocks, kTemperatureGroups);
    const FrictionTrial friction{setup.friction.joints, setup.friction.models, gear_output_of(setup)};
    const FrictionRows rows{[&](const VectorXd& further) {
                              std::vector<ExtraColumns> list = friction.columns(further);
                              for (const TemperatureTerm& term : all)
                                list.push_back(temperature_columns(term));
                              return list;
                            },
                            [&](const VectorXd& further) { return friction.gears(further); }, cross.blocks};
    const HeldOut held = held_out_groups(fold_fit_runs(setup, runs, rows, {}), cross);
    if (!has_two_groups(held.groups)) return found;
    std::vector<std::string> dictionary;
    for (const TemperatureTerm& term : all) dictionary.push_back(temperature_column(term));
    for (std::size_t r = 0; r < setup.plan.rows.size(); ++r) {
      const TemperatureTerm terms[] = {term_of_row(setup, r, true), term_of_row(setup, r, false)};
      for (const std::size_t k :
           choose_terms({{temperature_column(terms[0])}, {temperature_column(terms[1])}}, dictionary,
                        kTemperatureRule, held.blocks, held.groups, setup.study().estimate))
        found.push_back(terms[k]);
    }
    return found;
  });
}

}  // namespace steelyard
