#include "identify/signs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "identify/extra_columns.hpp"
#include "identify/sign_gains.hpp"
#include "identify/sign_model.hpp"
#include "identify/summary.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/fold/samples.hpp"
#include "steelyard/log/whole_run.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

[[noreturn]] void refuse_unsigned(const Setup& setup, const std::string& what, const std::string& remedy) {
  throw InputError({what, {setup.study().path, 0, 0, ""}, "", remedy});
}

void check_unsigned(const Setup& setup) {
  const Study& study = setup.study();
  for (const StudyRun& run : study.runs) {
    if (!run.unsigned_effort) continue;
    if (run.file.label.role != RunRole::fit)
      refuse_unsigned(setup,
                      fmt::format("run '{}' has |effort| only and is not fitted", run.file.label.label),
                      "set `role: fit`; a model is validated on runs with signs");
    if (!all_columns(setup, run).empty() || !known_efforts(setup, run).empty())
      refuse_unsigned(setup, "extra columns, known efforts and offsets of single runs need runs with signs",
                      "leave out `columns`, `known` and `offset: per_run`");
  }
  if (study.gains || study.elastic)
    refuse_unsigned(setup, "gains and springs need runs with signs",
                    "identify the links first, without `gains` and `elastic`");
  if (study.signs.gains && !setup.robot.pairs.empty())
    refuse_unsigned(setup, "|effort| of coupled motors does not determine their gains",
                    "remove `gains` from `signs`, or log efforts with signs");
  if (study.cutoff.automatic)
    refuse_unsigned(setup, "an automatic cut-off needs runs with signs", "give `cutoff` a number");
  if (study.estimator.instruments || study.estimator.single_rows)
    refuse_unsigned(setup, "this method of estimation needs runs with signs", "use `method: wls` or `ols`");
}

// Interpolation and filters swing a little below zero where |effort| touches it; a log with signs goes far
// below, and is refused by detect_segments.
void lift_ripple(SampleBlock& samples, const SegmentOptions& options) {
  constexpr double kRipple = 0.1;  // of RMS
  const int torque = samples.find(channel::kTorque);
  if (torque < 0) return;
  for (Index j = 0; j < samples.joints(); ++j) {
    if (!options.has_sign.empty() && options.has_sign[static_cast<std::size_t>(j)]) continue;
    double* effort = samples.row(torque, j);
    double squares = 0;
    for (Index s = 0; s < samples.size(); ++s) squares += effort[s] * effort[s];
    const double lowest =
        -kRipple * std::sqrt(squares / static_cast<double>(std::max<Index>(1, samples.size())));
    for (Index s = 0; s < samples.size(); ++s)
      if (effort[s] < 0 && effort[s] > lowest) effort[s] = -effort[s];
  }
}

void scale_run(const VectorXd& factors, SignedRun& run) {
  const int torque = run.samples.find(channel::kTorque);
  for (Index j = 0; j < factors.size(); ++j) {
    double* effort = run.samples.row(torque, j);
    for (Index s = 0; s < run.samples.size(); ++s) effort[s] *= factors[j];
    run.segmented.effort.col(j) *= factors[j];
    run.segmented.rms[j] *= factors[j];
  }
}

SegmentOptions segment_options(const Setup& setup) {
  SegmentOptions options = setup.study().signs.segments;
  if (!setup.study().signs.reversals_given)
    for (const Joint& joint : setup.robot.joints) options.at_reversals |= joint.drive.coulomb;
  const std::vector<std::string> names = sign_joint_names(setup.robot);
  if (!setup.study().signs.with_sign.empty()) options.has_sign.assign(names.size(), false);
  for (const std::string& joint : setup.study().signs.with_sign)
    options
        .has_sign[static_cast<std::size_t>(sign_joint_index(names, joint, {setup.study().path, 0, 0, ""}))] =
        true;
  return options;
}

// A segment takes a sign that is known for all of its samples.
void set_known(const Setup& setup, const std::string& label, SegmentedRun& run) {
  const std::vector<std::string> names = sign_joint_names(setup.robot);
  for (const KnownSign& known : setup.study().signs.known) {
    const Index joint = sign_joint_index(names, known.joint, known.place);
    if (!known.run.empty() && known.run != label) continue;
    for (SignSegment& segment : run.segments)
      if (segment.joint == joint && segment.range.begin >= known.range.begin &&
          segment.range.end <= known.range.end)
        segment.sign = known.sign;
  }
}

