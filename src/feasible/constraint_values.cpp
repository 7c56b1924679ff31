#include <cmath>
#include <limits>

#include "feasible/cones.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/feasible/constraints.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

class Collector {
 public:
  Collector(const Quantities& quantities, const VectorXd& x, bool gradients)
      : quantities_(quantities), x_(x), gradients_(gradients) {}

  void add(double value, const VectorXd& gradient) {
    values_.push_back(value);
    if (gradients_) rows_.push_back(gradient);
  }
  // sign · (quantity − limit)
  void side(const Quantity& quantity, double limit, double sign) {
    if (std::isinf(limit)) return;
    values_.push_back(sign * (quantities_.value(quantity, x_) - limit));
    if (gradients_) rows_.push_back(sign * quantities_.gradient(quantity, x_));
  }
  void range(const Quantity& quantity, double lower, double upper) {
    side(quantity, lower, 1);
    side(quantity, upper, -1);
  }
  // Eigenvalues λ_i of a symmetric matrix; gradient_of(v_i) is that of v_iᵀ M v_i.
  template <class Gradient>
  void eigenvalues(const SmallMatrix& matrix, const Gradient& gradient_of) {
    const auto eigen = small_eigen(matrix);
    for (Index i = 0; i < matrix.rows(); ++i) {
      values_.push_back(eigen.values[i]);
      if (gradients_) rows_.push_back(gradient_of(SmallVector(eigen.vectors.col(i))));
    }
  }
  void block(const Block& block) {
    eigenvalues(block.at(x_), [&](const SmallVector& v) {
      VectorXd row = VectorXd::Zero(quantities_.size());
      for (std::size_t k = 0; k < block.columns.size(); ++k)
        row[block.columns[k]] += v.dot(block.parts[k] * v);
      return row;
    });
  }

  const Quantities& quantities() const { return quantities_; }
  const VectorXd& x() const { return x_; }

  ConstraintValues result() const {
    ConstraintValues out;
    out.values = Eigen::Map<const VectorXd>(values_.data(), static_cast<Index>(values_.size()));
    if (!gradients_) return out;
    out.gradients.resize(out.values.size(), quantities_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) out.gradients.row(static_cast<Index>(i)) = rows_[i];
    return out;
  }

 private:
  const Quantities& quantities_;
  const VectorXd& x_;
  bool gradients_;
  std::vector<double> values_;
  std::vector<VectorXd> rows_;
};

Quantity com_quantity(int link, int axis) {
  return {"", QuantityKind::com, -1, link, axis};
}

struct Evaluator {
  Collector& to;

