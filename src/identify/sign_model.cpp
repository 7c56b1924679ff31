#include "identify/sign_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "identify/signs.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/signs/complete.hpp"
#include "steelyard/signs/goodness.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

std::string name_of_joint(const Setup& setup, Index joint) {
  return sign_joint_names(setup.robot)[static_cast<std::size_t>(joint)];
}

void report_goodness(const Setup& setup, const OpenRun& run, const SignedRun& own,
                     const SignGoodness& goodness, std::vector<Finding>& findings) {
  const UniformGrid& grid = run.prepared->preparation().grid;
  for (const HiddenChange& change : goodness.changes) {
    const SignSegment& segment = own.segmented.segments[static_cast<std::size_t>(change.segment)];
    findings.push_back(
        make_finding("mixed-segment", name_of_joint(setup, segment.joint),
                     fmt::format("the segment from {:.2f} s to {:.2f} s of '{}' seems to change sign: "
                                 "splitting it at {:.2f} s removes {:.0f} % of its squared residual",
                                 grid.time(segment.range.begin), grid.time(segment.range.end), run.label(),
                                 grid.time(change.sample), 100 * change.gain)));
  }
  for (const MissingFriction& friction : goodness.friction)
    findings.push_back(make_finding(
        "missing-friction", name_of_joint(setup, friction.joint),
        fmt::format(
            "a mean effort of {:.3g} along the motion in '{}' is unexplained: {:.0f} standard deviations",
            friction.effort, run.label(), friction.deviations)));
}

std::vector<DecidedRun> decided_runs(const Runs& runs, const SignedRuns& signs) {
  std::vector<DecidedRun> decided;
  for (std::size_t r = 0; r < runs.size(); ++r)
    if (signs[r])
      decided.push_back(
          {&signs[r]->samples, &signs[r]->segmented, signs[r]->best, signs[r]->signs, &signs[r]->rows});
  return decided;
}

// Samples per independent one.
double sample_correlation(const SignedRuns& runs) {
  double most = 1;
  for (const std::optional<SignedRun>& run : runs)
    if (run) most = std::max(most, static_cast<double>(run->rows.band.factor) * run->rows.band.correlation());
  return most;
}

void report_guesses(const Completion& found, const CompletedSummary& summary,
                    std::vector<Finding>& findings) {
  for (const std::string& joint : summary.guessed)
    findings.push_back(make_finding(
        "guessed-signs", joint,
        found.held_out_certain > 0
            ? fmt::format("no sign of this joint is decided; with the best ones held-out |effort| is {:.3g} "
                          "standard deviations from the model, {:.3g} without them",
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

void judge_run_signs(const Setup& setup, const Runs& runs, const std::vector<Fold>& folds,
                     const WeighedSearch& found, Signs& signs) {
  const SignModel model = model_of_signs(folds, found.problem, found.search.signs);
  GoodnessOptions options;
  options.correlation = sample_correlation(signs.runs);
  Index first = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (!signs.runs[r]) continue;
    const SignedRun& own = *signs.runs[r];
    report_goodness(setup, runs[r], own,
                    judge_signs(own.rows.of, own.samples, own.segmented, own.best, model, first, options),
                    signs.findings);
    first += own.best.size();
  }
}

void complete_run_signs(const Setup& setup, const Runs& runs, Signs& signs) {
  const SignsSpec& spec = setup.study().signs;
  if (spec.complete == CompleteSigns::none) return;
  const bool guess = spec.complete == CompleteSigns::guess;
  const bool automatic = spec.complete == CompleteSigns::automatic;
  const std::vector<DecidedRun> decided = decided_runs(runs, signs.runs);
  const bool has_decided = std::any_of(
      decided.begin(), decided.end(), [](const DecidedRun& run) { return (run.decided.array() != 0).any(); });
  if (!guess && !has_decided) return;
  CompleteOptions options;
  options.correlation = sample_correlation(signs.runs);
  options.guess = guess ? GuessJoints::always : automatic ? GuessJoints::automatic : GuessJoints::never;
  const Completion found = complete_efforts(setup.plan, study_layouts(setup), decided, options);
  CompletedSummary& summary = signs.summary->completed.emplace();
  summary.used = guess || found.helps();
  summary.held_out = found.held_out;
  summary.held_out_segments = found.held_out_segments;
  double joints = 0;
  for (std::size_t j = 0; j < found.has_rows.size(); ++j) {
    if (!found.has_rows[j]) continue;
    ++joints;
    summary.sure_share += found.sure_share[static_cast<Index>(j)];
    if (found.is_guess[j]) summary.guessed.push_back(name_of_joint(setup, static_cast<Index>(j)));
  }
  summary.sure_share /= std::max(1.0, joints);
  if (!summary.used) return;
  report_guesses(found, summary, signs.findings);
  std::size_t at = 0;
  for (std::optional<SignedRun>& run : signs.runs) {
    if (!run) continue;
    run->completed = found.efforts[at++];
    run->has_rows = found.has_rows;
  }
}

}  // namespace steelyard
