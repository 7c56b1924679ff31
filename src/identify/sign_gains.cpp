#include "identify/sign_gains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/gains.hpp"
#include "identify/sign_model.hpp"
#include "identify/state.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/core/statistics.hpp"
#include "steelyard/signs/unknown_gains.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr double kMostGainDeviation = 0.3;  // of the gain; above, the a-priori value is as good

void scale_run(const VectorXd& factors, SignedRun& run) {
  const int torque = run.samples.find(channel::kTorque);
  for (Index j = 0; j < factors.size(); ++j) {
    double* effort = run.samples.row(torque, j);
    for (Index s = 0; s < run.samples.size(); ++s) effort[s] *= factors[j];
    run.segmented.effort.col(j) *= factors[j];
    run.segmented.rms[j] *= factors[j];
  }
}

// Rows that are independent, less the unknowns.
double degrees_of_freedom(const SignProblem& problem, double correlation) {
  const auto unknowns = static_cast<double>(problem.R_YY.rows() + problem.weight.size());
  return std::max(1.0, static_cast<double>(problem.rows) / correlation - unknowns);
}

void tell_kept(StudyState& state, const SignGain& gain, double relative) {
  state.findings.push_back(make_finding(
      "gain-kept", gain.joint,
      std::isfinite(relative)
          ? fmt::format("|effort| gives this gain to ± {:.0f} % only: the assumed {:.4g} is kept",
                        100 * relative, gain.a_priori)
          : fmt::format("|effort| does not tell this gain: the assumed {:.4g} is kept", gain.a_priori)));
}

}  // namespace

VectorXd gains_of_signs(const StudyState& state) {
  if (state.sign_gains.size() > 0) return state.sign_gains;
  const SignGainsSpec& spec = *state.study.signs.gains;
  const auto joints = static_cast<Index>(log_joints(state.robot).size());
  if (spec.a_priori.size() == 0) return VectorXd::Ones(joints);
  if (spec.a_priori.size() != joints)
    throw InputError({fmt::format("a_priori has {} gains", spec.a_priori.size()), spec.place,
                      fmt::format("{}, one per joint", joints), "give one number per joint"});
  return spec.a_priori;
}

std::vector<SignGain> find_sign_gains(StudyState& state, const std::vector<Fold>& folds,
                                      const std::vector<SignSegment>& segments, const VectorXd& weights,
                                      const SignOptions& options) {
  const SignGainsSpec& spec = *state.study.signs.gains;
  const std::vector<std::string> names = sign_joint_names(state.robot);
  GainSearchOptions wanted;
  if (!spec.fixed.empty()) wanted.fixed = sign_joint_index(names, spec.fixed, spec.place);
  const SignProblem problem = make_sign_problem(folds, segments, weights);
  const GainSearch found = recover_signs_and_gains(problem, {&state.robot, &state.base, {}}, options, wanted);
  const GainEstimate refined = refine_gains(folds, problem, found, options.correlation);
  const VectorXd assumed = gains_of_signs(state);
  const double reach = student_quantile(0.5 + state.study.intervals.level / 2,
                                        degrees_of_freedom(problem, options.correlation));
  VectorXd factors = VectorXd::Ones(assumed.size());
  std::vector<SignGain> told;
  for (Index j = 0; j < assumed.size(); ++j) {
    SignGain& gain = told.emplace_back();
    gain.joint = names[static_cast<std::size_t>(j)];
    gain.value = gain.a_priori = assumed[j];
    gain.status = "given";
    if (j == found.fixed) continue;
    const double relative = refined.sigma[j] / refined.gains[j];
    if (!refined.determined[static_cast<std::size_t>(j)] || !(relative <= kMostGainDeviation)) {
      gain.status = "not_identifiable";
      tell_kept(state, gain, relative);
      continue;
    }
    factors[j] = refined.gains[j];
    gain.status = "identified";
    gain.value = factors[j] * assumed[j];
    gain.sigma = relative * std::abs(gain.value);
    gain.interval = {gain.value - reach * *gain.sigma, gain.value + reach * *gain.sigma};
  }
  if (!found.converged)
    state.findings.push_back(make_finding(
        "signs-not-proven", "", fmt::format("signs and gains still changed after {} rounds", found.rounds)));
  state.sign_gains = factors.cwiseProduct(assumed);
  for (RunState& run : state.runs) {
    run.prepared =
        std::make_unique<PreparedRun>(open_source(state, *run.run), run.run->file.label, state.prepare);
    if (run.signs) scale_run(factors, *run.signs);
  }
  ++state.extra_passes;  // the runs were read before
  return told;
}

void restore_sign_gains(const Result& model, StudyState& state) {
  if (!model.signs || model.signs->gains.empty())
    throw InputError({"the model has no gains that were found with signs, but the study wants them",
                      state.study.signs.gains->place,
                      {},
                      "use a model of this study"});
  const std::vector<std::string> names = sign_joint_names(state.robot);
  state.sign_gains = VectorXd::Ones(static_cast<Index>(names.size()));
  for (const SignGain& gain : model.signs->gains)
    state.sign_gains[sign_joint_index(names, gain.joint, state.study.signs.gains->place)] = gain.value;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
