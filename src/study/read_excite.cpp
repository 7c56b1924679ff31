#include "study/read_excite.hpp"

#include <fmt/format.h>

#include "steelyard/study/study_yaml.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

class ExciteReader {
 public:
  ExciteReader(const YamlContext& context, std::string folder)
      : context_(context), folder_(std::move(folder)) {}

  ExciteSpec read(const YamlNode& node) {
    const YamlFields fields(
        context_, node, "excite",
        {"motion",     "duration",   "rate",     "output_rate", "harmonics",      "frequency",
         "lead",       "points",     "dwell",    "start",       "finish",         "limits",
         "usable",     "free_range", "noise",    "condition",   "starts",         "iterations",
         "time_limit", "workspace",  "friction", "folds",       "configurations", "payloads"});
    ExciteOptions& o = spec_.options;
    if (const YamlNode* kind = fields.find("motion"))
      o.kind = to_choice(context_, *kind, "motion", {"fourier", "points"}) == 0 ? MotionKind::fourier
                                                                                : MotionKind::points;
    number(fields, "duration", o.duration);
    number(fields, "rate", o.rate);
    spec_.output_rate = o.rate;
    number(fields, "output_rate", spec_.output_rate);
    if (!(spec_.output_rate > 0))
      context_.fail(node, fmt::format("output_rate = {}", spec_.output_rate), "above 0", "give it in Hz");
    count(fields, "harmonics", o.harmonics);
    number(fields, "frequency", o.frequency);
    number(fields, "lead", o.lead);
    count(fields, "points", o.points);
    number(fields, "dwell", o.dwell);
    if (const YamlNode* pose = fields.find("start")) o.start = list(*pose, "start");
    if (const YamlNode* pose = fields.find("finish")) o.finish = list(*pose, "finish");
    if (const YamlNode* limits = fields.find("limits")) read_limits(*limits);
    number(fields, "usable", o.usable);
    number(fields, "free_range", o.free_range);
    if (const YamlNode* noise = fields.find("noise")) o.noise = list(*noise, "noise");
    number(fields, "condition", o.most_condition);
    count(fields, "starts", o.starts);
    count(fields, "iterations", o.iterations);
    number(fields, "time_limit", o.time_limit);
    if (const YamlNode* workspace = fields.find("workspace")) read_workspace(*workspace);
    if (const YamlNode* friction = fields.find("friction")) read_prior_friction(*friction);
    if (const YamlNode* folds = fields.find("folds"))
      for (const YamlNode& file : to_list(context_, *folds, "folds"))
        spec_.folds.push_back(resolve_path(context_, file, folder_));
    if (const YamlNode* node_of = fields.find("configurations"))
      spec_.configurations = static_cast<Index>(to_count(context_, *node_of, "configurations"));
    if (const YamlNode* loads = fields.find("payloads")) {
      spec_.payloads = to_numbers(context_, *loads, "payloads");
      for (const double mass : spec_.payloads)
        if (!(mass > 0))
          context_.fail(*loads, fmt::format("a load of {} kg", mass), "above 0", "give masses");
    }
    return spec_;
  }

 private:
  void number(const YamlFields& fields, const char* key, double& target) const {
    if (const YamlNode* node = fields.find(key)) target = to_number(context_, *node, key);
  }
  void count(const YamlFields& fields, const char* key, int& target) const {
    if (const YamlNode* node = fields.find(key)) target = static_cast<int>(to_count(context_, *node, key));
  }
  VectorXd list(const YamlNode& node, const char* what) const {
    const std::vector<double> numbers = to_numbers(context_, node, what);
    return Eigen::Map<const VectorXd>(numbers.data(), static_cast<Index>(numbers.size()));
  }
  Vector3 point(const YamlNode& node, const char* what) const {
    return Vector3(to_vector(context_, node, what, 3));
  }

  void read_limits(const YamlNode& node) {
    for (const YamlNode& item : to_list(context_, node, "limits")) {
      const YamlFields fields(context_, item, "limits",
                              {"joint", "position", "velocity", "acceleration", "effort"});
      LimitOverride one;
      if (const YamlNode* joint = fields.find("joint")) one.joint = to_text(context_, *joint, "joint");
      if (const YamlNode* position = fields.find("position")) {
        const Interval range = to_interval(context_, *position, "position");
        one.limits.lower = range.lower, one.limits.upper = range.upper;
      }
      number(fields, "velocity", one.limits.velocity);
      number(fields, "acceleration", one.limits.acceleration);
      number(fields, "effort", one.limits.effort);
      spec_.limits.push_back(one);
    }
  }

  void read_workspace(const YamlNode& node) {
    const YamlFields fields(
        context_, node, "workspace",
        {"table", "half_spaces", "boxes", "capsules", "skeleton_radius", "tool_points", "clearance"});
    Workspace& workspace = spec_.options.workspace;
    if (const YamlNode* table = fields.find("table"))
      workspace.half_spaces.push_back(table_at(to_number(context_, *table, "table")));
    if (const YamlNode* spaces = fields.find("half_spaces"))
      for (const YamlNode& item : to_list(context_, *spaces, "half_spaces")) {
        const YamlFields one(context_, item, "half_spaces", {"name", "normal", "least"});
        workspace.half_spaces.push_back({to_text(context_, one.at("name"), "name"),
                                         point(one.at("normal"), "normal"),
                                         to_number(context_, one.at("least"), "least")});
      }
    if (const YamlNode* boxes = fields.find("boxes"))
      for (const YamlNode& item : to_list(context_, *boxes, "boxes")) {
        const YamlFields one(context_, item, "boxes", {"name", "lower", "upper"});
        workspace.boxes.push_back({to_text(context_, one.at("name"), "name"), point(one.at("lower"), "lower"),
                                   point(one.at("upper"), "upper")});
      }
    if (const YamlNode* capsules = fields.find("capsules"))
      for (const YamlNode& item : to_list(context_, *capsules, "capsules")) read_capsule(item);
    if (const YamlNode* points = fields.find("tool_points"))
      for (const YamlNode& item : to_list(context_, *points, "tool_points"))
        workspace.tool_points.push_back(point(item, "tool_points"));
    number(fields, "skeleton_radius", spec_.skeleton_radius);
    number(fields, "clearance", workspace.clearance);
  }

  void read_capsule(const YamlNode& item) {
    const YamlFields one(context_, item, "capsules", {"name", "link", "from", "to", "radius"});
    CapsuleSpec spec;
    spec.link = to_text(context_, one.at("link"), "link");
    spec.capsule.name = one.has("name") ? to_text(context_, one.at("name"), "name") : spec.link;
    spec.capsule.from = point(one.at("from"), "from");
    spec.capsule.to = point(one.at("to"), "to");
    spec.capsule.radius = to_number(context_, one.at("radius"), "radius");
    spec_.capsules.push_back(spec);
  }

  void read_prior_friction(const YamlNode& node) {
    const YamlFields fields(context_, node, "friction", {"viscous", "coulomb"});
    if (const YamlNode* values = fields.find("viscous"))
      spec_.friction_viscous = to_numbers(context_, *values, "viscous");
    if (const YamlNode* values = fields.find("coulomb"))
      spec_.friction_coulomb = to_numbers(context_, *values, "coulomb");
  }

  const YamlContext& context_;
  std::string folder_;
  ExciteSpec spec_;
};

}  // namespace

ExciteSpec read_excite_section(const YamlContext& context, const YamlNode& node, const std::string& folder) {
  return ExciteReader(context, folder).read(node);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
