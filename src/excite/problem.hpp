// The function that the search minimises, its gradient, and its limits.
//
//   F(x) = −log det(D (A₀ + A(x)) D + ε) − μ/N Σ_s [ Σ log(1 − u²) + Σ log(d/(d + ℓ)) ] + ρ max(0, h)
//
// u: position, velocity, acceleration, effort as shares of their limits; d: distances of the workspace, with
// ℓ = 0.1 m beyond which they hardly count. h = log of the smoothed condition number over the target, with a
// smooth corner. +∞ outside.
//
// With a goal the first term is n log tr(W (P + A)⁻¹), n parameters: when all information grows by a factor it falls
// as −log det does.
#pragma once

#include <memory>

#include "excite/basis.hpp"
#include "excite/distances.hpp"
#include "excite/ranges.hpp"
#include "steelyard/regressor/adjoint.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr double kDistanceScale = 0.1;  // [m] ℓ

// How much smaller than given the limits are in the search, as shares; distances in metres.
struct SearchMargins {
  double position = 1e-3;
  double velocity = 2e-3;
  double acceleration = 5e-3;
  double effort = 5e-3;
  double distance = 1e-3;
};

class RegressorTile;
struct ProblemWork;

class DesignProblem {
 public:
  DesignProblem(const Robot& robot, const BaseParameters& base, const ExciteOptions& options);

  const MotionBasis& basis() const { return basis_; }
  const Robot& robot() const { return robot_; }
  // Limits at a pose at rest.
  std::vector<LimitUse> uses_at_rest(const VectorXd& pose) const;
  const std::vector<JointRange>& ranges() const { return ranges_; }
  const WorkspaceDistances& distances() const { return distances_; }
  Index size() const { return basis_.size() * basis_.joints(); }
  bool limits_effort() const { return prior_.size() > 0; }

  void set_margins(const SearchMargins& margins) { margins_ = margins; }
  const SearchMargins& margins() const { return margins_; }

  // x is scaled: one unit of it is the most a joint could move with that coefficient alone.
  MatrixXd coefficients(const VectorXd& x) const;
  VectorXd scaled(const MatrixXd& coefficients) const;

  // F with barrier weight μ > 0; μ = 0: −log det alone, limits and condition ignored.
  double value(const VectorXd& x, double mu, VectorXd* gradient) const;
  bool is_inside(const VectorXd& x) const;

  // Every limit on the grid of this step, true limits without margins. Motions.
  std::vector<LimitUse> uses(const MatrixXd& coefficients, double step) const;
  std::vector<LimitUse> uses(const Trajectory& motion, double step) const;

  // Rows as they are (sign, not tanh) at these samples, stacked joint by joint; columns as base parameters.
  // `weighted`: divided by the standard deviations.
  MatrixXd rows_of(const GridMotion& motion, bool weighted) const;
  double log_det(const MatrixXd& information) const;  // of D (A₀ + A) D + ε
  const VectorXd& column_scale() const { return scale_; }
  const VectorXd& noise() const { return noise_; }

  // Effort of every independent joint along given samples.
  MatrixXd efforts(const GridMotion& motion) const;

 private:
  void compute_scales();
  GridMotion motion_of(const MatrixXd& coefficients) const;
  bool limit_terms(const GridMotion& motion, double mu, ProblemWork* work, double& sum) const;
  bool effort_terms(const RegressorTile& tile, double mu, MatrixXd* weights, double& sum) const;
  bool distance_terms(const GridMotion& motion, double mu, ProblemWork* work, double& sum) const;
  MatrixXd information_of(const RegressorTile& tile, bool weighted) const;
  void add_information_weights(const RegressorTile& tile, const MatrixXd& slope, bool weighted,
                               MatrixXd& weights) const;
  double condition_term(const RegressorTile& tile, double weight, MatrixXd* weights) const;
  double aim(const MatrixXd& A, MatrixXd* slope) const;
  std::vector<LimitUse> uses_on(const GridMotion& motion, const VectorXd& time) const;

  Robot robot_;
  ExciteOptions options_;
  MotionBasis basis_;
  Coordinates coordinates_;
  std::vector<Limits> limits_;  // of all joints
  std::vector<JointRange> ranges_;
  WorkspaceDistances distances_;
  Plan plan_;
  std::vector<Index> order_;  // plan column → base parameter
  std::unique_ptr<RegressorAdjoint> adjoint_;
  VectorXd prior_;  // by plan column; empty: none
  VectorXd noise_;
  VectorXd scale_;             // D, by base parameter
  MatrixXd known_;             // D A₀ D
  MatrixXd goal_, precision_;  // D W D, D P D; empty: log det
  MatrixXd unit_;              // coefficient scales
  GridMotion columns_, fixed_;
  Index samples_ = 0;
  double row_weight_ = 1;  // rows at `rate` that a grid sample stands for
  SearchMargins margins_;
};

MotionReport examine_motion(const DesignProblem& problem, const BaseParameters& base,
                            const DesignedMotion& motion, const ExciteOptions& options);

}  // namespace steelyard
