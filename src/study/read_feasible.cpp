// The section `feasible` of a study.
#include <fmt/format.h>

#include <cmath>

#include "steelyard/study/study_yaml.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
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
constexpr const char* kLimits[] = {"at_least", "at_most", "between", "equal"};

Interval bounds_of(const YamlContext& context, const YamlNode& node, const std::string& name) {
  return to_interval(context, node, fmt::format("bounds of constraint '{}'", name));
}

// at_least, at_most, between, equal beside the kind.
void read_limits(const YamlContext& context, const YamlFields& fields, ConstraintSpec& spec) {
  if (const YamlNode* node = fields.find("between")) {
    const Interval interval = bounds_of(context, *node, spec.name);
    spec.lower = interval.lower;
    spec.upper = interval.upper;
  }
  if (const YamlNode* node = fields.find("at_least")) spec.lower = to_number(context, *node, "at_least");
  if (const YamlNode* node = fields.find("at_most")) spec.upper = to_number(context, *node, "at_most");
  if (const YamlNode* node = fields.find("equal"))
    spec.lower = spec.upper = to_number(context, *node, "equal");
  if (spec.lower > spec.upper)
    context.fail(
        fields.map(),
        fmt::format("constraint '{}': at least {:g} and at most {:g}", spec.name, spec.lower, spec.upper),
        "lower <= upper", "swap the two numbers");
  if (!std::isfinite(spec.lower) && !std::isfinite(spec.upper))
    context.fail(fields.map(), fmt::format("constraint '{}' has no limit", spec.name),
                 "at_least, at_most, between or equal", "give one");
}

void read_combination(const YamlContext& context, const YamlNode& node, ConstraintSpec& spec) {
  if (node.kind != YamlNode::Kind::map || node.items.empty())
    context.fail(node, fmt::format("combination of constraint '{}' is {}", spec.name, to_string(node.kind)),
                 "quantity: factor", "write `combination: {m3: 1, m4: 1}`");
  for (std::size_t k = 0; k < node.items.size(); ++k)
    spec.terms.emplace_back(node.keys[k].text, to_number(context, node.items[k], node.keys[k].text));
}

void read_com_box(const YamlContext& context, const YamlNode& node, ConstraintSpec& spec) {
  const YamlFields fields(context, node, "com_box", {"link", "x", "y", "z"});
  spec.link = to_text(context, fields.at("link"), "link");
  spec.first.setConstant(-kInfinity);
  spec.second.setConstant(kInfinity);
  const char* axes[] = {"x", "y", "z"};
  for (int k = 0; k < 3; ++k)
    if (const YamlNode* axis = fields.find(axes[k])) {
      const Interval interval = bounds_of(context, *axis, spec.name);
      spec.first[k] = interval.lower;
      spec.second[k] = interval.upper;
    }
}

void read_com_ellipsoid(const YamlContext& context, const YamlNode& node, ConstraintSpec& spec) {
  const YamlFields fields(context, node, "com_ellipsoid", {"link", "centre", "half_axes"});
  spec.link = to_text(context, fields.at("link"), "link");
  if (const YamlNode* centre = fields.find("centre")) spec.first = to_vector(context, *centre, "centre", 3);
  spec.second = to_vector(context, fields.at("half_axes"), "half_axes", 3);
  if (spec.second.minCoeff() <= 0)
    context.fail(fields.at("half_axes"),
                 fmt::format("constraint '{}' has a half axis of {:g} m", spec.name, spec.second.minCoeff()),
                 "above 0", "give half of the ellipsoid's extents");
}

void read_com_mesh(const YamlContext& context, const YamlNode& node, const std::string& folder,
                   ConstraintSpec& spec) {
  const YamlFields fields(context, node, "com_mesh", {"link", "file", "scale", "xyz", "rpy"});
  spec.link = to_text(context, fields.at("link"), "link");
  spec.path = resolve_path(context, fields.at("file"), folder);
  spec.path_as_written = to_text(context, fields.at("file"), "file");
  if (const YamlNode* scale = fields.find("scale")) spec.scale = to_number(context, *scale, "scale");
  if (!(spec.scale > 0))
    context.fail(node, fmt::format("constraint '{}' scales its mesh by {:g}", spec.name, spec.scale),
                 "above 0", "0.001 for millimetres");
  if (const YamlNode* xyz = fields.find("xyz")) spec.first = to_vector(context, *xyz, "xyz", 3);
  if (const YamlNode* rpy = fields.find("rpy")) spec.second = to_vector(context, *rpy, "rpy", 3);
}

