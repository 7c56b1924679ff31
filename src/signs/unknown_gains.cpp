#include "steelyard/signs/unknown_gains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/signs/search.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Below this share of the fixed joint's, a gain is rejected: its joint is not coupled to the others.
constexpr double kMinGain = 1e-3;

VectorXd energies(const SignProblem& problem) {
  return (problem.R_YE.colwise().squaredNorm() + problem.R_EE.colwise().squaredNorm()).transpose();
}

// Factors of segments, signs and gains alike, reduced to one number per joint.
VectorXd gains_of_factors(const SignProblem& problem, const VectorXd& factors, Index fixed) {
  const Index joints = problem.weight.size();
  const VectorXd energy = energies(problem);
  VectorXd sum = VectorXd::Zero(joints), whole = sum;
  for (Index k = 0; k < problem.size(); ++k) {
    const Index joint = problem.segments[static_cast<std::size_t>(k)].joint;
    sum[joint] += energy[k] * std::abs(factors[k]);
    whole[joint] += energy[k];
  }
  VectorXd gains = VectorXd::Ones(joints);
  const double unit = sum[fixed] / whole[fixed];
  for (Index j = 0; j < joints; ++j)
    if (whole[j] > 0 && unit > 0) gains[j] = std::max(kMinGain, sum[j] / whole[j] / unit);
  return gains;
}

}  // namespace

Index strongest_joint(const SignProblem& problem) {
  const VectorXd energy = energies(problem);
  VectorXd whole = VectorXd::Zero(problem.weight.size()), rows = whole;
  for (Index k = 0; k < problem.size(); ++k) {
    const Index joint = problem.segments[static_cast<std::size_t>(k)].joint;
    whole[joint] += energy[k];
    rows[joint] += static_cast<double>(problem.rows_of[static_cast<std::size_t>(k)]);
  }
  // Rows were multiplied by the joint's weight.
  const auto weight = problem.weight.array();
  Index strongest = 0;
  (weight > 0 && rows.array() > 0)
      .select(whole.array() / (weight.square().max(1e-300) * rows.array().max(1)), 0)
      .maxCoeff(&strongest);
  return strongest;
}

VectorXd gains_for_signs(const SignProblem& problem, const VectorXd& signs, Index fixed,
                         std::vector<bool>* determined, const VectorXd& noise) {
  const Index joints = problem.weight.size();
  const VectorXd energy = energies(problem);
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(problem.R_EE.rows(), joints);  // R_EE s, joint by joint
  VectorXd whole = VectorXd::Zero(joints);
  for (Index k = 0; k < problem.size(); ++k) {
    const Index joint = problem.segments[static_cast<std::size_t>(k)].joint;
    columns.col(joint) += problem.R_EE.col(k) * signs[k];
    whole[joint] += energy[k];
  }
  if (noise.size() > 0) whole = noise;
  require(whole[fixed] > 0, "gains need efforts of the fixed joint");
  std::vector<Index> present;
  for (Index j = 0; j < joints; ++j)
    if (whole[j] > 0) present.push_back(j);
  const auto count = static_cast<Index>(present.size());
  Eigen::MatrixXd scaled(columns.rows(), count);
  for (Index i = 0; i < count; ++i) {
    const Index j = present[static_cast<std::size_t>(i)];
    scaled.col(i) = columns.col(j) / std::sqrt(whole[j]);
  }
  const SymmetricEigen eigen = symmetric_eigen(scaled.transpose() * scaled);
  VectorXd gains = VectorXd::Ones(joints);
  if (determined != nullptr) determined->assign(static_cast<std::size_t>(joints), false);
  VectorXd factor = VectorXd::Zero(joints);
  for (Index i = 0; i < count; ++i) {
    const Index j = present[static_cast<std::size_t>(i)];
    factor[j] = eigen.vectors(i, 0) / std::sqrt(whole[j]);
  }
  for (const Index j : present) {
    const double ratio = factor[fixed] != 0 ? factor[j] / factor[fixed] : 0;
    if (std::abs(ratio) < kMinGain || std::abs(ratio) > 1 / kMinGain) continue;
    gains[j] = std::abs(ratio);
    if (determined != nullptr) (*determined)[static_cast<std::size_t>(j)] = true;
  }
  return gains;
}

GainSearch recover_signs_and_gains(const SignProblem& problem, const SignPhysics& physics,
                                   const SignOptions& options, const GainSearchOptions& gains) {
  options.validate();
  std::vector<int> known;
  bool has_segment = gains.fixed < 0;
  for (const SignSegment& segment : problem.segments) {
    known.push_back(segment.sign);
    has_segment |= segment.joint == gains.fixed;
  }
  if (!has_segment)
    throw InputError({fmt::format("joint {} keeps its gain but has no segment", gains.fixed + 1),
                      {},
                      "a joint with segments",
                      "fix another joint's gain"});
  VectorXd factors;
  spectral_signs(problem.R_EE, energies(problem), known, &factors);
  GainSearch result;
  result.fixed = gains.fixed < 0 ? strongest_joint(problem) : gains.fixed;
  result.gains = gains_of_factors(problem, factors, result.fixed);
  for (result.rounds = 1; result.rounds <= gains.max_rounds; ++result.rounds) {
    result.problem = with_gains(problem, result.gains);
    const VectorXd before = result.search.signs;
    result.search = recover_signs(result.problem, physics, options);
    result.converged = before.size() > 0 && before == result.search.signs;
    if (result.converged) break;
    result.gains = gains_for_signs(problem, result.search.signs, result.fixed, &result.determined);
  }
  result.rounds = std::min(result.rounds, gains.max_rounds);
  return result;
}

}  // namespace steelyard
