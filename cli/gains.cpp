// steelyard gains STUDY: how accurately a motion with a load would identify each drive's gain; nothing is
// written.
#include <fmt/format.h>

#include "output.hpp"
#include "steelyard/identify/gain_advice.hpp"
#include "study_output.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

using steelyard::GainAdviceOutcome;
using steelyard::LoadAdvice;

std::string advice_text(const GainAdviceOutcome& outcome) {
  std::vector<std::string> heads = {"expected σ of the gain"};
  for (const LoadAdvice& load : outcome.loads)
    heads.push_back(load.name.empty() ? fmt::format("{:g} kg", load.mass) : load.name);
  Table table(heads);
  for (std::size_t j = 0; j < outcome.loads[0].joints.size(); ++j) {
    std::vector<std::string> row = {outcome.loads[0].joints[j].joint};
    for (const LoadAdvice& load : outcome.loads)
      row.push_back(load.joints[j].identifiable ? fmt::format("{:.2g} %", 100 * load.joints[j].relative_sigma)
                                                : "not identifiable");
    table.add(row);
  }
  std::string left_out;
  if (!outcome.not_counted.empty())
    left_out =
        fmt::format("not counted, they make gains less certain: {}\n", fmt::join(outcome.not_counted, ", "));
  return table.to_string() +
         fmt::format(
             "mass of the load known; noise {:g} % of each rms current, {:g} Hz, filter {:g} Hz;\n"
             "model errors come on top\n",
             100 * outcome.options.current_noise, outcome.options.rate, outcome.options.cutoff) +
         left_out;
}

int run_gains(const std::string& path, const std::vector<double>& masses, const CommonOptions& common) {
  const GainAdviceOutcome outcome = advise_study_gains(steelyard::read_study(path), masses);
  if (!common.quiet) print_warnings(outcome.warnings);
  print(common.json ? to_json(outcome) : advice_text(outcome));
  return kDone;
}

}  // namespace

Run add_gains(Arguments& verb) {
  const auto study = std::make_shared<std::string>();
  const auto masses = std::make_shared<std::vector<double>>();
  verb.add("STUDY", *study, "Study file (.yaml) with a simulated run").required();
  verb.add("--load", *masses, "Mass of a candidate load [kg], a steel cube at the tool; may be repeated");
  verb.footer("Example:\n  steelyard gains examples/tx40-gains/study.yaml --load 2 --load 8\n");
  return [study, masses](const CommonOptions& common) { return run_gains(*study, *masses, common); };
}

}  // namespace cli
