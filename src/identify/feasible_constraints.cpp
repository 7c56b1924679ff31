// Constraints of a study, from names to those of the feasible stage.
#include <fmt/format.h>

#include <charconv>

#include "identify/feasible.hpp"
#include "identify/friction.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/feasible/mesh.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

ComHull hull_of(const ConstraintSpec& spec, int link) {
  const Pose pose = to_pose(steps_from_xyz_rpy(spec.first, spec.second, "mesh"));
  const ConvexHull hull =
      convex_hull(placed(read_mesh(spec.path, spec.name), spec.scale, pose).vertices, spec.name);
  return {link, hull.normals, hull.offsets};
}

ConstraintForm form_of_link(const ConstraintSpec& spec, int link) {
  switch (spec.kind) {
    case ConstraintKind::body:
      return PseudoInertia{link, spec.amount, 0};
    case ConstraintKind::triangle:
      return Triangle{link, spec.about_com};
    case ConstraintKind::inertia_floor:
      return InertiaFloor{link, spec.amount};
    case ConstraintKind::com_box:
      return ComBox{link, spec.first, spec.second};
    case ConstraintKind::com_ellipsoid: {
      const Matrix3 shape = spec.second.cwiseAbs2().cwiseInverse().asDiagonal();
      return ComEllipsoid{link, spec.first, shape};
    }
    case ConstraintKind::com_mesh:
      return hull_of(spec, link);
    default:
      throw InternalError("a constraint without link was asked for its link's form");
  }
}

void add_constraint(const ConstraintSpec& spec, const Robot& robot, const Quantities& quantities,
                    std::vector<Constraint>& constraints) {
  switch (spec.kind) {
    case ConstraintKind::bound:
      constraints.push_back({spec.name, Bound{spec.text, spec.lower, spec.upper}, spec.place});
      return;
    case ConstraintKind::combination:
      constraints.push_back({spec.name, Combination{spec.terms, spec.lower, spec.upper}, spec.place});
      return;
    case ConstraintKind::expression: {
      Place place = spec.place;
      place.joint = fmt::format("constraint '{}'", spec.name);
      constraints.push_back(
          {spec.name, expression_bound(quantities, spec.text, spec.lower, spec.upper, place), spec.place});
      return;
    }
    case ConstraintKind::total_mass:
      constraints.push_back(total_mass(quantities, spec.lower, spec.upper, spec.name));
      constraints.back().place = spec.place;
      return;
    default:
      break;
  }
  if (spec.link != "all") {
    const int link = find_link(robot, spec.link, spec.name, spec.place);
    constraints.push_back({spec.name, form_of_link(spec, link), spec.place});
    return;
  }
  for (int link = 0; link < robot.size(); ++link)
    constraints.push_back(
        {fmt::format("{} {}", spec.name, quantities.link_name(link)), form_of_link(spec, link), spec.place});
}

// Of load_stribeck: both shares and their sum, which is that at rest; the velocity within its tangent's reach.
void add_shares(const FrictionModel& model, const std::vector<std::string>& tangents,
                const Quantities& quantities, std::vector<Constraint>& out) {
  const bool peak = model.load == LoadFriction::stribeck;
  const double values[] = {peak ? model.load_mean : model.driving, peak ? model.load_peak : model.driven};
  for (std::size_t s = 0; s < tangents.size(); ++s) {
    if (quantities.column(tangents[s]) < 0) continue;
    if (s == 2)
      out.push_back({tangents[s] + " within its reach", Bound{tangents[s], -kShapeReach, kShapeReach}, {}});
    else
      out.push_back({tangents[s] + " leaves a share of the load",
                     Bound{tangents[s], -values[s], kLargestShare - values[s]},
                     {}});
    if (peak && s == 1)
      out.push_back(
          {tangents[0] + " and " + tangents[1] + " leave a share of the load",
           Combination{
               {{tangents[0], 1}, {tangents[1], 1}}, -kInfinity, kLargestShare - values[0] - values[1]},
           {}});
  }
}

// Fitted shapes of friction stay what they are: a gear takes a share of its load, at least nothing and less than all; a velocity
// changes by no more than its tangent reaches. A tangent's coefficient is height · δ.
void add_shapes(const FrictionForms& friction, const Quantities& quantities, std::vector<Constraint>& out) {
  for (std::size_t k = 0; k < friction.models.size(); ++k) {
    const FrictionModel& model = friction.models[k];
    const int number = friction.joints[k].number;
    const std::string height = friction_column(model.form, number);
    for (const std::string& tangent : tangent_columns(model.form, number)) {
      if (quantities.column(tangent) < 0) continue;
      const double reach = tangent.ends_with(".shift") ? 1 / model.slope : kShapeReach;
      out.push_back({tangent + " within its reach upwards",
                     Combination{{{height, reach}, {tangent, -1}}, 0, kInfinity},
                     {}});
      out.push_back({tangent + " within its reach downwards",
                     Combination{{{height, reach}, {tangent, 1}}, 0, kInfinity},
                     {}});
    }
    add_shares(model, load_tangents(model.load, number), quantities, out);
  }
}

}  // namespace

int find_link(const Robot& robot, const std::string& link, const std::string& constraint,
              const Place& place) {
  int number = 0;
  const auto [end, error] = std::from_chars(link.data(), link.data() + link.size(), number);
  if (error == std::errc() && end == link.data() + link.size() && number >= 1 && number <= robot.size())
    return number - 1;
  if (const int found = robot.index_of(link); found >= 0) return found;
  std::vector<std::string> known;
  for (const Joint& joint : robot.joints) known.push_back(joint.link);
  const auto near = nearest(link, known);
  throw InputError({fmt::format("constraint '{}' refers to link '{}'", constraint, link), place,
                    fmt::format("1 to {}, a link or a joint of the robot", robot.size()),
                    near ? fmt::format("did you mean '{}'?", *near) : "name a link"});
}

std::vector<Constraint> make_constraints(const Setup& setup, const FeasibleSpec& spec,
                                         const Quantities& quantities) {
  const Robot& robot = setup.robot;
  std::vector<Constraint> constraints = physical_constraints(robot, quantities, spec.physical);
  if (spec.physical.drives) add_shapes(setup.friction, quantities, constraints);
  for (const ConstraintSpec& item : spec.constraints) add_constraint(item, robot, quantities, constraints);
  validate(constraints, quantities);
  return constraints;
}

}  // namespace steelyard