std::vector<Finding> undecided_findings(const SignsSummary& signs) {
  std::vector<Finding> findings;
  std::map<std::string, int> undecided;
  for (const SegmentSummary& segment : signs.segments)
    if (!segment.decided) ++undecided[segment.joint];
  for (const auto& [joint, count] : undecided)
    findings.push_back(make_finding("undecided-signs", joint,
                                    fmt::format("{} {} of this joint fit about as well with the other sign",
                                                count, count == 1 ? "segment" : "segments")));
  if (signs.certified != "feasible-optimal")
    findings.push_back(
        make_finding("signs-not-proven", "",
                     fmt::format("{}: cost {:.4g}, no pattern is below {:.4g}, {} nodes and {} fits",
                                 signs.certified, signs.cost, signs.lower_bound, signs.nodes, signs.fits)));
  return findings;
}

SignsSummary summarize_signs(const Setup& setup, const Runs& runs, const SignedRuns& signed_runs,
                             const WeighedSearch& found, Index samples) {
  const SignSearch& search = found.search;
  SignsSummary signs;
  signs.certified = to_string(search.proof);
  signs.cost = search.cost;
  signs.lower_bound = search.lower_bound;
  signs.nodes = static_cast<std::int64_t>(search.nodes);
  signs.fits = search.fits;
  const std::vector<std::string> names = sign_joint_names(setup.robot);
  double kept = 0, decided = 0;
  std::size_t k = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (!signed_runs[r]) continue;
    const OpenRun& run = runs[r];
    const UniformGrid& grid = run.prepared->preparation().grid;
    for (const SignSegment& segment : signed_runs[r]->segmented.segments) {
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
  return signs;
}

// A joint slower than the study's limit gives no rows, as at standstill.
void mark_slow(const VectorXd& limits, SampleBlock& samples) {
  if (limits.size() == 0 || limits.maxCoeff() <= 0) return;
  const Index moving = samples.add_channel(std::string(channel::kMoving));
  for (Index j = 0; j < samples.joints(); ++j) {
    const double* velocity = samples.row(samples.find(channel::kVelocity), j);
    double* out = samples.row(moving, j);
    for (Index s = 0; s < samples.size(); ++s) out[s] = std::abs(velocity[s]) >= limits[j];
  }
}

// Segments of all unsigned runs; a joint without any is reported.
std::vector<SignSegment> segment_runs(const Setup& setup, const Runs& runs, Index& samples, Signs& signs) {
  const SegmentOptions options = segment_options(setup);
  const std::vector<std::string> names = sign_joint_names(setup.robot);
  std::vector<SignSegment> segments;
  std::vector<bool> has_segment(names.size(), false);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const OpenRun& run = runs[r];
    if (!run.run->unsigned_effort) continue;
    SignedRun& own = signs.runs[r].emplace();
    own.samples = whole_run(*run.prepared);
    mark_slow(run.prepared->preparation().velocity_below, own.samples);
    lift_ripple(own.samples, options);
    own.segmented = detect_segments(own.samples, 1 / run.prepared->preparation().grid.step, options);
    set_known(setup, run.label(), own.segmented);
    samples += own.segmented.effort.size();
    for (const SignSegment& segment : own.segmented.segments) {
      segments.push_back(segment);
      has_segment[static_cast<std::size_t>(segment.joint)] = true;
    }
  }
  for (std::size_t j = 0; j < names.size(); ++j)
    if (!has_segment[j])
      signs.findings.push_back(
          make_finding("no-segments", names[j],
                       "no section of this joint's |effort| stays above its threshold long enough"));
  return segments;
}

// One fold per segment, and one over the RMS effort of every joint.
std::vector<Fold> fold_run_segments(const Setup& setup, const SignedRuns& runs, VectorXd& weights) {
  std::vector<Fold> folds;
  VectorXd squares = VectorXd::Zero(setup.plan.joints), counts = squares;
  for (const std::optional<SignedRun>& run : runs) {
    if (!run) continue;
    const SegmentedRun& segmented = run->segmented;
    for (Fold& fold : fold_segments(setup.plan, study_layouts(setup), run->samples, segmented))
      folds.push_back(std::move(fold));
    for (const SignSegment& segment : segmented.segments) {
      squares[segment.joint] += segmented.effort.col(segment.joint)
                                    .segment(segment.range.begin, segment.range.size())
                                    .squaredNorm();
      counts[segment.joint] += static_cast<double>(segment.range.size());
    }
  }
  weights = VectorXd::Zero(setup.plan.joints);
  for (Index j = 0; j < weights.size(); ++j)
    if (squares[j] > 0) weights[j] = std::sqrt(counts[j] / squares[j]);
  return folds;
}

