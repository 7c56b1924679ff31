#include "result/describe_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace steelyard::inline STEELYARD_ABI {

void describe_count(Fields& fields, const Key& key, int& value) {
  std::optional<int> number = value;
  describe_count(fields, key, number);
  value = number.value_or(value);
}
void describe_count(Fields& fields, const Key& key, std::optional<int>& value) {
  bool has = value.has_value();
  std::int64_t number = value.value_or(0);
  const bool reads = fields.reads();
  fields.whole(key, number, reads ? from_to(0, std::numeric_limits<int>::max()) : at_least(0),
               key.required ? nullptr : &has);
  if (reads && (has || key.required)) value = static_cast<int>(number);
}
void describe_count(Fields& fields, const Key& key, std::int64_t& value) {
  fields.whole(key, value, at_least(0));
}

void describe_pair(Fields& fields, const Key& key, std::optional<std::pair<double, double>>& value) {
  std::vector<double> ends;
  if (value) ends = {value->first, value->second};
  fields.numbers(key, ends, any_number(), 2);
  if (fields.reads() && !ends.empty()) value = {ends[0], ends[1]};
}

void describe_ends(Fields& fields, const Key& key, std::optional<double>& lower,
                   std::optional<double>& upper) {
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  double from = lower.value_or(-kOpen), to = upper.value_or(kOpen);
  fields.interval(key, from, to);
  if (!fields.reads()) return;
  if (from > -kOpen) lower = from;
  if (to < kOpen) upper = to;
}

void describe_by_name(Fields& fields, const Key& key, std::map<std::string, double>& values) {
  describe_map(fields, key, values,
               [&](Fields& item, double& value) { item.number(key, value, any_number()); });
}

void describe_sentences(Fields& fields, const Key& key, std::vector<std::string>& values) {
  fields.list(key, values.size(), [&](Fields& item, std::size_t k) {
    std::string fresh;
    if (item.reads()) values.resize(k + 1);
    item.text(key, k < values.size() ? values[k] : fresh);
  });
}

void describe(Fields& f, JointResidual& x) {
  f.text(must("name", "", "of the joint"), x.name);
  f.number(must("rms", "N·m or N", "of the prepared residual"), x.rms, at_least(0));
  f.number(may("prepared", "", "fraction; absent where the joint's effort is zero throughout"), x.prepared,
           at_least(0));
  f.number(may("raw", "", "fraction; absent without samples"), x.raw, at_least(0));
  f.number(may("with_standstill", "", "fraction; absent where no row at standstill was left out"),
           x.with_standstill, at_least(0));
}

void describe(Fields& f, ResidualSummary& x) {
  f.number(must("prepared", "", "‖τ − τ̂‖ / ‖τ‖ over the rows given to the estimator"), x.prepared,
           at_least(0));
  f.number(may("prepared_weighted", "", "every joint's rows divided by their standard deviation"),
           x.prepared_weighted, at_least(0));
  f.number(may("raw", "", "over every valid raw sample: unfiltered effort, nothing rejected"), x.raw,
           at_least(0));
  f.number(
      may("band", "", "prepared, at preparation.band instead of the cut-off; absent where that is not lower"),
      x.band, at_least(0));
  f.number(may("with_standstill", "",
               "prepared rows and those at standstill, where friction has no direction; absent where none "
               "was left out"),
           x.with_standstill, at_least(0));
  if (!f.reads()) f.number(must("relative", "", "the same number as prepared"), x.prepared, at_least(0));
  f.sections(must("per_joint", "", "the same for each joint"), x.per_joint);
}

void describe(Fields& f, CrossValidationSummary& x) {
  describe_count(f, must("blocks", "", "parts that were left out in turn"), x.blocks);
  f.text(must("by", "", "index (time) or phase (of a periodic motion)"), x.by);
  describe_section(f, must("residual", "", "of the rows that were left out"), x.residual);
}

