// Sections `gains` and `payloads`.
#include <fmt/format.h>

#include <algorithm>

#include "steelyard/core/suggest.hpp"
#include "study/describe_study.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// The usual ones first.
constexpr GainMethod kGainMethods[] = {GainMethod::ls,       GainMethod::wls,
                                       GainMethod::tls,      GainMethod::prediction_error,
                                       GainMethod::feasible, GainMethod::tls_rows};
constexpr std::size_t kUsualMethods = 5;

const Fields::Words& gain_words() {
  static const Fields::Words words = [] {
    Fields::Words list;
    for (const GainMethod method : kGainMethods) list.emplace_back(to_string(method));
    return list;
  }();
  return words;
}

void describe_gain_method(Fields& f, const Key& key, GainMethod& method) {
  auto index = static_cast<std::size_t>(method);
  f.word(key, index, gain_words());
  if (f.reads()) method = kGainMethods[index];
}

void describe_methods(Fields& f, GainSpec& spec) {
  const Key key = {"method", "", "one or a list, tried in this order; left out: all but tls_rows"};
  std::vector<GainMethod> methods = spec.methods;
  GainMethod one = GainMethod::ls;
  int form = 1;
  f.either(key, form,
           {{Shape::scalar, [&](Fields& value) { describe_gain_method(value, key, one); }},
            {Shape::list, [&](Fields& value) {
               if (value.reads()) methods.clear();
               value.list(key, methods.size(), [&](Fields& item, std::size_t k) {
                 if (item.reads()) methods.push_back(one);
                 describe_gain_method(item, key, k < methods.size() ? methods[k] : one);
               });
             }}});
  if (!f.reads() || !f.given("method")) return;
  spec.methods = form == 0 ? std::vector<GainMethod>{one} : methods;
  if (spec.methods.empty())
    f.fail("method", {"no method for gains", {}, "at least one", "leave the key out for all"});
}

void describe_use(Fields& f, GainSpec& spec) {
  const Key key = {"use", "", "method that gives the gains; auto: the best on held-out currents"};
  GainMethod method = spec.use.value_or(GainMethod::ls);
  int word = spec.use ? -1 : 0;
  f.words_or(key, word, {"auto"}, [&](Fields& other) { describe_gain_method(other, key, method); });
  if (!f.reads() || word == 0) return;
  spec.use = method;
  if (std::find(spec.methods.begin(), spec.methods.end(), method) == spec.methods.end())
    spec.methods.push_back(method);
}

void check_gains(const Fields& f, const GainSpec& spec) {
  if (spec.known.size() > 0)
    for (const char* key : {"method", "use", "prior", "prior_sigma", "essential", "blocks", "rows"})
      if (f.given(key))
        f.fail(key, {fmt::format("'{}' beside known gains", key),
                     {},
                     "known and sigma",
                     "remove it, or give the gains as `prior`"});
  if (spec.sigma.size() > 0 && spec.known.size() == 0)
    f.fail("sigma", {"'sigma' without known gains", {}, "", "use prior and prior_sigma"});
  if (spec.prior_sigma.size() > 0 && spec.prior.size() == 0)
    f.fail("prior_sigma", {"'prior_sigma' without 'prior'", {}, "", "give the a-priori gains"});
}

bool has_current(const StudyRun& run) {
  if (run.simulation) return run.simulation->options.effort == EffortChannel::current;
  return has_channel(run, channel::kCurrent);
}

void check_payload(const StudyRun& run, const Study& study) {
  const RunLabel& label = run.file.label;
  if (label.payload.empty()) return;
  if (!study.gains)
    throw InputError(
        {fmt::format("the run '{}' has a payload, but torques instead of currents", label.label), run.place,
         "currents",
         "loads are identified from currents; with torques use `current` and `gains: {known: [1, ...]}`"});
  std::vector<std::string> names;
  for (const Load& load : study.payloads) names.push_back(load.name);
  if (std::find(names.begin(), names.end(), label.payload) != names.end()) return;
  Complaint complaint = unknown("payload", label.payload, names, run.place);
  complaint.remedy = "list it under `payloads`";
  throw InputError(std::move(complaint));
}

}  // namespace

const Fields::Words& body_parameter_words() {
  static const Fields::Words words(kParameterStems.begin(), kParameterStems.end());
  return words;
}

