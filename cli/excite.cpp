// steelyard excite STUDY: an optimal exciting motion as CSV, JSON and YAML, with the expected accuracy.
// steelyard next STUDY: what the next run would add to the study.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "output.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/excite/motion.hpp"
#include "steelyard/identify/excite.hpp"
#include "steelyard/report/report.hpp"
#include "steelyard/result/output_folder.hpp"
#include "steelyard/study/study.hpp"
#include "study_output.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

steelyard::Study read(const std::string& path, const CommonOptions& common, double time_limit) {
  steelyard::Study study = steelyard::read_study(path);
  if (common.seed) set_seed(study, *common.seed);
  if (study.excite && time_limit > 0) study.excite->options.time_limit = time_limit;
  return study;
}

void write_motion(steelyard::OutputFolder& folder, const std::string& stem,
                  const steelyard::MotionFiles& files) {
  folder.write(stem + ".csv", files.csv);
  folder.write(stem + ".json", files.json);
  folder.write(stem + ".yaml", files.yaml);
  folder.write(stem + "-study.yaml", files.study);
}

// The motion as the page plays it.
steelyard::RunMotion played(const std::string& name, const steelyard::DesignedMotion& motion) {
  constexpr int kSamples = 1000;
  const steelyard::Trajectory trajectory = to_trajectory(motion);
  steelyard::RunMotion result{name, {}, std::vector<std::vector<double>>(trajectory.joints())};
  for (int k = 0; k <= kSamples; ++k) {
    result.time.push_back(trajectory.duration() * k / kSamples);
    const steelyard::JointState state = trajectory.at(result.time.back());
    for (std::size_t j = 0; j < result.position.size(); ++j)
      result.position[j].push_back(state.q[static_cast<steelyard::Index>(j)]);
  }
  return result;
}

void write_page(steelyard::OutputFolder& folder, const std::string& json, const steelyard::Scene& scene,
                const std::string& command) {
  if (steelyard::draws_pages())
    folder.write("report.html", render_design(json, scene.robot->name, {command}, scene));
}

// The parameters hardest to separate from others, with the expected standard deviations.
std::string hardest(std::vector<steelyard::Outlook> outlooks) {
  std::stable_sort(outlooks.begin(), outlooks.end(),
                   [](const auto& a, const auto& b) { return a.inflation > b.inflation; });
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(3, outlooks.size()); ++k)
    text += fmt::format("{}{} ±{} (standard deviation {} times that of its column alone)", k == 0 ? "" : ", ",
                        outlooks[k].parameter, number(outlooks[k].sigma, 3),
                        number(std::sqrt(outlooks[k].inflation), 3));
  return fmt::format("hardest of {} parameters: {}; all in excite.json\n", outlooks.size(), text);
}

std::string excite_summary(const steelyard::ExciteOutcome& outcome) {
  const steelyard::ExcitedMotion& found = outcome.found;
  Table table({"", "before", "after"});
  table.add({"condition", number(found.before.condition), number(found.report.condition)});
  table.add({"condition number, scaled columns", number(found.before.condition_scaled),
             number(found.report.condition_scaled)});
  table.add({"log det", number(found.before.log_det), number(found.report.log_det)});
  std::string text = table.to_string();
  for (std::size_t k = 0; k < std::min<std::size_t>(3, found.report.limits.size()); ++k) {
    const steelyard::LimitUse& use = found.report.limits[k];
    text += fmt::format("{}: {} of {} at {} s\n", use.what, number(use.worst), number(use.limit),
                        number(use.time, 4));
  }
  text += hardest(found.report.parameters);
  for (const steelyard::Outlook& outlook : found.report.parameters)
    if (outlook.poor)
      text += fmt::format("poor: {}, standard deviation {}: {}\n", outlook.parameter,
                          number(outlook.sigma, 3), outlook.why);
  for (const std::string& note : found.notes) text += "note: " + note + "\n";
  if (found.time_limit_reached)
    text += fmt::format(
        "the search reached its time limit after {} starts: another machine may give another motion\n",
        found.starts);
  return text;
}

// Predicted and actual shrinkage by the last run: the three largest, and the median.
std::string shrinkage_summary(std::vector<steelyard::Shrinkage> all) {
  if (all.empty()) return "no parameter had a standard deviation before the last run: nothing to compare\n";
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.predicted > b.predicted; });
  Table table({"last run", "predicted", "shrank"});
  for (std::size_t k = 0; k < std::min<std::size_t>(3, all.size()); ++k)
    table.add({all[k].parameter, number(all[k].predicted, 3), number(all[k].achieved, 3)});
  std::vector<double> shares;
  for (const steelyard::Shrinkage& one : all) shares.push_back(one.achieved / one.predicted);
  const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
  std::nth_element(shares.begin(), middle, shares.end());
  return table.to_string() +
         fmt::format("median of {}: {} of what was predicted\n", all.size(), number(*middle, 3));
}

std::string candidate_name(const steelyard::NextCandidate& candidate) {
  return candidate.load > 0 ? fmt::format("payload {} kg", candidate.load) : candidate.kind;
}

std::string share(const std::optional<steelyard::MotionForecast>& forecast) {
  if (!forecast) return "-";
  return forecast->expected > 1 ? "over 100" : fmt::format("{:.2f}", 100 * forecast->expected);
}