void describe(Fields& f, Verdict& x) {
  using enum VerdictLevel;
  f.choice(
      must("level", "", "how far the result can be trusted"), x.level,
      {{to_string(good), good}, {to_string(usable), usable}, {to_string(not_trustworthy), not_trustworthy}});
  describe_sentences(f, must("reasons", "", "sentences, the most important first"), x.reasons);
}

void describe(Fields& f, Finding& x) {
  using enum Severity;
  f.text(matching(must("code", "", "docs/findings.md explains each"), "[a-z0-9-]+"), x.code);
  f.text(must("joint", "", "joint, column or run; may be empty"), x.joint);
  f.choice(must("severity", "", "how much it matters"), x.severity,
           {{to_string(note), note}, {to_string(warning), warning}, {to_string(error), error}});
  f.text(must("evidence", "", "one sentence with the numbers"), x.evidence);
  f.text(must("remedy", "", "what to do about it"), x.remedy);
  f.flag(must("waived", "", "the study lists the code under waive"), x.waived);
}

void describe(Fields& f, StudyEdit& x) {
  describe_sentences(f, must("path", "", "keys and, of lists, numbers from 0"), x.path);
  f.text(must("value", "", "YAML on one line"), x.value);
}

void describe(Fields& f, StudyFix& x) {
  describe_sentences(f, must("findings", "", "that it would undo: code and joint"), x.findings);
  f.sections(must("edits", "", "of the study"), x.edits);
}

void describe(Fields& f, CutoffCandidate& x) {
  f.number(must("cutoff", "Hz", "that was tried"), x.cutoff, at_least(0));
  f.number(must("score", "", "its error on held-out raw efforts"), x.score, at_least(0));
}

std::string delay_text(const EffortDelaySummary& delay) {
  const auto [least, most] = std::minmax_element(delay.undone.begin(), delay.undone.end());
  const bool undone = !delay.undone.empty() && (*least != 0 || *most != 0);
  const bool same = undone && *least == *most;
  if (delay.how != "estimated" && !undone) return delay.how;
  std::string text;
  if (delay.common && (same || !undone))
    text = fmt::format("{:.2f} ± {:.2f} ms {}", 1e3 * std::abs(*delay.common),
                       1e3 * delay.half_width.value_or(0), *delay.common < 0 ? "earlier" : "later");
  else if (same)
    text = fmt::format("{:.2f} ms {}", 1e3 * std::abs(*least), *least < 0 ? "earlier" : "later");
  else
    text = fmt::format("{:.2f} to {:.2f} ms later by joint", 1e3 * *least, 1e3 * *most);
  return text + (undone ? ", undone" : ": not certain, left as it is");
}

void describe(Fields& f, EffortDelaySummary& x) {
  f.text(must("run", "", "its label"), x.run);
  f.text(must("how", "", "given, estimated, or why there is no estimate"), x.how);
  f.numbers(must("undone", "s", "per joint: efforts are taken so much later"), x.undone, any_number());
  f.number(may("common", "s", "estimate for all joints together"), x.common, any_number());
  f.number(may("half_width", "s", "of its 95 % interval; 1: unknown"), x.half_width, at_least(0));
  f.numbers(may("joints", "s", "estimates of single joints"), x.joints, any_number());
  f.numbers(may("joint_half_widths", "s", "of their 95 % intervals; 1: unknown"), x.joint_half_widths,
            at_least(0));
}

void describe(Fields& f, PreparationSummary& x) {
  f.number(must("rate", "Hz", "of the uniform grid"), x.rate, at_least(0));
  f.number(may("cutoff", "Hz", "of the lowest filter; absent without one"), x.cutoff, at_least(0));
  f.whole(must("decimation", "", "one row kept out of so many"), x.decimation, at_least(1));
  f.number(must("kept_share", "", "rows given to the estimator over those before rejection and trimming"),
           x.kept_share, from_to(0, 1));
  f.sections(may("effort_delays", "", "by which efforts were later than positions, run by run"),
             x.effort_delays);
  bool chosen = !x.candidates.empty();
  f.group("candidates", chosen, [&](Fields& g) {
    g.sections(must("candidates", "", "cut-offs that were tried; absent when it was given"), x.candidates);
    g.text(must("choice", "", "why this cut-off, in words"), x.choice);
    g.number(
        may("band", "Hz", "of the efforts: 99 % of their power is below it; the verdict is judged there"),
        x.band, at_least(0));
  });
}

