#include "feasible/cones.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace steelyard::inline STEELYARD_ABI {
namespace {

using Terms = std::vector<std::pair<Index, double>>;

// Interval of c of one link, from all constraints that give one.
struct ComRange {
  Eigen::Vector3d lower = Eigen::Vector3d::Constant(-kInfinity);
  Eigen::Vector3d upper = Eigen::Vector3d::Constant(kInfinity);
};

std::vector<ComRange> com_ranges(const std::vector<Constraint>& constraints, const Quantities& quantities) {
  std::vector<ComRange> out(static_cast<std::size_t>(quantities.links()));
  const auto cut = [&](int link, int axis, double lower, double upper) {
    ComRange& range = out[static_cast<std::size_t>(link)];
    range.lower[axis] = std::max(range.lower[axis], lower);
    range.upper[axis] = std::min(range.upper[axis], upper);
  };
  for (const Constraint& constraint : constraints) {
    if (const auto* bound = std::get_if<Bound>(&constraint.form)) {
      const Quantity quantity = quantities.find(bound->quantity);
      if (quantity.kind == QuantityKind::com) cut(quantity.link, quantity.entry, bound->lower, bound->upper);
    } else if (const auto* box = std::get_if<ComBox>(&constraint.form)) {
      for (int axis = 0; axis < 3; ++axis) cut(box->link, axis, box->lower[axis], box->upper[axis]);
    } else if (const auto* body = std::get_if<ComEllipsoid>(&constraint.form)) {
      const Eigen::Matrix3d inverse = Eigen::Matrix3d(body->shape).inverse();
      for (int axis = 0; axis < 3; ++axis) {
        const double half = std::sqrt(inverse(axis, axis));
        cut(body->link, axis, body->centre[axis] - half, body->centre[axis] + half);
      }
    }
  }
  return out;
}

// Turns one constraint after the other into blocks.
class Compiler {
 public:
  Compiler(const std::vector<Constraint>& constraints, const Quantities& quantities, const Scales& scales)
      : quantities_(quantities), scales_(scales), com_(com_ranges(constraints, quantities)) {
    cones_.bodies.assign(static_cast<std::size_t>(quantities.links()), false);
    for (const Constraint& constraint : constraints) {
      if (const auto* body = std::get_if<PseudoInertia>(&constraint.form))
        cones_.bodies[static_cast<std::size_t>(body->link)] = true;
      const auto* triangle = std::get_if<Triangle>(&constraint.form);
      if (triangle != nullptr && triangle->about_com)
        cones_.bodies[static_cast<std::size_t>(triangle->link)] = true;
    }
    positive_ = cones_.bodies;
    for (const Constraint& constraint : constraints) {
      std::visit([&](const auto& form) { add(form); }, constraint.form);
      ++constraint_;
    }
  }
  Cones take() { return std::move(cones_); }

 private:
  Index first(int link) const { return Index{kParametersPerLink} * link; }

  // lower ≤ Σ terms ≤ upper, divided by the terms' natural size.
  void range(const Terms& terms, double lower, double upper) {
    double scale = 0;
    for (const auto& [column, coefficient] : terms) scale += std::abs(coefficient) * scales_.columns[column];
    if (lower == upper) {
      EqualityRow row;
      row.constraint = constraint_;
      for (const auto& [column, coefficient] : terms) {
        row.columns.push_back(column);
        row.coefficients.push_back(coefficient / scale);
      }
      row.value = lower / scale;
      cones_.equalities.push_back(std::move(row));
      return;
    }
    if (std::isfinite(lower)) inequality(terms, 1 / scale, -lower / scale);
    if (std::isfinite(upper)) inequality(terms, -1 / scale, upper / scale);
  }

  // constant + factor Σ terms ≥ 0
  void inequality(const Terms& terms, double factor, double constant) {
    Block block;
    block.constraint = constraint_;
    block.constant = SmallMatrix::Constant(1, 1, constant);
    for (const auto& [column, coefficient] : terms) {
      const auto known = std::find(block.columns.begin(), block.columns.end(), column);
      if (known != block.columns.end()) {
        block.parts[static_cast<std::size_t>(known - block.columns.begin())](0, 0) += factor * coefficient;
        continue;
      }
      block.columns.push_back(column);
      block.parts.push_back(SmallMatrix::Constant(1, 1, factor * coefficient));
    }
    cones_.blocks.push_back(std::move(block));
  }