  void operator()(const Bound& form) const {
    to.range(to.quantities().find(form.quantity), form.lower, form.upper);
  }
  void operator()(const Combination& form) const {
    VectorXd a = VectorXd::Zero(to.quantities().size());
    for (const auto& [name, coefficient] : form.terms) a[to.quantities().find(name).column] += coefficient;
    if (std::isfinite(form.lower)) to.add(a.dot(to.x()) - form.lower, a);
    if (std::isfinite(form.upper)) to.add(form.upper - a.dot(to.x()), -a);
  }
  // P_j − δ m_j diag(ℓ², ℓ², ℓ², 1), rows and columns of space over ℓ.
  void operator()(const PseudoInertia& form) const {
    const double length = form.length > 0 ? form.length : to.quantities().length(form.link);
    to.block(body_block(form.link, form.margin, length, length, 1));
  }
  void operator()(const Triangle& form) const {
    const double length = to.quantities().length(form.link);
    Block block = body_block(form.link, 0, length, length, 1);
    if (!form.about_com) {
      for (SmallMatrix& part : block.parts) part = SmallMatrix(part.topLeftCorner(3, 3));
      block.constant = SmallMatrix::Zero(3, 3);
      to.add(to.x()[Index{10} * form.link], VectorXd::Unit(to.quantities().size(), Index{10} * form.link));
    }
    to.block(block);
  }
  void operator()(const InertiaFloor& form) const {
    const double square = std::pow(to.quantities().length(form.link), 2);
    SmallMatrix matrix(3, 3);
    std::array<Quantity, 6> entries;
    for (int a = 0, entry = 0; a < 3; ++a)
      for (int b = a; b < 3; ++b, ++entry) {
        entries[static_cast<std::size_t>(entry)] = {"", QuantityKind::inertia_com, -1, form.link, entry};
        const double value = to.quantities().value(entries[static_cast<std::size_t>(entry)], to.x());
        matrix(a, b) = matrix(b, a) = (value - (a == b ? form.floor : 0)) / square;
      }
    to.eigenvalues(matrix, [&](const SmallVector& v) {
      VectorXd row = VectorXd::Zero(to.quantities().size());
      for (int a = 0, entry = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b, ++entry)
          row += (a == b ? 1 : 2) * v[a] * v[b] / square *
                 to.quantities().gradient(entries[static_cast<std::size_t>(entry)], to.x());
      return row;
    });
  }
  void operator()(const ComBox& form) const {
    for (int axis = 0; axis < 3; ++axis)
      to.range(com_quantity(form.link, axis), form.lower[axis], form.upper[axis]);
  }
  void operator()(const ComEllipsoid& form) const {
    Eigen::Vector3d c;
    for (int axis = 0; axis < 3; ++axis)
      c[axis] = to.quantities().value(com_quantity(form.link, axis), to.x());
    const Eigen::Vector3d d = c - form.centre;
    const Eigen::Vector3d slope = form.shape * d;
    const double norm = std::sqrt(d.dot(slope));
    VectorXd row = VectorXd::Zero(to.quantities().size());
    for (int axis = 0; axis < 3 && norm > 0; ++axis)
      row -= slope[axis] / norm * to.quantities().gradient(com_quantity(form.link, axis), to.x());
    to.add(1 - norm, row);
  }
  void operator()(const ComHull& form) const {
    std::array<VectorXd, 3> slopes;
    Eigen::Vector3d c;
    for (int axis = 0; axis < 3; ++axis) {
      c[axis] = to.quantities().value(com_quantity(form.link, axis), to.x());
      slopes[static_cast<std::size_t>(axis)] =
          to.quantities().gradient(com_quantity(form.link, axis), to.x());
    }
    for (Index i = 0; i < form.offsets.size(); ++i) {
      VectorXd row = VectorXd::Zero(to.quantities().size());
      for (int axis = 0; axis < 3; ++axis)
        row -= form.normals(i, axis) * slopes[static_cast<std::size_t>(axis)];
      to.add(form.offsets[i] - form.normals.row(i).dot(c), row);
    }
  }
  void operator()(const PairMatrix& form) const {
    Block block;
    block.constant = SmallMatrix::Zero(2, 2);
    for (int entry = 0; entry < 3; ++entry) {
      block.columns.push_back(to.quantities().find(form.entries[static_cast<std::size_t>(entry)]).column);
      SmallMatrix part = SmallMatrix::Zero(2, 2);
      part(entry / 2, (entry + 1) / 2) = part((entry + 1) / 2, entry / 2) = 1;
      block.parts.push_back(part);
    }
    to.block(block);
  }
  void operator()(const ExpressionBound& form) const {
    const VectorXd values = to.quantities().values(to.x());
    VectorXd slopes = VectorXd::Zero(values.size());
    const auto count = static_cast<std::size_t>(values.size());
    const double value = form.expression.evaluate({values.data(), count}, {slopes.data(), count});
    const VectorXd row = to.quantities().pull_back(to.x(), slopes);
    if (std::isfinite(form.lower)) to.add(value - form.lower, row);
    if (std::isfinite(form.upper)) to.add(form.upper - value, -row);
  }
};

}  // namespace

double ConstraintValues::margin() const {
  double out = std::numeric_limits<double>::infinity();
  for (const double value : values) out = std::isnan(value) ? -kInfinity : std::min(out, value);
  return out;
}

ConstraintValues evaluate(const Constraint& constraint, const Quantities& quantities, const VectorXd& x,
                          bool gradients) {
  if (x.size() != quantities.size())
    throw InputError({"the vector has " + std::to_string(x.size()) + " entries instead of one per column",
                      {},
                      std::to_string(quantities.size()),
                      ""});
  Collector collector(quantities, x, gradients);
  try {
    std::visit(Evaluator{collector}, constraint.form);
  } catch (const InputError& error) {  // an expression without a finite value
    Complaint complaint = error.complaint();
    complaint.what = "constraint " + quoted(constraint.name) + ": " + complaint.what;
    throw InputError(complaint);
  }
  return collector.result();
}

}  // namespace steelyard
