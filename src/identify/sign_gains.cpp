#include "identify/sign_gains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/sign_model.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/core/statistics.hpp"
#include "steelyard/signs/unknown_gains.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kMaxGainDeviation = 0.3;  // of the gain; above, the a-priori value is as good

// Rows that are independent, less the unknowns.
double degrees_of_freedom(const SignProblem& problem, double correlation) {
  const auto unknowns = static_cast<double>(problem.R_YY.rows() + problem.weight.size());
  return std::max(1.0, static_cast<double>(problem.rows) / correlation - unknowns);
}

Finding gain_kept(const SignGain& gain, double relative) {
  return make_finding(
      "gain-kept", gain.joint,
      std::isfinite(relative)
          ? fmt::format("|effort| determines this gain only to ± {:.0f} %: the assumed {:.4g} is kept",
                        100 * relative, gain.a_priori)
          : fmt::format("|effort| does not determine this gain: the assumed {:.4g} is kept", gain.a_priori));
}

}  // namespace

VectorXd gains_of_signs(const Setup& setup) {
  if (setup.sign_gains.size() > 0) return setup.sign_gains;
  const SignGainsSpec& spec = *setup.study().signs.gains;
  const auto joints = static_cast<Index>(log_joints(setup.robot).size());
  if (spec.a_priori.size() == 0) return VectorXd::Ones(joints);
  if (spec.a_priori.size() != joints)
    throw InputError({fmt::format("a_priori has {} gains", spec.a_priori.size()), spec.place,
                      fmt::format("{}, one per joint", joints), "give one number per joint"});
  return spec.a_priori;
}

SignGains identify_sign_gains(const Setup& setup, const SignPhysics& physics, const std::vector<Fold>& folds,
                              const std::vector<SignSegment>& segments, const VectorXd& weights,
                              const SignOptions& options) {
  const SignGainsSpec& spec = *setup.study().signs.gains;
  const std::vector<std::string> names = sign_joint_names(setup.robot);
  GainSearchOptions wanted;
  if (!spec.fixed.empty()) wanted.fixed = sign_joint_index(names, spec.fixed, spec.place);
  const SignProblem problem = make_sign_problem(folds, segments, weights);
  const GainSearch found = recover_signs_and_gains(problem, physics, options, wanted);
  const GainEstimate refined = refine_gains(folds, problem, found, options.correlation);
  const VectorXd assumed = gains_of_signs(setup);
  const double reach = student_quantile(0.5 + setup.study().intervals.level / 2,
                                        degrees_of_freedom(problem, options.correlation));
  SignGains out;
  VectorXd& factors = out.factors = VectorXd::Ones(assumed.size());
  for (Index j = 0; j < assumed.size(); ++j) {
    SignGain& gain = out.gains.emplace_back();
    gain.joint = names[static_cast<std::size_t>(j)];
    gain.value = gain.a_priori = assumed[j];
    gain.status = "given";
    if (j == found.fixed) continue;
    const double relative = refined.sigma[j] / refined.gains[j];
    if (!refined.determined[static_cast<std::size_t>(j)] || !(relative <= kMaxGainDeviation)) {
      gain.status = "not_identifiable";
      out.findings.push_back(gain_kept(gain, relative));
      continue;
    }
    factors[j] = refined.gains[j];
    gain.status = "identified";
    gain.value = factors[j] * assumed[j];
    gain.sigma = relative * std::abs(gain.value);
    gain.interval = {gain.value - reach * *gain.sigma, gain.value + reach * *gain.sigma};
  }
  if (spec.a_priori.size() == 0) {
    out.scale = names[static_cast<std::size_t>(found.fixed)];
    out.findings.push_back(make_finding("arbitrary-unit", out.scale,
                                        fmt::format("no gain is known: that of {} counts as 1, and efforts, "
                                                    "masses and inertias are in the unit that this "
                                                    "makes; only their ratios mean something",
                                                    out.scale)));
  }
  if (!found.converged)
    out.findings.push_back(
        make_finding("signs-not-proven", "",
                     fmt::format("signs and gains have not converged after {} rounds", found.rounds)));
  out.values = factors.cwiseProduct(assumed);
  return out;
}

VectorXd sign_gains_of(const Result& model, const Setup& setup) {
  if (!model.signs || model.signs->gains.empty())
    throw InputError({"the model has no gains identified together with signs, but the study requests them",
                      setup.study().signs.gains->place,
                      {},
                      "use a model of this study"});
  const std::vector<std::string> names = sign_joint_names(setup.robot);
  VectorXd gains = VectorXd::Ones(static_cast<Index>(names.size()));
  for (const SignGain& gain : model.signs->gains)
    gains[sign_joint_index(names, gain.joint, setup.study().signs.gains->place)] = gain.value;
  return gains;
}

}  // namespace steelyard
