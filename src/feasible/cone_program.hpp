// The convex program behind fits, phase one and intervals, and its interior point method.
//
//   min ‖y_seen‖² + linear·y + constant − Σ_pull w log det F_k(x̂)
//   over  x̂ = origin + T y,   F_k(x̂) ⪰ 0,   s(y) = G y + g in the second-order cone
//
// Predictor-corrector on the Nesterov-Todd direction, one Cholesky factorisation of the size of y per step;
// F_k(x̂) ≻ 0 and s(y) inside the cone at every iterate. `centre` blocks carry the vanishing weight w of
// convex.hpp: the path has the term t (size(y) − Σ_centre log det F_k) with t decreasing to w, and
// ½ w Σ soft (x̂ − soft_centre)² for columns without such blocks, which makes it unique and bounded where the
// objective is flat.
//
// Certificate, for every t ≥ 0 and Z ⪰ 0 (Fenchel's inequality for pulls, gradients for the rest): the
// objective is at least value − gap for every y that satisfies the blocks, has size(y) ≤ max_size and
// |y_i − ȳ_i| ≤ spread_i for the unseen y, where
//
//   gap = Σ ⟨F_k(x̂), Z_k⟩ + ⟨s, z⟩ + Σ_pull (w-gap) + t (max_size − size(ȳ))
//         + Σ_unseen |residual_i| spread_i + Σ_seen residual_i²/4,
//
// the last because the squares themselves grow by d² for a step d.
#pragma once

#include <optional>
#include <vector>

#include "feasible/cones.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr double kCentre = -1;  // weight of a centre block

struct Ball {
  Eigen::MatrixXd G;
  Eigen::VectorXd g;
};

struct ConeProgram {
  Eigen::VectorXd origin;
  Eigen::MatrixXd T;
  Index link_columns = 0;  // the first columns of x̂ are ten per link
  Index seen = 0;
  Eigen::VectorXd linear;
  double constant = 0;
  std::vector<Block> blocks;
  std::vector<double> weights;  // per block: 0 constraint, > 0 pull, kCentre
  Eigen::VectorXd size;         // size(y) = size·x̂
  double max_size = 0;
  Eigen::VectorXd soft;  // per column of x̂, 1/scale² or 0
  Eigen::VectorXd soft_centre;
  std::optional<Ball> ball;
  Eigen::VectorXd spread;  // per y; not used for the seen ones

  Eigen::VectorXd columns(const Eigen::VectorXd& y) const { return origin + T * y; }
};

struct ConeOptions {
  double relative = 0;  // the requested gap: relative |value| + absolute
  double absolute = 0;
  double stop_below = -kInfinity;  // enough when the value is below
  double share = 0;                // enough when the gap is below this share of |value|
  bool settle = true;  // also request a path parameter well below w, so that w alone determines the choice
  int max_iterations = 200;
};

struct ConeResult {
  Eigen::VectorXd y, x;
  std::vector<SmallMatrix> Z;
  double value = 0;
  double lower = -kInfinity;
  double weight = 0;  // t of the certificate
  double ball_multiplier = 0;
  int iterations = 0;
  bool reached = false;
};

// `start` must be strictly inside all blocks and the ball; otherwise InternalError.
ConeResult solve_cone_program(const ConeProgram& program, const Eigen::VectorXd& start,
                              const ConeOptions& options);

}  // namespace steelyard
