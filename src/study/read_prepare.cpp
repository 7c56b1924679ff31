#include <fmt/format.h>

#include "steelyard/study/study_yaml.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

double to_cutoff(const YamlContext& context, const YamlNode& node, const std::string& what) {
  const double cutoff = to_number(context, node, what);
  if (!(cutoff > 0))
    context.fail(node, fmt::format("{} is {} Hz", what, cutoff), "above 0, or `cutoff: auto`",
                 "leave `filter` out to use the log as it is");
  return cutoff;
}

// `cutoff` is the band of the rows. Without a filter on columns it is that of the positions; with one,
// positions are filtered an octave higher (or at `position_cutoff`), so that their filter does not bend the
// columns within the band.
void read_filter(const YamlContext& context, const YamlNode& node, bool columns, PrepareOptions& options) {
  const YamlFields fields(context, node, "filter", {"order", "cutoff", "position_cutoff"});
  FilterOptions filter;
  if (const YamlNode* order = fields.find("order")) {
    const std::uint64_t count = to_count(context, *order, "order");
    if (count < 1 || count > 10)
      context.fail(*order, fmt::format("a filter of order {}", count), "1 to 10", "4 is a good choice");
    filter.order = static_cast<int>(count);
  }
  filter.cutoff =
      is_word(fields.at("cutoff"), "auto") ? 1 : to_cutoff(context, fields.at("cutoff"), "cutoff");
  options.filter = filter;
  if (columns) {
    options.column_filter = filter;
    options.filter.cutoff = 2 * filter.cutoff;
  }
  if (const YamlNode* position = fields.find("position_cutoff"))
    options.filter.cutoff = to_cutoff(context, *position, "position_cutoff");
}

void read_resample(const YamlContext& context, const YamlNode& node, PrepareOptions& options) {
  if (is_word(node, "auto") || is_word(node, "cubic")) return;
  if (is_word(node, "linear")) {
    options.interpolation = Interpolation::linear;
    return;
  }
  options.rate = to_number(context, node, "resample");
  if (!(options.rate > 0))
    context.fail(node, fmt::format("resampling to {} Hz", options.rate),
                 "a rate above 0, auto, cubic or linear", "leave `resample` out to keep the rate of the log");
}

void read_reject(const YamlContext& context, const YamlNode& node, PrepareOptions& options) {
  const YamlFields fields(context, node, "reject", {"velocity_below"});
  if (const YamlNode* below = fields.find("velocity_below")) {
    const std::vector<double> limits = to_numbers(context, *below, "velocity_below");
    options.velocity_below = Eigen::Map<const VectorXd>(limits.data(), static_cast<Index>(limits.size()));
  }
}

}  // namespace

CutoffSpec read_cutoff(const YamlContext& context, const YamlNode& node) {
  CutoffSpec spec;
  const YamlFields fields = YamlFields(
      context, node, "prepare",
      {"resample", "filter", "columns", "differences", "velocity", "decimate", "reject", "trim", "chunk"});
  const YamlNode* filter = fields.find("filter");
  if (filter == nullptr) return spec;
  const YamlFields of_filter(context, *filter, "filter", {"order", "cutoff", "position_cutoff"});
  spec.automatic = is_word(of_filter.at("cutoff"), "auto");
  if (const YamlNode* position = of_filter.find("position_cutoff"))
    spec.position = to_number(context, *position, "position_cutoff");
  return spec;
}

IntervalSpec read_intervals(const YamlContext& context, const YamlNode& node) {
  IntervalSpec spec;
  const YamlFields fields(context, node, "intervals", {"level", "method", "replicates", "bias_check"});
  if (const YamlNode* level = fields.find("level")) {
    spec.level = to_number(context, *level, "level");
    if (!(spec.level >= 0.5 && spec.level <= 0.999))
      context.fail(*level, fmt::format("level {} of the intervals", spec.level), "0.5 to 0.999",
                   "0.95 is usual");
  }
  if (const YamlNode* method = fields.find("method"))
    spec.method = to_choice(context, *method, "method", {"bootstrap", "classical"}) == 0
                      ? IntervalMethod::bootstrap
                      : IntervalMethod::classical;
  if (const YamlNode* replicates = fields.find("replicates")) {
    const std::uint64_t count = to_count(context, *replicates, "replicates");
    if (count < 20 || count > 1000000)
      context.fail(*replicates, fmt::format("{} replicates", count), "20 to 1000000", "a thousand is usual");
    spec.replicates = static_cast<int>(count);
  }
  if (const YamlNode* check = fields.find("bias_check"))
    spec.bias_check = to_bool(context, *check, "bias_check");
  return spec;
}

PrepareOptions read_prepare_section(const YamlContext& context, const YamlNode& node) {
  PrepareOptions options;
  const YamlFields fields(
      context, node, "prepare",
      {"resample", "filter", "columns", "differences", "velocity", "decimate", "reject", "trim", "chunk"});
  if (const YamlNode* resample = fields.find("resample")) read_resample(context, *resample, options);
  const YamlNode* columns = fields.find("columns");
  const bool filtered =
      columns != nullptr && to_choice(context, *columns, "columns", {"plain", "filtered"}) == 1;
  const YamlNode* filter = fields.find("filter");
  if (filter != nullptr)
    read_filter(context, *filter, filtered, options);
  else if (filtered)
    context.fail(*columns, "columns are to be filtered, but there is no filter", "",
                 "add `filter: {cutoff: 5}` [Hz]");
  if (const YamlNode* order = fields.find("differences"))
    options.difference_order = static_cast<int>(to_count(context, *order, "differences"));
  if (const YamlNode* velocity = fields.find("velocity"))
    options.measured_velocity = to_choice(context, *velocity, "velocity", {"measured", "differences"}) == 0;
  if (const YamlNode* factor = fields.find("decimate"); factor != nullptr && !is_word(*factor, "auto")) {
    options.decimation = static_cast<Index>(to_count(context, *factor, "decimate"));
    if (options.decimation < 1)
      context.fail(*factor, fmt::format("decimate is {}", options.decimation), "1 or more, or auto",
                   "1 keeps every row; leave it out to let the cut-off decide");
  }
  if (const YamlNode* reject = fields.find("reject")) read_reject(context, *reject, options);
  if (const YamlNode* trim = fields.find("trim"); trim != nullptr && !is_word(*trim, "auto"))
    options.trim = static_cast<Index>(to_count(context, *trim, "trim"));
  if (const YamlNode* chunk = fields.find("chunk"); chunk != nullptr && !is_word(*chunk, "auto"))
    options.chunk_size = static_cast<Index>(to_count(context, *chunk, "chunk"));
  validate_at(context, node, options);
  return options;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
