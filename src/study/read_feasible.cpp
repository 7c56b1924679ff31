// Section `feasible`; its constraints are described in read_constraints.cpp.
#include <fmt/format.h>

#include "study/describe_constraint.hpp"
#include "study/describe_study.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// `torque`, `base`, or `base: {weight: covariance, relative_sigma_below: 0.25}`.
void describe_objective(Fields& f, FeasibleSpec& spec) {
  const Key key = {"objective", "",
                   "what the links fit: the efforts, or the base parameters, plainly or with options"};
  CoefficientOptions& options = spec.coefficients;
  const bool plain = !options.by_covariance && options.max_relative_sigma == kInfinity;
  int word = spec.fits_torque ? 0 : plain ? 1 : -1;
  f.words_or(key, word, {"torque", "base"}, [&](Fields& other) {
    other.section(key, [&](Fields& inner) {
      inner.section(required({"base", "", "fit to the base parameters"}), [&](Fields& base) {
        base.choice({"weight", "", "of the base parameters"}, options.by_covariance,
                    {{"equal", false}, {"covariance", true}});
        base.number({"relative_sigma_below", "", "leaves out base parameters that are less certain"},
                    options.max_relative_sigma, above(0, "0.25 leaves out above 25 %"));
      });
    });
  });
  if (f.reads()) spec.fits_torque = word == 0;
}

void describe(Fields& f, PullSpec& pull) {
  f.choice({"towards", "", "whose links; robot: those of its file, uniform bodies where that gives none"},
           pull.towards, {{"robot", PullTowards::robot}, {"uniform", PullTowards::uniform}});
  const Key weight = {"weight", "",
                      "of the data's squares; auto: the strongest that loses nothing on rows left out; 0: "
                      "only where the data leave the links open"};
  int word = pull.weight ? -1 : 0;
  double value = pull.weight.value_or(0);
  f.words_or(weight, word, {"auto"},
             [&](Fields& other) { other.number(weight, value, from_to(0, 1e12, "1e-6 is typical")); });
  if (f.reads()) pull.weight = word == 0 ? std::nullopt : std::optional<double>(value);
  f.choice({"kind", "", "distance of parameters, or of bodies as distributions of mass"}, pull.kind,
           {{"euclidean", PullKind::euclidean}, {"divergence", PullKind::divergence}});
  f.texts({"links", "", "by number or name; none: all"}, pull.links);
  if (f.reads()) pull.place = f.place();
}

void describe_proven(Fields& f, FeasibleSpec& spec) {
  const Key key = {"intervals", "", "proven intervals of the links; true: at the level 0.95"};
  double level = spec.interval_level.value_or(0.95);
  int word = spec.interval_level ? -1 : 0;
  f.words_or(key, word, {"false", "true"}, [&](Fields& other) {
    other.section(key, [&](Fields& inner) {
      inner.number({"level", "", "probability of the base parameters' region"}, level,
                   inside(0, 1, "0.95 is typical"));
      inner.flag({"joint_forces", "", "also of the forces in the joints"}, spec.joint_forces);
    });
  });
  if (f.reads() && word != 0) spec.interval_level = level;
}

}  // namespace

void describe(Fields& f, FeasibleSpec& spec) {
  if (f.reads()) spec.place = f.place();
  f.choice({"method", "", "auto: convex where the constraints are"}, spec.method,
           {{"auto", FeasibleMethod::automatic},
            {"convex", FeasibleMethod::convex},
            {"penalty", FeasibleMethod::penalty},
            {"annealing", FeasibleMethod::annealing}});
  describe_objective(f, spec);
  const Key margin = {
      "margin", "",
      "by which bodies are inside the feasible set; auto: none is denser than matter where that "
      "costs nothing, otherwise 1e-6"};
  int word = spec.physical.margin ? -1 : 0;
  double value = spec.physical.margin.value_or(1e-6);
  f.words_or(margin, word, {"auto"}, [&](Fields& other) {
    other.number(margin, value, Allowed{0, 1, false, true, "1e-6 is typical"});
  });
  if (f.reads()) spec.physical.margin = word == 0 ? std::nullopt : std::optional<double>(value);
  f.flag({"bodies", "", "inertias must be physically possible"}, spec.physical.bodies);
  f.flag({"drives", "", "friction and rotor inertia are not negative"}, spec.physical.drives);
  f.flag({"robot_bounds", "", "bounds of the robot file"}, spec.physical.robot_bounds);
  const Key constraints = {"constraints", "", "further ones ([feasible](feasible.md))"};
  f.list(constraints, spec.constraints.size(), [&](Fields& item, std::size_t k) {
    ConstraintSpec fresh;
    if (item.reads()) spec.constraints.push_back(fresh);
    ConstraintSpec& constraint = k < spec.constraints.size() ? spec.constraints[k] : fresh;
    item.section({"constraint", "", constraints.meaning},
                 [&](Fields& inner) { describe_constraint(inner, constraint, k + 1); });
  });
  f.section({"pull", "", "towards bodies one would believe ([feasible](feasible.md))"},
            [&](Fields& inner) { describe(inner, spec.pull); });
  describe_proven(f, spec);
  f.count(acts_only("where penalties are searched", {"starts", "", "random ones"}), spec.random_starts,
          from_to(0, 10000, "8 is typical"));
}

}  // namespace steelyard
