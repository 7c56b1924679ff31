// Constraints as affine matrix blocks F(x) = F⁰ + Σ_k x_k F_k ⪰ 0 and equality rows a·x = b.
//
// Blocks are scaled so that their entries are about one for a body like the reference. A block of size one is
// an inequality row.
#pragma once

#include <array>
#include <vector>

#include "feasible/small_matrix.hpp"
#include "steelyard/feasible/constraints.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Block {
  int constraint = -1;  // index in the list given; −1: none
  SmallMatrix constant;
  std::vector<Index> columns;
  std::vector<SmallMatrix> parts;  // one per column

  int size() const { return static_cast<int>(constant.rows()); }
  SmallMatrix at(const VectorXd& x) const;
};

struct EqualityRow {
  int constraint = -1;
  std::vector<Index> columns;
  std::vector<double> coefficients;  // over the row's scale
  double value = 0;
};

struct Cones {
  std::vector<Block> blocks;
  std::vector<EqualityRow> equalities;
  std::vector<bool> bodies;  // per link: P_j ⪰ 0 follows from the blocks
};

// Mass and size of the reference's links: the natural units of their columns.
struct Scales {
  VectorXd mass;  // per link
  VectorXd
      size;  // per link: the largest of its length, the mean length and the reference's radius of gyration
  VectorXd columns;  // m⁰, m⁰ s, m⁰ s² for links, 1 for others
};
Scales make_scales(const Quantities& quantities, const VectorXd& reference);
double body_size(const Quantities& quantities, int link);  // the larger of its length and the mean length
bool is_body(const Inertia& inertia);                      // P is positive definite

// All that is convex in the constraints, and what follows linearly from the rest. Redundant blocks are left
// out: m ≥ 0 and Ixx ≥ 0 of links that have a PseudoInertia or Triangle.
Cones make_cones(const std::vector<Constraint>& constraints, const Quantities& quantities,
                 const Scales& scales);

// D (P_j − δ m_j diag(ℓ², ℓ², ℓ², 1)) D with D = diag(1/s, 1/s, 1/s, 1)/√mass.
Block body_block(int link, double margin, double length, double size, double mass);

// E_k = ∂P/∂π_k of the ten parameters.
const std::array<Eigen::Matrix4d, 10>& pseudo_inertia_basis();

}  // namespace steelyard
