#include "files.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "output.hpp"
#include "progress.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/result/output_folder.hpp"
#include "steelyard/simulate/write_csv.hpp"
#include "steelyard/study/run_study.hpp"

namespace cli {
namespace {

// A label as file name: letters, digits, - and _ stay, everything else becomes _.
std::string file_name(const std::string& label, const char* ending) {
  std::string name;
  for (char c : label) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    name += plain ? c : '_';
  }
  return name + ending;
}

}  // namespace

void add_simulate_options(CLI::App& verb, FilesOptions& options) {
  verb.add_option("STUDY", options.study, "Study file (.yaml) with runs that have `simulate:`")->required();
  verb.footer("Example:\n  steelyard simulate examples/demo/study.yaml --out demo-logs\n");
}

int run_simulate(const FilesOptions& options, const CommonOptions& common) {
  steelyard::Study study = steelyard::read_study(options.study);
  if (common.seed) set_seed(study, *common.seed);
  const steelyard::Robot robot = study_robot(study);
  steelyard::OutputFolder folder(common.out);
  std::string written;
  for (const steelyard::StudyRun& run : study.runs) {
    if (!run.simulation) continue;
    const std::string name = file_name(run.file.label.label, ".csv");
    const std::unique_ptr<steelyard::SampleSource> source = open_study_run(run, robot);
    const std::vector<steelyard::LogJoint> joints = log_joints(robot);
    write_csv(*source, standard_columns((folder.path() / name).string(), source->channels(), joints), joints);
    written += (folder.target() / name).string() + "\n";
  }
  if (written.empty())
    throw steelyard::InputError(
        {"the study has no simulated run", {options.study, 0, 0, ""}, "", "add `simulate:` to a run"});
  folder.commit();
  if (!common.quiet) print(written);
  return kDone;
}

void add_fold_options(CLI::App& verb, FilesOptions& options) {
  verb.add_option("STUDY", options.study, "Study file (.yaml)")->required();
  verb.footer("Example:\n  steelyard fold examples/demo/study.yaml --out demo-folds\n");
}

int run_fold(const FilesOptions& options, const CommonOptions& common) {
  steelyard::Study study = steelyard::read_study(options.study);
  if (common.seed) set_seed(study, *common.seed);
  steelyard::OutputFolder folder(common.out);
  steelyard::StudyOptions study_options;
  study_options.threads = common.threads > 0 ? common.threads : steelyard::hardware_threads();
  Progress progress(common.quiet);
  study_options.progress = [&](const std::string& stage, double share) { progress.report(stage, share); };
  std::string written;
  for (const steelyard::FoldFile& file : fold_study(study, study_options)) {
    const std::string name = file_name(file.label, ".fold");
    write_fold_file(file, (folder.path() / name).string());
    written += (folder.target() / name).string() + "\n";
  }
  folder.commit();
  if (!common.quiet) print(written);
  return kDone;
}

}  // namespace cli
