#include <fmt/format.h>

#include "steelyard/study/study_yaml.hpp"
#include "study/read_elastic.hpp"
#include "study/read_gains.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

VectorXd to_list_of_numbers(const YamlContext& context, const YamlNode& node, const std::string& what) {
  const std::vector<double> numbers = to_numbers(context, node, what);
  return Eigen::Map<const VectorXd>(numbers.data(), static_cast<Index>(numbers.size()));
}

void set_list(const YamlContext& context, const YamlFields& fields, const char* key, VectorXd& target) {
  if (const YamlNode* node = fields.find(key)) target = to_list_of_numbers(context, *node, key);
}

void set_number(const YamlContext& context, const YamlFields& fields, const char* key, double& target) {
  if (const YamlNode* node = fields.find(key)) target = to_number(context, *node, key);
}

MatrixXd to_matrix(const YamlContext& context, const YamlNode& node, const std::string& what) {
  const std::vector<YamlNode>& rows = to_list(context, node, what);
  MatrixXd matrix;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const VectorXd row = to_list_of_numbers(context, rows[r], fmt::format("row {} of {}", r + 1, what));
    if (r == 0) matrix.resize(static_cast<Index>(rows.size()), row.size());
    if (row.size() != matrix.cols())
      context.fail(rows[r], fmt::format("row {} of {} has {} entries", r + 1, what, row.size()),
                   fmt::format("{} as in the first row", matrix.cols()), "give all rows the same length");
    matrix.row(static_cast<Index>(r)) = row.transpose();
  }
  return matrix;
}

std::variant<FourierSeries, RestToRest> read_fourier(const YamlContext& context, const YamlNode& node) {
  const YamlFields fields(context, node, "fourier",
                          {"omega", "a", "b", "q0", "duration", "lead", "start", "finish"});
  FourierSeries series;
  series.omega = to_number(context, fields.at("omega"), "omega");
  series.a = to_matrix(context, fields.at("a"), "a");
  series.b = to_matrix(context, fields.at("b"), "b");
  series.q0 = to_list_of_numbers(context, fields.at("q0"), "q0");
  set_number(context, fields, "duration", series.duration);
  if (!fields.has("lead")) {
    for (const char* end : {"start", "finish"})
      if (fields.has(end))
        context.fail(fields.at(end), fmt::format("{} without a lead-in", end), "", "add `lead:` in seconds");
    return series;
  }
  RestToRest motion;
  motion.series = series;
  set_number(context, fields, "lead", motion.lead);
  set_list(context, fields, "start", motion.start);
  set_list(context, fields, "finish", motion.finish);
  return motion;
}

RandomMotion read_random(const YamlContext& context, const YamlNode& node, std::uint64_t& seed) {
  const YamlFields fields(
      context, node, "multi_sine",
      {"harmonics", "period", "duration", "center", "reach", "velocity", "acceleration", "seed"});
  RandomMotion motion;
  if (const YamlNode* harmonics = fields.find("harmonics"))
    motion.harmonics = static_cast<int>(to_count(context, *harmonics, "harmonics"));
  set_number(context, fields, "period", motion.period);
  set_number(context, fields, "duration", motion.duration);
  motion.center = to_list_of_numbers(context, fields.at("center"), "center");
  motion.reach = to_list_of_numbers(context, fields.at("reach"), "reach");
  set_list(context, fields, "velocity", motion.velocity);
  set_list(context, fields, "acceleration", motion.acceleration);
  if (const YamlNode* node_seed = fields.find("seed")) seed = to_count(context, *node_seed, "seed");
  return motion;
}

PointToPoint read_points(const YamlContext& context, const YamlNode& node) {
  const YamlFields fields(context, node, "points",
                          {"points", "velocity", "acceleration", "jerk", "dwell", "time"});
  PointToPoint moves;
  for (const YamlNode& point : to_list(context, fields.at("points"), "points"))
    moves.points.push_back(to_list_of_numbers(context, point, "point"));
  set_list(context, fields, "time", moves.time);
  if (moves.time.size() == 0) {
    moves.velocity = to_list_of_numbers(context, fields.at("velocity"), "velocity");
    moves.acceleration = to_list_of_numbers(context, fields.at("acceleration"), "acceleration");
  }
  set_list(context, fields, "jerk", moves.jerk);
  set_list(context, fields, "dwell", moves.dwell);
  return moves;
}

void read_motion(const YamlContext& context, const YamlNode& node, SimulationSpec& spec) {
  const YamlFields fields(context, node, "motion", {"fourier", "multi_sine", "points"});
  if (node.keys.size() != 1)
    context.fail(node, fmt::format("motion has {} kinds", node.keys.size()),
                 "one of fourier, multi_sine, points", "keep one");
  if (const YamlNode* fourier = fields.find("fourier"))
    std::visit([&](auto&& motion) { spec.motion = motion; }, read_fourier(context, *fourier));
  if (const YamlNode* random = fields.find("multi_sine"))
    spec.motion = read_random(context, *random, spec.motion_seed);
  if (const YamlNode* points = fields.find("points")) spec.motion = read_points(context, *points);
}

