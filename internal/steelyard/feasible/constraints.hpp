// Constraints of a feasible parameter set, one declaration for the convex and the penalty method.
//
// A Constraint is a name and a form. Convex in x (see quantities.hpp), so that the convex method takes them
// as they are:
//   Bound on a linear quantity            lower ≤ a ≤ upper
//   Bound on c (cx3)                      mc − c_max m ≤ 0 and m ≥ 0
//   Bound below on Ixx, Iyy, Izz          (Jxx − L) m ≥ my² + mz²: a rotated cone
//   Combination                           lower ≤ Σ aₖ xₖ ≤ upper (total mass; symmetry, equality, frozen)
//   PseudoInertia                         P_j ⪰ δ m_j diag(ℓ², ℓ², ℓ², 1)
//   Triangle                              the principal moments' triangle inequality and m ≥ 0, which is
//                                         P_j ⪰ 0 (about the centre of mass) or Σ_j ⪰ 0 (about the origin)
//   InertiaFloor                          I_j ⪰ ε 1
//   ComBox, ComEllipsoid, ComHull         c in a box, (c − c₀)ᵀ A (c − c₀) ≤ 1, N c ≤ d; all with m ≥ 0
//   PairMatrix                            [a b; b c] ⪰ 0 of three linear quantities
// Not convex: bounds above on Ixx, Iyy, Izz, bounds on Ixy, Ixz, Iyz, ExpressionBound. The convex method
// takes what follows from them linearly when c has bounds too (m c_x² ≤ (l + u) m c_x − l u m for c_x in
// [l, u], and the like for products), and leaves the rest to be checked at its solution.
//
// Matrix constraints are measured on scaled matrices: rows and columns of P, Σ by 1/ℓ, of I by 1/ℓ; margins
// of PseudoInertia, Triangle and InertiaFloor are thus in kg, of all others in their own unit.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/expression.hpp"
#include "steelyard/feasible/options.hpp"
#include "steelyard/feasible/quantities.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Bound {
  std::string quantity;
  double lower = -kInfinity;
  double upper = kInfinity;  // equal to lower: frozen
};

struct Combination {
  std::vector<std::pair<std::string, double>> terms;  // linear quantities
  double lower = -kInfinity;
  double upper = kInfinity;  // equal to lower: an equality
};

struct PseudoInertia {
  int link = 0;
  double margin = 0;  // δ, 0 ≤ δ < 1
  double length = 0;  // ℓ; 0: the link's
};

struct Triangle {
  int link = 0;
  bool about_com = true;
};

struct InertiaFloor {
  int link = 0;
  double floor = 0;  // ε [kg m²]
};

struct ComBox {
  int link = 0;
  Vector3 lower = Vector3::Constant(-kInfinity);
  Vector3 upper = Vector3::Constant(kInfinity);
};

struct ComEllipsoid {
  int link = 0;
  Vector3 centre = Vector3::Zero();
  Matrix3 shape = Matrix3::Identity();  // A, positive definite [1/m²]: diag(1/a², 1/b², 1/c²) for half axes
};

struct ComHull {
  int link = 0;
  MatrixXd normals;  // N, one outward unit normal a row
  VectorXd offsets;  // d: N c ≤ d
};

struct PairMatrix {
  std::array<std::string, 3> entries;  // a, b, c of [a b; b c]
};

struct ExpressionBound {
  Expression expression;  // over Quantities::names()
  double lower = -kInfinity;
  double upper = kInfinity;
};

using ConstraintForm = std::variant<Bound, Combination, PseudoInertia, Triangle, InertiaFloor, ComBox,
                                    ComEllipsoid, ComHull, PairMatrix, ExpressionBound>;

struct Constraint {
  std::string name;
  ConstraintForm form;
  Place place;  // for messages; may be empty
};

// Free expression over all names of the quantities, the papers' order of letters included ("c3x").
ExpressionBound expression_bound(const Quantities& quantities, const std::string& text, double lower,
                                 double upper, const Place& place = {});

// Throws InputError, with the constraint's name: names that are empty or come twice, unknown quantities,
// lower > upper, numbers that are not finite where they must be, links that do not exist, a shape that is
// not positive definite, a combination of nothing or of quantities that are not linear.
void validate(const std::vector<Constraint>& constraints, const Quantities& quantities);

// False when only a relaxation, or nothing, of it can go into the convex method.
bool is_convex(const Constraint& constraint, const Quantities& quantities);

// A constraint at x: satisfied when all values are ≥ 0. Matrix constraints give all eigenvalues, so that the
// sum of the squares of the negative ones has a continuous gradient. Rows of equalities come twice.
struct ConstraintValues {
  VectorXd values;
  MatrixXd gradients;  // values × columns; empty unless requested

  double margin() const;  // the smallest value, +∞ when there is none; NaN counts as −∞
};
ConstraintValues evaluate(const Constraint& constraint, const Quantities& quantities, const VectorXd& x,
                          bool gradients = false);

std::vector<Constraint> physical_constraints(const Robot& robot, const Quantities& quantities,
                                             const PhysicalOptions& options = {});

// Total mass of all links as a Combination.
Constraint total_mass(const Quantities& quantities, double lower, double upper,
                      const std::string& name = "total mass");

}  // namespace steelyard
