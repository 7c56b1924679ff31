#include "steelyard/identify/excite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/next_forecast.hpp"
#include "identify/prior.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/excite/configurations.hpp"
#include "steelyard/excite/load.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Information of earlier runs over the base parameters, noise and rows per second.
struct Known {
  MatrixXd information;
  VectorXd noise;
  double rate = 0;
  VectorXd values;
  MatrixXd with_gains;  // information with the gains of the drives as further columns
};

// Further columns (curves of friction, loads) are unknown as well: they are projected out.
MatrixXd information_over(const Estimate& estimated, const std::vector<std::string>& names) {
  const MatrixXd R = estimated.factor.columns();
  const Eigen::MatrixXd all = R.transpose() * R / (estimated.sigma_rows * estimated.sigma_rows);
  const std::vector<std::string>& columns = estimated.factor.layout().columns;
  std::vector<Index> own, others;
  for (const std::string& name : names)
    own.push_back(std::find(columns.begin(), columns.end(), name) - columns.begin());
  for (Index c = 0; c < static_cast<Index>(columns.size()); ++c)
    if (std::find(own.begin(), own.end(), c) == own.end()) others.push_back(c);
  const Index n = static_cast<Index>(own.size()), m = static_cast<Index>(others.size());
  const auto entry = [&](Index a, Index b) {
    const Index size = static_cast<Index>(columns.size());
    return a < size && b < size ? all(a, b) : 0.0;
  };
  Eigen::MatrixXd A(n, n), B(n, m), C(m, m);
  for (Index i = 0; i < n; ++i) {
    const Index a = own[static_cast<std::size_t>(i)];
    for (Index j = 0; j < n; ++j) A(i, j) = entry(a, own[static_cast<std::size_t>(j)]);
    for (Index j = 0; j < m; ++j) B(i, j) = entry(a, others[static_cast<std::size_t>(j)]);
  }
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < m; ++j)
      C(i, j) = all(others[static_cast<std::size_t>(i)], others[static_cast<std::size_t>(j)]);
  if (m > 0) A -= B * ShortestSolution(C).solve(B.transpose());
  return A;
}

// Rows of the folds with the predicted effort as column of the joint's gain. Rows come joint by joint.
MatrixXd information_with_gains(const std::vector<Fold>& folds, const std::vector<std::string>& names,
                                const Known& known) {
  const Index n = static_cast<Index>(names.size()), joints = known.noise.size();
  MatrixXd information = MatrixXd::Zero(n + joints, n + joints);
  std::vector<std::string> kinds;
  for (const Fold& fold : folds) {
    const auto kind = std::find(kinds.begin(), kinds.end(), fold.layout().row);
    const Index j = kind - kinds.begin();
    if (kind == kinds.end()) kinds.push_back(fold.layout().row);
    const MatrixXd R = fold.columns();
    MatrixXd rows = MatrixXd::Zero(R.rows(), n + joints);
    for (Index c = 0; c < R.cols(); ++c) {
      const auto at =
          std::find(names.begin(), names.end(), fold.layout().columns[static_cast<std::size_t>(c)]);
      if (at != names.end()) rows.col(at - names.begin()) = R.col(c);
    }
    rows.col(n + j) = -(rows.leftCols(n) * known.values);
    information += rows.transpose() * rows / (known.noise[j] * known.noise[j]);
  }
  return information;
}

Known known_from(const std::vector<FoldedRun>& files, const Study& study, const Robot& robot,
                 const BaseParameters& base) {
  std::vector<Fold> folds;
  double seconds = 0, rows = 0;
  for (const FoldedRun& file : files) {
    seconds += static_cast<double>(file.samples) * file.step;
    for (const FoldBlock& block : file.blocks)
      for (const Fold& fold : block.all()) {
        folds.push_back(fold);
        rows += static_cast<double>(fold.rows());
      }
  }
  const Estimate estimated = estimate(folds, study.estimate);
  Known known;
  const std::vector<std::string> names = lead_names(base);
  known.information = information_over(estimated, names);
  known.noise = VectorXd::Constant(robot.dof(), estimated.sigma_rows);
  if (study.estimate.weighting != Weighting::none)
    for (Index j = 0; j < std::min<Index>(known.noise.size(), static_cast<Index>(estimated.per_row.size()));
         ++j)
      known.noise[j] = estimated.per_row[static_cast<std::size_t>(j)].sigma * estimated.sigma_rows;
  known.rate = rows / (seconds * static_cast<double>(robot.dof()));
  known.values.setZero(static_cast<Index>(names.size()));
  for (std::size_t k = 0; k < names.size(); ++k)
    if (const Index at = estimated.find(names[k]); at >= 0)
      known.values[static_cast<Index>(k)] = estimated.values[at];
  known.with_gains = information_with_gains(folds, names, known);
  return known;
}