  void positive_mass(int link) {
    if (positive_[static_cast<std::size_t>(link)]) return;
    positive_[static_cast<std::size_t>(link)] = true;
    range({{first(link), 1}}, 0, kInfinity);
  }

  // lower ≤ n·c ≤ upper as n·f − lower m ≥ 0, upper m − n·f ≥ 0.
  void com_range(int link, const Eigen::Vector3d& n, double lower, double upper) {
    positive_mass(link);
    Terms terms;
    for (int axis = 0; axis < 3; ++axis)
      if (n[axis] != 0) terms.emplace_back(first(link) + 1 + axis, n[axis]);
    const auto with_mass = [&](double limit) {
      Terms out = terms;
      if (limit != 0) out.emplace_back(first(link), -limit);
      return out;
    };
    if (lower == upper) return range(with_mass(lower), 0, 0);
    if (std::isfinite(lower)) range(with_mass(lower), 0, kInfinity);
    if (std::isfinite(upper)) range(with_mass(upper), -kInfinity, 0);
  }

  Block matrix(int size) const {
    Block block;
    block.constraint = constraint_;
    block.constant = SmallMatrix::Zero(size, size);
    return block;
  }
  static void set(Block& block, Index column, int row, int col, double value) {
    auto known = std::find(block.columns.begin(), block.columns.end(), column);
    if (known == block.columns.end()) {
      block.columns.push_back(column);
      block.parts.push_back(SmallMatrix::Zero(block.size(), block.size()));
      known = block.columns.end() - 1;
    }
    SmallMatrix& part = block.parts[static_cast<std::size_t>(known - block.columns.begin())];
    part(row, col) += value;
    if (row != col) part(col, row) += value;
  }

  // Diagonal entry of I about axis a at least L: [J_aa − L, f_b, f_c; f_b, m, 0; f_c, 0, m] ⪰ 0.
  void inertia_lower(int link, int axis, double lower) {
    if (lower <= 0 && cones_.bodies[static_cast<std::size_t>(link)]) return;
    positive_mass(link);
    constexpr std::array<int, 3> kDiagonal = {4, 7, 9};
    const double m = scales_.mass[link], s = scales_.size[link];
    Block block = matrix(3);
    block.constant(0, 0) = -lower / (m * s * s);
    set(block, first(link) + kDiagonal[static_cast<std::size_t>(axis)], 0, 0, 1 / (m * s * s));
    for (int k = 1; k <= 2; ++k) {
      set(block, first(link) + 1 + (axis + k) % 3, 0, k, 1 / (m * s));
      set(block, first(link), k, k, 1 / m);
    }
    cones_.blocks.push_back(std::move(block));
  }

  // I_aa ≤ U with c in a box: J_aa ≤ U + Σ over the other axes of (l + u) f − l u m.
  void inertia_upper(int link, int axis, double upper) {
    constexpr std::array<int, 3> kDiagonal = {4, 7, 9};
    const ComRange& box = com_[static_cast<std::size_t>(link)];
    Terms terms = {{first(link) + kDiagonal[static_cast<std::size_t>(axis)], 1}};
    for (int k = 1; k <= 2; ++k) {
      const int other = (axis + k) % 3;
      const double l = box.lower[other], u = box.upper[other];
      if (!std::isfinite(l) || !std::isfinite(u)) return;
      terms.emplace_back(first(link) + 1 + other, -(l + u));
      terms.emplace_back(first(link), l * u);
    }
    positive_mass(link);
    range(terms, -kInfinity, upper);
  }

  // I_ab = J_ab + m c_a c_b within [lower, upper], by the envelopes of the product over the box of c.
  void inertia_product(int link, int entry, double lower, double upper) {
    constexpr std::array<std::array<int, 2>, 6> kAxesOf = {{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}};
    const std::array<int, 2> axes = kAxesOf[static_cast<std::size_t>(entry)];
    const int a = axes[0], b = axes[1];
    const ComRange& box = com_[static_cast<std::size_t>(link)];
    const double la = box.lower[a], ua = box.upper[a], lb = box.lower[b], ub = box.upper[b];
    if (!std::isfinite(la) || !std::isfinite(ua) || !std::isfinite(lb) || !std::isfinite(ub)) return;
    positive_mass(link);
    // At the corner (p, q) of the box: p f_b + q f_a − p q m touches the product's envelope.
    const auto row = [&](double p, double q) {
      return Terms{{first(link) + 4 + entry, 1},
                   {first(link) + 1 + b, p},
                   {first(link) + 1 + a, q},
                   {first(link), -p * q}};
    };
    if (std::isfinite(lower)) {
      range(row(ua, lb), lower, kInfinity);
      range(row(la, ub), lower, kInfinity);
    }
    if (std::isfinite(upper)) {
      range(row(la, lb), -kInfinity, upper);
      range(row(ua, ub), -kInfinity, upper);
    }
  }

