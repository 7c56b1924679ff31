// steelyard validate RESULT STUDY: the model of an earlier result on the runs of a study; nothing is fitted.

#include "steelyard/core/text_file.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/study/study.hpp"
#include "study_output.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

struct ValidateOptions {
  std::string result;
  std::string study;
  std::vector<std::string> beside;  // results of other models, robot files with other links
  std::vector<std::string> engines;
};

int run_validate(const ValidateOptions& options, const CommonOptions& common) {
  OutcomeOptions written{command_text("validate", options.result + " " + options.study, common)};
  steelyard::Study study = steelyard::read_study(options.study);
  if (common.seed) set_seed(study, *common.seed);
  std::vector<steelyard::NamedModel> models;
  models.push_back(
      {options.result,
       steelyard::result_from_json(steelyard::read_text_file(options.result, "result"), options.result)});
  for (const std::string& path : options.beside) {
    models.push_back(model_beside(study, models.front().result, path));
    written.command += " --beside " + path;
  }
  written.report = study.report;
  std::vector<std::string> results = options.beside;
  results.push_back(options.result);
  steelyard::OutputFolder folder(common.out, study_inputs(study, results));
  steelyard::StudyOutcome outcome;
  {
    Progress progress(common.quiet || common.json);
    steelyard::StudyOptions how = study_options(common, progress);
    for (const std::string& name : options.engines) how.engines.push_back(steelyard::engine_kind(name));
    outcome = compare_models(study, models, how);
    if (written.report) written.scene = study_scene(study);
  }
  return write_outcome(outcome, written, common, folder);
}

}  // namespace

Run add_validate(Arguments& verb) {
  const auto options = std::make_shared<ValidateOptions>();
  verb.add("RESULT", options->result, "result.json of an earlier run").required();
  verb.add("STUDY", options->study, "Study file (.yaml) with the runs to validate it on").required();
  verb.add(
      "--beside", options->beside,
      "Further results, robot files with other links, or YAML with `base:`, `links:` or `standard:` values: "
      "their mean square errors on the same runs");
  verb.add("--engine", options->engines,
           "Also replay the runs in a physics engine: mujoco, dart, bullet or ode; may be repeated");
  verb.footer(
      "Examples:\n  steelyard validate demo-result/result.json other-runs.yaml --out validation\n"
      "  steelyard validate new/result.json runs.yaml --beside old/result.json --out table\n"
      "  steelyard validate new/result.json runs.yaml --beside cad.urdf --beside published.yaml --out table\n"
      "  steelyard validate panda/result.json study.yaml --engine mujoco --engine ode --out engines\n");
  return [options](const CommonOptions& common) { return run_validate(*options, common); };
}

}  // namespace cli
