#include "steelyard/feasible/constraints.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <set>

#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

[[noreturn]] void refuse(const Constraint& constraint, const std::string& what, const std::string& limit,
                         const std::string& remedy = {}) {
  throw InputError({"constraint " + quoted(constraint.name) + ": " + what, constraint.place, limit, remedy});
}

void check_range(const Constraint& constraint, double lower, double upper, const std::string& of) {
  if (std::isnan(lower) || std::isnan(upper)) refuse(constraint, "a limit of " + of + " is not a number", "");
  if (lower > upper)
    refuse(constraint, fmt::format("the lower limit {} of {} is above the upper limit {}", lower, of, upper),
           "lower ≤ upper", "swap the limits");
  if (lower == kInfinity || upper == -kInfinity)
    refuse(constraint, fmt::format("limits {} and {} of {} leave no value", lower, upper, of), "");
}

void check_link(const Constraint& constraint, const Quantities& quantities, int link) {
  if (link < 0 || link >= quantities.links())
    refuse(constraint, fmt::format("there is no link {}", link + 1),
           fmt::format("1 to {}", quantities.links()));
}

void check_linear(const Constraint& constraint, const Quantities& quantities, const std::string& name) {
  if (quantities.find(name, constraint.name, constraint.place).kind != QuantityKind::linear)
    refuse(constraint, quoted(name) + " is not linear in the parameters", "",
           "use an expression, or mx, J instead of c, I");
}

struct Checker {
  const Constraint& constraint;
  const Quantities& quantities;

  void operator()(const Bound& form) const {
    quantities.find(form.quantity, constraint.name, constraint.place);
    check_range(constraint, form.lower, form.upper, quoted(form.quantity));
  }
  void operator()(const Combination& form) const {
    bool any = false;
    for (const auto& [name, coefficient] : form.terms) {
      check_linear(constraint, quantities, name);
      if (!std::isfinite(coefficient))
        refuse(constraint, "the coefficient of " + quoted(name) + " is not finite", "");
      any = any || coefficient != 0;
    }
    if (!any) refuse(constraint, "combines nothing", "at least one coefficient that is not zero");
    check_range(constraint, form.lower, form.upper, "the combination");
  }
  void operator()(const PseudoInertia& form) const {
    check_link(constraint, quantities, form.link);
    if (!(form.margin >= 0 && form.margin < 1))
      refuse(constraint, fmt::format("margin {}", form.margin), "0 ≤ margin < 1");
    if (!(form.length >= 0 && form.length < kInfinity))
      refuse(constraint, fmt::format("length {}", form.length), "a positive length");
  }
  void operator()(const Triangle& form) const { check_link(constraint, quantities, form.link); }
  void operator()(const InertiaFloor& form) const {
    check_link(constraint, quantities, form.link);
    if (!(form.floor >= 0 && form.floor < kInfinity))
      refuse(constraint, fmt::format("floor {}", form.floor), "finite and non-negative");
  }
  void operator()(const ComBox& form) const {
    check_link(constraint, quantities, form.link);
    for (int axis = 0; axis < 3; ++axis)
      check_range(constraint, form.lower[axis], form.upper[axis], std::string("c") + "xyz"[axis]);
  }
  void operator()(const ComEllipsoid& form) const {
    check_link(constraint, quantities, form.link);
    const Eigen::Matrix3d A = form.shape;
    if (!form.centre.allFinite() || !A.allFinite() || !A.isApprox(A.transpose(), 1e-9) ||
        A.llt().info() != Eigen::Success)
      refuse(constraint, "the ellipsoid's matrix is not symmetric and positive definite", "");
  }
  void operator()(const ComHull& form) const {
    check_link(constraint, quantities, form.link);
    if (form.normals.cols() != 3 || form.normals.rows() != form.offsets.size() || form.offsets.size() == 0 ||
        !form.normals.allFinite() || !form.offsets.allFinite())
      refuse(constraint, "the hull needs one finite normal and offset per half-space", "");
    for (Index i = 0; i < form.normals.rows(); ++i)
      if (!(form.normals.row(i).norm() > 0)) refuse(constraint, fmt::format("normal {} is zero", i + 1), "");
  }
  void operator()(const PairMatrix& form) const {
    for (const std::string& name : form.entries) check_linear(constraint, quantities, name);
  }
  void operator()(const ExpressionBound& form) const {
    check_range(constraint, form.lower, form.upper, "the expression");
  }
};

// The column's stem and number: "Ia", "12".
std::string stem_of(const std::string& column) {
  std::size_t end = column.size();
  while (end > 0 && column[end - 1] >= '0' && column[end - 1] <= '9') --end;
  return column.substr(0, end);
}