// A quantity of the drives: one number for all joints, or one per joint.
void set_drives(const YamlContext& context, const YamlFields& fields, const char* key,
                std::vector<Drive>& drives, double& (*member)(Drive&)) {
  const YamlNode* node = fields.find(key);
  if (node == nullptr) return;
  const std::vector<double> numbers = to_numbers(context, *node, key);
  if (numbers.size() > 1 && drives.size() == 1) drives.resize(numbers.size(), drives[0]);
  if (numbers.size() != 1 && numbers.size() != drives.size())
    context.fail(*node, fmt::format("{} has {} entries", key, numbers.size()),
                 fmt::format("one, or {} as the other lists", drives.size()), "give one number per joint");
  for (std::size_t j = 0; j < drives.size(); ++j) member(drives[j]) = numbers[numbers.size() == 1 ? 0 : j];
}

void read_friction(const YamlContext& context, const YamlNode& node, std::vector<Drive>& drives) {
  const YamlFields fields(
      context, node, "friction",
      {"viscous", "coulomb", "offset", "coulomb_positive", "coulomb_negative", "sigmoid_height",
       "sigmoid_slope", "sigmoid_shift", "stribeck", "stribeck_velocity", "stribeck_exponent"});
  const auto set = [&](const char* key, double& (*member)(Drive&)) {
    set_drives(context, fields, key, drives, member);
  };
  set("viscous", [](Drive& d) -> double& { return d.friction.viscous; });
  set("coulomb", [](Drive& d) -> double& { return d.friction.coulomb; });
  set("offset", [](Drive& d) -> double& { return d.friction.offset; });
  set("coulomb_positive", [](Drive& d) -> double& { return d.friction.coulomb_positive; });
  set("coulomb_negative", [](Drive& d) -> double& { return d.friction.coulomb_negative; });
  set("sigmoid_height", [](Drive& d) -> double& { return d.friction.sigmoid_height; });
  set("sigmoid_slope", [](Drive& d) -> double& { return d.friction.sigmoid_slope; });
  set("sigmoid_shift", [](Drive& d) -> double& { return d.friction.sigmoid_shift; });
  set("stribeck", [](Drive& d) -> double& { return d.friction.stribeck; });
  set("stribeck_velocity", [](Drive& d) -> double& { return d.friction.stribeck_velocity; });
  set("stribeck_exponent", [](Drive& d) -> double& { return d.friction.stribeck_exponent; });
}

}  // namespace

void read_simulation(const YamlContext& context, const YamlNode& node, StudyRun& run) {
  std::vector<std::string> keys = {"motion",         "rate",     "friction",     "rotor_inertia",
                                   "position_noise", "quantum",  "effort_noise", "relative_effort_noise",
                                   "elastic",        "delay",    "jitter",       "stamp_noise",
                                   "repeat",         "velocity", "seed",         "effort_scale"};
  keys.insert(keys.end(), simulated_drive_keys().begin(), simulated_drive_keys().end());
  const YamlFields fields(context, node, "simulate", keys);
  SimulationSpec spec;
  read_motion(context, fields.at("motion"), spec);
  spec.drives.resize(1);
  if (const YamlNode* friction = fields.find("friction")) read_friction(context, *friction, spec.drives);
  set_drives(context, fields, "rotor_inertia", spec.drives,
             [](Drive& d) -> double& { return d.rotor_inertia; });
  read_simulated_drives(context, fields, spec);
  SimulateOptions& options = spec.options;
  options.label = run.file.label;
  set_number(context, fields, "rate", options.rate);
  set_list(context, fields, "position_noise", options.position_noise);
  set_list(context, fields, "quantum", options.quantum);
  set_list(context, fields, "effort_noise", options.effort_noise);
  set_list(context, fields, "relative_effort_noise", options.relative_effort_noise);
  set_list(context, fields, "effort_scale", options.effort_scale);
  set_number(context, fields, "delay", options.delay);
  set_number(context, fields, "jitter", options.jitter);
  set_number(context, fields, "stamp_noise", options.stamp_noise);
  set_number(context, fields, "repeat", options.repeat);
  if (const YamlNode* velocity = fields.find("velocity")) {
    constexpr VelocityChannel kChannels[] = {VelocityChannel::none, VelocityChannel::exact,
                                             VelocityChannel::from_positions};
    options.velocity =
        kChannels[to_choice(context, *velocity, "velocity", {"none", "exact", "from_positions"})];
  }
  if (const YamlNode* seed = fields.find("seed")) {
    options.seed = to_count(context, *seed, "seed");
    spec.own_seed = true;
  }
  if (const YamlNode* elastic = fields.find("elastic")) {
    spec.elastic = read_elastic_simulation(context, *elastic);
    for (const char* key : {"delay", "jitter", "stamp_noise", "repeat", "velocity", "effort_scale"})
      if (const YamlNode* other = fields.find(key))
        context.fail(*other, fmt::format("'{}' of a simulation with elastic joints", key), "none of these",
                     "remove it, or simulate stiff joints");
  }
  validate_at(context, node, options);
  run.simulation = std::move(spec);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
