#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "steelyard/core/finding.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/core/text_file.hpp"
#include "study/describe_run.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

void check_reverse(const Fields& f) {
  for (const char* key : {"drives", "columns", "estimate", "elastic", "validate", "excite", "export"})
    if (f.given(key))
      f.fail(key, {fmt::format("`{}` beside `reverse`", key),
                   {},
                   "robot, seed, reverse, runs, known, prepare, feasible, report, waive",
                   "it does not apply to tables of g and M: leave it out"});
  if (f.given("known") && !f.given("runs"))
    f.fail("known", {"`known` beside `reverse` without `runs`",
                     {},
                     "efforts that are subtracted from the torques of runs",
                     "give the runs, or leave it out"});
}

void divide_runs(Study& study) {
  std::vector<StudyRun> runs;
  for (const StudyRun& run : study.runs)
    for (StudyRun& part : divided(run)) runs.push_back(std::move(part));
  study.runs = std::move(runs);
}

// Conditions between keys, once all are read.
void check_study(const Fields& f, Study& study) {
  study.prepare_given = f.given("prepare");
  if (study.reverse) {
    check_reverse(f);
    if (study.effort_delay.any() || study.standstill.is_given())
      f.fail("prepare", {"`effort_delay` or `reject: {standstill: …}` beside `reverse`",
                         {},
                         "filter, columns, decimate and the like: no effort is fitted",
                         "leave it out"});
  }
  if (auto complaint = unknown_code(study.waive)) f.fail("waive", std::move(*complaint));
  if (f.given("runs")) {
    load_folded_runs(f, study);
    divide_runs(study);
    try {
      check_labels(study);
    } catch (const InputError& error) {
      f.fail("runs", error.complaint());
    }
    const bool fits = std::any_of(study.runs.begin(), study.runs.end(),
                                  [](const StudyRun& run) { return run.file.label.role == RunRole::fit; });
    if (!fits && !study.reverse)
      f.fail("runs", {"no run has the role 'fit'", {}, "at least one", "set `role: fit` on a run"});
    check_gain_keys(study);
    check_loads_are_carried(study);
    check_known_signs(study);
    return;
  }
  study.gains.reset();  // of runs
  study.payloads.clear();
}

void describe_payloads(Fields& f, std::vector<Load>& loads) {
  f.sections({"payloads", "", "loads at the tool; what is not given is unknown ([gains](gains.md))"}, loads);
  f.check([&] { validate(std::span<const Load>(loads)); });
}

}  // namespace

void describe_paths(Fields& f, const Key& key, std::vector<std::string>& paths,
                    std::vector<std::string>& as_written) {
  f.list(key, as_written.size(), [&](Fields& item, std::size_t k) {
    std::string path, written;
    if (k < as_written.size()) written = as_written[k];
    item.path(key, path, written);
    if (!item.reads()) return;
    paths.push_back(path);
    as_written.push_back(written);
  });
}

void describe(Fields& f, Study& study) {
  f.path(required({"robot", "", "robot file: YAML ([robot](robot.md)) or URDF"}), study.robot_path,
         study.robot_as_written);
  f.count({"seed", "", "of all random numbers; `--seed` on the command line replaces it"}, study.seed,
          from_to(0, 9e15));
  f.section({"drives", "", "columns of all drives, added to what the robot file declares"},
            [&](Fields& inner) { describe_drives(inner, study.drives, study.drive_spec); });
  describe_efforts(f, {"columns", "", "further columns of the regressor"}, study.drive_spec.columns);
  describe_efforts(f, {"known", "", "efforts that are known and subtracted, beside a run's channel `known`"},
                   study.drive_spec.known);
  const Key runs = {"runs", "", "logs; at least one with `role: fit`"};
  f.list(runs, study.runs.size(), [&](Fields& item, std::size_t k) {
    StudyRun fresh;
    if (item.reads()) study.runs.push_back(fresh);
    StudyRun& run = k < study.runs.size() ? study.runs[k] : fresh;
    item.section({"run", "", runs.meaning}, [&](Fields& inner) { describe_run(inner, run, k + 1); });
  });
  f.section({"prepare", "", "from raw samples to rows"},
            [&](Fields& inner) { describe_prepare(inner, study); });
  f.section({"estimate", "", "how parameters are estimated ([estimates](estimate.md))"},
            [&](Fields& inner) { describe_estimate(inner, study); });
  f.optional_section({"feasible", "", "physically feasible links ([feasible](feasible.md))"}, study.feasible);
  f.optional_section({"elastic", "", "springs of the joints ([elastic](elastic.md))"}, study.elastic);
  f.optional_section({"gains", "", "drive gains, for runs with currents ([gains](gains.md))"}, study.gains);
  describe_payloads(f, study.payloads);
  f.optional_section({"reverse", "", "instead of logs: g(q) and M(q) ([reverse](reverse.md))"},
                     study.reverse);
  f.section(acts_only("with runs that are `unsigned`", {"signs", "", "of |effort| ([signs](signs.md))"}),
            [&](Fields& inner) { describe(inner, study.signs); });
  f.section({"validate", "", "tests beside runs with `role: validate`"}, [&](Fields& inner) {
    inner.optional_section({"cross", "", "cross-validation"}, study.cross);
  });
  f.optional_section(acts_only("in `steelyard excite` and `next`",
                               {"excite", "", "the motion that is optimised ([excite](excite.md))"}),
                     study.excite);
  describe_exports(f, study.exports);
  f.flag(acts_only("on what is written", {"report", "", "report.html"}), study.report);
  f.texts({"waive", "", "codes of findings that do not count for the verdict ([findings](findings.md))"},
          study.waive);
  if (f.reads()) check_study(f, study);
}

// Empty files are reported here: the YAML reader's message is about robots.
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

Study read_study_text(const std::string& text, const std::string& path, bool needs_runs, bool needs_efforts) {
  const YamlNode root = parse_study(text, path);
  for (const YamlNode& key : root.keys)
    if (key.text == "fleet")
      YamlContext{path, "", 1}.fail(key, "this is the study of a fleet", "", "`steelyard fleet STUDY`");
  return read_study_tree(root, path, needs_runs, needs_efforts);
}

Study read_study_tree(const YamlNode& root, const std::string& path, bool needs_runs, bool needs_efforts) {
  const YamlContext context{path, "", 1};
  Study study;
  study.path = path;
  read_described(context, root, "study", std::filesystem::path(path).parent_path().string(),
                 [&](Fields& fields) { describe(fields, study); });
  // A first motion is designed before there are runs, and tables need none.
  const bool has_runs =
      std::any_of(root.keys.begin(), root.keys.end(), [](const YamlNode& key) { return key.text == "runs"; });
  if (needs_runs && !has_runs && !study.excite && !study.reverse)
    context.fail(root, "study has no 'runs'", "", "add `runs: ...`");
  if (needs_efforts) require_efforts(study);
  set_seed(study, study.seed);
  return study;
}

void set_seed(Study& study, std::uint64_t seed) {
  study.seed = seed;
  std::uint64_t number = 0;
  for (StudyRun& run : study.runs) {
    if (run.part <= 1) ++number;
    if (run.simulation && !run.simulation->own_seed) run.simulation->options.seed = 1000 * seed + number;
  }
}

Study read_study(const std::string& path, bool needs_runs, bool needs_efforts) {
  return read_study_text(read_text_file(path, "study"), path, needs_runs, needs_efforts);
}

}  // namespace steelyard
