// Section `reverse`.
#include <fmt/format.h>

#include <tuple>

#include "steelyard/core/units.hpp"
#include "study/describe_study.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr SourceKind kSourceKinds[] = {SourceKind::table, SourceKind::program, SourceKind::library,
                                       SourceKind::robot, SourceKind::mujoco};

void describe_unit(Fields& f, const Key& key, std::string& unit, double& scale) {
  f.text(key, unit);
  if (f.given(key.name)) scale = parse_unit(unit, f.place(key.name)).factor;
}

void describe_tables(Fields& f, SourceSpec& spec) {
  ReverseColumns& columns = spec.columns;
  f.section({"columns", "", "of a table: patterns with {i}, {j} or {k}"}, [&](Fields& inner) {
    inner.text({"position", "", "of q"}, columns.position);
    inner.text({"gravity", "", "of g"}, columns.gravity);
    inner.text({"inertia", "", "of M"}, columns.inertia);
    inner.text({"jacobian", "", "of J"}, columns.jacobian);
    inner.choice({"order", "", "in which a triangle of M is numbered"}, columns.order,
                 {{"rows", TriangleOrder::rows}, {"columns", TriangleOrder::columns}});
  });
  f.section({"units", "", "of a table; none: SI"}, [&](Fields& inner) {
    describe_unit(inner, {"position", "", "of q"}, spec.position_unit, columns.position_scale);
    describe_unit(inner, {"gravity", "", "of g"}, spec.gravity_unit, columns.gravity_scale);
    describe_unit(inner, {"inertia", "", "of M"}, spec.inertia_unit, columns.inertia_scale);
  });
}

// The one kind of a source, by key.
void describe_kind(Fields& f, SourceSpec& spec) {
  constexpr const char* kMeanings[] = {"CSV file of q, g, M", "command that answers on its standard output",
                                       "shared library with a C function", "robot file with parameters",
                                       "MuJoCo model"};
  for (const SourceKind kind : kSourceKinds) {
    const Key key = {to_string(kind), "", kMeanings[static_cast<int>(kind)]};
    SourceSpec other;
    SourceSpec& target = f.reads() || kind == spec.kind ? spec : other;
    kind == SourceKind::program ? f.texts(key, target.command)
                                : f.path(key, target.path, target.path_as_written);
    if (f.given(key.name)) spec.kind = kind;
  }
}

void check_kind(const Fields& f, SourceSpec& spec) {
  int kinds = 0;
  for (const SourceKind kind : kSourceKinds) kinds += f.given(to_string(kind));
  if (kinds != 1)
    f.fail(nullptr, {fmt::format("a source of {} kinds", kinds),
                     {},
                     "one of table, program, library, robot, mujoco",
                     "keep one"});
  if (spec.kind != SourceKind::program) return;
  if (spec.command.empty()) f.fail("program", {"a program without a name", {}, "", "name it"});
  spec.path_as_written = spec.command.front();
}

}  // namespace

void number_sets(ReverseSpec& spec) {
  if (spec.training.label.empty()) spec.training.label = "training";
  std::uint64_t index = 0;
  for (ReverseSetSpec& set : spec.validation) {
    set.index = ++index;
    if (set.label.empty()) set.label = "validation";
  }
  if (!spec.loaded) return;
  spec.loaded->index = ++index;
  if (spec.loaded->label.empty()) spec.loaded->label = "loaded";
}