// body: {link, margin}, triangle: {link, about}, inertia_floor: {link, at_least}.
void read_link_law(const YamlContext& context, const YamlNode& node, ConstraintSpec& spec) {
  const char* owner = spec.kind == ConstraintKind::body       ? "body"
                      : spec.kind == ConstraintKind::triangle ? "triangle"
                                                              : "inertia_floor";
  const char* extra = spec.kind == ConstraintKind::body       ? "margin"
                      : spec.kind == ConstraintKind::triangle ? "about"
                                                              : "at_least";
  const YamlFields fields(context, node, owner, {"link", extra});
  spec.link = to_text(context, fields.at("link"), "link");
  const YamlNode* value = spec.kind == ConstraintKind::inertia_floor ? &fields.at(extra) : fields.find(extra);
  if (value == nullptr) return;
  if (spec.kind == ConstraintKind::triangle)
    spec.about_com = to_choice(context, *value, "about", {"com", "origin"}) == 0;
  else
    spec.amount = to_number(context, *value, extra);
}

// The one kind that a constraint has; its node.
const YamlNode& kind_of(const YamlContext& context, const YamlFields& fields, ConstraintSpec& spec) {
  const YamlNode* found = nullptr;
  for (const auto& [key, kind] : kKinds)
    if (const YamlNode* node = fields.find(key)) {
      if (found != nullptr)
        context.fail(*node, fmt::format("'{}' is a second kind in one constraint", key), "one kind",
                     "write two constraints");
      found = node;
      spec.kind = kind;
    }
  if (found == nullptr)
    context.fail(
        fields.map(), "constraint without a kind",
        "bound, combination, expression, total_mass, body, triangle, inertia_floor, com_box, com_ellipsoid "
        "or com_mesh",
        "say what is bounded");
  return *found;
}

std::string default_name(const ConstraintSpec& spec, const YamlNode& node, std::size_t number) {
  switch (spec.kind) {
    case ConstraintKind::total_mass:
      return "total mass";
    case ConstraintKind::bound:
      return fmt::format("study bound {}", node.text);
    default:
      return fmt::format("constraint {}", number);
  }
}

ConstraintSpec read_constraint(const YamlContext& context, const YamlNode& node, const std::string& folder,
                               std::size_t number) {
  std::vector<std::string> keys = {"name"};
  for (const auto& [key, kind] : kKinds) keys.emplace_back(key);
  keys.insert(keys.end(), std::begin(kLimits), std::end(kLimits));
  const YamlFields fields(context, node, "constraint", keys);
  ConstraintSpec spec;
  const YamlNode& what = kind_of(context, fields, spec);
  const YamlNode* name = fields.find("name");
  spec.name = name != nullptr ? to_text(context, *name, "name") : default_name(spec, what, number);
  spec.place = context.place(node);
  const bool limited = spec.kind == ConstraintKind::bound || spec.kind == ConstraintKind::combination ||
                       spec.kind == ConstraintKind::expression;
  for (const char* key : kLimits)
    if (const YamlNode* limit = fields.find(key); limit != nullptr && !limited)
      context.fail(*limit, fmt::format("constraint '{}' takes no '{}'", spec.name, key), "", "leave it out");
  switch (spec.kind) {
    case ConstraintKind::bound:
    case ConstraintKind::expression:
      spec.text = to_text(context, what, "quantity or expression");
      break;
    case ConstraintKind::combination:
      read_combination(context, what, spec);
      break;
    case ConstraintKind::total_mass: {
      const Interval interval = bounds_of(context, what, spec.name);
      spec.lower = interval.lower;
      spec.upper = interval.upper;
      break;
    }
    case ConstraintKind::com_box:
      read_com_box(context, what, spec);
      break;
    case ConstraintKind::com_ellipsoid:
      read_com_ellipsoid(context, what, spec);
      break;
    case ConstraintKind::com_mesh:
      read_com_mesh(context, what, folder, spec);
      break;
    case ConstraintKind::body:
    case ConstraintKind::triangle:
    case ConstraintKind::inertia_floor:
      read_link_law(context, what, spec);
  }
  if (limited) read_limits(context, fields, spec);
  return spec;
}

// `torque`, `base`, or `base: {weight: covariance, relative_sigma_below: 0.25}`.
void read_objective(const YamlContext& context, const YamlNode& node, FeasibleSpec& spec) {
  if (node.kind == YamlNode::Kind::scalar) {
    spec.fits_torque = to_choice(context, node, "objective", {"torque", "base"}) == 0;
    return;
  }
  const YamlFields fields(context, node, "objective", {"base"});
  const YamlFields base(context, fields.at("base"), "base", {"weight", "relative_sigma_below"});
  spec.fits_torque = false;
  if (const YamlNode* weight = base.find("weight"))
    spec.coefficients.by_covariance = to_choice(context, *weight, "weight", {"equal", "covariance"}) == 1;
  if (const YamlNode* limit = base.find("relative_sigma_below")) {
    spec.coefficients.most_relative_sigma = to_number(context, *limit, "relative_sigma_below");
    if (!(spec.coefficients.most_relative_sigma > 0))
      context.fail(*limit, "limit of relative deviations is not positive", "above 0",
                   "0.25 leaves out above 25 %");
  }
}

