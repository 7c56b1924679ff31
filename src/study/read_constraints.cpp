// Constraints of the section `feasible`.
#include <fmt/format.h>

#include <cmath>

#include "study/describe_constraint.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::pair<const char*, ConstraintKind> kKinds[] = {
    {"bound", ConstraintKind::bound},
    {"combination", ConstraintKind::combination},
    {"expression", ConstraintKind::expression},
    {"total_mass", ConstraintKind::total_mass},
    {"body", ConstraintKind::body},
    {"triangle", ConstraintKind::triangle},
    {"inertia_floor", ConstraintKind::inertia_floor},
    {"com_box", ConstraintKind::com_box},
    {"com_ellipsoid", ConstraintKind::com_ellipsoid},
    {"com_mesh", ConstraintKind::com_mesh},
};
constexpr const char* kLimitKeys[] = {"at_least", "at_most", "between", "equal"};
const Key kLink = {"link", "", "number from 1, name, or all", true};

bool has_limits(ConstraintKind kind) {
  return kind == ConstraintKind::bound || kind == ConstraintKind::combination ||
         kind == ConstraintKind::expression;
}

std::string default_name(const ConstraintSpec& spec, std::size_t number) {
  if (spec.kind == ConstraintKind::total_mass) return "total mass";
  if (spec.kind == ConstraintKind::bound) return fmt::format("study bound {}", spec.text);
  return fmt::format("constraint {}", number);
}

// The one kind that a constraint has, and its name.
void read_kind(Fields& f, ConstraintSpec& spec) {
  bool found = false;
  for (const auto& [key, kind] : kKinds) {
    if (!f.given(key)) continue;
    if (found)
      f.fail(key, {fmt::format("'{}' is a second kind in one constraint", key),
                   {},
                   "one kind",
                   "write two constraints"});
    found = true;
    spec.kind = kind;
  }
  if (!found)
    f.fail(
        nullptr,
        {"constraint without a kind",
         {},
         "bound, combination, expression, total_mass, body, triangle, inertia_floor, com_box, com_ellipsoid "
         "or com_mesh",
         "state what is bounded"});
  spec.place = f.place();
}

void describe_com_box(Fields& f, ConstraintSpec& spec) {
  f.text(kLink, spec.link);
  if (f.reads()) {
    spec.first.setConstant(-kInfinity);
    spec.second.setConstant(kInfinity);
  }
  const char* axes[] = {"x", "y", "z"};
  for (int k = 0; k < 3; ++k)
    f.interval({axes[k], "m", "of the centre of mass, in the link's frame"}, spec.first[k], spec.second[k]);
}

void describe_com_ellipsoid(Fields& f, ConstraintSpec& spec) {
  f.text(kLink, spec.link);
  f.point({"centre", "m", "of the ellipsoid, in the link's frame"}, spec.first);
  f.point(required({"half_axes", "m", "along the link's axes"}), spec.second);
  if (f.reads() && spec.second.minCoeff() <= 0)
    f.fail("half_axes", {fmt::format("constraint has a half axis of {:g} m", spec.second.minCoeff()),
                         {},
                         "above 0",
                         "give half of the ellipsoid's extents"});
}

void describe_com_mesh(Fields& f, ConstraintSpec& spec) {
  f.text(kLink, spec.link);
  f.path(required({"file", "", "STL file; the centre of mass is in its convex hull"}), spec.path,
         spec.path_as_written);
  f.number({"scale", "", "of the file's numbers"}, spec.scale, above_to(0, 1e9, "0.001 for millimetres"));
  f.point({"xyz", "m", "of the mesh in the link's frame"}, spec.first);
  f.point({"rpy", "rad", "of the mesh in the link's frame"}, spec.second);
}

