// steelyard check STUDY: what the doctor finds in the logs and the set-up of a study; nothing is fitted or
// written.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "output.hpp"
#include "steelyard/study/check_study.hpp"
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
  json["trustworthy"] = check.is_trustworthy();
  json["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : check.findings)
    json["findings"].push_back({{"code", finding.code},
                                {"joint", finding.joint},
                                {"severity", to_string(finding.severity)},
                                {"evidence", finding.evidence},
                                {"remedy", finding.remedy},
                                {"waived", finding.waived}});
  return json.dump(2) + "\n";
}

std::string check_text(const StudyCheck& check) {
  std::string text = fmt::format("{}: {} {} examined\n", check.robot, check.runs.size(),
                                 check.runs.size() == 1 ? "run" : "runs");
  int errors = 0, warnings = 0;
  for (const Finding& finding : check.findings) {
    if (!finding.waived && finding.severity == steelyard::Severity::error) ++errors;
    if (!finding.waived && finding.severity == steelyard::Severity::warning) ++warnings;
  }
  text += findings_text(check.findings);
  text +=
      fmt::format("\n{} {}, {} {}: {}\n", errors, errors == 1 ? "error" : "errors", warnings,
                  warnings == 1 ? "warning" : "warnings",
                  check.is_trustworthy() ? "nothing speaks against this study" : "not trustworthy as it is");
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

Run add_check(CLI::App& verb) {
  const auto study = std::make_shared<std::string>();
  verb.add_option("STUDY", *study, "Study file (.yaml)")->required();
  verb.footer("Example:\n  steelyard check examples/demo/study.yaml\n");
  return [study](const CommonOptions& common) { return run_check(*study, common); };
}

}  // namespace cli
