#include <algorithm>
#include <cmath>
#include <limits>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/signs/unknown_gains.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kGainRounds = 6;
constexpr double kGainsStay = 1e-4;

// Rows of a segment, rotated: their products are those of the rows themselves.
struct GainRows {
  Eigen::MatrixXd Y;  // in the problem's columns
  Eigen::VectorXd effort;
};

GainRows gain_rows(const Fold& fold, double weight, double sign, const SignProblem& problem) {
  const Eigen::MatrixXd R = weight * Eigen::MatrixXd(fold.R());
  const auto own = static_cast<Index>(fold.layout().columns.size());
  GainRows rows{Eigen::MatrixXd::Zero(R.rows(), static_cast<Index>(problem.columns.size())),
                sign * R.col(own)};
  for (Index c = 0; c < own; ++c) {
    const auto at = std::find(problem.columns.begin(), problem.columns.end(),
                              fold.layout().columns[static_cast<std::size_t>(c)]);
    rows.Y.col(at - problem.columns.begin()) = R.col(c);
  }
  return rows;
}

// Sums over the segments of one joint.
struct GainSums {
  Eigen::MatrixXd MM;
  double squares = 0, rows = 0;  // of the residual
  Eigen::MatrixXd scores;        // a column per segment: Mᵀr, less the joint's mean per row
  Eigen::VectorXd segment_rows;
};

// Sums of squares of the scores' deviations from their mean: what a segment's error adds however long it lasts.
Eigen::MatrixXd scatter_of(const GainSums& own) {
  if (own.scores.cols() < 2) return Eigen::MatrixXd::Zero(own.MM.rows(), own.MM.cols());
  const Eigen::VectorXd mean = own.scores.rowwise().sum() / own.segment_rows.sum();
  const Eigen::MatrixXd left = own.scores - mean * own.segment_rows.transpose();
  const auto count = static_cast<double>(own.scores.cols());
  return count / (count - 1) * left * left.transpose();
}

std::vector<GainSums> gain_sums(const std::vector<Fold>& folds, const SignProblem& problem,
                                const VectorXd& signs, const VectorXd& gains) {
  const Index joints = problem.weight.size();
  // Y B is the part of each joint's efforts that some model explains.
  Eigen::MatrixXd by_joint = Eigen::MatrixXd::Zero(problem.R_YE.rows(), joints);
  for (Index k = 0; k < problem.size(); ++k)
    by_joint.col(problem.segments[static_cast<std::size_t>(k)].joint) += signs[k] * problem.R_YE.col(k);
  const Eigen::MatrixXd B = ShortestSolution(problem.R_YY).solve(by_joint);
  std::vector<GainSums> sums(static_cast<std::size_t>(joints));
  for (GainSums& own : sums) own.MM.setZero(joints, joints);
  for (std::size_t k = 0; k < folds.size(); ++k) {
    const Index joint = problem.segments[k].joint;
    const GainRows rows = gain_rows(folds[k], problem.weight[joint], signs[static_cast<Index>(k)], problem);
    Eigen::MatrixXd M = -rows.Y * B;
    M.col(joint) += rows.effort;
    GainSums& own = sums[static_cast<std::size_t>(joint)];
    own.MM += M.transpose() * M;
    const Eigen::VectorXd residual = M * gains;
    own.squares += residual.squaredNorm();
    own.scores.conservativeResize(joints, own.scores.cols() + 1);
    own.scores.col(own.scores.cols() - 1) = M.transpose() * residual;
    own.segment_rows.conservativeResize(own.scores.cols());
    own.segment_rows[own.scores.cols() - 1] = static_cast<double>(folds[k].rows());
    own.rows += static_cast<double>(folds[k].rows());
  }
  return sums;
}