std::vector<Limits> joint_limits(const ExciteSpec& spec, const Robot& robot, const Study& study) {
  std::vector<Limits> limits;
  for (const Joint& joint : robot.joints) limits.push_back(joint.limits);
  for (const LimitOverride& one : spec.limits) {
    const int at = one.joint.empty() ? -1 : robot.index_of(one.joint);
    if (!one.joint.empty() && at < 0)
      throw InputError({fmt::format("limits are given for '{}', which the robot does not have", one.joint),
                        {study.path, 0, 0, one.joint},
                        {},
                        "name a joint of the robot"});
    for (std::size_t j = 0; j < limits.size(); ++j) {
      if (at >= 0 && static_cast<int>(j) != at) continue;
      const Limits& given = one.limits;
      if (given.lower > -kInfinity) limits[j].lower = given.lower;
      if (given.upper < kInfinity) limits[j].upper = given.upper;
      if (given.velocity < kInfinity) limits[j].velocity = given.velocity;
      if (given.acceleration < kInfinity) limits[j].acceleration = given.acceleration;
      if (given.effort < kInfinity) limits[j].effort = given.effort;
    }
  }
  return limits;
}

void add_capsules(const ExciteSpec& spec, const Robot& robot, const Study& study, Workspace& workspace) {
  if (spec.skeleton_radius > 0) workspace.capsules = skeleton_capsules(robot, spec.skeleton_radius);
  for (const CapsuleSpec& one : spec.capsules) {
    Capsule capsule = one.capsule;
    capsule.link = one.link == "base" ? -1 : robot.index_of(one.link);
    if (capsule.link < 0 && one.link != "base")
      throw InputError({fmt::format("a capsule is on link '{}', which the robot does not have", one.link),
                        {study.path, 0, 0, one.link},
                        {},
                        "name a link of the robot, or `base`"});
    workspace.capsules.push_back(capsule);
  }
}

// Friction of the section into the prior of the base parameters fv and fc.
void add_friction(const ExciteSpec& spec, const BaseParameters& base, VectorXd& prior) {
  const std::vector<std::string> names = lead_names(base);
  for (const auto& [stem, list] : {std::pair{"fv", &spec.friction_viscous}, {"fc", &spec.friction_coulomb}})
    for (std::size_t k = 0; k < names.size() && !list->empty(); ++k) {
      if (names[k].rfind(stem, 0) != 0 || names[k].size() < 3 || names[k][2] < '0' || names[k][2] > '9')
        continue;
      const std::size_t joint = static_cast<std::size_t>(std::stoi(names[k].substr(2))) - 1;
      prior[static_cast<Index>(k)] = list->size() == 1      ? list->front()
                                     : joint < list->size() ? (*list)[joint]
                                                            : 0;
    }
}

struct Setting {
  Robot robot;
  BaseParameters base;
  ExciteOptions options;
  double output_rate = 0;
  std::vector<Complaint> warnings;
};

Setting setting_of(const Study& study, const StudyOptions& run) {
  if (!study.excite)
    throw InputError(
        {"the study has no section `excite`", {study.path, 0, 0, ""}, {}, "add `excite: {duration: 20}`"});
  const ExciteSpec& spec = *study.excite;
  Setting s;
  s.robot = study_robot(study, &s.warnings);
  BaseOptions base;
  base.expressions = false;
  s.base = base_parameters(s.robot, base);
  s.options = spec.options;
  s.options.limits = joint_limits(spec, s.robot, study);
  add_capsules(spec, s.robot, study, s.options.workspace);
  s.options.prior = prior_from_masses(s.robot, s.base);
  if (s.options.prior) add_friction(spec, s.base, *s.options.prior);
  s.options.seed = study.seed;
  s.options.threads = run.threads;
  s.output_rate = spec.output_rate;
  return s;
}

void take_known(const Known& known, ExciteOptions& options) {
  options.information = known.information;
  if (options.noise.size() == 0) options.noise = known.noise;
  options.rate = known.rate;
}

std::vector<FoldedRun> fold_files(const ExciteSpec& spec) {
  std::vector<FoldedRun> files;
  for (const std::string& path : spec.folds)
    for (FoldedRun& run : read_fold_file(path)) files.push_back(std::move(run));
  return files;
}

ExcitedMotion search(const Setting& s, const ExciteOptions& options, const StudyOptions& run,
                     const std::string& stage) {
  ExciteOptions own = options;
  if (run.progress) own.progress = [&](double share, double) { run.progress(stage, share); };
  return excite_motion(s.robot, s.base, own);
}

void judge(NextCandidate& candidate, const MatrixXd& information, const Setting& s, const VectorXd& now) {
  candidate.sigma = deviations_of(s.options.information + information);
  const std::vector<std::string> names = lead_names(s.base);
  for (Index k = 0; k < now.size(); ++k) {
    const double shrink = std::isfinite(now[k])               ? now[k] / candidate.sigma[k]
                          : std::isfinite(candidate.sigma[k]) ? kInfinity
                                                              : 1.0;
    if (shrink > candidate.most)
      candidate.most = shrink, candidate.shrinks = names[static_cast<std::size_t>(k)];
  }
}

// Candidates with what they are worth: the logarithm of the forecast's inverse, or log det.
using Ranked = std::vector<std::pair<double, NextCandidate>>;

