#include "identify/signs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "identify/extra_columns.hpp"
#include "identify/sign_gains.hpp"
#include "identify/sign_model.hpp"
#include "identify/state.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/fold/samples.hpp"
#include "steelyard/log/whole_run.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

[[noreturn]] void refuse_unsigned(const StudyState& state, const std::string& what,
                                  const std::string& remedy) {
  throw InputError({what, {state.study.path, 0, 0, ""}, "", remedy});
}

void check_unsigned(const StudyState& state) {
  const Study& study = state.study;
  for (const StudyRun& run : study.runs) {
    if (!run.unsigned_effort) continue;
    if (run.file.label.role != RunRole::fit)
      refuse_unsigned(state,
                      fmt::format("run '{}' has |effort| only and is not fitted", run.file.label.label),
                      "set `role: fit`; a model is tried on runs with signs");
    if (!all_columns(state, run).empty() || !known_efforts(state, run).empty())
      refuse_unsigned(state, "friction forms, extra columns and known efforts need runs with signs",
                      "use linear friction for runs with `unsigned: true`");
  }
  if (study.gains || study.elastic)
    refuse_unsigned(state, "gains and springs need runs with signs",
                    "find the links first, without `gains` and `elastic`");
  if (study.signs.gains && !state.robot.pairs.empty())
    refuse_unsigned(state, "|effort| of coupled motors does not tell their gains",
                    "remove `gains` from `signs`, or log efforts with signs");
  if (study.cutoff.automatic)
    refuse_unsigned(state, "an automatic cut-off needs runs with signs", "give `cutoff` a number");
  if (study.estimator.instruments || study.estimator.single_rows)
    refuse_unsigned(state, "this method of estimation needs runs with signs", "use `method: wls` or `ols`");
}

// Interpolation and filters swing a little below zero where |effort| touches it; a log with signs goes far
// below, and is refused by find_segments.
void lift_ripple(SampleBlock& samples, const SegmentOptions& options) {
  constexpr double kRipple = 0.1;  // of RMS
  const int torque = samples.find(channel::kTorque);
  if (torque < 0) return;
  for (Index j = 0; j < samples.joints(); ++j) {
    if (!options.has_sign.empty() && options.has_sign[static_cast<std::size_t>(j)]) continue;
    double* effort = samples.row(torque, j);
    double squares = 0;
    for (Index s = 0; s < samples.size(); ++s) squares += effort[s] * effort[s];
    const double least =
        -kRipple * std::sqrt(squares / static_cast<double>(std::max<Index>(1, samples.size())));
    for (Index s = 0; s < samples.size(); ++s)
      if (effort[s] < 0 && effort[s] > least) effort[s] = -effort[s];
  }
}

SegmentOptions segment_options(const StudyState& state) {
  SegmentOptions options = state.study.signs.segments;
  if (!state.study.signs.reversals_given)
    for (const Joint& joint : state.robot.joints) options.at_reversals |= joint.drive.coulomb;
  const std::vector<std::string> names = sign_joint_names(state.robot);
  if (!state.study.signs.with_sign.empty()) options.has_sign.assign(names.size(), false);
  for (const std::string& joint : state.study.signs.with_sign)
    options.has_sign[static_cast<std::size_t>(sign_joint_index(names, joint, {state.study.path, 0, 0, ""}))] =
        true;
  return options;
}

// A segment takes a sign that is known for all of its samples.
void set_known(const StudyState& state, const std::string& label, SegmentedRun& run) {
  const std::vector<std::string> names = sign_joint_names(state.robot);
  for (const KnownSign& known : state.study.signs.known) {
    const Index joint = sign_joint_index(names, known.joint, known.place);
    if (!known.run.empty() && known.run != label) continue;
    for (SignSegment& segment : run.segments)
      if (segment.joint == joint && segment.range.begin >= known.range.begin &&
          segment.range.end <= known.range.end)
        segment.sign = known.sign;
  }
}

