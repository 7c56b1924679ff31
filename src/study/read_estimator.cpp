// Section `estimate` of a study: the method, its own options, essential parameters.
#include <fmt/format.h>

#include "steelyard/study/study_yaml.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

struct Method {
  const char* name;
  Weighting weighting;
  bool single_rows;
  bool instruments;
};

constexpr Method kMethods[] = {
    {"ols", Weighting::none, false, false},
    {"wls", Weighting::by_row, false, false},
    {"irls", Weighting::by_row_iterated, false, false},
    {"irls_blocks", Weighting::by_row_and_block, false, false},
    {"huber", Weighting::by_row_and_block, true, false},
    {"iv", Weighting::by_row_iterated, false, true},
};

double positive(const YamlContext& context, const YamlNode& node, const char* what) {
  const double value = to_number(context, node, what);
  if (!(value > 0))
    context.fail(node, fmt::format("{} = {}", what, node.text), "above 0", "give a positive number");
  return value;
}

// false, true (ratio 30), a ratio, or {ratio: 30, keep: [m4]}.
std::optional<EssentialOptions> read_essential(const YamlContext& context, const YamlNode& node) {
  if (is_word(node, "false")) return std::nullopt;
  EssentialOptions options;
  if (is_word(node, "true")) return options;
  if (node.kind == YamlNode::Kind::scalar) {
    options.ratio = to_number(context, node, "essential");
  } else {
    const YamlFields fields(context, node, "essential", {"ratio", "keep"});
    if (const YamlNode* ratio = fields.find("ratio")) options.ratio = to_number(context, *ratio, "ratio");
    if (const YamlNode* keep = fields.find("keep"))
      for (const YamlNode& name : to_list(context, *keep, "keep"))
        options.keep.push_back(to_text(context, name, "keep"));
  }
  if (options.ratio < 1)
    context.fail(node, fmt::format("a ratio of {}", options.ratio), "at least 1", "10 to 30 is usual");
  return options;
}

InstrumentSpec read_instrument_options(const YamlContext& context, const YamlNode& node) {
  InstrumentSpec spec;
  const YamlFields fields(context, node, "instruments", {"cutoff", "bandwidth", "iterations"});
  if (const YamlNode* cutoff = fields.find("cutoff"); cutoff != nullptr && !is_word(*cutoff, "auto"))
    spec.cutoff = positive(context, *cutoff, "cutoff");
  if (const YamlNode* bandwidth = fields.find("bandwidth"))
    spec.bandwidth = positive(context, *bandwidth, "bandwidth");
  if (const YamlNode* iterations = fields.find("iterations"))
    spec.most_iterations = static_cast<int>(positive(context, *iterations, "iterations"));
  return spec;
}

RobustOptions read_robust_options(const YamlContext& context, const YamlNode& node) {
  RobustOptions options;
  const YamlFields fields(context, node, "huber", {"limit", "far", "passes"});
  if (const YamlNode* limit = fields.find("limit")) options.huber = positive(context, *limit, "limit");
  if (const YamlNode* far = fields.find("far")) options.far = positive(context, *far, "far");
  if (const YamlNode* passes = fields.find("passes"))
    options.most_passes = static_cast<int>(positive(context, *passes, "passes"));
  if (!(options.far > options.huber))
    context.fail(node, fmt::format("far = {} and limit = {}", options.far, options.huber), "far above limit",
                 "");
  return options;
}

}  // namespace

void read_estimator(const YamlContext& context, const YamlFields& fields, Study& study) {
  if (const YamlNode* node = fields.find("method")) {
    const int chosen =
        to_choice(context, *node, "method", {"ols", "wls", "irls", "irls_blocks", "huber", "iv"});
    const Method& method = kMethods[chosen];
    study.estimate.weighting = method.weighting;
    study.estimator.single_rows = method.single_rows;
    study.estimator.instruments = method.instruments;
  }
  if (const YamlNode* node = fields.find("essential"))
    study.estimator.essential = read_essential(context, *node);
  if (const YamlNode* node = fields.find("instruments"))
    study.estimator.instrument = read_instrument_options(context, *node);
  if (const YamlNode* node = fields.find("huber"))
    study.estimator.robust = read_robust_options(context, *node);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