// What is of another kind of source, unless it is the default.
void refuse_other_kinds(const Fields& f, const SourceSpec& spec) {
  const SourceSpec usual;
  const bool of_table = spec.kind == SourceKind::table;
  const ReverseColumns &own = spec.columns, &plain = usual.columns;
  const bool same_columns = own.position == plain.position && own.gravity == plain.gravity &&
                            own.inertia == plain.inertia && own.jacobian == plain.jacobian &&
                            own.order == plain.order;
  for (const auto& [key, is_given, kind] :
       {std::tuple{"function", spec.function != usual.function && spec.kind != SourceKind::library,
                   "library"},
        {"joints", !spec.joints.empty() && spec.kind != SourceKind::mujoco, "mujoco"},
        {"time_limit",
         spec.limits.seconds != usual.limits.seconds && (of_table || spec.kind == SourceKind::robot),
         "program or library"},
        {"columns", !of_table && !same_columns, "table"},
        {"units", !of_table && !(spec.position_unit + spec.gravity_unit + spec.inertia_unit).empty(),
         "table"}})
    if (is_given)
      f.fail(key, {fmt::format("'{}' of a source that is no {}", key, kind), {}, kind, "leave it out"});
}

void describe(Fields& f, SourceSpec& spec) {
  if (f.reads()) spec.place = f.place();
  describe_kind(f, spec);
  f.text({"function", "", "of a library"}, spec.function);
  f.texts({"joints", "", "of a MuJoCo model, by name; none: all"}, spec.joints);
  f.number({"time_limit", "s", "that one answer may take"}, spec.limits.seconds,
           above_to(0, 1e6, "give the seconds one answer may take"));
  describe_tables(f, spec);
  if (!f.reads()) return;
  spec.folder = f.folder();
  check_kind(f, spec);
  refuse_other_kinds(f, spec);
}

void describe(Fields& f, SinusoidSpec& spec) {
  f.numbers(required({"amplitude", "rad, m", "one per joint"}), spec.amplitude, any_number());
  f.numbers(required({"period", "s", "one per joint"}), spec.period, above(0));
  f.numbers({"center", "rad, m", "one per joint; none: zero"}, spec.center, any_number());
  f.number({"duration", "s", "at least one step"}, spec.duration, above_to(0, 1e6));
  f.number({"step", "s", "between configurations"}, spec.step, above_to(0, 1e6));
  if (f.reads() && spec.duration < spec.step)
    f.fail("duration",
           {"duration is shorter than a step", {}, "at least one step", "give a longer duration"});
}

void describe(Fields& f, ReverseSetSpec& set) {
  if (f.reads()) set.place = f.place();
  f.text({"label", "", "in results"}, set.label);
  f.optional_section({"source", "", "none: the study's"}, set.source);
  const Key count = {"count", "", "configurations; all: those of a table"};
  f.count_or(count, "all", 0, set.count, from_to(1, 1000000, "give a sensible number"));
  f.choice({"choose", "", "configurations at random, or D-optimal"}, set.best,
           {{"random", false}, {"best", true}});
  f.optional_section({"sinusoids", "", "q = center + amplitude sin(2π t / period)"}, set.sinusoids);
}

void describe(Fields& f, Relation& relation) {
  f.numbers_by_name(required({"terms", "", "standard parameters with their factors"}), relation.terms,
                    any_number());
  f.number({"value", "", "of the sum"}, relation.value, any_number());
}

void describe(Fields& f, ReferenceSpec& spec) {
  f.path(required({"file", "", "result.json, or `base: {lead: value}` in YAML"}), spec.path,
         spec.path_as_written);
  if (f.reads()) spec.label = spec.path_as_written;
  f.text({"label", "", "in results; none: the file"}, spec.label);
  if (f.reads()) spec.place = f.place("file");
}

void describe(Fields& f, AnswerSpec& answers) {
  Index digits = answers.digits;
  f.count_or({"digits", "", "significant ones that are kept"}, "all", 0, digits,
             from_to(1, 17, "six is typical"));
  if (f.reads()) answers.digits = static_cast<int>(digits);
  f.number({"gravity_noise", "N m, N", "standard deviation that is added to g"}, answers.gravity_noise,
           from_to(0, 1e9));
  f.number({"inertia_noise", "kg m², kg", "standard deviation that is added to M"}, answers.inertia_noise,
           from_to(0, 1e9));
}