void rank(NextCandidate candidate, const MatrixXd& information, const Setting& s,
          const NextForecastOutcome& forecast, const VectorXd& now, Ranked& ranked) {
  judge(candidate, information, s, now);
  candidate.log_det = log_det_after(s.robot, s.base, information, s.options);
  double value = candidate.log_det;
  if (forecast.forecast) {
    candidate.forecast = forecast.forecast->after(information);
    value = -std::log(std::max(candidate.forecast->expected, 1e-300));
  }
  ranked.emplace_back(value, std::move(candidate));
}

// The best motion so far, played with each load: no more than without it for the parameters, but the gains.
void add_payloads(const Setting& s, const ExciteSpec& spec, const Known& known, Ranked& ranked) {
  if (spec.payloads.empty()) return;
  const auto best = std::max_element(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return (a.second.motion ? a.first : -kInfinity) < (b.second.motion ? b.first : -kInfinity);
  });
  const NextCandidate without = best->second;
  const double value = best->first;
  const Index joints = s.robot.dof();
  for (const double mass : spec.payloads) {
    NextCandidate candidate = without;
    candidate.kind = "payload";
    candidate.load = mass;
    MatrixXd information =
        information_with_gains(s.robot, s.base, without.motion->motion, s.options, known.values, mass);
    information += known.with_gains;
    candidate.gain_sigma = deviations_of(information).tail(joints);
    ranked.emplace_back(value - 1e-9, std::move(candidate));  // equal, but more work
  }
}

NextCandidate poses_of(const Setting& s, const Study& study) {
  ConfigurationOptions wanted;
  wanted.count = study.excite->configurations;
  wanted.rows = RowSet::gravity;
  wanted.seed = study.seed;
  wanted.limits = s.options.limits;
  wanted.free_range = s.options.free_range;
  wanted.allows = pose_check(s.robot, s.base, s.options);
  NextCandidate candidate;
  candidate.kind = "configurations";
  candidate.poses = best_configurations(s.robot, s.base, wanted).q;
  return candidate;
}

// Folds of what has been run: those the study names, and of its fit runs.
std::vector<FoldedRun> folds_so_far(const Study& study, const StudyOptions& run) {
  std::vector<FoldedRun> files = fold_files(*study.excite);
  if (!study.runs.empty()) {
    StudyOptions folds_only = run;
    folds_only.examine = false;
    const std::vector<FoldedRun> all = fold_study(study, folds_only);
    for (std::size_t r = 0; r < all.size(); ++r)
      if (study.runs[r].file.label.role == RunRole::fit) files.push_back(all[r]);
  }
  if (files.empty())
    throw InputError({"nothing has been run yet: the study has neither runs nor fold files",
                      {study.path, 0, 0, ""},
                      {},
                      "start with `steelyard excite`"});
  return files;
}

}  // namespace

ExciteOutcome excite_study(const Study& study, const StudyOptions& run) {
  Setting s = setting_of(study, run);
  if (const std::vector<FoldedRun> files = fold_files(*study.excite); !files.empty())
    take_known(known_from(files, study, s.robot, s.base), s.options);
  ExciteOutcome outcome;
  outcome.found = search(s, s.options, run, "searching");
  outcome.robot = std::move(s.robot);
  outcome.base = std::move(s.base);
  outcome.options = std::move(s.options);
  outcome.output_rate = s.output_rate;
  outcome.warnings = std::move(s.warnings);
  return outcome;
}

NextOutcome next_study(const Study& study, const StudyOptions& run) {
  Setting s = setting_of(study, run);
  const std::vector<FoldedRun> files = folds_so_far(study, run);
  const Known known = known_from(files, study, s.robot, s.base);
  take_known(known, s.options);
  NextForecastOutcome forecast = next_forecast(study, files, known.information, run);
  NextOutcome outcome;
  outcome.parameters = lead_names(s.base);
  outcome.sigma = deviations_of(s.options.information);
  Ranked ranked;
  for (const MotionKind kind : {MotionKind::fourier, MotionKind::points}) {
    ExciteOptions options = s.options;
    options.kind = kind;
    if (forecast.forecast) options.goal = forecast.forecast->goal;
    NextCandidate candidate;
    candidate.kind = to_string(kind);
    candidate.motion = search(s, options, run, fmt::format("searching {}", candidate.kind));
    const MatrixXd information = candidate.motion->report.information;
    rank(std::move(candidate), information, s, forecast, outcome.sigma, ranked);
  }
  if (study.excite->configurations > 0) {
    NextCandidate candidate = poses_of(s, study);
    const MatrixXd information = information_at_rest(s.robot, s.base, candidate.poses, s.options);
    rank(std::move(candidate), information, s, forecast, outcome.sigma, ranked);
  }
  add_payloads(s, *study.excite, known, ranked);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [value, candidate] : ranked) outcome.candidates.push_back(std::move(candidate));
  if (forecast.forecast) outcome.forecast = std::move(forecast.forecast->now);
  outcome.no_forecast = std::move(forecast.unavailable);
  outcome.robot = std::move(s.robot);
  outcome.base = std::move(s.base);
  outcome.options = std::move(s.options);
  outcome.output_rate = s.output_rate;
  outcome.warnings = std::move(s.warnings);
  return outcome;
}

}  // namespace steelyard