VectorXd gain_deviations(const std::vector<Fold>& folds, const SignProblem& problem, const VectorXd& signs,
                         const GainEstimate& found, const VectorXd& noise, Index fixed, double correlation) {
  const Index joints = problem.weight.size();
  const std::vector<GainSums> sums = gain_sums(folds, problem, signs, found.gains);
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(joints, joints), middle = H, scatter = H;
  double squares = 0;
  // Less the degrees of freedom of the model's columns.
  const auto rows = static_cast<double>(problem.rows);
  const double freedom =
      rows / std::max(1.0, rows - correlation * static_cast<double>(problem.R_YY.rows() + joints - 1));
  for (const GainSums& own : sums) {
    squares += own.squares;
    H += own.MM;
    scatter += scatter_of(own);
    if (own.rows > 0) middle += freedom * own.squares / own.rows * own.MM;
  }
  H.diagonal() -= squares / noise.dot(found.gains.cwiseAbs2()) * noise;
  std::vector<Index> free;
  for (Index j = 0; j < joints; ++j)
    if (j != fixed && found.determined[static_cast<std::size_t>(j)]) free.push_back(j);
  VectorXd sigma = VectorXd::Constant(joints, std::numeric_limits<double>::infinity());
  sigma[fixed] = 0;
  if (free.empty()) return sigma;
  const auto count = static_cast<Index>(free.size());
  const Eigen::MatrixXd own_H = H(free, free);
  const Eigen::MatrixXd inverse = PivotedCholesky(own_H).solve(Eigen::MatrixXd::Identity(count, count));
  const Eigen::MatrixXd noisy = correlation * inverse * Eigen::MatrixXd(middle(free, free)) * inverse;
  const Eigen::MatrixXd lasting = inverse * Eigen::MatrixXd(scatter(free, free)) * inverse;
  for (Index i = 0; i < count; ++i)
    if (const double variance = std::max(noisy(i, i), lasting(i, i)); variance >= 0)
      sigma[free[static_cast<std::size_t>(i)]] = std::sqrt(variance);
  return sigma;
}

// By how much the gains depend on whose efforts are how noisy: each joint's noise twice as large, and half.
VectorXd noise_spread(const SignProblem& weighed, const VectorXd& signs, const GainEstimate& found,
                      const VectorXd& noise, Index fixed) {
  constexpr double kNoiseFactor = 4;  // of variances
  VectorXd spread = VectorXd::Zero(noise.size());
  for (Index j = 0; j < noise.size(); ++j)
    for (const double factor : {kNoiseFactor, 1 / kNoiseFactor}) {
      VectorXd other = noise;
      other[j] *= factor;
      const VectorXd moved = gains_for_signs(weighed, signs, fixed, nullptr, other) - found.gains;
      spread = spread.cwiseMax(moved.cwiseAbs());
    }
  return spread;
}

}  // namespace

GainEstimate refine_gains(const std::vector<Fold>& folds, const SignProblem& problem, const GainSearch& found,
                          double correlation) {
  require(folds.size() == problem.segments.size() && found.search.signs.size() == problem.size(),
          "gains, signs and folds of one problem");
  const VectorXd& signs = found.search.signs;
  VectorXd rows = VectorXd::Zero(problem.weight.size());
  for (Index k = 0; k < problem.size(); ++k)
    rows[problem.segments[static_cast<std::size_t>(k)].joint] +=
        static_cast<double>(problem.rows_of[static_cast<std::size_t>(k)]);
  GainEstimate out{found.gains, {}, found.determined};
  SignProblem weighed = problem;
  VectorXd noise;
  for (int round = 0; round < kGainRounds; ++round) {
    VectorXd factors = signs;
    for (Index k = 0; k < factors.size(); ++k)
      factors[k] *= out.gains[problem.segments[static_cast<std::size_t>(k)].joint];
    weighed = make_sign_problem(folds, problem.segments, residual_weights(folds, weighed, factors));
    noise = rows.cwiseQuotient(out.gains.cwiseAbs2());
    const VectorXd before = out.gains;
    out.gains = gains_for_signs(weighed, signs, found.fixed, &out.determined, noise);
    if ((out.gains - before).norm() <= kGainsStay * before.norm()) break;
  }
  out.sigma = gain_deviations(folds, weighed, signs, out, noise, found.fixed, correlation);
  const VectorXd spread = noise_spread(weighed, signs, out, noise, found.fixed) / 2;  // of two deviations
  out.sigma = (out.sigma.array().square() + spread.array().square()).sqrt();
  return out;
}

}  // namespace steelyard
