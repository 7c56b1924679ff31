// steelyard run STUDY: from logs to result.json and report.html. steelyard identify: without
// the report.

#include "steelyard/identify/run.hpp"
#include "steelyard/study/study.hpp"
#include "study_output.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

int run_path(const std::string& path, bool report, const CommonOptions& common) {
  OutcomeOptions options{command_text("run", path, common)};
  steelyard::Study study = steelyard::read_study(path);
  if (common.seed) set_seed(study, *common.seed);
  options.report = report && study.report;
  steelyard::OutputFolder folder(common.out, study_inputs(study));
  steelyard::StudyOutcome outcome;
  {
    Progress progress(common.quiet || common.json);
    outcome = run_study(study, study_options(common, progress));
    if (options.report) options.scene = study_scene(study);
  }
  return write_outcome(outcome, options, common, folder);
}

Run add_study(Arguments& verb, bool report) {
  const auto path = std::make_shared<std::string>();
  verb.add("STUDY", *path, "Study file (.yaml)").required();
  verb.footer("Example:\n  steelyard " + verb.verb_name() + " examples/demo/study.yaml --out demo-result\n");
  return [path, report](const CommonOptions& common) { return run_path(*path, report, common); };
}

}  // namespace

Run add_run(Arguments& verb) {
  return add_study(verb, true);
}
Run add_identify(Arguments& verb) {
  return add_study(verb, false);
}

}  // namespace cli
