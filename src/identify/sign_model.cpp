#include "identify/sign_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "identify/signs.hpp"
#include "identify/state.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/signs/complete.hpp"
#include "steelyard/signs/goodness.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

std::string name_of_joint(const StudyState& state, Index joint) {
  return sign_joint_names(state.robot)[static_cast<std::size_t>(joint)];
}

void tell_goodness(StudyState& state, const RunState& run, const SignGoodness& goodness) {
  const UniformGrid& grid = run.prepared->preparation().grid;
  for (const HiddenChange& change : goodness.changes) {
    const SignSegment& segment = run.signs->segmented.segments[static_cast<std::size_t>(change.segment)];
    state.findings.push_back(make_finding(
        "mixed-segment", name_of_joint(state, segment.joint),
        fmt::format(
            "the segment from {:.2f} s to {:.2f} s of '{}' seems to change its sign inside: cut at {:.2f} "
            "s, where {:.0f} % of its squares go away",
            grid.time(segment.range.begin), grid.time(segment.range.end), run.label(),
            grid.time(change.sample), 100 * change.gain)));
  }
  for (const MissingFriction& friction : goodness.friction)
    state.findings.push_back(make_finding(
        "missing-friction", name_of_joint(state, friction.joint),
        fmt::format("on average {:.3g} along the motion in '{}' is not explained, {:.0f} deviations",
                    friction.effort, run.label(), friction.deviations)));
}

std::vector<DecidedRun> decided_runs(const StudyState& state) {
  std::vector<DecidedRun> runs;
  for (const RunState& run : state.runs)
    if (run.signs)
      runs.push_back({&run.signs->samples, 1 / run.prepared->preparation().grid.step, &run.signs->segmented,
                      run.signs->best, run.signs->signs});
  return runs;
}

void tell_guesses(StudyState& state, const Completion& found, const CompletedSummary& told) {
  for (const std::string& joint : told.guessed)
    state.findings.push_back(make_finding(
        "guessed-signs", joint,
        found.held_out_certain > 0
            ? fmt::format("no sign of this joint is decided; with the best ones held-out |effort| is {:.3g} "
                          "deviations from the model, {:.3g} without",
                          found.held_out, found.held_out_certain)
            : std::string("no sign of this joint is decided; the best ones are fitted")));
}

}  // namespace

std::vector<std::string> sign_joint_names(const Robot& robot) {
  std::vector<std::string> names;
  for (const LogJoint& joint : log_joints(robot)) names.push_back(joint.name);
  return names;
}

Index sign_joint_index(const std::vector<std::string>& names, const std::string& joint, const Place& place) {
  const auto found = std::find(names.begin(), names.end(), joint);
  if (found != names.end()) return found - names.begin();
  Complaint complaint = unknown("joint", joint, names);
  complaint.place = place;
  throw InputError(complaint);
}

void judge_run_signs(StudyState& state, const std::vector<Fold>& folds, const WeighedSearch& found,
                     double correlation) {
  const SignModel model = model_of_signs(folds, found.problem, found.search.signs);
  GoodnessOptions options;
  options.correlation = correlation;
  Index first = 0;
  for (const RunState& run : state.runs) {
    if (!run.signs) continue;
    tell_goodness(state, run,
                  judge_signs(state.plan, run.signs->samples, run.signs->segmented, run.signs->best, model,
                              first, options));
    first += run.signs->best.size();
  }
}

void complete_run_signs(StudyState& state, double correlation) {
  const SignsSpec& spec = state.study.signs;
  if (spec.complete == CompleteSigns::none) return;
  const bool guess = spec.complete == CompleteSigns::guess;
  const bool automatic = spec.complete == CompleteSigns::automatic;
  const std::vector<DecidedRun> runs = decided_runs(state);
  const bool has_decided = std::any_of(
      runs.begin(), runs.end(), [](const DecidedRun& run) { return (run.decided.array() != 0).any(); });
  if (!guess && !has_decided) return;
  CompleteOptions options;
  options.filter = spec.segments.filter;
  options.correlation = correlation;
  options.guess = guess ? GuessJoints::always : automatic ? GuessJoints::automatic : GuessJoints::never;
  const Completion found = complete_efforts(state.plan, study_layouts(state), runs, options);
  CompletedSummary& told = state.result.signs->completed.emplace();
  told.used = guess || found.helps();
  told.held_out = found.held_out;
  told.held_out_segments = found.held_out_segments;
  double joints = 0;
  for (std::size_t j = 0; j < found.has_rows.size(); ++j) {
    if (!found.has_rows[j]) continue;
    ++joints;
    told.sure_share += found.sure_share[static_cast<Index>(j)];
    if (found.is_guess[j]) told.guessed.push_back(name_of_joint(state, static_cast<Index>(j)));
  }
  told.sure_share /= std::max(1.0, joints);
  if (!told.used) return;
  tell_guesses(state, found, told);
  std::size_t at = 0;
  for (RunState& run : state.runs) {
    if (!run.signs) continue;
    run.signs->completed = found.efforts[at++];
    run.signs->has_rows = found.has_rows;
  }
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
