// Fits with a known truth: bodies drawn at random, rows drawn at random in the natural units of the columns.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "oracle/random_robot.hpp"
#include "steelyard/feasible/convex.hpp"

namespace steelyard::feasible_test {

struct RandomProblemOptions {
  int links = 3;
  double rank_share = 1;  // of the columns that rows see
  double noise = 0.01;    // of the rows' size; large noise drives the optimum to the boundary
  bool flat = false;      // bodies without volume: the truth is on the boundary
  int rows = 0;           // 0: twice the columns
};

struct RandomProblem {
  Robot robot;
  Quantities quantities{Robot{}};
  VectorXd truth;
  Objective objective;
};

inline Inertia flat_inertia(oracle::Random& random) {
  const Inertia body = oracle::random_inertia(random);
  Eigen::Matrix4d P = body.pseudo_inertia();
  const Eigen::Vector4d way(random.uniform(-1, 1), random.uniform(-1, 1), 1, 0.1);
  const Eigen::Vector4d image = P * way;  // P − P w wᵀ P / (wᵀ P w) has w in its null space
  P -= image * image.transpose() / way.dot(image);
  return Inertia::from_pseudo_inertia(P);
}

inline RandomProblem random_problem(std::uint64_t seed, const RandomProblemOptions& options) {
  RandomProblem out;
  oracle::RandomRobotOptions shape;
  shape.joints = options.links;
  out.robot = oracle::random_robot(seed, shape);
  for (Joint& joint : out.robot.joints) joint.inertia.reset();
  out.quantities = Quantities(out.robot);
  oracle::Random random(seed + 1000);
  const Index n = out.quantities.size();
  out.truth.resize(n);
  VectorXd scale(n);
  for (int link = 0; link < options.links; ++link) {
    const Inertia body = options.flat ? flat_inertia(random) : oracle::random_inertia(random);
    out.truth.segment<10>(Index{10} * link) = body.to_standard();
    scale.segment<10>(Index{10} * link) << 2, 0.4, 0.4, 0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1;
  }
  const Index rows = options.rows > 0 ? options.rows : 2 * n;
  const auto rank = static_cast<Index>(std::ceil(options.rank_share * static_cast<double>(n)));
  const auto gaussian = [&](Index m, Index k) {
    MatrixXd M(m, k);
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < k; ++j) M(i, j) = random.uniform(-1, 1);
    return M;
  };
  MatrixXd R = gaussian(rows, n);
  if (rank < n) R = gaussian(rows, rank) * gaussian(rank, n) / std::sqrt(static_cast<double>(rank));
  out.objective.columns = out.quantities.columns();
  out.objective.R = R * scale.cwiseInverse().asDiagonal();
  out.objective.z = out.objective.R * out.truth;
  const double size = out.objective.z.norm() / std::sqrt(static_cast<double>(rows));
  for (Index i = 0; i < rows; ++i) out.objective.z[i] += options.noise * size * random.uniform(-1.7, 1.7);
  return out;
}

}  // namespace steelyard::feasible_test
