#include "signs/evidence.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Set on simulated logs with friction that the model lacks, and on strangers (scripts/strangers).
constexpr double kFewSegments = 4;  // of all joints, that a joint's own are joined with
constexpr double kLasting = 0.1;    // correlation of the errors of segments that one pattern flips
constexpr double kMostFreedom =
    8;  // ν at most: what a model lacks is not Gaussian, however much of it was seen

}  // namespace

SignEvidence::SignEvidence(const SignProblem& problem, const Eigen::MatrixXd& gram, const SignSearch& best,
                           double noise)
    : problem_(problem), gram_(gram), best_(best) {
  const Index joints = problem.weight.size(), size = problem.size();
  const Eigen::VectorXd gradient = gram * best.signs;
  share_ = squares_ = VectorXd::Zero(size);
  variance_ = count_ = misfit_ = VectorXd::Zero(joints);
  VectorXd energy = VectorXd::Zero(joints), error = energy;
  double all = 0, counted = 0;
  for (Index k = 0; k < size; ++k) {
    const Index joint = problem.segments[static_cast<std::size_t>(k)].joint;
    if (!(gram(k, k) > problem.rounding)) continue;
    const double squares = gradient[k] * gradient[k] / gram(k, k);
    share_[k] = 1 - best.signs[k] * gradient[k] / gram(k, k);
    squares_[k] = squares;
    variance_[joint] += squares;
    count_[joint] += 1;
    error[joint] += squares;
    energy[joint] += gram(k, k);
    all += squares;
    counted += 1;
  }
  const double mean = counted > 0 ? all / counted : noise;
  for (Index j = 0; j < joints; ++j) {
    variance_[j] = std::max(noise, (variance_[j] + kFewSegments * mean) / (count_[j] + kFewSegments));
    if (energy[j] > 0) misfit_[j] = std::sqrt(error[j] / energy[j]);
  }
}

std::pair<double, double> SignEvidence::error_of(const VectorXd& signs) const {
  double weight = 0, sum = 0, count = 0, flipped = 0;
  for (Index k = 0; k < signs.size(); ++k) {
    if (signs[k] == best_.signs[k]) continue;
    const Index joint = problem_.segments[static_cast<std::size_t>(k)].joint;
    const double own = std::max(gram_(k, k), problem_.rounding);
    flipped += 1;
    weight += own;
    sum += own * variance_[joint];
    count += own * count_[joint];
  }
  const double freedom = std::clamp(count / weight + kFewSegments - 1, 1.0, kMostFreedom);
  return {(1 + kLasting * (flipped - 1)) * sum / weight, freedom};
}

double SignEvidence::log_odds(const VectorXd& signs, double residual, double cost,
                              const VectorXd& probability) const {
  const auto [own, freedom] = error_of(signs);
  const Eigen::VectorXd step = signs - best_.signs;
  Eigen::VectorXd along = Eigen::VectorXd::Zero(step.size());
  for (Index k = 0; k < step.size(); ++k)
    if (step[k] != 0) along += step[k] * gram_.col(k);
  const double squares = std::max(step.dot(along), 1e-300), mixed = best_.signs.dot(along);
  double doubt = 0;  // by the signs of other segments
  for (Index k = 0; k < step.size() && probability.size() > 0; ++k)
    if (step[k] == 0) doubt += 4 * probability[k] * (1 - probability[k]) * along[k] * along[k];
  const double variance = own + doubt / squares;
  const double lacks = std::max(0.0, (cost - residual) - (best_.cost - best_.residual));
  const double a = mixed * mixed / (variance * squares);
  const double b = (mixed + squares) * (mixed + squares) / (variance * squares) + lacks / variance;
  const double direction = (freedom + 1) / 2 * std::log((freedom + b) / (freedom + a));
  // The signs were chosen for small errors, which hides what the model lacks: however many segments are flipped, their errors
  // count as those of few.
  const double more = std::max(0.0, residual - best_.residual) + lacks;
  const double errors =
      (kFewSegments + 1) / 2 * std::log1p(more / std::max(flipped_squares(signs), problem_.rounding));
  return std::min(direction, errors);
}

double SignEvidence::flipped_squares(const VectorXd& signs) const {
  double sum = 0;
  for (Index k = 0; k < signs.size(); ++k)
    if (signs[k] != best_.signs[k]) sum += squares_[k];
  return sum;
}

}  // namespace steelyard
