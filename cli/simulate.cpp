#include "simulate.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "output.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/result/output_folder.hpp"
#include "steelyard/simulate/write_csv.hpp"
#include "steelyard/study/run_study.hpp"

namespace cli {
namespace {

// A label as file name: letters, digits, - and _ stay, everything else becomes _.
std::string file_name(const std::string& label) {
  std::string name;
  for (char c : label) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    name += plain ? c : '_';
  }
  return name + ".csv";
}

}  // namespace

void add_options(CLI::App& verb, SimulateVerbOptions& options) {
  verb.add_option("STUDY", options.study, "Study file (.yaml) with runs that have `simulate:`")->required();
  verb.footer("Example:\n  steelyard simulate examples/demo/study.yaml --out demo-logs\n");
}

int run_simulate(const SimulateVerbOptions& options, const CommonOptions& common) {
  steelyard::Study study = steelyard::read_study(options.study);
  if (common.seed) set_seed(study, *common.seed);
  const steelyard::Robot robot = study_robot(study);
  steelyard::OutputFolder folder(common.out);
  std::string written;
  for (const steelyard::StudyRun& run : study.runs) {
    if (!run.simulation) continue;
    const std::string name = file_name(run.file.label.label);
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

}  // namespace cli
