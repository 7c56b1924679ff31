// A model from logs, and how far it can be trusted: 03_identify STUDY
#include <cstdio>

#include "steelyard/core/error.hpp"
#include "steelyard/identify/run.hpp"

int main(int argc, char** argv) try {
  const steelyard::Study study = steelyard::read_study(argc > 1 ? argv[1] : "study.yaml");
  const steelyard::Result result = steelyard::run_study(study).result;
  for (const steelyard::BaseValue& value : result.base)
    std::printf("%-6s %10.5f +- %.5f\n", value.name.c_str(), value.value, value.sigma.value_or(0));
  for (const steelyard::RunValidation& run : result.validation)
    std::printf("run '%s': %.2f %% of the effort is unexplained\n", run.run.c_str(),
                100 * run.residual.prepared);
  std::printf("%s\n", to_string(result.verdict.level));
} catch (const steelyard::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