void describe(Fields& f, GainSpec& spec) {
  if (f.reads()) spec.methods.assign(kGainMethods, kGainMethods + kUsualMethods);
  describe_methods(f, spec);
  describe_use(f, spec);
  f.numbers({"known", "", "gains, one per joint: nothing is identified"}, spec.known, any_number());
  f.numbers({"sigma", "", "relative standard deviation of the known gains"}, spec.sigma, at_least(0));
  f.numbers(acts_only("with `prior_sigma`, or as start and sign where the search needs them",
                      {"prior", "", "a-priori gains, one per joint"}),
            spec.prior, any_number());
  f.numbers({"prior_sigma", "", "their relative standard deviation; none: start and sign only"},
            spec.prior_sigma, at_least(0));
  const Key key = {"essential", "",
                   "ratio of relative standard deviations above which parameters are eliminated; true: 30"};
  double ratio = spec.essential.value_or(30);
  int word = spec.essential ? -1 : 0;
  f.words_or(key, word, {"false", "true"}, [&](Fields& other) { other.number(key, ratio, from_to(1, 1e9)); });
  if (f.reads() && word != 0) spec.essential = ratio;
  f.count({"blocks", "", "groups that are held out"}, spec.blocks, from_to(2, 1000, "five is typical"));
  f.choice(acts_only("with ls, wls and tls of a robot with a transmission",
                     {"rows", "", "side on which residuals are counted"}),
           spec.rows, {{"joint", RowSide::joint}, {"motor", RowSide::motor}});
  if (!f.reads()) return;
  check_gains(f, spec);
  if (spec.known.size() > 0) spec.methods.clear();
}

void describe(Fields& f, Load& load) {
  f.text(required({"name", "", "that runs refer to"}), load.name);
  Fields::NamedNumbers known, sigma;
  for (std::size_t k = 0; k < load.parameters.size(); ++k) {
    if (load.parameters[k].value) known.emplace_back(body_parameter_words()[k], *load.parameters[k].value);
    if (load.parameters[k].sigma > 0) sigma.emplace_back(body_parameter_words()[k], load.parameters[k].sigma);
  }
  std::optional<double> mass;
  f.number({"mass", "kg", "short for `known: {m: …}`"}, mass, at_least(0));
  f.numbers_by_name({"known", "SI", "parameters of the body in the tool frame; the others are unknown"},
                    known, any_number(), body_parameter_words());
  f.numbers_by_name({"sigma", "SI", "standard deviations of the known ones"}, sigma, at_least(0),
                    body_parameter_words());
  if (!f.reads()) return;
  if (mass) load.parameters[0].value = *mass;
  const auto at = [&](const std::string& name) -> LoadParameter& {
    const auto& words = body_parameter_words();
    return load
        .parameters[static_cast<std::size_t>(std::find(words.begin(), words.end(), name) - words.begin())];
  };
  for (const auto& [name, value] : known) at(name).value = value;
  for (const auto& [name, value] : sigma) at(name).sigma = value;
}

void check_gain_keys(const Study& study) {
  const bool found_with_signs = study.signs.gains.has_value() && !study.gains;
  for (const StudyRun& run : study.runs) {
    const std::string& label = run.file.label.label;
    if (has_current(run) != study.gains.has_value() && !found_with_signs)
      throw InputError(
          {study.gains ? fmt::format("the run '{}' has no currents, but the study has gains", label)
                       : fmt::format("the run '{}' has currents, but the study has no gains", label),
           run.place, "currents and `gains`, or torques",
           study.gains ? "name its columns by `current`"
                       : "add `gains: {}` to identify them, `gains: {known: [...]}`, or, for |current|, "
                         "`signs: {gains: unknown}`"});
    if (study.gains && has_current(run) && has_channel(run, channel::kTorque))
      throw InputError({fmt::format("the run '{}' has currents and torques", label), run.place,
                        "currents, as the study has gains", "leave its torques out"});
    check_payload(run, study);
  }
}

void check_loads_are_carried(const Study& study) {
  if (study.runs.empty()) return;
  for (const Load& load : study.payloads)
    if (std::none_of(study.runs.begin(), study.runs.end(),
                     [&](const StudyRun& run) { return run.file.label.payload == load.name; }))
      throw InputError({fmt::format("none of the {} runs carries a load named '{}', which `payloads` has",
                                    study.runs.size(), load.name),
                        {study.path, 0, 0, ""},
                        "the load of a run",
                        "name it in the run that carries it, `payload: " + load.name + "`, or leave it out"});
}

}  // namespace steelyard
