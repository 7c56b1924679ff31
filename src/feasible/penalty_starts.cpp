// Starts of searches.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "feasible/penalty_problem.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Uniform between the bounds; an open side is `reach` away from the other one, or from zero.
double between(Random& random, double low, double high, double reach) {
  if (!std::isfinite(low) && !std::isfinite(high)) return random.uniform(-reach, reach);
  if (!std::isfinite(low)) low = high - 2 * reach;
  if (!std::isfinite(high)) high = low + 2 * reach;
  return random.uniform(low, high);
}

Eigen::Matrix3d random_rotation(Random& random) {
  Eigen::Quaterniond turn(random.normal(), random.normal(), random.normal(), random.normal());
  return turn.normalized().toRotationMatrix();
}

}  // namespace

VectorXd random_bodies(const PenaltyProblem& problem, std::uint64_t seed, std::uint64_t index) {
  Random random(seed, "penalty starts", index);
  VectorXd p = problem.reference();
  for (int link = 0; link < problem.quantities().links(); ++link) {
    const Index first = Index{kParametersPerLink} * link;
    const double length = problem.quantities().length(link);
    for (Index k = first; k < first + 4; ++k)
      p[k] = between(random, problem.lower()[k], problem.upper()[k], problem.scale()[k]);
    Eigen::Vector3d axes;
    for (double& axis : axes) axis = length * random.uniform(0.05, 0.5);
    const Eigen::Matrix3d R = random_rotation(random);
    const Eigen::Matrix3d second = p[first] * R * axes.cwiseAbs2().asDiagonal() * R.transpose();
    const Eigen::Matrix3d I = second.trace() * Eigen::Matrix3d::Identity() - second;
    p.segment<6>(first + 4) << I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2);
  }
  return p.cwiseMax(problem.lower()).cwiseMin(problem.upper());
}

VectorXd random_point(const PenaltyProblem& problem, std::uint64_t seed, std::uint64_t index) {
  Random random(seed, "annealing starts", index);
  VectorXd p = problem.reference();
  for (Index k = 0; k < p.size(); ++k)
    p[k] = between(random, problem.lower()[k], problem.upper()[k], problem.scale()[k]);
  return p.cwiseMax(problem.lower()).cwiseMin(problem.upper());
}

}  // namespace steelyard
