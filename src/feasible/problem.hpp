// From constraints and squares to a cone program: coordinates that separate what the data determine from what
// they do not.
//
// x = origin + T y with y = (u, v): ‖R x − z‖² + constant = ‖u‖² + rest for all y, so that v are the unseen
// directions. Equalities are eliminated: every y gives an x that satisfies them. Made by a pivoted QR of the
// scaled columns of R on the null space of the equalities.
#pragma once

#include <optional>
#include <vector>

#include "feasible/cone_program.hpp"
#include "steelyard/feasible/convex.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct SeenUnseen {
  Eigen::VectorXd origin;
  Eigen::MatrixXd T;
  Index seen = 0;
  double rest = 0;                    // of the squares that no x removes
  bool consistent = true;             // equalities
  Eigen::VectorXd equality_residual;  // when they are not: λ with Aᵀλ = 0 and λ·b > 0

  // y of the x nearest to `at` that obeys the equalities.
  Eigen::VectorXd locate(const Eigen::VectorXd& at) const;

  Eigen::VectorXd scale;  // of the columns
  Eigen::VectorXd particular;
  Eigen::MatrixXd basis;    // scaled x = particular + basis ξ
  Eigen::MatrixXd forward;  // y = forward ξ − shift
  Eigen::VectorXd shift;
};

SeenUnseen separate(const Eigen::MatrixXd& R, const Eigen::VectorXd& z, double constant,
                    const std::vector<EqualityRow>& equalities, const Eigen::VectorXd& scale,
                    double rank_tolerance);

// All that fits, intervals and conflicts share.
struct FeasibleProblem {
  Quantities quantities;
  VectorXd reference;
  Scales scales;
  Cones cones;
  SeenUnseen coordinates;
  ConeProgram program;  // without pulls
  int bodies = 0;
  double identity_size = 0;  // by how much 1 added to all scaled P adds to the size
  double round_size = 0;     // largest size of bodies with P ⪯ ‖P⁰‖ 1
};

// `columns` are those of an objective or empty. Throws InputError for invalid constraints, and
// unless the columns are the robot's standard ones followed by others.
FeasibleProblem make_problem(const std::vector<std::string>& columns, const Eigen::MatrixXd& R,
                             const Eigen::VectorXd& z, double constant,
                             const std::vector<Constraint>& constraints, const Robot& robot,
                             const ConvexOptions& options);

// A strictly feasible y, or why there is none.
struct InteriorPoint {
  enum class Kind { found, thin, none } kind = Kind::found;
  Eigen::VectorXd y;
  double violation = 0;         // smallest violation found (negative: an interior)
  double proven_violation = 0;  // no x has less
  std::vector<SmallMatrix> Z;   // of the program's blocks, for a proof
  int iterations = 0;
};
InteriorPoint compute_interior(const FeasibleProblem& problem, int max_iterations);

// Adds 1·amount to the constant of every block.
void loosen(ConeProgram& program, double amount);

}  // namespace steelyard
