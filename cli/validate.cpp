// steelyard validate RESULT STUDY: the model of an earlier result on the runs of a study; nothing is fitted.
#include <CLI/CLI.hpp>

#include "steelyard/core/text_file.hpp"
#include "steelyard/study/run_study.hpp"
#include "steelyard/study/scene.hpp"
#include "study_output.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

struct ValidateOptions {
  std::string result;
  std::string study;
};

int run_validate(const ValidateOptions& options, const CommonOptions& common) {
  OutcomeOptions written{"steelyard validate " + options.result + " " + options.study};
  const steelyard::Result model =
      steelyard::result_from_json(steelyard::read_text_file(options.result, "result"), options.result);
  steelyard::Study study = steelyard::read_study(options.study);
  if (common.seed) set_seed(study, *common.seed);
  written.report = study.report;
  steelyard::OutputFolder folder(common.out);
  steelyard::StudyOutcome outcome;
  {
    Progress progress(common.quiet || common.json);
    outcome = validate_study(study, model, study_options(common, progress));
    if (written.report) written.scene = study_scene(study);
  }
  return write_outcome(outcome, written, common, folder);
}

}  // namespace

Run add_validate(CLI::App& verb) {
  const auto options = std::make_shared<ValidateOptions>();
  verb.add_option("RESULT", options->result, "result.json of an earlier run")->required();
  verb.add_option("STUDY", options->study, "Study file (.yaml) with the runs to try it on")->required();
  verb.footer("Example:\n  steelyard validate demo-result/result.json other-runs.yaml --out validation\n");
  return [options](const CommonOptions& common) { return run_validate(*options, common); };
}

}  // namespace cli
