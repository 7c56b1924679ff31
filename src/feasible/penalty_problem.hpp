// The penalised problem, in two spaces.
//
//   descent     ξ with x = origin + T ξ, which obeys all linear equalities:
//               f(ξ) = φ(x) / effort + level · (Σ ‖(F_b(x) − ε 1)₋‖² + Σ max(0, ε − g_k(x) / s_k)²)
//               F_b: the affine matrix blocks of the convex constraints (cones.hpp), A₋ the negative part;
//               g_k: values of the constraints that are not convex, in natural scales
//   annealing   p = (m, c, I) in its box, f(p) = φ(x(p)) / effort + level · Σ violations, as published
// In x the objective is quadratic and the blocks are affine, so that f is convex where the constraints are
// and its Hessian is exact: for A₋ with eigenvectors vᵢ the second derivative is Σ Ωᵢⱼ (vᵢᵀ dA vⱼ)², Ωᵢⱼ the
// divided differences of min(0, λ). In p every bound is a bound of one coordinate, but the valleys are
// curved.
#pragma once

#include <vector>

#include "feasible/cones.hpp"
#include "feasible/penalty_descent.hpp"
#include "feasible/problem.hpp"
#include "steelyard/feasible/penalty.hpp"

namespace steelyard::inline STEELYARD_ABI {

class PenaltyProblem {
 public:
  // `reference` may be empty.
  PenaltyProblem(const Objective& objective, const std::vector<Constraint>& constraints, const Robot& robot,
                 const VectorXd& reference = {});

  const Quantities& quantities() const { return quantities_; }
  double effort() const { return effort_; }

  // ξ ↔ x; locate gives the nearest x that obeys the equalities.
  VectorXd locate(const VectorXd& x) const { return coordinates_.locate(x); }
  VectorXd parameters(const VectorXd& xi) const { return coordinates_.origin + coordinates_.T * xi; }
  // +∞ where an expression or a pull has no value.
  double smooth(const VectorXd& xi, double level, double margin, LocalModel* model) const;

  const VectorXd& lower() const { return lower_; }  // box of p
  const VectorXd& upper() const { return upper_; }
  const VectorXd& scale() const { return scale_; }          // natural scale of each entry of p
  const VectorXd& reference() const { return reference_; }  // p⁰, in the box
  double published(const VectorXd& p, double level) const;

  double objective(const VectorXd& x) const { return objective_.value(x); }
  // Largest violation in natural scales, over all constraints; equalities to 1e-9.
  double violation(const VectorXd& x) const;
  std::vector<ConstraintState> states(const VectorXd& x) const;
  std::vector<std::string> violated(const VectorXd& x) const;
  // Throws the InputError of the first constraint that has no value at x.
  void require_values(const VectorXd& x) const;

 private:
  struct Item {
    const Constraint* constraint;
    double scale;  // natural scale of its values
    bool equality;
    bool in_box;  // of p
    bool convex;
  };
  void set_box();
  bool into_box(const Constraint& constraint);
  double scale_of(const Constraint& constraint) const;
  double margin_of(const Item& item, const VectorXd& x) const;
  VectorXd violations(const Item& item, const VectorXd& x, double margin) const;
  double add_block(const Block& block, const VectorXd& x, double level, double margin,
                   LocalModel* model) const;
  double add_item(const Item& item, const VectorXd& x, double level, double margin, LocalModel* model) const;
  void add_pulls(const VectorXd& x, LocalModel& model) const;
  LocalModel in_coordinates(const LocalModel& by_x) const;
  bool has_masses(const VectorXd& x) const;

  const Objective& objective_;
  Quantities quantities_;
  Scales scales_;
  Cones cones_;
  SeenUnseen coordinates_;
  MatrixXd quadratic_;       // 2 RᵀR / effort
  std::vector<Item> items_;  // one per constraint
  VectorXd lower_, upper_, scale_, reference_;
  double effort_ = 1;
  bool speaks_of_bodies_ = false;  // some constraint is not convex
};

// A random body for every link, as p: mass and centre of mass anywhere in the box, inertia that of a body
// with random principal axes, moved into the box.
VectorXd random_bodies(const PenaltyProblem& problem, std::uint64_t seed, std::uint64_t index);

// Anywhere in the box; natural scales stand for open sides.
VectorXd random_point(const PenaltyProblem& problem, std::uint64_t seed, std::uint64_t index);

// Simulated annealing on the published f, level by level, from p.
VectorXd anneal(const PenaltyProblem& problem, VectorXd p, const PenaltyOptions& options,
                std::uint64_t index);

}  // namespace steelyard