void report_undecided(StudyState& state, const SignsSummary& signs) {
  std::map<std::string, int> undecided;
  for (const SegmentSummary& segment : signs.segments)
    if (!segment.decided) ++undecided[segment.joint];
  for (const auto& [joint, count] : undecided)
    state.findings.push_back(
        make_finding("undecided-signs", joint,
                     fmt::format("{} {} of this joint fit about as well with the other sign", count,
                                 count == 1 ? "segment" : "segments")));
  if (signs.certified != "feasible-optimal")
    state.findings.push_back(
        make_finding("signs-not-proven", "",
                     fmt::format("{}: cost {:.4g}, no pattern is below {:.4g}, {} nodes and {} fits",
                                 signs.certified, signs.cost, signs.lower_bound, signs.nodes, signs.fits)));
}

void summarize_signs(StudyState& state, const WeighedSearch& found, Index samples) {
  const SignSearch& search = found.search;
  SignsSummary signs;
  signs.certified = to_string(search.proof);
  signs.cost = search.cost;
  signs.lower_bound = search.lower_bound;
  signs.nodes = static_cast<std::int64_t>(search.nodes);
  signs.fits = search.fits;
  const std::vector<std::string> names = sign_joint_names(state.robot);
  double kept = 0, decided = 0;
  std::size_t k = 0;
  for (const RunState& run : state.runs) {
    if (!run.signs) continue;
    const UniformGrid& grid = run.prepared->preparation().grid;
    for (const SignSegment& segment : run.signs->segmented.segments) {
      const SegmentSign& sign = search.segments[k++];
      SegmentSummary& row = signs.segments.emplace_back();
      row.run = run.label();
      row.joint = names[static_cast<std::size_t>(segment.joint)];
      row.from = segment.range.begin;
      row.to = segment.range.end;
      row.start = grid.time(segment.range.begin);
      row.end = grid.time(segment.range.end);
      row.sign = sign.sign;
      if (std::isfinite(sign.confidence)) row.confidence = sign.confidence;
      row.decided = sign.decided;
      kept += static_cast<double>(segment.range.size());
      if (sign.decided) decided += static_cast<double>(segment.range.size());
    }
  }
  signs.kept_share = kept / static_cast<double>(std::max<Index>(1, samples));
  signs.decided_share = kept > 0 ? decided / kept : 0;
  report_undecided(state, signs);
  state.result.signs = std::move(signs);
}

// Segments of all unsigned runs; a joint without any is told.
std::vector<SignSegment> segment_runs(StudyState& state, Index& samples) {
  const SegmentOptions options = segment_options(state);
  const std::vector<std::string> names = sign_joint_names(state.robot);
  std::vector<SignSegment> segments;
  std::vector<bool> has_segment(names.size(), false);
  for (RunState& run : state.runs) {
    if (!run.run->unsigned_effort) continue;
    SignedRun& own = run.signs.emplace();
    own.samples = whole_run(*run.prepared);
    lift_ripple(own.samples, options);
    own.segmented = find_segments(own.samples, 1 / run.prepared->preparation().grid.step, options);
    set_known(state, run.label(), own.segmented);
    samples += own.segmented.effort.size();
    for (const SignSegment& segment : own.segmented.segments) {
      segments.push_back(segment);
      has_segment[static_cast<std::size_t>(segment.joint)] = true;
    }
  }
  for (std::size_t j = 0; j < names.size(); ++j)
    if (!has_segment[j])
      state.findings.push_back(
          make_finding("no-segments", names[j],
                       "not one stretch of this joint's |effort| is long enough above its threshold"));
  return segments;
}

// One fold per segment, and one over the RMS effort of every joint.
std::vector<Fold> fold_run_segments(const StudyState& state, VectorXd& weights) {
  std::vector<Fold> folds;
  VectorXd squares = VectorXd::Zero(state.plan.joints), counts = squares;
  for (const RunState& run : state.runs) {
    if (!run.signs) continue;
    const SegmentedRun& segmented = run.signs->segmented;
    for (Fold& fold : fold_segments(state.plan, study_layouts(state), run.signs->samples, segmented))
      folds.push_back(std::move(fold));
    for (const SignSegment& segment : segmented.segments) {
      squares[segment.joint] += segmented.effort.col(segment.joint)
                                    .segment(segment.range.begin, segment.range.size())
                                    .squaredNorm();
      counts[segment.joint] += static_cast<double>(segment.range.size());
    }
  }
  weights = VectorXd::Zero(state.plan.joints);
  for (Index j = 0; j < weights.size(); ++j)
    if (squares[j] > 0) weights[j] = std::sqrt(counts[j] / squares[j]);
  return folds;
}

