// Signs of efforts logged without: `signs`.
#include "result/json_node.hpp"
#include "result/json_parts.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

void write_sign_gain(JsonWriter& json, const SignGain& gain) {
  json.begin_object();
  json.key("name").value(gain.joint);
  json.key("value").value(gain.value);
  json.key("a_priori").value(gain.a_priori);
  if (gain.sigma) json.key("sigma").value(*gain.sigma);
  if (gain.interval) {
    json.key("interval").begin_flat_array();
    json.value(gain.interval->first);
    json.value(gain.interval->second);
    json.end_array();
  }
  json.key("status").value(gain.status);
  json.end_object();
}

SignGain read_sign_gain(const JsonNode& node) {
  SignGain gain;
  gain.joint = node.at("name").text();
  gain.value = node.at("value").number();
  gain.a_priori = node.at("a_priori").number();
  gain.sigma = node.optional_number("sigma");
  gain.status = node.at("status").text();
  if (!node.has("interval")) return gain;
  const std::vector<double> ends = node.list("interval", [](const JsonNode& end) { return end.number(); });
  if (ends.size() != 2) node.at("interval").refuse("has not two ends");
  gain.interval = {ends[0], ends[1]};
  return gain;
}

}  // namespace

void write_signs(JsonWriter& json, const SignsSummary& signs) {
  json.key("signs").begin_object();
  json.key("certified").value(signs.certified);
  json.key("kept_share").value(signs.kept_share);
  json.key("decided_share").value(signs.decided_share);
  json.key("cost").value(signs.cost);
  json.key("lower_bound").value(signs.lower_bound);
  json.key("nodes").value(signs.nodes);
  json.key("fits").value(signs.fits);
  if (signs.completed) {
    json.key("completed").begin_object();
    json.key("used").value(signs.completed->used);
    json.key("guessed").begin_array();
    for (const std::string& joint : signs.completed->guessed) json.value(joint);
    json.end_array();
    json.key("sure_share").value(signs.completed->sure_share);
    json.key("held_out").value(signs.completed->held_out);
    json.key("held_out_segments").value(signs.completed->held_out_segments);
    json.end_object();
  }
  if (!signs.gains.empty()) {
    json.key("gains").begin_array();
    for (const SignGain& gain : signs.gains) write_sign_gain(json, gain);
    json.end_array();
  }
  json.key("segments").begin_array();
  for (const SegmentSummary& segment : signs.segments) {
    json.begin_object();
    json.key("run").value(segment.run);
    json.key("joint").value(segment.joint);
    json.key("from").value(segment.from);
    json.key("to").value(segment.to);
    json.key("start").value(segment.start);
    json.key("end").value(segment.end);
    json.key("sign").value(static_cast<std::int64_t>(segment.sign));
    if (segment.confidence) json.key("confidence").value(*segment.confidence);
    json.key("decided").value(segment.decided);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

SignsSummary read_signs(const JsonNode& node) {
  SignsSummary signs;
  signs.certified = node.at("certified").text();
  signs.kept_share = node.at("kept_share").number();
  signs.decided_share = node.at("decided_share").number();
  signs.cost = node.at("cost").number();
  signs.lower_bound = node.at("lower_bound").number();
  signs.nodes = node.at("nodes").integer<std::int64_t>();
  signs.fits = node.at("fits").integer<std::int64_t>();
  if (node.has("completed")) {
    const JsonNode completed = node.at("completed");
    CompletedSummary& own = signs.completed.emplace();
    own.used = completed.at("used").truth();
    own.guessed = completed.texts("guessed");
    own.sure_share = completed.at("sure_share").number();
    own.held_out = completed.at("held_out").number();
    own.held_out_segments = completed.at("held_out_segments").number();
  }
  if (node.has("gains")) signs.gains = node.list("gains", read_sign_gain);
  signs.segments = node.list("segments", [](const JsonNode& item) {
    SegmentSummary segment;
    segment.run = item.at("run").text();
    segment.joint = item.at("joint").text();
    segment.from = item.at("from").integer<std::int64_t>();
    segment.to = item.at("to").integer<std::int64_t>();
    segment.start = item.at("start").number();
    segment.end = item.at("end").number();
    segment.sign = item.at("sign").number() < 0 ? -1 : 1;
    segment.confidence = item.optional_number("confidence");
    segment.decided = item.at("decided").truth();
    return segment;
  });
  return signs;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