PullSpec read_pull(const YamlContext& context, const YamlNode& node) {
  PullSpec pull;
  const YamlFields fields(context, node, "pull", {"towards", "weight", "kind", "links"});
  to_choice(context, fields.at("towards"), "pull", {"robot"});
  pull.place = context.place(node);
  pull.weight = to_number(context, fields.at("weight"), "weight");
  if (!(pull.weight > 0))
    context.fail(node, "weight of the pull is not positive", "above 0", "give a positive weight");
  if (const YamlNode* kind = fields.find("kind"))
    pull.kind = to_choice(context, *kind, "kind", {"euclidean", "divergence"}) == 0 ? PullKind::euclidean
                                                                                    : PullKind::divergence;
  if (const YamlNode* links = fields.find("links"))
    for (const YamlNode& link : to_list(context, *links, "links"))
      pull.links.push_back(to_text(context, link, "link"));
  return pull;
}

void read_proven(const YamlContext& context, const YamlNode& node, FeasibleSpec& spec) {
  double level = 0.95;
  if (node.kind == YamlNode::Kind::scalar) {
    if (to_bool(context, node, "intervals")) spec.interval_level = level;
    return;
  }
  const YamlFields fields(context, node, "intervals", {"level", "joint_forces"});
  if (const YamlNode* given = fields.find("level")) level = to_number(context, *given, "level");
  if (!(level > 0) || level >= 1)
    context.fail(node, fmt::format("level {:g}", level), "between 0 and 1", "0.95 is usual");
  spec.interval_level = level;
  if (const YamlNode* forces = fields.find("joint_forces"))
    spec.joint_forces = to_bool(context, *forces, "joint_forces");
}

void read_physical(const YamlContext& context, const YamlFields& fields, PhysicalOptions& physical) {
  if (const YamlNode* margin = fields.find("margin")) {
    physical.margin = to_number(context, *margin, "margin");
    if (physical.margin < 0 || physical.margin >= 1)
      context.fail(*margin, fmt::format("margin {:g}", physical.margin), "0 to below 1", "1e-6 is usual");
  }
  if (const YamlNode* node = fields.find("bodies")) physical.bodies = to_bool(context, *node, "bodies");
  if (const YamlNode* node = fields.find("drives")) physical.drives = to_bool(context, *node, "drives");
  if (const YamlNode* node = fields.find("robot_bounds"))
    physical.robot_bounds = to_bool(context, *node, "robot_bounds");
}

}  // namespace

const char* to_string(ConstraintKind kind) {
  for (const auto& [key, value] : kKinds)
    if (value == kind) return key;
  return "unknown";
}

FeasibleSpec read_feasible_section(const YamlContext& context, const YamlNode& node,
                                   const std::string& folder) {
  const YamlFields fields(context, node, "feasible",
                          {"method", "objective", "margin", "bodies", "drives", "robot_bounds", "constraints",
                           "pull", "intervals", "starts"});
  FeasibleSpec spec;
  spec.place = context.place(node);
  if (const YamlNode* method = fields.find("method")) {
    constexpr FeasibleMethod kMethods[] = {FeasibleMethod::automatic, FeasibleMethod::convex,
                                           FeasibleMethod::penalty, FeasibleMethod::annealing};
    spec.method = kMethods[to_choice(context, *method, "method", {"auto", "convex", "penalty", "annealing"})];
  }
  if (const YamlNode* objective = fields.find("objective")) read_objective(context, *objective, spec);
  read_physical(context, fields, spec.physical);
  if (const YamlNode* constraints = fields.find("constraints"))
    for (const YamlNode& item : to_list(context, *constraints, "constraints"))
      spec.constraints.push_back(read_constraint(context, item, folder, spec.constraints.size() + 1));
  if (const YamlNode* pull = fields.find("pull")) spec.pull = read_pull(context, *pull);
  if (const YamlNode* intervals = fields.find("intervals")) read_proven(context, *intervals, spec);
  if (const YamlNode* starts = fields.find("starts")) {
    spec.random_starts = static_cast<int>(to_count(context, *starts, "starts"));
    if (spec.random_starts > 10000)
      context.fail(*starts, fmt::format("{} starts", spec.random_starts), "at most 10000", "8 is usual");
  }
  return spec;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
