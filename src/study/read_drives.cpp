// Sections `drives`, `columns` and `known`.
#include <fmt/format.h>

#include "study/describe_study.hpp"

#include "steelyard/estimate/friction.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr FrictionForm kForms[] = {FrictionForm::linear, FrictionForm::sigmoid, FrictionForm::stribeck,
                                   FrictionForm::asymmetric};

const Fields::Words kFormWords = {"auto", "sigmoid",          "stribeck",     "asymmetric",
                                  "load", "load_directional", "load_stribeck"};
const Fields::Words kTerms = {"viscous",    "coulomb", "offset",           "sigmoid",      "stribeck",
                              "asymmetric", "load",    "load_directional", "load_stribeck"};
constexpr std::size_t kFirstLoadWord = 4, kFirstLoadTerm = 6;

LoadFriction load_of(std::size_t k) {
  constexpr LoadFriction kLoads[] = {LoadFriction::load, LoadFriction::directional, LoadFriction::stribeck};
  return kLoads[k];
}

FrictionSpec spec_of_word(std::size_t word) {
  const bool loaded = word >= kFirstLoadWord;
  const FrictionModel usual = friction_model(kForms[loaded ? 0 : word]);
  return {word == 0,     usual.form,   usual.viscous,
          usual.coulomb, usual.offset, loaded ? load_of(word - kFirstLoadWord) : LoadFriction::none};
}

Fields::Words terms_of(const FrictionSpec& spec) {
  Fields::Words terms;
  if (spec.viscous) terms.emplace_back("viscous");
  if (spec.coulomb) terms.emplace_back("coulomb");
  if (spec.offset) terms.emplace_back("offset");
  if (spec.form != FrictionForm::linear) terms.emplace_back(to_string(spec.form));
  if (spec.load != LoadFriction::none) terms.emplace_back(to_string(spec.load));
  return terms;
}

void add_term(const Fields& f, std::size_t term, FrictionSpec& spec) {
  if (term == 0) spec.viscous = true;
  if (term == 1) spec.coulomb = true;
  if (term == 2) spec.offset = true;
  if (term < 3) return;
  if (term >= kFirstLoadTerm) {
    if (spec.load != LoadFriction::none)
      f.fail(nullptr, {fmt::format("friction has two loads: {} and {}", to_string(spec.load), kTerms[term]),
                       {},
                       "one of load, load_directional, load_stribeck",
                       "leave one out"});
    spec.load = load_of(term - kFirstLoadTerm);
    return;
  }
  if (spec.form != FrictionForm::linear)
    f.fail(nullptr, {fmt::format("friction has two forms: {} and {}", to_string(spec.form),
                                 to_string(kForms[term - 2])),
                     {},
                     "one of sigmoid, stribeck, asymmetric",
                     "leave one out"});
  spec.form = kForms[term - 2];
}

// One word is a form with its usual linear terms; a list names the terms one by one.
void describe_friction(Fields& f, std::optional<FrictionSpec>& friction) {
  const Key key = {"friction", "",
                   "a form with its usual terms, or a list of terms ([friction](friction.md))"};
  FrictionSpec spec = friction.value_or(FrictionSpec{});
  std::size_t word = 0;
  int form = !friction ? Fields::kNotGiven : spec.automatic ? 0 : 1;
  f.either(key, form,
           {{Shape::scalar,
             [&](Fields& value) {
               value.word(key, word, kFormWords);
               if (value.reads()) spec = spec_of_word(word);
             }},
            {Shape::list, [&](Fields& value) {
               const Fields::Words terms = terms_of(spec);
               if (value.reads()) spec = FrictionSpec{};
               value.list(key, terms.size(), [&](Fields& item, std::size_t k) {
                 std::size_t term = 0;
                 for (std::size_t t = 0; k < terms.size() && t < kTerms.size(); ++t)
                   if (kTerms[t] == terms[k]) term = t;
                 item.word({"friction term", "", key.meaning}, term, kTerms);
                 if (item.reads()) add_term(item, term, spec);
               });
             }}});
  if (!f.reads() || !f.given("friction")) return;
  if (form == 1 && spec.form == FrictionForm::asymmetric && (spec.coulomb || spec.offset))
    f.fail("friction", {"asymmetric Coulomb friction beside coulomb or offset",
                        {},
                        "viscous and asymmetric: the others lie in its span",
                        "leave coulomb and offset out"});
  if (form == 1 && spec.form == FrictionForm::sigmoid && spec.coulomb)
    f.fail("friction", {"a sigmoid beside Coulomb friction, which is its limit",
                        {},
                        "viscous, offset and sigmoid",
                        "leave coulomb out"});
  friction = spec;
}

