// Ten parameters to the nearest body: a small convex fit of one link.
#include <cmath>

#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/feasible/convex.hpp"
#include "steelyard/gains/payload.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kMargin = 1e-6;  // δ of the pseudo-inertia

Robot one_link() {
  Robot robot;
  robot.name = "load";
  Joint joint;
  joint.name = "load";
  joint.link = "load";
  robot.joints.push_back(joint);
  return robot;
}

}  // namespace

Inertia nearest_body(const Vector10& values, const MatrixXd& covariance, bool& found, double& moved) {
  const Robot robot = one_link();
  const Quantities quantities(robot);
  Objective objective;
  objective.columns = quantities.columns();
  std::vector<Constraint> constraints = {{"a body", PseudoInertia{0, kMargin, 0.1}, {}}};
  std::vector<Index> free;
  for (Index k = 0; k < kParametersPerLink; ++k) {
    if (covariance(k, k) > 0)
      free.push_back(k);
    else
      constraints.push_back({"given " + objective.columns[static_cast<std::size_t>(k)],
                             Bound{objective.columns[static_cast<std::size_t>(k)], values[k], values[k]},
                             {}});
  }
  // Whitening of the free parameters, scaled first: masses and inertias differ by orders.
  const Eigen::MatrixXd own = covariance(free, free);
  const Eigen::VectorXd scale = own.diagonal().cwiseSqrt();
  const SymmetricEigen eigen =
      symmetric_eigen(scale.cwiseInverse().asDiagonal() * own * scale.cwiseInverse().asDiagonal());
  const Eigen::VectorXd roots = eigen.values.cwiseMax(1e-12).cwiseSqrt().cwiseInverse();
  objective.R = MatrixXd::Zero(static_cast<Index>(free.size()), kParametersPerLink);
  objective.R(Eigen::all, free) =
      roots.asDiagonal() * eigen.vectors.transpose() * scale.cwiseInverse().asDiagonal();
  objective.z = objective.R * values;
  const ConvexSolution solution = solve_convex(objective, constraints, robot);
  found = solution.usable();
  moved = found ? std::sqrt(std::max(0.0, solution.value)) : 0;
  return found ? Inertia::from_standard(solution.x.head<kParametersPerLink>()) : Inertia();
}

}  // namespace steelyard