  void add(const Bound& form) {
    const Quantity quantity = quantities_.find(form.quantity);
    if (quantity.kind == QuantityKind::linear) return range({{quantity.column, 1}}, form.lower, form.upper);
    if (quantity.kind == QuantityKind::com)
      return com_range(quantity.link, Eigen::Vector3d::Unit(quantity.entry), form.lower, form.upper);
    const int axis = quantity.entry == 0 ? 0 : quantity.entry == 3 ? 1 : quantity.entry == 5 ? 2 : -1;
    if (axis < 0) return inertia_product(quantity.link, quantity.entry, form.lower, form.upper);
    if (std::isfinite(form.lower)) inertia_lower(quantity.link, axis, form.lower);
    if (std::isfinite(form.upper)) inertia_upper(quantity.link, axis, form.upper);
  }
  void add(const Combination& form) {
    Terms terms;
    for (const auto& [name, coefficient] : form.terms)
      terms.emplace_back(quantities_.find(name).column, coefficient);
    range(terms, form.lower, form.upper);
  }
  void add(const PseudoInertia& form) {
    const double length = form.length > 0 ? form.length : quantities_.length(form.link);
    Block block =
        body_block(form.link, form.margin, length, scales_.size[form.link], scales_.mass[form.link]);
    block.constraint = constraint_;
    cones_.blocks.push_back(std::move(block));
  }
  void add(const Triangle& form) {
    Block block = body_block(form.link, 0, 1, scales_.size[form.link], scales_.mass[form.link]);
    block.constraint = constraint_;
    if (!form.about_com) {
      positive_mass(form.link);
      block.constant = SmallMatrix::Zero(3, 3);
      block.columns.erase(block.columns.begin(), block.columns.begin() + 4);  // m and mc are not in Σ
      block.parts.erase(block.parts.begin(), block.parts.begin() + 4);
      for (SmallMatrix& part : block.parts) part = SmallMatrix(part.topLeftCorner(3, 3));
    }
    cones_.blocks.push_back(std::move(block));
  }
  // [J − ε 1, S(f)ᵀ; S(f), m 1] ⪰ 0, whose Schur complement is I − ε 1.
  void add(const InertiaFloor& form) {
    const double m = scales_.mass[form.link], s = scales_.size[form.link];
    Block block = matrix(6);
    const Index at = first(form.link);
    for (int a = 0, entry = 0; a < 3; ++a)
      for (int b = a; b < 3; ++b, ++entry) set(block, at + 4 + entry, a, b, 1 / (m * s * s));
    for (int a = 0; a < 3; ++a) {
      block.constant(a, a) = -form.floor / (m * s * s);
      set(block, at, 3 + a, 3 + a, 1 / m);
      const int b = (a + 1) % 3, c = (a + 2) % 3;  // S(f)(b, c) = −f_a, S(f)(c, b) = f_a
      set(block, at + 1 + a, 3 + b, c, -1 / (m * s));
      set(block, at + 1 + a, 3 + c, b, 1 / (m * s));
    }
    cones_.blocks.push_back(std::move(block));
  }
  void add(const ComBox& form) {
    for (int axis = 0; axis < 3; ++axis)
      com_range(form.link, Eigen::Vector3d::Unit(axis), form.lower[axis], form.upper[axis]);
  }
  // ‖A^½ (f − m c₀)‖ ≤ m as an arrow matrix.
  void add(const ComEllipsoid& form) {
    positive_mass(form.link);
    const Eigen::Matrix3d root = Eigen::Matrix3d(form.shape).llt().matrixU();
    const Eigen::Vector3d centre = root * Eigen::Vector3d(form.centre);
    const double m = scales_.mass[form.link];
    Block block = matrix(4);
    const Index at = first(form.link);
    for (int k = 0; k < 4; ++k) set(block, at, k, k, 1 / m);
    for (int k = 0; k < 3; ++k) {
      set(block, at, 3, k, -centre[k] / m);
      for (int axis = 0; axis < 3; ++axis)
        if (root(k, axis) != 0) set(block, at + 1 + axis, 3, k, root(k, axis) / m);
    }
    cones_.blocks.push_back(std::move(block));
  }
  void add(const ComHull& form) {
    for (Index i = 0; i < form.offsets.size(); ++i)
      com_range(form.link, form.normals.row(i).transpose(), -kInfinity, form.offsets[i]);
  }
  void add(const PairMatrix& form) {
    Block block = matrix(2);
    for (int entry = 0; entry < 3; ++entry) {
      const Index column = quantities_.find(form.entries[static_cast<std::size_t>(entry)]).column;
      set(block, column, entry / 2, (entry + 1) / 2, 1 / scales_.columns[column]);
    }
    cones_.blocks.push_back(std::move(block));
  }
  void add(const ExpressionBound&) {}