void describe(Fields& f, IntervalSummary& x) {
  f.number(must("level", "", "confidence of the intervals"), x.level, from_to(0.5, 1));
  f.text(matching(must("method", "", "that made them"), "classical|bootstrap"), x.method);
  describe_count(f, must("blocks", "", "of the bootstrap"), x.blocks);
  f.number(must("effective_rows", "", "independent rows that give such standard deviations"),
           x.effective_rows, at_least(0));
  f.flag(must("bias_checked", "", "refits at half and double the cut-off were made"), x.bias_checked);
}

void describe(Fields& f, JointBand& x) {
  f.text(must("joint", "", "its name"), x.joint);
  f.number(must("half_width", "N·m or N", "of the band around the predicted effort"), x.half_width,
           at_least(0));
  f.number(must("parameter_part", "N·m or N", "RMS standard deviation by the parameters alone"),
           x.parameter_part, at_least(0));
  f.number(must("coverage", "", "share of held-out samples inside"), x.coverage, from_to(0, 1));
}

void describe(Fields& f, BaseValue& x) {
  f.text(must("name", "", "lead column"), x.name);
  f.text(must("expression", "", "the combination in the notation of papers"), x.expression);
  describe_by_name(f, must("terms", "", "the same as numbers: machine name to factor"), x.terms);
  f.number(must("value", "SI", "estimate"), x.value, any_number());
  f.number(may("sigma", "SI", "standard deviation; absent when the column is not determined"), x.sigma,
           at_least(0));
  f.number(may("sigma_classical", "SI", "σ²(YᵀY)⁻¹, right for independent rows only"), x.sigma_classical,
           at_least(0));
  f.number(may("relative_sigma", "", "sigma / |value|"), x.relative_sigma, at_least(0));
  describe_pair(f, may("interval", "SI", "lower and upper end"), x.interval);
  f.number(may("feasible", "SI", "the value that the feasible parameters have"), x.feasible, any_number());
  f.text(must("method", "", "of sigma and interval"), x.method);
  f.text(must("status", "", "determined, dependent, zero, eliminated, …"), x.status);
}

void describe(Fields& f, JointWhiteness& x) {
  f.text(must("name", "", "of the joint"), x.name);
  f.number(must("p_value", "", "of correlations this large, for white residuals"), x.p_value, from_to(0, 1));
  f.number(must("coloured", "", "share of the residual's power that the residual one step before predicts"),
           x.coloured, from_to(0, 1));
}

namespace {

void describe_residual_of(Fields& f, const Key& key, std::optional<ResidualSummary>& x) {
  bool has = x.has_value();
  ResidualSummary residual = x.value_or(ResidualSummary());
  f.section(key, has, [&](Fields& inner) {
    describe_section(inner, must("residual", "", "of that prediction"), residual);
  });
  if (f.reads() && has) x = std::move(residual);
}

}  // namespace

void describe(Fields& f, JointForecast& x) {
  f.text(must("name", "", "of the joint"), x.name);
  f.number(must("rms", "N·m or N", "expected error"), x.rms, at_least(0));
  f.number(may("expected", "", "error over effort; absent where the joint takes none"), x.expected,
           at_least(0));
  f.number(may("upper", "", "with a probability of 90 % not more"), x.upper, at_least(0));
}

void describe(Fields& f, MotionForecast& x) {
  f.number(must("expected", "", "error over effort"), x.expected, at_least(0));
  f.number(must("lower", "", "with a probability of 90 % not less"), x.lower, at_least(0));
  f.number(must("upper", "", "with a probability of 90 % not more"), x.upper, at_least(0));
  f.sections(must("joints", "", "in the order of the robot"), x.per_joint);
}