SignOptions search_options(const Setup& setup, const Runs& runs) {
  SignOptions options = setup.study().signs.search;
  const double cutoff = setup.study().signs.segments.filter.cutoff;
  for (const OpenRun& run : runs)
    if (run.run->unsigned_effort && cutoff > 0)
      options.correlation =
          std::max(options.correlation, 1 / (2 * cutoff * run.prepared->preparation().grid.step));
  return options;
}

}  // namespace

Signs recover_run_signs(const Setup& setup, const Runs& runs) {
  Signs signs;
  signs.runs.resize(runs.size());
  if (!has_unsigned_runs(setup.study())) return signs;
  check_unsigned(setup);
  setup.clock().time("signs", [&] {
    Index samples = 0;
    const std::vector<SignSegment> segments = segment_runs(setup, runs, samples, signs);
    const SignOptions options = search_options(setup, runs);
    VectorXd weights;
    std::vector<Fold> folds = fold_run_segments(setup, signs.runs, weights);
    std::vector<SignGain> gains;
    if (setup.study().signs.gains) {
      SignGains found = identify_sign_gains(setup, folds, segments, weights, options);
      add_to(signs.findings, std::move(found.findings));
      for (std::optional<SignedRun>& run : signs.runs)
        if (run) scale_run(found.factors, *run);
      gains = std::move(found.gains);
      signs.gains = std::move(found.values);
      folds = fold_run_segments(setup, signs.runs, weights);
    }
    const WeighedSearch found = recover_signs_reweighed(
        folds, segments, weights, {&setup.robot, &setup.base, {}}, options, setup.study().signs.reweigh);
    const VectorXd decided = found.search.decided();
    Index first = 0;
    for (std::optional<SignedRun>& run : signs.runs) {
      if (!run) continue;
      const auto count = static_cast<Index>(run->segmented.segments.size());
      run->best = found.search.signs.segment(first, count);
      run->signs = decided.segment(first, count);
      first += count;
    }
    signs.summary = summarize_signs(setup, runs, signs.runs, found, samples);
    add_to(signs.findings, undecided_findings(*signs.summary));
    signs.summary->gains = std::move(gains);
    judge_run_signs(setup, runs, folds, found, options.correlation, signs);
    complete_run_signs(setup, runs, options.correlation, signs);
  });
  return signs;
}

namespace {

// All samples of the joint but those at standstill.
void mark_moving_rows(const SampleBlock& samples, Index joint, std::vector<std::uint8_t>& mask) {
  const int moving = samples.find(channel::kMoving);
  for (Index s = 0; s < samples.size(); ++s)
    mask[static_cast<std::size_t>(joint * samples.size() + s)] =
        moving < 0 || samples.row(moving, joint)[s] != 0;
}

}  // namespace

FoldPass fold_signed_run(const Setup& setup, const SignedRun& own, Index slot_samples) {
  const Index count = own.samples.size(), joints = own.samples.joints();
  MatrixXd effort = own.completed ? *own.completed : own.segmented.effort;
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(count * joints), 0);
  for (Index j = 0; own.completed && j < joints; ++j)
    if (own.has_rows[static_cast<std::size_t>(j)]) mark_moving_rows(own.samples, j, mask);
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
  FoldPass out{FoldSet(study_layouts(setup)), slot_samples, 0, count, {}, 0};
  for (Index begin = 0; begin < count; begin += slot_samples) {
    FoldSlot slot;
    slot.core = out.folds.empty_folds();
    std::vector<RowInput> inputs;
    for (const Row& plan_row : setup.plan.rows) {
      RowInput& input = inputs.emplace_back();
      input.efforts = {effort.col(plan_row.i).data() + begin};
      input.mask = mask.data() + plan_row.i * count + begin;
    }
    fold_samples(
        setup.plan,
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

}  // namespace steelyard