void describe_ripple(Fields& f, RippleSpec& spec, bool& given) {
  const Key key = {
      "ripple", "",
      "efforts that repeat with the position: orders per turn (rad/m of a joint that slides), auto, none"};
  int word = !given ? Fields::kNotGiven : spec.automatic ? 0 : spec.orders.empty() ? 1 : -1;
  f.words_or(key, word, {"auto", "none"}, [&](Fields& other) { other.numbers(key, spec.orders, above(0)); });
  if (!f.reads() || !f.given("ripple")) return;
  given = true;
  spec.automatic = word == 0;
  if (word >= 0) spec.orders.clear();
}

void describe_temperature(Fields& f, TemperatureSpec& spec) {
  const Key key =
      acts_only("where runs have the channel `temperature`",
                {"temperature", "", "terms of friction that change with it: auto, none, or a list"});
  Fields::Words terms;
  if (spec.viscous) terms.emplace_back("viscous");
  if (spec.coulomb) terms.emplace_back("coulomb");
  std::size_t word = spec.automatic ? 0 : 1;
  int form = !spec.any() ? Fields::kNotGiven : spec.automatic ? 0 : 1;
  f.either(key, form,
           {{Shape::scalar,
             [&](Fields& value) {
               value.word(key, word, {"auto", "none"});
               if (value.reads()) spec = {word == 0, false, false};
             }},
            {Shape::list, [&](Fields& value) {
               if (value.reads()) spec = {};
               value.list(key, terms.size(), [&](Fields& item, std::size_t k) {
                 std::size_t term = k < terms.size() && terms[k] == "coulomb" ? 1 : 0;
                 item.word({"temperature term", "", key.meaning}, term, {"viscous", "coulomb"});
                 if (item.reads()) (term == 0 ? spec.viscous : spec.coulomb) = true;
               });
             }}});
}

void describe_joint(Fields& f, JointDriveSpec& spec) {
  if (f.reads()) spec.place = f.place();
  describe_friction(f, spec.friction);
  RippleSpec ripple = spec.ripple.value_or(RippleSpec());
  bool has_ripple = spec.ripple.has_value();
  describe_ripple(f, ripple, has_ripple);
  if (f.reads() && has_ripple) spec.ripple = ripple;
  f.flag({"rotor_inertia", "", "a column for it"}, spec.rotor_inertia);
}

void describe_joints(Fields& f, DriveSpec& spec) {
  const Key key = {"joints", "", "joints that differ, by name"};
  Fields::Words names;
  for (const auto& [name, joint] : spec.joints) names.push_back(name);
  f.map(key, names, {}, [&](Fields& item, std::size_t k) {
    JointDriveSpec joint;
    if (k < names.size() && spec.joints.count(names[k]) > 0) joint = spec.joints.at(names[k]);
    item.section(key, [&](Fields& inner) { describe_joint(inner, joint); });
    if (item.reads()) spec.joints[names[k]] = joint;
  });
}

}  // namespace

void describe_drives(Fields& f, DriveTerms& terms, DriveSpec& spec) {
  std::optional<FrictionSpec> friction = spec.friction;
  if (!friction)
    friction = FrictionSpec{false,         FrictionForm::linear, terms.viscous,
                            terms.coulomb, terms.offset,         LoadFriction::none};
  describe_friction(f, friction);
  if (f.reads() && friction->is_linear()) {
    terms.viscous = friction->viscous;
    terms.coulomb = friction->coulomb;
    terms.offset = friction->offset;
  } else if (f.reads()) {
    spec.friction = friction;
  }
  bool has_ripple = spec.ripple.any();
  describe_ripple(f, spec.ripple, has_ripple);
  describe_temperature(f, spec.temperature);
  f.flag({"rotor_inertia", "", "a column for it in every joint"}, terms.rotor_inertia);
  f.choice({"offset", "", "of the friction: one for all runs, or one for each"}, spec.offset_per_run,
           {{"common", false}, {"per_run", true}});
  describe_joints(f, spec);
}

void describe_efforts(Fields& f, const Key& key, std::vector<EffortExpression>& list) {
  const bool needs_name = std::string(key.name) == "columns";
  f.list(key, list.size(), [&](Fields& item, std::size_t k) {
    EffortExpression fresh;
    if (item.reads()) list.push_back(fresh);
    EffortExpression& effort = k < list.size() ? list[k] : fresh;
    item.section(key, [&](Fields& inner) {
      Key name = {"name", "", "of the column"};
      name.required = needs_name;
      inner.text(name, effort.name);
      inner.text(required({"joint", "", "name of the joint it acts on"}), effort.joint);
      inner.text(required({"expression", "", "of q, qd, qdd (the joint's own) and q1, qd1, qdd1, …"}),
                 effort.text);
      if (!inner.reads()) return;
      effort.place = inner.place("expression");
      if (effort.name.empty()) effort.name = fmt::format("{} {}", key.name, k + 1);
    });
  });
}

}  // namespace steelyard
