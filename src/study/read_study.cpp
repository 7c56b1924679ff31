#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "steelyard/core/finding.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/study/study_yaml.hpp"
#include "study/read_drives.hpp"
#include "study/read_elastic.hpp"
#include "study/read_excite.hpp"
#include "study/read_gains.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

bool is_word(const YamlNode& node, const char* word) {
  return node.kind == YamlNode::Kind::scalar && node.text == word;
}

bool to_bool(const YamlContext& context, const YamlNode& node, const std::string& what) {
  return to_choice(context, node, what, {"false", "true"}) == 1;
}

std::uint64_t to_count(const YamlContext& context, const YamlNode& node, const std::string& what) {
  const double value = to_number(context, node, what);
  if (value < 0 || value != std::floor(value) || value > 9e15)
    context.fail(node, fmt::format("{} = {} is no count", what, node.text), "a whole number, not negative",
                 "write a whole number");
  return static_cast<std::uint64_t>(value);
}

std::vector<double> to_numbers(const YamlContext& context, const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::list) return {to_number(context, node, what)};
  std::vector<double> numbers;
  for (const YamlNode& item : node.items) numbers.push_back(to_number(context, item, what));
  return numbers;
}

namespace {

void read_estimate(const YamlContext& context, const YamlNode& node, Study& study) {
  const YamlFields fields(context, node, "estimate",
                          {"method", "intervals", "prior", "essential", "instruments", "huber"});
  read_estimator(context, fields, study);
  if (const YamlNode* node_of = fields.find("intervals")) study.intervals = read_intervals(context, *node_of);
  if (const YamlNode* prior = fields.find("prior")) {
    const YamlFields options(context, *prior, "prior", {"from", "weight"});
    to_choice(context, options.at("from"), "prior", {"robot"});
    study.prior.from_robot = true;
    study.prior.weight = to_number(context, options.at("weight"), "weight");
    if (study.prior.weight <= 0)
      context.fail(*prior, "weight of the prior is not positive", "above 0", "give a positive weight");
  }
}

CrossOptions read_cross(const YamlContext& context, const YamlNode& node) {
  CrossOptions cross;
  const YamlFields fields(context, node, "cross", {"blocks", "by", "period"});
  if (const YamlNode* blocks = fields.find("blocks")) {
    cross.blocks = static_cast<int>(to_count(context, *blocks, "blocks"));
    if (cross.blocks < 2 || cross.blocks > 128)
      context.fail(*blocks, fmt::format("{} blocks", cross.blocks), "2 to 128", "ten is usual");
  }
  if (const YamlNode* by = fields.find("by"))
    cross.by_phase = to_choice(context, *by, "by", {"index", "phase"}) == 1;
  if (const YamlNode* period = fields.find("period"); period != nullptr && !is_word(*period, "auto"))
    cross.period = to_number(context, *period, "period");
  return cross;
}

std::string to_finding_code(const YamlContext& context, const YamlNode& node) {
  std::string code = to_text(context, node, "waive");
  std::vector<std::string> codes;
  for (const FindingKind& kind : finding_kinds()) codes.emplace_back(kind.code);
  if (std::find(codes.begin(), codes.end(), code) == codes.end()) {
    const std::string near = did_you_mean(code, codes);
    context.fail(node, fmt::format("no finding has the code {}", quoted(code)), "codes of docs/findings.md",
                 near.empty() ? "take the code from the report" : near);
  }
  return code;
}

void check_labels(const YamlContext& context, const YamlNode& node, const Study& study) {
  std::set<std::string> labels;
  int fit = 0;
  for (const StudyRun& run : study.runs) {
    if (!labels.insert(run.file.label.label).second)
      context.fail(node, fmt::format("two runs are labelled '{}'", run.file.label.label), "",
                   "give each its own label");
    fit += run.file.label.role == RunRole::fit;
  }
  if (fit == 0 && !study.reverse)
    context.fail(node, "no run has the role 'fit'", "at least one", "set `role: fit` on a run");
}

}  // namespace

// Empty files are told here: the YAML reader knows of robots only.
YamlNode parse_study(const std::string& text, const std::string& path) {
  std::istringstream lines(text);
  std::string line;
  bool empty = true;
  while (empty && std::getline(lines, line)) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    empty = first == std::string::npos || line[first] == '#';
  }
  if (empty)
    throw InputError({"file is empty", {path, 1, 0, ""}, "a study", "see docs/study.md for the format"});
  return parse_yaml(text, path);
}

