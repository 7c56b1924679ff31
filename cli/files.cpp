// steelyard simulate STUDY: writes the logs of the study's simulated runs as CSV files.
// steelyard fold STUDY: writes the folds of all runs as fold files.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "output.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/identify/check.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/result/output_folder.hpp"
#include "steelyard/simulate/simulate.hpp"
#include "steelyard/study/study.hpp"
#include "study_output.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

// Labels as file names: letters of any language, digits, - and _ stay, everything else becomes _. A name that
// another label has already gets a number.
class FileNames {
 public:
  explicit FileNames(std::string ending) : ending_(std::move(ending)) {}

  std::string add(const std::string& label) {
    std::string stem;
    for (char c : label) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                         c == '-' || (c & 0x80) != 0;
      stem += plain ? c : '_';
    }
    if (stem.size() > kLongest) {  // labels of merged folds: cut, and not inside a letter
      stem.resize(kLongest + 1);
      while ((stem.back() & 0xC0) == 0x80) stem.pop_back();
      stem.pop_back();
    }
    std::string name = stem + ending_;
    for (int k = 2; !taken_.insert(name).second; ++k) name = fmt::format("{}-{}{}", stem, k, ending_);
    return name;
  }

 private:
  static constexpr std::size_t kLongest = 200;  // bytes; file systems take 255, with ending and number
  std::string ending_;
  std::set<std::string> taken_;
};

std::string lines(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += path + "\n";
  return text;
}

int run_simulate(const std::string& path, const CommonOptions& common) {
  steelyard::Study study = steelyard::read_study(path);
  if (common.seed) set_seed(study, *common.seed);
  const steelyard::Robot robot = study_robot(study);
  steelyard::OutputFolder folder(common.out, study_inputs(study));
  FileNames names(".csv");
  std::vector<std::string> written;
  for (const steelyard::StudyRun& run : study.runs) {
    if (!run.simulation) continue;
    const std::string name = names.add(run.file.label.label);
    const std::unique_ptr<steelyard::SampleSource> source = open_study_run(run, robot);
    const std::vector<steelyard::LogJoint> joints = log_joints(robot);
    write_csv(*source, standard_columns((folder.path() / name).string(), source->channels(), joints), joints);
    written.push_back((folder.target() / name).string());
  }
  if (written.empty())
    throw steelyard::InputError(
        {"the study has no simulated run", {path, 0, 0, ""}, "", "add `simulate:` to a run"});
  folder.commit();
  if (common.json)
    print(nlohmann::ordered_json{{"files", written}}.dump(2) + "\n");
  else if (!common.quiet)
    print(lines(written));
  return kDone;
}

struct FoldVerb {
  std::string study;
  bool no_check = false;
};

int run_fold(const FoldVerb& verb, const CommonOptions& common) {
  steelyard::Study study = steelyard::read_study(verb.study);
  if (common.seed) set_seed(study, *common.seed);
  steelyard::OutputFolder folder(common.out, study_inputs(study));
  std::vector<steelyard::FoldedRun> runs;
  {
    Progress progress(common.quiet);
    steelyard::StudyOptions options = study_options(common, progress);
    options.examine = !verb.no_check;
    runs = fold_study(study, options);
  }
  FileNames names(".fold");
  std::vector<std::string> written;
  for (const steelyard::FoldedRun& file : runs) {
    const std::string name = names.add(file.label);
    write_fold_file(std::span(&file, 1), (folder.path() / name).string());
    written.push_back((folder.target() / name).string());
  }
  folder.commit();
  const std::vector<steelyard::Finding> findings = waived(study, folded_findings(runs));
  const bool trusted = is_trustworthy(findings);
  if (common.json) {
    print(nlohmann::ordered_json{
              {"files", written}, {"trustworthy", trusted}, {"findings", findings_json(findings)}}
              .dump(2) +
          "\n");
  } else if (!common.quiet) {
    print(lines(written));
    if (!findings.empty()) print("\nFindings stored in the files\n" + findings_text(findings));
  }
  return trusted ? kDone : kNotTrustworthy;
}

Run add_study_verb(Arguments& verb, const std::string& about, const std::string& example,
                   int (*run)(const std::string&, const CommonOptions&)) {
  const auto path = std::make_shared<std::string>();
  verb.add("STUDY", *path, about).required();
  verb.footer("Example:\n  " + example + "\n");
  return [path, run](const CommonOptions& common) { return run(*path, common); };
}

}  // namespace

Run add_simulate(Arguments& verb) {
  return add_study_verb(verb, "Study file (.yaml) with runs that have `simulate:`",
                        "steelyard simulate examples/demo/study.yaml --out demo-logs", run_simulate);
}

Run add_fold(Arguments& verb) {
  const auto options = std::make_shared<FoldVerb>();
  verb.add("STUDY", options->study, "Study file (.yaml)").required();
  verb.add_flag("--no-check", options->no_check,
                "Do not examine the logs: studies of the folds are then usable at best");
  verb.footer("Example:\n  steelyard fold examples/demo/study.yaml --out demo-folds\n");
  return [options](const CommonOptions& common) { return run_fold(*options, common); };
}

}  // namespace cli