void describe(Fields& f, SpreadDirection& x) {
  f.numbers(must("values", "", "in the order of columns"), x.values, any_number());
}

void describe(Fields& f, SpreadSummary& x) {
  f.texts(must("columns", "", "of the parameters"), x.columns);
  f.sections(must("scatter", "", "one direction per group that was left out"), x.scatter);
  f.sections(must("expected", "", "directions that the rows do not show, from the bodies one would expect"),
             x.expected);
  f.sections(may("changes", "", "directions in which friction and offsets change from day to day"),
             x.changes);
  describe_by_name(f, must("noise", "N·m or N", "by row kind: RMS residual of the fit"), x.noise);
}

void describe(Fields& f, ForecastSummary& x) {
  describe_count(f, must("groups", "", "of blocks that were left out in turn"), x.groups);
  describe_section(f, must("typical", "", "random motions within the robot's limits"), x.typical);
  f.optional_section(may("feasible_typical", "", "the same with the feasible parameters"),
                     x.feasible_typical);
  describe_section(f, must("spread", "", "how the parameters scatter, for forecasts of further motions"),
                   x.spread);
  f.optional_section(may("feasible_spread", "", "the same of the feasible parameters"), x.feasible_spread);
}

void describe(Fields& f, OffsetRefit& x) {
  f.text(must("name", "", "of the joint"), x.name);
  f.number(must("model", "N·m or N", "offset of the model"), x.model, any_number());
  f.number(must("refitted", "N·m or N", "the one that fits the run best, the other parameters as they are"),
           x.refitted, any_number());
  f.number(may("sigma", "N·m or N", "standard deviation of their difference"), x.sigma, at_least(0));
  f.flag(must("differs", "", "by more than chance, and by enough to matter"), x.differs);
}

void describe(Fields& f, RunValidation& x) {
  f.text(must("run", "", "label of the run"), x.run);
  f.flag(must("fresh", "", "not used for fitting"), x.fresh);
  describe_section(f, must("residual", "", "of the run predicted by the model"), x.residual);
  f.text(may("repeats", "", "run with the same motion"), x.repeats);
  describe_residual_of(f, may("left_out", "", "predicted by a model fitted on all other runs"), x.left_out);
  f.sections(must("whiteness", "", "autocorrelation of the raw residual, by joint"), x.whiteness);
  f.numbers(may("band_coverage", "", "share of the samples within the band, in the order of bands"),
            x.band_coverage, from_to(0, 1));
  describe_residual_of(f, may("feasible", "", "predicted by the feasible parameters"), x.feasible);
  f.optional_section(may("forecast", "", "the error that was to be expected; of runs that were not fitted"),
                     x.forecast);
  f.optional_section(may("feasible_forecast", "", "the same of the feasible parameters"),
                     x.feasible_forecast);
  f.sections(may("offsets", "", "of a run that was not fitted: the model's, and refitted on the run"),
             x.offsets);
  describe_residual_of(f, may("refitted_offsets", "", "predicted by the model with these offsets"),
                       x.refitted_offsets);
}

void describe(Fields& f, SelfCheck& x) {
  f.text(matching(must("what", "", "numbers that were computed a second way"),
                  "rows|model|gradient|bodies|drives"),
         x.what);
  f.number(must("difference", "", "between the two ways"), x.difference, at_least(0));
  f.number(must("limit", "", "above it: a bug in Steelyard"), x.limit, any_number());
}

void describe(Fields& f, InputFile& x) {
  f.text(must("path", "", "as the study writes it"), x.path);
  f.text(matching(must("sha256", "", "of its bytes"), "[0-9a-f]{64}"), x.sha256);
}

void describe(Fields& f, Provenance& x) {
  f.sections(must("inputs", "", "files that were read"), x.inputs);
  f.object(must("options", "", "the study with all defaults written out"), x.options);
  f.count(must("seed", "", "of all random numbers; may exceed 2⁵³"), x.seed, at_least(0));
  f.text(must("version", "", "of the program"), x.version);
  f.text(must("isa", "", "instruction set level that was used"), x.isa);
}