// By how much the best candidate lowers the forecast, and which joints will be worst all the same.
std::string lowered_text(const steelyard::NextOutcome& outcome) {
  if (!outcome.forecast || outcome.candidates.empty())
    return outcome.no_forecast.empty() ? "" : "no forecast: " + outcome.no_forecast + "\n";
  const steelyard::NextCandidate& best = outcome.candidates.front();
  return fmt::format("typical motions: {} % of the effort unexplained now, {} % after the best ({})\n",
                     share(outcome.forecast), share(best.forecast), candidate_name(best)) +
         worst_text(*best.forecast);
}

std::string next_summary(const steelyard::NextOutcome& outcome) {
  Table table({"next run", "forecast %", "log det", "shrinks most", "by"});
  for (const steelyard::NextCandidate& candidate : outcome.candidates)
    table.add({candidate_name(candidate), share(candidate.forecast), number(candidate.log_det),
               candidate.shrinks, number(candidate.most, 3)});
  std::string text = table.to_string() + lowered_text(outcome);
  for (const steelyard::NextCandidate& candidate : outcome.candidates)
    if (candidate.load > 0)
      text +=
          fmt::format("payload {} kg: unknown drive gains to within {} (without a load: not identifiable)\n",
                      candidate.load, number(candidate.gain_sigma.maxCoeff(), 3));
  return text;
}

int run_excite(const std::string& path, double time_limit, const CommonOptions& common) {
  const steelyard::Study study = read(path, common, time_limit);
  steelyard::OutputFolder folder(common.out, study_inputs(study));
  Progress progress(common.quiet);
  const steelyard::ExciteOutcome outcome = excite_study(study, study_options(common, progress));
  write_motion(
      folder, "motion",
      motion_files(outcome.robot, outcome.base, outcome.found.motion, outcome.options, outcome.output_rate));
  const std::string json = to_json(outcome);
  folder.write("excite.json", json);
  write_page(folder, json, {outcome.robot, {played("motion", outcome.found.motion)}},
             command_text("excite", path, common));
  folder.commit();
  if (common.json)
    print(json);
  else if (!common.quiet)
    print(excite_summary(outcome) + folder.target().string() + "/motion.csv\n");
  return kDone;
}

int run_next(const std::string& path, double time_limit, const std::string& previous,
             const CommonOptions& common) {
  const steelyard::Study study = read(path, common, time_limit);
  const std::string earlier = previous.empty() ? "" : steelyard::read_text_file(previous, "prediction");
  steelyard::OutputFolder folder(common.out, study_inputs(study, {previous}));
  Progress progress(common.quiet);
  const steelyard::NextOutcome outcome = next_study(study, study_options(common, progress));
  const std::string json = to_json(outcome, earlier);
  for (const steelyard::NextCandidate& candidate : outcome.candidates)
    if (candidate.motion && candidate.load == 0)
      write_motion(folder, candidate.kind,
                   motion_files(outcome.robot, outcome.base, candidate.motion->motion, outcome.options,
                                outcome.output_rate));
  folder.write("next.json", json);
  steelyard::Scene scene{outcome.robot, {}};
  for (const steelyard::NextCandidate& candidate : outcome.candidates)
    if (candidate.motion && candidate.load == 0)
      scene.motions.push_back(played(candidate.kind, candidate.motion->motion));
  write_page(folder, json, scene, command_text("next", path, common));
  folder.commit();
  if (common.json)
    print(json);
  else if (!common.quiet)
    print((earlier.empty() ? "" : shrinkage_summary(shrinkages(outcome, earlier))) + next_summary(outcome) +
          folder.target().string() + "/next.json\n");
  return kDone;
}

// CLI11's own check of a positive number accepts other text.
std::string refuse_limit(const std::string& text) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  return *end == '\0' && seconds > 0 ? "" : "a time limit is a positive number of seconds, not " + text;
}

}  // namespace

Run add_excite(Arguments& verb) {
  const auto path = std::make_shared<std::string>();
  const auto limit = std::make_shared<double>(0);
  verb.add("STUDY", *path, "Study file (.yaml) with a section `excite`").required();
  verb.add("--time-limit", *limit, "Seconds after which the best motion so far is taken")
      .unless(refuse_limit);
  verb.footer("Example:\n  steelyard excite examples/panda-excite/study.yaml --out panda-motion\n");
  return [path, limit](const CommonOptions& common) { return run_excite(*path, *limit, common); };
}

Run add_next(Arguments& verb) {
  const auto path = std::make_shared<std::string>();
  const auto previous = std::make_shared<std::string>();
  const auto limit = std::make_shared<double>(0);
  verb.add("STUDY", *path, "Study file (.yaml) with runs and a section `excite`").required();
  verb.add("--time-limit", *limit, "Seconds a search may take").unless(refuse_limit);
  verb.add("--previous", *previous, "next.json from before the last run: what it predicted is compared");
  verb.footer("Example:\n  steelyard next examples/panda-excite/next.yaml --out panda-next\n");
  return [path, limit, previous](const CommonOptions& common) {
    return run_next(*path, *limit, *previous, common);
  };
}

}  // namespace cli
