// A model from a study file, its report, and how far it can be trusted: 04_study_file STUDY [REPORT.html]
#include <cstdio>
#include <exception>
#include <fstream>

#include "steelyard/identify/run.hpp"
#include "steelyard/report/report.hpp"

int main(int argc, char** argv) try {
  const steelyard::Study study = steelyard::read_study(argc > 1 ? argv[1] : "study.yaml");
  const steelyard::StudyOutcome outcome = steelyard::run_study(study);
  const steelyard::Result& result = outcome.result;
  for (const steelyard::BaseValue& value : result.base)
    std::printf("%-6s %10.5f +- %.5f\n", value.name.c_str(), value.value, value.sigma.value_or(0));
  for (const steelyard::RunValidation& run : result.validation)
    std::printf("run '%s': %.2f %% of the effort is unexplained\n", run.run.c_str(),
                100 * run.residual.prepared);
  for (const steelyard::Finding& finding : result.findings)
    std::printf("%s: %s\n", finding.code.c_str(), finding.evidence.c_str());
  std::printf("%s\n", to_string(result.verdict.level));
  if (argc > 2)
    std::ofstream(argv[2]) << steelyard::render_report(result, outcome.curves, {}, study_scene(study));
  return result.verdict.level == steelyard::VerdictLevel::not_trustworthy ? 3 : 0;
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 2;
}