namespace {

// A component, or {components: […], where: condition}.
void describe_leave_out(Fields& f, std::vector<LeaveOutSpec>& rules) {
  const Key key = {"leave_out", "", "components such as g1 or M12, everywhere or under a condition"};
  f.list(key, rules.size(), [&](Fields& item, std::size_t k) {
    LeaveOutSpec fresh;
    if (item.reads()) rules.push_back(fresh);
    LeaveOutSpec& rule = k < rules.size() ? rules[k] : fresh;
    std::string one = rule.components.size() == 1 ? rule.components.front() : "";
    int form = rule.where.empty() && !one.empty() ? 0 : 1;
    item.either(key, form,
                {{Shape::scalar,
                  [&](Fields& value) {
                    value.text({"component", "", key.meaning}, one);
                    if (value.reads()) rule.components = {one};
                  }},
                 {Shape::map, [&](Fields& value) {
                    value.section(key, [&](Fields& inner) {
                      inner.texts({"components", "", "none: all"}, rule.components);
                      inner.text(required({"where", "", "condition on q1, q2, …"}), rule.where);
                    });
                  }}});
    if (item.reads()) rule.place = item.place();
  });
}

void describe_weights(Fields& f, ReverseOptions& options) {
  const Key key = {"weights", "",
                   "none, auto by component, or standard deviations by name: {g: 0.01, M: 1e-3}"};
  int word = !options.deviations.empty() ? -1 : options.estimate.weighting == Weighting::none ? 0 : 1;
  f.words_or(key, word, {"none", "auto"},
             [&](Fields& other) { other.numbers_by_name(key, options.deviations, above(0)); });
  if (f.reads() && word >= 0)
    options.estimate.weighting = word == 1 ? Weighting::by_row_iterated : Weighting::none;
}

}  // namespace

const char* to_string(SourceKind kind) {
  constexpr const char* kWords[] = {"table", "program", "library", "robot", "mujoco"};
  return kWords[static_cast<std::size_t>(kind)];
}

void describe(Fields& f, ReverseSpec& spec) {
  if (f.reads()) spec.place = f.place();
  f.section({"configurations", "", "that are fitted"},
            [&](Fields& inner) { describe(inner, spec.training); });
  std::optional<SourceSpec> source = spec.training.source;
  f.optional_section({"source", "", "where g(q) and M(q) come from"}, source);
  if (f.reads() && !spec.training.source) spec.training.source = source;
  f.section({"answers", "", "how the answers of a source are altered"},
            [&](Fields& inner) { describe(inner, spec.answers); });
  f.sections({"validation", "", "sets that are predicted, with the keys of `configurations`"},
             spec.validation);
  f.optional_section({"loaded", "", "a set with a load, with the keys of `configurations`"}, spec.loaded);
  f.choice({"rows", "", "which are fitted"}, spec.options.rows,
           {{"gravity+inertia", RowSet::gravity_inertia},
            {"gravity", RowSet::gravity},
            {"inertia", RowSet::inertia}});
  f.choice({"torques", "",
            "of `runs`, free of friction: predicted only, or fitted with g and M where `role: fit`"},
           spec.fits_torques, {{"predicted", false}, {"fitted", true}});
  f.flag({"rotor_inertia", "", "a column for it in every joint"}, spec.options.rotor_inertia);
  f.flag({"tilt", "", "estimate a tilt of the base"}, spec.tilt);
  f.texts({"zero", "", "parameters that are known to be zero"}, spec.options.zero);
  f.sections({"relations", "", "known sums of parameters"}, spec.options.relations);
  describe_leave_out(f, spec.leave_out);
  describe_weights(f, spec.options);
  f.optional_section({"reference", "", "published base parameters to compare with"}, spec.reference);
  if (!f.reads()) return;
  if (!spec.training.source) f.fail(nullptr, {"reverse has no 'source'", {}, "", "add `source: ...`"});
  number_sets(spec);
}

}  // namespace steelyard
