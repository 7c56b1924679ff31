// steelyard check STUDY: what the doctor finds in the logs and the set-up of a study; nothing is fitted or
// written.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "output.hpp"
#include "steelyard/identify/check.hpp"
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

std::string check_text(const StudyCheck& check) {
  std::string text = fmt::format("{}: {}\n", check.robot, examined_text(check));
  int errors = 0, warnings = 0;
  for (const Finding& finding : check.findings) {
    if (!finding.waived && finding.severity == steelyard::Severity::error) ++errors;
    if (!finding.waived && finding.severity == steelyard::Severity::warning) ++warnings;
  }
  text += findings_text(check.findings);
  text += fmt::format("\n{} {}, {} {}: {}\n", errors, errors == 1 ? "error" : "errors", warnings,
                      warnings == 1 ? "warning" : "warnings", conclusion(check, warnings));
  return text;
}

int run_check(const std::string& path, const CommonOptions& common) {
  steelyard::Study study = steelyard::read_study(path);
  if (common.seed) set_seed(study, *common.seed);
  StudyCheck check;
  {
    Progress progress(common.quiet || common.json);
    check = check_study(study, study_options(common, progress));
  }
  if (!common.quiet) print_warnings(check.warnings);
  print(common.json ? check_json(check) : check_text(check));
  return check.is_trustworthy() ? kDone : kNotTrustworthy;
}

}  // namespace

Run add_check(Arguments& verb) {
  const auto study = std::make_shared<std::string>();
  verb.add("STUDY", *study, "Study file (.yaml)").required();
  verb.footer("Example:\n  steelyard check examples/demo/study.yaml\n");
  return [study](const CommonOptions& common) { return run_check(*study, common); };
}

}  // namespace cli