void add_pairs(const Robot& robot, const Quantities& quantities, std::vector<Constraint>& out) {
  for (const CoupledPair& pair : robot.pairs) {
    const std::string joint = std::to_string(pair.joint + 1), partner = std::to_string(pair.partner + 1);
    for (const auto& [own, mixed, what] :
         {std::array<const char*, 3>{"Ia", "Iam", "motor inertia"}, {"fv", "fvm", "viscous friction"}}) {
      const std::array<std::string, 3> entries = {own + joint, mixed + partner, own + partner};
      const bool there = std::all_of(entries.begin(), entries.end(),
                                     [&](const std::string& name) { return quantities.column(name) >= 0; });
      if (there)
        out.push_back({fmt::format("{} of joints {} and {}", what, joint, partner), PairMatrix{entries}, {}});
    }
  }
}

}  // namespace

ExpressionBound expression_bound(const Quantities& quantities, const std::string& text, double lower,
                                 double upper, const Place& place) {
  // The papers' spelling of a name is turned into ours before parsing, word by word.
  std::string ours;
  for (std::size_t k = 0; k < text.size();) {
    const auto is_word = [&](std::size_t i) {
      return std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_' || text[i] == '.';
    };
    std::size_t end = k;
    while (end < text.size() && is_word(end)) ++end;
    if (end == k) {
      ours += text[k++];
      continue;
    }
    const std::string word = text.substr(k, end - k);
    const bool known =
        std::find(quantities.names().begin(), quantities.names().end(), word) != quantities.names().end();
    std::string spelled = word;
    if (!known && (word[0] == 'c' || word[0] == 'I' || word[0] == 'J')) {
      try {
        spelled = quantities.find(word).name;
      } catch (const InputError&) {  // a function or an unknown name: the parser has the better message
      }
    }
    ours += spelled;
    k = end;
  }
  return {Expression::parse(ours, quantities.names(), place), lower, upper};
}

void validate(const std::vector<Constraint>& constraints, const Quantities& quantities) {
  std::set<std::string> names;
  for (const Constraint& constraint : constraints) {
    if (constraint.name.empty())
      throw InputError({"a constraint has no name", constraint.place, "", "name it"});
    if (!names.insert(constraint.name).second)
      throw InputError({"two constraints are named " + quoted(constraint.name), constraint.place,
                        "names are unique", "rename one"});
    std::visit(Checker{constraint, quantities}, constraint.form);
  }
}

bool is_convex(const Constraint& constraint, const Quantities& quantities) {
  if (std::holds_alternative<ExpressionBound>(constraint.form)) return false;
  const auto* bound = std::get_if<Bound>(&constraint.form);
  if (bound == nullptr) return true;
  const Quantity quantity = quantities.find(bound->quantity, constraint.name, constraint.place);
  if (quantity.kind != QuantityKind::inertia_com) return true;
  const bool diagonal = quantity.entry == 0 || quantity.entry == 3 || quantity.entry == 5;
  return diagonal ? bound->upper == kInfinity : bound->lower == -kInfinity && bound->upper == kInfinity;
}

std::vector<Constraint> physical_constraints(const Robot& robot, const Quantities& quantities,
                                             const PhysicalOptions& options) {
  std::vector<Constraint> out;
  if (options.bodies)
    for (int link = 0; link < quantities.links(); ++link)
      out.push_back({fmt::format("link {} is a body", link + 1),
                     PseudoInertia{link, options.margin.value_or(1e-6), 0},
                     {}});
  if (options.drives) {
    for (const std::string& column : quantities.columns()) {
      const std::string stem = stem_of(column);
      if (std::set<std::string>{"Ia", "fv", "fc", "fp", "fn", "fh", "fs"}.contains(stem))
        out.push_back({column + " is not negative", Bound{column, 0, kInfinity}, {}});
    }
    add_pairs(robot, quantities, out);
  }
  if (options.robot_bounds)
    for (std::size_t i = 0; i < robot.joints.size(); ++i)
      for (const ParameterBound& bound : robot.joints[i].bounds) {
        const std::string name = bound.parameter + std::to_string(i + 1);
        const bool drive = stem_of(name)[0] == 'f' || stem_of(name) == "Ia";
        if (drive && quantities.column(name) < 0) continue;  // the study has no such term
        out.push_back({"bound " + name, Bound{name, bound.lower, bound.upper}, {}});
      }
  return out;
}

Constraint total_mass(const Quantities& quantities, double lower, double upper, const std::string& name) {
  Combination sum;
  for (int link = 1; link <= quantities.links(); ++link)
    sum.terms.emplace_back("m" + std::to_string(link), 1);
  sum.lower = lower;
  sum.upper = upper;
  return {name, sum, {}};
}

}  // namespace steelyard
