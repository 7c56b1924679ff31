#include "identify/signs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/extra_columns.hpp"
#include "identify/feasible.hpp"
#include "identify/sign_gains.hpp"
#include "identify/sign_model.hpp"
#include "identify/sign_summary.hpp"
#include "identify/summary.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/log/whole_run.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

[[noreturn]] void refuse_unsigned(const Setup& setup, const std::string& what, const std::string& remedy) {
  throw InputError({what, {setup.study().path, 0, 0, ""}, "", remedy});
}

// The key of the study, if any, that adds to the rows what |effort| cannot take.
std::string key_that_needs_signs(const Setup& setup, const StudyRun& run) {
  const DriveSpec& drives = setup.study().drive_spec;
  if (!drives.known.empty()) return fmt::format("`known` of {}", drives.known.front().joint);
  if (!given_efforts(setup, run).empty()) return "the known effort of its log";
  if (!known_efforts(setup, run).empty()) return "its payload";
  if (all_columns(setup, run).size() > run_columns(setup, run).size()) return "friction other than linear";
  return "";
}

// The torque of a joint that two motors drive is a sum with two unknown signs.
void refuse_coupled_motors(const Setup& setup, const StudyRun& run) {
  const MatrixXd& ratios = setup.robot.transmission.matrix;
  for (Index motor = 0; motor < ratios.rows(); ++motor)
    for (Index joint = 0; joint < ratios.cols(); ++joint)
      if (motor != joint && ratios(motor, joint) != 0)
        refuse_unsigned(
            setup,
            fmt::format("run '{}' has |motor torque|, and the motors of {} and {} are coupled",
                        run.file.label.label, sign_joint_names(setup.robot)[static_cast<std::size_t>(joint)],
                        sign_joint_names(setup.robot)[static_cast<std::size_t>(motor)]),
            "log the torques with their signs, or the |torques| at the joints");
}