void describe_kinds(Fields& f, ConstraintSpec& spec) {
  using Kind = ConstraintKind;
  const auto is = [&](Kind kind) { return spec.kind == kind; };
  std::string quantity = is(Kind::bound) ? spec.text : "";
  f.text({"bound", "", "quantity that is bounded: a parameter by its name"}, quantity);
  f.numbers_by_name({"combination", "", "quantities with their factors"}, spec.terms, any_number());
  std::string expression = is(Kind::expression) ? spec.text : "";
  f.text({"expression", "", "of quantities that is bounded"}, expression);
  if (f.reads()) spec.text = is(Kind::bound) ? quantity : expression;
  double lower = is(Kind::total_mass) ? spec.lower : -kInfinity;
  double upper = is(Kind::total_mass) ? spec.upper : kInfinity;
  f.interval({"total_mass", "kg", "of all links"}, lower, upper);
  if (f.reads() && is(Kind::total_mass)) spec.lower = lower, spec.upper = upper;
  const auto section = [&](const char* key, const char* meaning, Kind kind, const Fields::Part& part) {
    bool given = is(kind);
    f.section({key, "", meaning}, given, part);
  };
  section("body", "pseudo-inertia with a margin", Kind::body, [&](Fields& inner) {
    inner.text(kLink, spec.link);
    inner.number({"margin", "", "by which the body is inside the feasible set"}, spec.amount, at_least(0));
  });
  section("triangle", "inequality of the principal moments", Kind::triangle, [&](Fields& inner) {
    inner.text(kLink, spec.link);
    inner.choice({"about", "", "which point"}, spec.about_com, {{"com", true}, {"origin", false}});
  });
  section("inertia_floor", "of all principal moments", Kind::inertia_floor, [&](Fields& inner) {
    inner.text(kLink, spec.link);
    inner.number(required({"at_least", "kg m²", "about the centre of mass"}), spec.amount, at_least(0));
  });
  section("com_box", "centre of mass in a box", Kind::com_box, [&](Fields& g) { describe_com_box(g, spec); });
  section("com_ellipsoid", "centre of mass in an ellipsoid", Kind::com_ellipsoid,
          [&](Fields& inner) { describe_com_ellipsoid(inner, spec); });
  section("com_mesh", "centre of mass in the hull of a mesh", Kind::com_mesh,
          [&](Fields& inner) { describe_com_mesh(inner, spec); });
}

void check_limits(const Fields& f, const ConstraintSpec& spec) {
  for (const char* key : kLimitKeys)
    if (f.given(key) && !has_limits(spec.kind))
      f.fail(key, {fmt::format("constraint '{}' takes no '{}'", spec.name, key), {}, "", "leave it out"});
  if (!has_limits(spec.kind)) return;
  if (spec.lower > spec.upper)
    f.fail(nullptr,
           {fmt::format("constraint '{}': at least {:g} and at most {:g}", spec.name, spec.lower, spec.upper),
            {},
            "lower <= upper",
            "swap the two numbers"});
  if (!std::isfinite(spec.lower) && !std::isfinite(spec.upper))
    f.fail(nullptr, {fmt::format("constraint '{}' has no limit", spec.name),
                     {},
                     "at_least, at_most, between or equal",
                     "give one"});
}

// at_least, at_most, between, equal beside the kind.
void describe_limits(Fields& f, ConstraintSpec& spec) {
  double lower = has_limits(spec.kind) ? spec.lower : -kInfinity;
  double upper = has_limits(spec.kind) ? spec.upper : kInfinity;
  std::optional<double> least, most, equal;
  f.interval({"between", "", "of bound, combination and expression"}, lower, upper);
  f.number({"at_least", "", "of bound, combination and expression"}, least, any_number());
  f.number({"at_most", "", "of bound, combination and expression"}, most, any_number());
  f.number({"equal", "", "of bound, combination and expression"}, equal, any_number());
  if (!f.reads() || !has_limits(spec.kind)) return;
  spec.lower = equal.value_or(least.value_or(lower));
  spec.upper = equal.value_or(most.value_or(upper));
}

}  // namespace

const char* to_string(ConstraintKind kind) {
  for (const auto& [key, value] : kKinds)
    if (value == kind) return key;
  return "unknown";
}

void describe_constraint(Fields& f, ConstraintSpec& spec, std::size_t number) {
  if (f.reads()) read_kind(f, spec);
  f.text({"name", "", "in results and messages"}, spec.name);
  describe_kinds(f, spec);
  if (f.reads() && spec.name.empty()) spec.name = default_name(spec, number);
  if (f.reads() && spec.kind == ConstraintKind::combination && spec.terms.empty())
    f.fail("combination", {fmt::format("combination of constraint '{}' is empty", spec.name),
                           {},
                           "quantity: factor",
                           "write `combination: {m3: 1, m4: 1}`"});
  describe_limits(f, spec);
  if (f.reads()) check_limits(f, spec);
}

}  // namespace steelyard
