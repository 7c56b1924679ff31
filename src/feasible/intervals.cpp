#include "steelyard/feasible/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "feasible/interval_problem.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// A limit of reach that holds the optimum back: what its removal would bring, by its multiplier, is of the
// size of the value itself.
bool held_by_reach(const IntervalSet& set, const EndProblem& end, const ConeResult& result) {
  if (result.value < end.options.stop_below) return true;
  const double inverse = end.homogeneous ? result.x[result.x.size() - 1] : 1;
  double share = 0;
  for (std::size_t b = set.first_limit; b < end.program.blocks.size(); ++b) {
    const bool own = end.homogeneous && b + 1 == end.program.blocks.size();  // the limit of 1/b itself
    share += result.Z[b].trace() * (own ? 1 : inverse);
  }
  return share > 0.05 * std::max(1.0, std::abs(result.value));
}

IntervalEnd solve_end(const IntervalSet& set, const Functional& functional, double sign,
                      const ProvenOptions& options) {
  IntervalEnd out;
  out.inner = out.outer = functional.offset;
  if (functional.above.isZero(0)) return out;
  const bool ratio = functional.below.size() > 0;
  const EndProblem end = ratio ? ratio_end(set, functional, sign, options.tolerance)
                               : linear_end(set, functional, sign, options.tolerance);
  const ConeResult result = solve_cone_program(end.program, end.start, end.options);
  if (held_by_reach(set, end, result)) {
    out.infinite = true;
    out.inner = out.outer = sign > 0 ? -kInfinity : kInfinity;
    return out;
  }
  const Index columns = set.problem.quantities.size();
  VectorXd x = result.x.head(columns);
  if (ratio) x /= result.x[columns];
  out.inner = functional.above.dot(x) / (ratio ? functional.below.dot(x) : 1) + functional.offset;
  out.outer = out.inner - sign * end.unit * (result.value - result.lower);
  out.reached = result.reached;
  if (options.points) out.point = x;
  return out;
}

bool is_chosen(const IntervalSet& set, const Functional& functional) {
  const SeenUnseen& at = set.problem.coordinates;
  const auto open = [&](const VectorXd& a) {
    const Eigen::VectorXd slope = at.T.rightCols(at.T.cols() - at.seen).transpose() * a;
    return slope.norm() > 1e-8 * a.cwiseAbs().dot(at.scale);
  };
  return open(functional.above) || (functional.below.size() > 0 && open(functional.below));
}

void check(const Functional& functional, Index columns) {
  const bool fits = functional.above.size() == columns &&
                    (functional.below.size() == 0 || functional.below.size() == columns);
  if (!fits || !functional.above.allFinite() || !functional.below.allFinite())
    throw InputError(
        {fmt::format("functional '{}' is not finite, or not of the size of the columns", functional.name),
         {},
         fmt::format("{} coefficients", columns),
         ""});
}

}  // namespace

Functional functional(const Quantities& quantities, const std::string& name) {
  const Quantity quantity = quantities.find(name);
  Functional out;
  out.name = quantity.name;
  if (quantity.kind == QuantityKind::linear) {
    out.above = VectorXd::Unit(quantities.size(), quantity.column);
    return out;
  }
  if (quantity.kind == QuantityKind::inertia_com)
    throw InputError({fmt::format("'{}' is neither linear nor a ratio: no proven interval", name),
                      {},
                      "",
                      "ask for J about the origin"});
  out.above = VectorXd::Unit(quantities.size(), Index{10} * quantity.link + 1 + quantity.entry);
  out.below = VectorXd::Unit(quantities.size(), Index{10} * quantity.link);
  return out;
}

std::vector<Functional> all_functionals(const Quantities& quantities) {
  std::vector<Functional> out;
  for (const std::string& name : quantities.names())
    if (quantities.find(name).kind != QuantityKind::inertia_com) out.push_back(functional(quantities, name));
  return out;
}

std::vector<Functional> wrench_functionals(const Robot& robot, const Quantities& quantities,
                                           const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) {
  const Tree tree = compile(robot);
  const Index standard = quantities.standard_count();
  std::vector<Functional> out;
  for (int joint = 1; joint <= quantities.links(); ++joint)
    for (const char* what : {"force", "moment"})
      for (const char* axis : {"x", "y", "z"})
        out.push_back(
            {fmt::format("{} {} of joint {}", what, axis, joint), VectorXd::Zero(quantities.size()), {}, 0});
  for (Index k = 0; k < standard; ++k) {
    const InverseDynamics unit = newton_euler(tree, VectorXd::Unit(standard, k), q, qd, qdd);
    for (std::size_t joint = 0; joint < unit.wrenches.size(); ++joint)
      for (int axis = 0; axis < 3; ++axis) {
        out[6 * joint + static_cast<std::size_t>(axis)].above[k] = unit.wrenches[joint].force[axis];
        out[6 * joint + 3 + static_cast<std::size_t>(axis)].above[k] = unit.wrenches[joint].moment[axis];
      }
  }
  return out;
}

std::vector<ProvenInterval> proven_intervals(const Objective& objective,
                                             const std::vector<Constraint>& constraints, const Robot& robot,
                                             const std::vector<Functional>& functionals,
                                             const ProvenOptions& options) {
  if (!(options.allowance >= 0) || !(options.tolerance > 0) || !(options.reach >= 1))
    throw InputError({fmt::format("allowance {}, tolerance {}, reach {}", options.allowance,
                                  options.tolerance, options.reach),
                      {},
                      "allowance ≥ 0, tolerance > 0, reach ≥ 1",
                      ""});
  const IntervalSet set = make_interval_set(objective, constraints, robot, options);
  std::vector<ProvenInterval> out(functionals.size());
  for (const Functional& functional : functionals) check(functional, set.problem.quantities.size());
  parallel_for(static_cast<Index>(2 * functionals.size()), options.threads, [&](Index job) {
    const Functional& functional = functionals[static_cast<std::size_t>(job / 2)];
    ProvenInterval& interval = out[static_cast<std::size_t>(job / 2)];
    if (job % 2 == 0) {
      interval.lower = solve_end(set, functional, 1, options);
    } else {
      interval.upper = solve_end(set, functional, -1, options);
    }
  });
  for (std::size_t k = 0; k < functionals.size(); ++k) {
    out[k].name = functionals[k].name;
    out[k].chosen = is_chosen(set, functionals[k]);
  }
  return out;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
