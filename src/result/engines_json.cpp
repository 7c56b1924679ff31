// A log in physics engines: `engines`.
#include "result/json_node.hpp"
#include "result/json_parts.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

void write_pose(JsonWriter& json, const char* key, const PoseError& error) {
  json.key(key).begin_object();
  json.key("position_mean").value(error.position_mean);
  json.key("position_max").value(error.position_max);
  json.key("turn_mean").value(error.turn_mean);
  json.key("turn_max").value(error.turn_max);
  json.end_object();
}

PoseError read_pose(const JsonNode& node) {
  return {node.at("position_mean").number(), node.at("position_max").number(), node.at("turn_mean").number(),
          node.at("turn_max").number()};
}

void write_gain_list(JsonWriter& json, const char* key, const std::vector<double>& gains) {
  json.key(key).begin_flat_array();
  for (const double gain : gains) json.value(gain);
  json.end_array();
}

}  // namespace

void write_engines(JsonWriter& json, const std::vector<EngineCheck>& engines) {
  json.key("engines").begin_array();
  for (const EngineCheck& check : engines) {
    json.begin_object();
    json.key("engine").value(check.engine);
    json.key("run").value(check.run);
    if (check.drive_step) json.key("drive_step").value(*check.drive_step);
    json.key("joints").begin_array();
    for (const EngineJoint& joint : check.joints) {
      json.begin_object();
      json.key("joint").value(joint.joint);
      json.key("mean").value(joint.mean);
      json.key("rms").value(joint.rms);
      json.key("effort").value(joint.effort);
      json.key("ours").value(joint.ours);
      json.end_object();
    }
    json.end_array();
    if (check.followed && check.followed_heavier) {
      json.key("feedback").begin_object();
      write_gain_list(json, "stiffness", check.stiffness);
      write_gain_list(json, "damping", check.damping);
      json.key("step").value(check.follow_step);
      json.end_object();
      write_pose(json, "followed", *check.followed);
      json.key("heavier").value(check.heavier);
      write_pose(json, "followed_heavier", *check.followed_heavier);
    }
    json.end_object();
  }
  json.end_array();
}

EngineCheck read_engine(const JsonNode& node) {
  EngineCheck check;
  check.engine = node.at("engine").text();
  check.run = node.at("run").text();
  check.drive_step = node.optional_number("drive_step");
  check.joints = node.list("joints", [](const JsonNode& item) {
    return EngineJoint{item.at("joint").text(), item.at("mean").number(), item.at("rms").number(),
                       item.at("effort").number(), item.at("ours").number()};
  });
  if (node.has("followed")) {
    const auto number = [](const JsonNode& item) { return item.number(); };
    const JsonNode feedback = node.at("feedback");
    check.stiffness = feedback.list("stiffness", number);
    check.damping = feedback.list("damping", number);
    check.follow_step = feedback.at("step").number();
    check.followed = read_pose(node.at("followed"));
    check.heavier = node.at("heavier").number();
    check.followed_heavier = read_pose(node.at("followed_heavier"));
  }
  return check;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