  const Quantities& quantities_;
  const Scales& scales_;
  std::vector<ComRange> com_;
  std::vector<bool> positive_;  // m ≥ 0 is already included
  int constraint_ = 0;
  Cones cones_;
};

}  // namespace

SmallMatrix Block::at(const VectorXd& x) const {
  SmallMatrix out = constant;
  for (std::size_t k = 0; k < columns.size(); ++k) out += x[columns[k]] * parts[k];
  return out;
}

const std::array<Eigen::Matrix4d, 10>& pseudo_inertia_basis() {
  static const std::array<Eigen::Matrix4d, 10> basis = [] {
    std::array<Eigen::Matrix4d, 10> out;
    for (int k = 0; k < 10; ++k)
      out[static_cast<std::size_t>(k)] = Inertia::from_standard(Vector10::Unit(k)).pseudo_inertia();
    return out;
  }();
  return basis;
}

double body_size(const Quantities& quantities, int link) {
  double mean = 0;
  for (int k = 0; k < quantities.links(); ++k) mean += quantities.length(k) / quantities.links();
  return std::max(quantities.length(link), mean);
}

bool is_body(const Inertia& inertia) {
  const Eigen::Matrix4d P = inertia.pseudo_inertia();
  if (!P.allFinite() || !(P(3, 3) > 0)) return false;
  const Eigen::Vector4d values = small_eigenvalues(P);
  return values[0] > 1e-9 * values[3];
}

Scales make_scales(const Quantities& quantities, const VectorXd& reference) {
  Scales out;
  out.mass = VectorXd::Ones(quantities.links());
  out.size = VectorXd::Ones(quantities.links());
  out.columns = VectorXd::Ones(quantities.size());
  for (int link = 0; link < quantities.links(); ++link) {
    out.mass[link] = reference[Index{10} * link];
    const Matrix4 P = Inertia::from_standard(reference.segment<10>(Index{10} * link)).pseudo_inertia();
    const double gyration = std::sqrt(P.topLeftCorner<3, 3>().trace() / P(3, 3));
    out.size[link] = std::max(body_size(quantities, link), gyration);
    for (int k = 0; k < kParametersPerLink; ++k)
      out.columns[Index{10} * link + k] = out.mass[link] * std::pow(out.size[link], k == 0  ? 0
                                                                                    : k < 4 ? 1
                                                                                            : 2);
  }
  return out;
}

Block body_block(int link, double margin, double length, double size, double mass) {
  Block block;
  block.constant = SmallMatrix::Zero(4, 4);
  Eigen::Vector4d scale(1 / size, 1 / size, 1 / size, 1),
      floor(length * length, length * length, length * length, 1);
  scale /= std::sqrt(mass);
  for (int k = 0; k < kParametersPerLink; ++k) {
    Eigen::Matrix4d part = pseudo_inertia_basis()[static_cast<std::size_t>(k)];
    if (k == 0) part.diagonal() -= margin * floor;
    block.columns.push_back(Index{kParametersPerLink} * link + k);
    block.parts.push_back(SmallMatrix(scale.asDiagonal() * part * scale.asDiagonal()));
  }
  return block;
}

Cones make_cones(const std::vector<Constraint>& constraints, const Quantities& quantities,
                 const Scales& scales) {
  return Compiler(constraints, quantities, scales).take();
}

}  // namespace steelyard