Study read_study_text(const std::string& text, const std::string& path, bool needs_runs) {
  const YamlNode root = parse_study(text, path);
  for (const YamlNode& key : root.keys)
    if (key.text == "fleet")
      YamlContext{path, "", 1}.fail(key, "this is the study of a fleet", "", "`steelyard fleet STUDY`");
  return read_study_tree(root, path, needs_runs);
}

Study read_study_tree(const YamlNode& root, const std::string& path, bool needs_runs) {
  const YamlContext context{path, "", 1};
  const YamlFields fields(
      context, root, "study",
      {"robot", "seed", "drives", "columns", "known", "runs", "prepare", "estimate", "feasible", "elastic",
       "gains", "payloads", "reverse", "signs", "validate", "excite", "export", "report", "waive"});
  const std::string folder = std::filesystem::path(path).parent_path().string();
  Study study;
  study.path = path;
  study.robot_as_written = to_text(context, fields.at("robot"), "robot");
  study.robot_path = resolve_path(context, fields.at("robot"), folder);
  if (const YamlNode* seed = fields.find("seed")) study.seed = to_count(context, *seed, "seed");
  if (const YamlNode* drives = fields.find("drives")) read_drives(context, *drives, study);
  if (const YamlNode* prepare = fields.find("prepare"))
    study.prepare = read_prepare_section(context, *prepare), study.cutoff = read_cutoff(context, *prepare),
    study.prepare_given = true;
  if (const YamlNode* node = fields.find("columns"))
    study.drive_spec.columns = read_effort_expressions(context, *node, "columns");
  if (const YamlNode* node = fields.find("known"))
    study.drive_spec.known = read_effort_expressions(context, *node, "known");
  if (const YamlNode* excite = fields.find("excite"))
    study.excite = read_excite_section(context, *excite, folder);
  if (const YamlNode* reverse = fields.find("reverse")) {
    study.reverse = read_reverse_section(context, *reverse, folder);
    for (const char* key :
         {"drives", "columns", "known", "estimate", "elastic", "validate", "excite", "export"})
      if (const YamlNode* other = fields.find(key))
        context.fail(*other, fmt::format("`{}` beside `reverse`", key),
                     "robot, seed, reverse, runs, prepare, "
                     "feasible, report, waive",
                     "tables of g and M have no such thing: leave it out");
  }
  if (const YamlNode* node = fields.find("signs")) study.signs = read_signs_section(context, *node);
  // A first motion is sought before there are runs, and tables need none.
  if ((needs_runs && !study.excite && !study.reverse) || fields.has("runs")) {
    const YamlNode& runs = fields.at("runs");
    for (const YamlNode& run : to_list(context, runs, "runs"))
      if (!read_folded_runs(context, run, folder, study))
        study.runs.push_back(read_run_section(context, run, folder, static_cast<int>(study.runs.size()) + 1));
    check_labels(context, runs, study);
    if (const YamlNode* gains = fields.find("gains")) study.gains = read_gains_section(context, *gains);
    if (const YamlNode* loads = fields.find("payloads"))
      study.payloads = read_payloads_section(context, *loads);
    check_gain_keys(context, runs, study);
    check_folded_keys(context, fields, study);
  }
  if (const YamlNode* node = fields.find("estimate")) read_estimate(context, *node, study);
  if (const YamlNode* feasible = fields.find("feasible"))
    study.feasible = read_feasible_section(context, *feasible, folder);
  if (const YamlNode* elastic = fields.find("elastic"))
    study.elastic = read_elastic_section(context, *elastic);
  if (const YamlNode* validate = fields.find("validate")) {
    const YamlFields options(context, *validate, "validate", {"cross"});
    if (const YamlNode* cross = options.find("cross")) study.cross = read_cross(context, *cross);
  }
  if (const YamlNode* exports = fields.find("export"))
    study.exports = read_exports(context, *exports, folder);
  if (const YamlNode* report = fields.find("report")) study.report = to_bool(context, *report, "report");
  if (const YamlNode* waive = fields.find("waive"))
    for (const YamlNode& code : to_list(context, *waive, "waive"))
      study.waive.push_back(to_finding_code(context, code));
  set_seed(study, study.seed);
  return study;
}

void set_seed(Study& study, std::uint64_t seed) {
  study.seed = seed;
  std::uint64_t number = 0;
  for (StudyRun& run : study.runs) {
    ++number;
    if (run.simulation && !run.simulation->own_seed) run.simulation->options.seed = 1000 * seed + number;
  }
}

Study read_study(const std::string& path, bool needs_runs) {
  return read_study_text(read_text_file(path, "study"), path, needs_runs);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
