// Names of what a constraint may contain, as functions of the vector x of linear columns.
//
//   x = (m1, mx1, …, Jzz1, m2, …, Jzzn, further columns)      ten per link, J about the link frame's origin
//   linear      any entry of x: "m3", "mx3", "Jxx3", "fv1", "fc1", "fo1", "Ia2", "Iam6", …
//   com         "cx3" = mx3 / m3
//   inertia     "Ixx3" = Jxx3 − (my3² + mz3²) / m3, "Ixy3" = Jxy3 + mx3 my3 / m3: about the centre of mass
// The papers' order of letters ("c3x", "I3xx", "J3xx") is accepted for the same quantities. Links count from
// 1 in names and from 0 in code.
//
// p = (m, c, I) per link followed by the same further columns; x ↔ p is one to one for m ≠ 0. For a mass of
// zero c and I have no value (NaN).
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class QuantityKind { linear, com, inertia_com };

struct Quantity {
  std::string name;  // our form: "cx3", also for "c3x"
  QuantityKind kind = QuantityKind::linear;
  Index column = -1;  // linear: entry of x
  int link = -1;      // com, inertia_com, and linear columns of a link
  int entry = 0;      // com: x y z; inertia_com: xx xy xz yy yz zz
};

class Quantities {
 public:
  // The standard columns of all links, then `further` columns in their order (standard ones among them are
  // passed over, so that the columns of an estimate can be given as they are). Throws InputError for a
  // further column that is empty or comes twice.
  explicit Quantities(const Robot& robot, const std::vector<std::string>& further = {});

  const std::vector<std::string>& columns() const { return columns_; }
  Index size() const { return static_cast<Index>(columns_.size()); }
  int links() const { return links_; }
  Index standard_count() const { return Index{kParametersPerLink} * links_; }
  double length(int link) const { return lengths_[link]; }  // link_lengths(robot)
  const std::string& link_name(int link) const { return link_names_[static_cast<std::size_t>(link)]; }

  // −1 when there is no such column.
  Index column(const std::string& name) const;

  // Throws InputError "unknown quantity 'cx9' in constraint 'com3' …; did you mean 'cx7'?".
  Quantity find(const std::string& name, const std::string& constraint = {}, const Place& place = {}) const;

  // Everything find() knows, in our form: columns, then cx1 … Izzn. The variables of expressions.
  const std::vector<std::string>& names() const { return names_; }
  // The values of names(), and the derivatives of a function of them by x: rᵀ ∂names/∂x.
  VectorXd values(const VectorXd& x) const;
  VectorXd pull_back(const VectorXd& x, const VectorXd& by_names) const;

  double value(const Quantity& quantity, const VectorXd& x) const;
  VectorXd gradient(const Quantity& quantity, const VectorXd& x) const;

 private:
  std::vector<std::string> columns_;
  std::vector<std::string> names_;
  std::vector<std::string> link_names_;
  VectorXd lengths_;
  int links_ = 0;
};

// p = (m, c, I) ↔ x, further columns unchanged.
VectorXd to_barycentric(const Quantities& quantities, const VectorXd& x);
VectorXd from_barycentric(const Quantities& quantities, const VectorXd& p);

// ∂x/∂p of one link at p = (m, c, I): ten by ten.
using Matrix10 = Eigen::Matrix<double, 10, 10, Eigen::DontAlign>;
Matrix10 barycentric_jacobian(const Vector10& p);

// gᵀ ∂x/∂p: a gradient by x as a gradient by p.
VectorXd gradient_by_barycentric(const Quantities& quantities, const VectorXd& p, const VectorXd& by_x);

}  // namespace steelyard