namespace {

void describe_head(Fields& f, Result& x) {
  std::int64_t format = kResultFormat;
  f.whole(must("format_version", "", "within one version keys are only added"), format,
          from_to(kResultFormat, kResultFormat));
  f.section(must("robot", "", "that was identified"), [&](Fields& robot) {
    robot.text(must("name", "", "as its file has it"), x.robot_name);
    robot.text(must("hash", "", "of everything in the robot that the numbers depend on"), x.robot_hash);
    describe_count(robot, must("dof", "", "moving joints"), x.dof);
    robot.optional_section(may("probe", "", "to compare robots by (docs/validate.md)"), x.robot_probe);
  });
  describe_count(f, must("samples", "", "of the fit runs, before anything was left out"), x.samples);
  describe_count(f, must("rows", "", "scalar equations given to the estimator, over all joints"), x.rows);
  describe_count(f, must("passes", "", "how often the fit runs were read"), x.passes);
  describe_section(f, must("verdict", "", "how far the result can be trusted"), x.verdict);
  f.sections(must("findings", "", "what was noticed"), x.findings);
  f.sections(
      may("fixes", "", "values of the study that would undo findings; `steelyard check --fix` writes them"),
      x.fixes);
}

void describe_fit(Fields& f, Result& x) {
  f.number(may("condition", "", "condition number of the weighted rows"), x.condition, at_least(0));
  f.number(may("condition_scaled", "", "the same with all columns scaled to norm one"), x.condition_scaled,
           at_least(0));
  describe_section(f, must("residual", "", "of the fit"), x.residual);
  f.optional_section(may("estimator", "", "what it did; absent where nothing was estimated from rows"),
                     x.estimator);
  describe_section(f, must("preparation", "", "what happened to the samples before they became rows"),
                   x.preparation);
  f.optional_section(may("cross_validation", "", "residual of rows that were left out of the fit"),
                     x.cross_validation);
  f.optional_section(may("forecast", "", "error to expect on other motions (docs/forecast.md)"), x.forecast);
  f.optional_section(may("intervals", "", "how the intervals of base were made"), x.intervals);
  f.sections(may("bands", "", "around predicted efforts, by joint"), x.bands);
  f.sections(must("base", "", "identifiable columns"), x.base);
  f.sections(must("drives", "", "drive columns by joint"), x.drives);
}

void describe_parts(Fields& f, Result& x) {
  f.optional_section(may("feasible", "", "physically feasible parameters (docs/feasible.md)"), x.feasible);
  f.sections(may("links", "", "feasible parameters link by link"), x.links);
  f.optional_section(may("elastic", "", "springs, motors and links of elastic joints (docs/elastic.md)"),
                     x.elastic);
  f.optional_section(may("reverse", "", "the model behind a table of g(q) and M(q) (docs/reverse.md)"),
                     x.reverse);
  f.sections(may("payloads", "", "loads in the tool frame, identified with the gains that were used"),
             x.payloads);
  f.optional_section(may("gains", "", "drive gains by method, of studies with currents (docs/gains.md)"),
                     x.gains);
  f.optional_section(may("signs", "", "of runs that log |effort| only (docs/signs.md)"), x.signs);
}

}  // namespace

void describe(Fields& f, Result& x) {
  describe_head(f, x);
  describe_fit(f, x);
  describe_parts(f, x);
  f.sections(must("validation", "", "prediction of runs"), x.validation);
  f.sections(may("comparison", "", "mean square errors of several models on the runs of a validation"),
             x.comparison);
  f.sections(may("exports", "", "files beside the result (docs/export.md)"), x.exports);
  f.sections(may("engines", "", "runs in physics engines (docs/engines.md)"), x.engines);
  f.sections(may("self_checks", "", "the same numbers computed a second way"), x.self_checks);
  describe_sentences(f, must("unavailable", "", "what this result cannot give, with the reason"),
                     x.unavailable);
  describe_section(f, must("provenance", "", "where the result came from"), x.provenance);
}

}  // namespace steelyard
