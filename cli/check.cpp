// steelyard check STUDY: what the doctor finds in the logs and the set-up of a study; nothing is fitted. --fix writes
// another study, with the values that undo findings.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "output.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/identify/check.hpp"
#include "steelyard/result/output_folder.hpp"
#include "study_output.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

using steelyard::Finding;
using steelyard::StudyCheck;

std::string check_json(const StudyCheck& check) {
  nlohmann::ordered_json json;
  json["robot"] = check.robot;
  json["runs"] = check.runs;
  json["examined"] = check.examined;
  json["examined_when_folded"] = check.examined_then;
  json["trustworthy"] = check.is_trustworthy();
  json["findings"] = findings_json(check.findings);
  json["fixes"] = nlohmann::ordered_json::array();
  for (const steelyard::StudyFix& fix : check.fixes) {
    nlohmann::ordered_json edits = nlohmann::ordered_json::array();
    for (const steelyard::StudyEdit& edit : fix.edits)
      edits.push_back({{"path", edit.path}, {"value", edit.value}});
    json["fixes"].push_back({{"findings", fix.findings}, {"edits", std::move(edits)}});
  }
  return json.dump(2) + "\n";
}

std::string runs_text(std::size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "run" : "runs");
}

// "2 of 3 runs examined, 1 when it was folded".
std::string examined_text(const StudyCheck& check) {
  const std::size_t all = check.runs.size(), seen = check.examined + check.examined_then;
  std::string text = seen == all ? runs_text(all) : fmt::format("{} of {}", seen, runs_text(all));
  text += " examined";
  if (check.examined_then > 0)
    text += check.examined == 0 ? std::string(", when folded")
                                : fmt::format(", {} of them when folded", check.examined_then);
  return text;
}

std::string conclusion(const StudyCheck& check, int warnings) {
  if (!check.is_trustworthy()) return "not trustworthy as it is";
  if (warnings > 0) return "usable at best as it is";
  const bool unexamined =
      std::any_of(check.findings.begin(), check.findings.end(),
                  [](const Finding& finding) { return is(finding, "set-up-not-examined"); });
  return unexamined ? "no problems found, but not every set-up was examined"
                    : "no problems found in this study";
}

// Beside the study: its paths are relative to the folder.
std::string fixed_path(const std::string& study) {
  const std::filesystem::path path(study);
  return (path.parent_path() / (path.stem().string() + "-fixed" + path.extension().string())).string();
}

std::string check_text(const StudyCheck& check) {
  std::string text = fmt::format("{}: {}\n", check.robot, examined_text(check));
  int errors = 0, warnings = 0;
  for (const Finding& finding : check.findings) {
    if (!finding.waived && finding.severity == steelyard::Severity::error) ++errors;
    if (!finding.waived && finding.severity == steelyard::Severity::warning) ++warnings;
  }
  text += findings_text(check.findings) + fixes_text(check.fixes);
  text += fmt::format("\n{} {}, {} {}: {}\n", errors, errors == 1 ? "error" : "errors", warnings,
                      warnings == 1 ? "warning" : "warnings", conclusion(check, warnings));
  return text;
}

struct CheckVerb {
  std::string study;
  bool fix = false;
};

// Never over the study, nor over one that was fixed before.
void write_fixed(const std::string& path, const StudyCheck& check, const CommonOptions& common) {
  const std::string to = fixed_path(path);
  if (check.fixes.empty())
    throw steelyard::InputError(
        {"nothing to fix: no finding of this study has a value of the study as its remedy",
         {path, 0, 0, ""},
         "findings about signs, zeros, units, order, delays, velocities, gaps",
         "do what the findings say, by hand"});
  refuse_existing(to, false);
  steelyard::write_atomically(to, fixed_study(steelyard::read_text_file(path, "study"), path, check.fixes));
  if (!common.quiet && !common.json) print(fmt::format("Written: {}; check it again\n", to));
}

int run_check(const CheckVerb& verb, const CommonOptions& common) {
  const std::string& path = verb.study;
  steelyard::Study study = steelyard::read_study(path);
  if (common.seed) set_seed(study, *common.seed);
  StudyCheck check;
  {
    Progress progress(common.quiet || common.json);
    check = check_study(study, study_options(common, progress));
  }
  if (!common.quiet) print_warnings(check.warnings);
  print(common.json ? check_json(check) : check_text(check));
  if (verb.fix) write_fixed(path, check, common);
  return check.is_trustworthy() ? kDone : kNotTrustworthy;
}

}  // namespace

Run add_check(Arguments& verb) {
  const auto options = std::make_shared<CheckVerb>();
  verb.add("STUDY", options->study, "Study file (.yaml)").required();
  verb.add_flag("--fix", options->fix,
                "Write STUDY-fixed.yaml beside it, with the values that undo findings");
  verb.footer(
      "Examples:\n  steelyard check examples/demo/study.yaml\n  steelyard check my-study.yaml --fix\n");
  return [options](const CommonOptions& common) { return run_check(*options, common); };
}

}  // namespace cli