void check_unsigned(const Setup& setup) {
  const Study& study = setup.study();
  for (const StudyRun& run : study.runs) {
    if (!run.unsigned_effort) continue;
    if (run.file.label.role != RunRole::fit)
      refuse_unsigned(setup,
                      fmt::format("run '{}' has |effort| only and is not fitted", run.file.label.label),
                      "set `role: fit`; a model is validated on runs with signs");
    if (const std::string key = key_that_needs_signs(setup, run); !key.empty())
      refuse_unsigned(
          setup,
          fmt::format("{} cannot be fitted to run '{}', which has |effort| only", key, run.file.label.label),
          "leave it out, or log the efforts with their signs");
  }
  for (const StudyRun& run : study.runs)
    if (run.unsigned_effort && has_channel(run, std::string(channel::kMotor) + std::string(channel::kTorque)))
      refuse_coupled_motors(setup, run);
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

// Interpolation and filters swing a little below zero where |effort| touches it; a log with signs has more of its effort
// there, and is refused by detect_segments.
void lift_ripple(SampleBlock& samples, const SegmentOptions& options) {
  constexpr double kRipple = 0.01;  // of the squares
  const int torque = samples.find(channel::kTorque);
  if (torque < 0) return;
  for (Index j = 0; j < samples.joints(); ++j) {
    if (!options.has_sign.empty() && options.has_sign[static_cast<std::size_t>(j)]) continue;
    double* effort = samples.row(torque, j);
    double squares = 0, below = 0;
    for (Index s = 0; s < samples.size(); ++s) {
      squares += effort[s] * effort[s];
      below += effort[s] < 0 ? effort[s] * effort[s] : 0;
    }
    if (below > kRipple * squares) continue;
    for (Index s = 0; s < samples.size(); ++s) effort[s] = std::abs(effort[s]);
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

// Unless the study gives one, the filter of |effort| is that of the columns.
FilterOptions filter_of_segments(const Setup& setup) {
  const SignsSpec& spec = setup.study().signs;
  return spec.filter_given || !(setup.prepare.column_filter.cutoff > 0) ? spec.segments.filter
                                                                        : setup.prepare.column_filter;
}

SegmentOptions segment_options(const Setup& setup) {
  SegmentOptions options = setup.study().signs.segments;
  options.filter = filter_of_segments(setup);
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

Index shared_samples(Range a, Range b) {
  return std::max<Index>(0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
}

// A segment takes a sign that is known for more than half of its samples: it has one.
void set_known(const Setup& setup, const std::string& label, SegmentedRun& run) {
  const std::vector<std::string> names = sign_joint_names(setup.robot);
  for (const KnownSign& known : setup.study().signs.known) {
    const Index joint = sign_joint_index(names, known.joint, known.place);
    if (!known.run.empty() && known.run != label) continue;
    bool is_used = false;
    for (SignSegment& segment : run.segments)
      if (segment.joint == joint && 2 * shared_samples(segment.range, known.range) > segment.range.size()) {
        segment.sign = known.sign;
        is_used = true;
      }
    if (!is_used)
      throw InputError({fmt::format("the known section {} … {} of {} has no segment in run '{}'",
                                    known.range.begin, known.range.end, known.joint, label),
                        known.place, "more than half of a segment", "`steelyard signs` prints the segments"});
  }
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
    own.rows = make_sign_rows({setup.plan, all_columns(setup, *run.run)}, own.samples, own.segmented.band);
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
    for (Fold& fold : fold_segments(run->rows, study_layouts(setup), segmented))
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

SignOptions search_options(const Setup& setup, const SignedRuns& runs) {
  SignOptions options = setup.study().signs.search;
  for (const std::optional<SignedRun>& run : runs)
    if (run) options.correlation = std::max(options.correlation, run->rows.band.correlation());
  return options;
}

TreeOptions tree_options(const Setup& setup) {
  TreeOptions options = setup.study().signs.tree;
  options.seed = setup.study().seed;
  return options;
}

// What a feasible model is, as the study has it. The weight of `pull: {weight: auto}` is found on rows with signs.
SignPhysics physics_of(const Setup& setup, const SignedRuns& runs) {
  SignPhysics physics{&setup.robot, &setup.base};
  const std::optional<FeasibleSpec>& feasible = setup.study().feasible;
  if (!feasible) return physics;
  std::vector<std::string> columns = setup.plan.columns;
  for (const std::optional<SignedRun>& run : runs)
    for (const ExtraColumns& extra : run ? run->rows.of.extra : std::vector<ExtraColumns>())
      for (const ExtraColumn& column : extra.columns) columns.push_back(column.name);
  physics.constraints = make_constraints(setup, *feasible, quantities_of(setup.robot, setup.base, columns));
  if (const double weight = feasible->pull.weight.value_or(0); weight > 0)
    physics.pull = [&setup, &spec = *feasible, weight](const Quantities& quantities, Objective& objective) {
      const Reference reference = study_reference(spec, setup.robot, quantities, objective);
      add_pull(spec, setup.robot, quantities, reference, weight, objective);
    };
  return physics;
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
    const SignOptions options = search_options(setup, signs.runs);
    const SignPhysics physics = physics_of(setup, signs.runs);
    VectorXd weights;
    std::vector<Fold> folds = fold_run_segments(setup, signs.runs, weights);
    std::vector<SignGain> gains;
    std::string scale;
    if (setup.study().signs.gains) {
      SignGains found = identify_sign_gains(setup, physics, folds, segments, weights, options);
      add_to(signs.findings, std::move(found.findings));
      for (std::optional<SignedRun>& run : signs.runs)
        if (run) scale_run(found.factors, *run);
      gains = std::move(found.gains);
      scale = std::move(found.scale);
      signs.gains = std::move(found.values);
      folds = fold_run_segments(setup, signs.runs, weights);
    }
    std::optional<TreeSearch> tree;
    if (setup.study().signs.method != SignMethod::exact)
      tree = search_tree(folds, segments, weights, physics, tree_options(setup));
    WeighedSearch found;
    if (setup.study().signs.method == SignMethod::tree) {
      found.problem = make_sign_problem(folds, segments, weights);
      found.search = assess_signs(found.problem, physics, tree->signs, options);
    } else {
      found =
          recover_signs_reweighed(folds, segments, weights, physics, options, setup.study().signs.reweigh);
    }
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
    if (tree) signs.summary->tree = summarize_tree(tree_options(setup), *tree, found.search.signs);
    add_to(signs.findings, sign_findings(*signs.summary));
    signs.summary->gains = std::move(gains);
    signs.summary->scale = std::move(scale);
    judge_run_signs(setup, runs, folds, found, signs);
    complete_run_signs(setup, runs, signs);
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
  FoldPass out{
      FoldSet(with_extra_columns(study_layouts(setup), own.rows.of.extra)), slot_samples, 0, count, {}, 0};
  for (Index begin = 0; begin < count; begin += slot_samples) {
    FoldSlot slot;
    slot.core = out.folds.empty_folds();
    for (Index j = 0; j < joints; ++j)
      add_rows(own.rows, j, {begin, std::min(begin + slot_samples, count)}, mask.data() + j * count,
               effort.col(j).data(), slot.core[static_cast<std::size_t>(j)]);
    out.folds.append(std::move(slot));
  }
  Index kept = 0;
  for (const Fold& fold : out.folds.total()) {
    out.kept.push_back(fold.rows());
    kept += fold.rows();
  }
  const Index rows = joints * ((count + own.rows.band.factor - 1) / own.rows.band.factor);
  out.kept_share = static_cast<double>(kept) / static_cast<double>(std::max<Index>(1, rows));
  return out;
}

}  // namespace steelyard