SignOptions search_options(const StudyState& state) {
  SignOptions options = state.study.signs.search;
  const double cutoff = state.study.signs.segments.filter.cutoff;
  for (const RunState& run : state.runs)
    if (run.signs && cutoff > 0)
      options.correlation =
          std::max(options.correlation, 1 / (2 * cutoff * run.prepared->preparation().grid.step));
  return options;
}

}  // namespace

void recover_run_signs(StudyState& state) {
  if (!has_unsigned_runs(state.study)) return;
  check_unsigned(state);
  state.clock.time("signs", [&] {
    Index samples = 0;
    const std::vector<SignSegment> segments = segment_runs(state, samples);
    const SignOptions options = search_options(state);
    VectorXd weights;
    std::vector<Fold> folds = fold_run_segments(state, weights);
    std::vector<SignGain> gains;
    if (state.study.signs.gains) {
      gains = find_sign_gains(state, folds, segments, weights, options);
      folds = fold_run_segments(state, weights);
    }
    const WeighedSearch found = recover_signs_reweighed(
        folds, segments, weights, {&state.robot, &state.base, {}}, options, state.study.signs.reweigh);
    const VectorXd decided = found.search.decided();
    Index first = 0;
    for (RunState& run : state.runs) {
      if (!run.signs) continue;
      const auto count = static_cast<Index>(run.signs->segmented.segments.size());
      run.signs->best = found.search.signs.segment(first, count);
      run.signs->signs = decided.segment(first, count);
      first += count;
    }
    summarize_signs(state, found, samples);
    state.result.signs->gains = std::move(gains);
    judge_run_signs(state, folds, found, options.correlation);
    complete_run_signs(state, options.correlation);
  });
}

FoldPass fold_signed_run(const StudyState& state, const RunState& run, Index slot_samples) {
  const SignedRun& own = *run.signs;
  const Index count = own.samples.size(), joints = own.samples.joints();
  MatrixXd effort = own.completed ? *own.completed : own.segmented.effort;
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(count * joints), 0);
  for (Index j = 0; own.completed && j < joints; ++j)
    if (own.has_rows[static_cast<std::size_t>(j)])
      std::fill_n(mask.begin() + j * count, count, std::uint8_t{1});
  for (std::size_t k = 0; !own.completed && k < own.segmented.segments.size(); ++k) {
    const SignSegment& segment = own.segmented.segments[k];
    const double sign = own.signs[static_cast<Index>(k)];
    if (sign == 0) continue;
    for (Index s = segment.range.begin; s < segment.range.end; ++s) {
      effort(s, segment.joint) *= sign;
      mask[static_cast<std::size_t>(segment.joint * count + s)] = 1;
    }
  }
  const auto row = [&](std::string_view channel) { return own.samples.row(own.samples.find(channel)); };
  FoldPass out{FoldSet(study_layouts(state)), slot_samples, 0, count, {}, 0};
  for (Index begin = 0; begin < count; begin += slot_samples) {
    FoldSlot slot;
    slot.core = out.folds.empty_folds();
    std::vector<RowInput> inputs;
    for (const Row& plan_row : state.plan.rows) {
      RowInput& input = inputs.emplace_back();
      input.efforts = {effort.col(plan_row.i).data() + begin};
      input.mask = mask.data() + plan_row.i * count + begin;
    }
    fold_samples(
        state.plan,
        {row(channel::kPosition) + begin, row(channel::kVelocity) + begin,
         row(channel::kAcceleration) + begin, own.samples.stride(), std::min(slot_samples, count - begin)},
        inputs, slot.core);
    out.folds.append(std::move(slot));
  }
  Index kept = 0;
  for (const Fold& fold : out.folds.total()) {
    out.kept.push_back(fold.rows());
    kept += fold.rows();
  }
  out.kept_share = static_cast<double>(kept) / static_cast<double>(std::max<Index>(1, count * joints));
  return out;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
