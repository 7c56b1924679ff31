// What the page of web/ reads: the result as it is, the curves, the robot with its motions.
#include <algorithm>
#include <cmath>

#include "report/sections.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/json_writer.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

// Rotation by rows, then position: twelve numbers.
void write_pose(JsonWriter& json, const char* key, const Pose& pose) {
  json.key(key).begin_flat_array();
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) json.value(pose.rotation(r, c));
  for (int i = 0; i < 3; ++i) json.value(pose.position[i]);
  json.end_array();
}

void write_vector(JsonWriter& json, const char* key, const Vector3& vector) {
  json.key(key).begin_flat_array();
  for (int i = 0; i < 3; ++i) json.value(vector[i]);
  json.end_array();
}

void write_robot(JsonWriter& json, const Robot& robot) {
  const Coordinates coordinate = coordinates(robot);
  json.key("robot").begin_object();
  write_vector(json, "gravity", robot.gravity);
  write_pose(json, "base", to_pose(robot.base));
  write_pose(json, "tool", to_pose(robot.tool));
  json.key("tool_link").value(robot.tool_link < 0 ? robot.size() - 1 : robot.tool_link);
  json.key("joints").begin_array();
  for (int i = 0; i < robot.size(); ++i) {
    const Joint& joint = robot.joints[static_cast<std::size_t>(i)];
    json.begin_object();
    json.key("name").value(joint.name);
    json.key("link").value(joint.link);
    json.key("kind").value(joint.kind == JointKind::revolute ? "revolute" : "prismatic");
    json.key("parent").value(joint.parent);
    write_pose(json, "before", to_pose(joint.before));
    write_vector(json, "axis", joint.axis);
    write_pose(json, "after", to_pose(joint.after));
    if (std::isfinite(joint.limits.lower) && std::isfinite(joint.limits.upper)) {
      json.key("lower").value(joint.limits.lower);
      json.key("upper").value(joint.limits.upper);
    }
    if (std::isfinite(joint.limits.velocity)) json.key("velocity").value(joint.limits.velocity);
    json.key("coordinates").begin_flat_array();  // q = Σ c_k q_k + offset, over the independent joints
    for (Index k = 0; k < coordinate.matrix.cols(); ++k) json.value(coordinate.matrix(i, k));
    json.end_array();
    json.key("offset").value(coordinate.offset[i]);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

// Rounded to 1e-5 of the largest entry; what is not finite is a gap.
void write_list(JsonWriter& json, const std::vector<double>& list) {
  double largest = 0;
  for (const double number : list)
    if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
  const int digits = largest > 0 ? 5 - static_cast<int>(std::floor(std::log10(largest))) : 0;
  const double unit = std::pow(10.0, std::clamp(digits, 0, 300));
  json.begin_flat_array();
  for (const double number : list) {
    const double value = std::round(number * unit) / unit;
    std::isfinite(value) ? json.value(value) : json.null();
  }
  json.end_array();
}

// A page has room for so many positions of all its motions together: about 0.5 MB. One list has at least the second.
constexpr std::size_t kPositionsOfPage = 60000, kPositionsOfList = 100;

// Of the lists of all motions every so many entries are written.
std::size_t stride_of(const std::vector<RunMotion>& motions) {
  std::size_t all = 0, lists = 0, longest = 0;
  for (const RunMotion& motion : motions) {
    lists += motion.position.size() + 1;
    all += motion.time.size() * (motion.position.size() + 1);
    longest = std::max(longest, motion.time.size());
  }
  if (all <= kPositionsOfPage) return 1;
  const std::size_t each = std::max(kPositionsOfPage / lists, kPositionsOfList);
  return (longest + each - 1) / each;
}

std::vector<double> every(std::size_t stride, const std::vector<double>& list) {
  std::vector<double> kept;
  for (std::size_t k = 0; k < list.size(); k += stride) kept.push_back(list[k]);
  return kept;
}

void write_motion(JsonWriter& json, const RunMotion& motion, std::size_t stride) {
  json.begin_object();
  json.key("run").value(motion.run);
  json.key("time");
  write_list(json, every(stride, motion.time));
  json.key("position").begin_array();
  for (const std::vector<double>& list : motion.position) {
    require(list.size() == motion.time.size(), "the lists of a motion differ in length");
    write_list(json, every(stride, list));
  }
  json.end_array();
  json.end_object();
}

}  // namespace

std::string scene_data(const Scene& scene, const ReportOptions& options) {
  JsonWriter json(JsonStyle::compact);
  json.begin_object();
  json.key("command").value(options.command);
  if (scene.robot) write_robot(json, *scene.robot);
  json.key("motions").begin_array();
  const std::size_t stride = stride_of(scene.motions);
  for (const RunMotion& motion : scene.motions) write_motion(json, motion, stride);
  json.end_array();
  json.end_object();
  return json.text();
}

std::string web_data(const Result& result, const std::vector<EffortCurve>& curves,
                     const ReportOptions& options, const Scene& scene) {
  return "{\"result\":" + to_json(result) + ",\"curves\":" + curve_data(result, curves) +
         ",\"scene\":" + scene_data(scene, options) + "}";
}

}  // namespace steelyard
