// steelyard reverse STUDY: the model behind a vendor's g(q) and M(q). steelyard reverse ROBOT
// --configurations N: where to measure, as a table.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "output.hpp"
#include "reverse_text.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/excite/configurations.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/robot/read.hpp"
#include "steelyard/study/study.hpp"
#include "study_output.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

using steelyard::Index;

struct ReverseArguments {
  std::string path;
  int configurations = 0;
  std::string rows = "gravity+inertia";
};

int run_reverse_study(const ReverseArguments& arguments, const CommonOptions& common) {
  OutcomeOptions options{command_text("reverse", arguments.path, common)};
  steelyard::Study study = steelyard::read_study(arguments.path);
  if (!study.reverse)
    throw steelyard::InputError({"the study has no key `reverse`",
                                 {arguments.path, 0, 0, ""},
                                 "reverse: {source: …}",
                                 "docs/reverse.md describes it; `steelyard run` runs other studies"});
  if (common.seed) set_seed(study, *common.seed);
  options.report = study.report;
  steelyard::OutputFolder folder(common.out, study_inputs(study));
  steelyard::StudyOutcome outcome;
  {
    Progress progress(common.quiet || common.json);
    outcome = run_study(study, study_options(common, progress));
    if (options.report) options.scene = study_scene(study);
  }
  return write_outcome(outcome, options, common, folder);
}

steelyard::RowSet rows_of(const std::string& word) {
  if (word == "gravity") return steelyard::RowSet::gravity;
  return word == "inertia" ? steelyard::RowSet::inertia : steelyard::RowSet::gravity_inertia;
}

// The configurations as a CSV table, or as JSON with what they identify.
int choose_configurations(const ReverseArguments& arguments, const CommonOptions& common) {
  const steelyard::Robot robot = steelyard::read_robot(arguments.path).robot;
  steelyard::BaseOptions base_options;
  base_options.rows = rows_of(arguments.rows);
  base_options.drives = false;
  base_options.expressions = false;
  const steelyard::BaseParameters base = base_parameters(robot, base_options);
  steelyard::ConfigurationOptions options;
  options.rows = base_options.rows;
  options.count = arguments.configurations;
  if (common.seed) options.seed = *common.seed;
  const steelyard::ConfigurationSet set = best_configurations(robot, base, options);
  const Index min_count = min_configurations(robot, base, options);
  if (common.json) {
    nlohmann::ordered_json json = {{"rows", arguments.rows},
                                   {"unknowns", base.rank},
                                   {"rank", set.rank},
                                   {"least", min_count},
                                   {"unseen", base.unseen}};
    for (Index k = 0; k < set.q.rows(); ++k) {
      const steelyard::VectorXd row = set.q.row(k).transpose();
      json["configurations"].push_back(std::vector<double>(row.data(), row.data() + row.size()));
    }
    print(json.dump(2) + "\n");
  } else {
    std::string text;
    for (Index j = 0; j < set.q.cols(); ++j) text += fmt::format("{}q{}", j > 0 ? "," : "", j + 1);
    for (Index k = 0; k < set.q.rows(); ++k)
      for (Index j = 0; j < set.q.cols(); ++j)
        text += fmt::format("{}{:.6f}", j > 0 ? "," : "\n", set.q(k, j));
    print(text + "\n");
    if (!common.quiet)
      print_problem(fmt::format("{} of {} base parameters identified; at least {} configurations are needed",
                                set.rank, base.rank, min_count));
  }
  return set.rank < base.rank ? kNotTrustworthy : kDone;
}

}  // namespace

Run add_reverse(Arguments& verb) {
  const auto arguments = std::make_shared<ReverseArguments>();
  verb.add("STUDY", arguments->path, "Study file (.yaml) with `reverse`; with --configurations a robot")
      .required();
  verb.add("--configurations", arguments->configurations,
           "Print this many configurations that identify the most of a robot")
      .between(1, 1000);
  verb.add("--rows", arguments->rows, "What is measured there")
      .one_of({"gravity+inertia", "gravity", "inertia"})
      .with_default();
  verb.footer(
      "Examples:\n"
      "  steelyard reverse examples/lwr-reverse/study.yaml\n"
      "  steelyard reverse robots/panda.yaml --configurations 10 > where.csv\n");
  return [arguments](const CommonOptions& common) {
    return arguments->configurations > 0 ? choose_configurations(*arguments, common)
                                         : run_reverse_study(*arguments, common);
  };
}

}  // namespace cli
