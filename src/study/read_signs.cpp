#include <fmt/format.h>

#include "steelyard/study/study_yaml.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

void read_sign_segments(const YamlContext& context, const YamlFields& fields, SignsSpec& spec) {
  SegmentOptions& segments = spec.segments;
  if (const YamlNode* filter = fields.find("filter")) {
    const YamlFields options(context, *filter, "filter", {"order", "cutoff"});
    if (const YamlNode* order = options.find("order"))
      segments.filter.order = static_cast<int>(to_count(context, *order, "order"));
    segments.filter.cutoff = to_number(context, options.at("cutoff"), "cutoff");
  }
  if (fields.has("threshold") && fields.has("threshold_effort"))
    context.fail(fields.at("threshold_effort"), "both 'threshold' and 'threshold_effort'", "one of them",
                 "remove one");
  for (const char* key : {"threshold", "threshold_effort"})
    if (const YamlNode* node = fields.find(key)) {
      const std::vector<double> numbers = to_numbers(context, *node, key);
      segments.threshold = Eigen::Map<const VectorXd>(numbers.data(), static_cast<Index>(numbers.size()));
      segments.relative = std::string(key) == "threshold";
    }
  if (const YamlNode* node = fields.find("shortest"))
    segments.shortest = static_cast<Index>(to_count(context, *node, "shortest"));
  if (const YamlNode* node = fields.find("low_minimum"))
    segments.low_minimum = to_number(context, *node, "low_minimum");
  if (const YamlNode* node = fields.find("trim"))
    segments.trim = static_cast<Index>(to_count(context, *node, "trim"));
  if (const YamlNode* node = fields.find("reversals")) {
    segments.at_reversals = to_bool(context, *node, "reversals");
    spec.reversals_given = true;
  }
}

KnownSign read_known_sign(const YamlContext& context, const YamlNode& node) {
  const YamlFields fields(context, node, "known", {"run", "joint", "from", "to", "sign"});
  KnownSign known;
  known.place = context.place(node);
  if (const YamlNode* run = fields.find("run")) known.run = to_text(context, *run, "run");
  known.joint = to_text(context, fields.at("joint"), "joint");
  known.range.begin = static_cast<Index>(to_count(context, fields.at("from"), "from"));
  known.range.end = static_cast<Index>(to_count(context, fields.at("to"), "to"));
  const double sign = to_number(context, fields.at("sign"), "sign");
  if (sign != 1 && sign != -1)
    context.fail(fields.at("sign"), fmt::format("sign {} of a segment", sign), "1 or -1", "correct the sign");
  known.sign = sign < 0 ? -1 : 1;
  return known;
}

CompleteSigns read_complete(const YamlContext& context, const YamlNode& node) {
  constexpr CompleteSigns kWays[] = {CompleteSigns::none, CompleteSigns::decided, CompleteSigns::automatic,
                                     CompleteSigns::guess};
  return kWays[to_choice(context, node, "complete", {"none", "decided", "auto", "guess"})];
}

SignGainsSpec read_sign_gains(const YamlContext& context, const YamlNode& node) {
  SignGainsSpec spec;
  spec.place = context.place(node);
  if (node.kind != YamlNode::Kind::map) {
    to_choice(context, node, "gains", {"unknown"});
    return spec;
  }
  const YamlFields fields(context, node, "gains", {"a_priori", "fixed"});
  if (const YamlNode* values = fields.find("a_priori")) {
    const std::vector<double> numbers = to_numbers(context, *values, "a_priori");
    for (const double number : numbers)
      if (number == 0)
        context.fail(*values, "an a-priori gain is zero", "numbers other than zero",
                     "give what the data sheet says, or leave `a_priori` out");
    spec.a_priori = Eigen::Map<const VectorXd>(numbers.data(), static_cast<Index>(numbers.size()));
  }
  if (const YamlNode* joint = fields.find("fixed")) spec.fixed = to_text(context, *joint, "fixed");
  return spec;
}

}  // namespace

SignsSpec read_signs_section(const YamlContext& context, const YamlNode& node) {
  const YamlFields fields(
      context, node, "signs",
      {"filter", "threshold", "threshold_effort", "shortest", "low_minimum", "trim", "reversals", "with_sign",
       "known", "nodes", "fits", "seconds", "reweigh", "complete", "gains"});
  SignsSpec spec;
  read_sign_segments(context, fields, spec);
  if (const YamlNode* joints = fields.find("with_sign"))
    for (const YamlNode& joint : to_list(context, *joints, "with_sign"))
      spec.with_sign.push_back(to_text(context, joint, "with_sign"));
  if (const YamlNode* known = fields.find("known"))
    for (const YamlNode& item : to_list(context, *known, "known"))
      spec.known.push_back(read_known_sign(context, item));
  if (const YamlNode* nodes = fields.find("nodes"))
    spec.search.most_nodes = to_count(context, *nodes, "nodes");
  if (const YamlNode* fits = fields.find("fits"))
    spec.search.most_fits = static_cast<int>(to_count(context, *fits, "fits"));
  if (const YamlNode* seconds = fields.find("seconds"))
    spec.search.most_seconds = to_number(context, *seconds, "seconds");
  if (const YamlNode* reweigh = fields.find("reweigh"))
    spec.reweigh = static_cast<int>(to_count(context, *reweigh, "reweigh"));
  if (const YamlNode* complete = fields.find("complete")) spec.complete = read_complete(context, *complete);
  if (const YamlNode* gains = fields.find("gains")) spec.gains = read_sign_gains(context, *gains);
  validate_at(context, node, spec.segments);
  validate_at(context, node, spec.search);
  return spec;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
