#include "steelyard/feasible/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "feasible/interval_problem.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/processes.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Change of the value if the limits of reach were removed, by their multipliers.
double share_of_reach(const IntervalSet& set, const EndProblem& end, const ConeResult& result) {
  const double inverse = end.homogeneous ? result.x[result.x.size() - 1] : 1;
  double share = 0;
  for (std::size_t b = set.first_limit; b < end.program.blocks.size(); ++b) {
    const bool own = end.homogeneous && b + 1 == end.program.blocks.size();  // the limit of 1/b itself
    share += result.Z[b].trace() * (own ? 1 : inverse);
  }
  return share;
}

// Reach holds the optimum back when its share is of the size of the value itself.
bool is_held(double share, double value) {
  return share > 0.05 * std::max(1.0, std::abs(value));
}

IntervalEnd infinite_end(double sign) {
  IntervalEnd out;
  out.infinite = true;
  out.inner = out.outer = sign > 0 ? -kInfinity : kInfinity;
  return out;
}

// Ends of a ratio that did not meet in homogeneous coordinates, where all numbers range with 1/b as well:
// Dinkelbach's iteration, in which they do not. With r attained and L ≤ min ±(a − r b) proven, no a/b is
// beyond r ± L / b_least; the ratio where the minimum is taken is the next r, which converges faster than
// linearly.
void sharpen(const IntervalSet& set, const Functional& functional, double sign, const EndProblem& homogeneous,
             IntervalEnd& end) {
  constexpr int kMaxRounds = 6;
  const double smallest = smallest_denominator(set, functional);
  for (int round = 0; round < kMaxRounds && !end.reached; ++round) {
    const double ratio = end.inner - functional.offset;
    const double wanted =
        homogeneous.unit * homogeneous.options.absolute + homogeneous.options.relative * std::abs(ratio);
    const EndProblem problem = difference_end(set, functional, sign, ratio, 0.5 * wanted);
    const ConeResult result = solve_cone_program(problem.program, problem.start, problem.options);
    const double b = functional.below.dot(result.x);
    const double in_units = problem.unit / (b * homogeneous.unit);
    if (is_held(share_of_reach(set, problem, result) * in_units, ratio / homogeneous.unit)) {
      end = infinite_end(sign);
      return;
    }
    const double outer = end.inner + sign * std::min(0.0, result.lower) * problem.unit / smallest;
    if (sign * outer > sign * end.outer) end.outer = outer;
    const double next = functional.above.dot(result.x) / b + functional.offset;
    if (sign * next < sign * end.inner) {
      end.inner = next;
      end.point = result.x;
    }
    end.reached = std::abs(end.outer - end.inner) <= wanted;
  }
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
  if (result.value < end.options.stop_below || is_held(share_of_reach(set, end, result), result.value))
    return infinite_end(sign);
  const Index columns = set.problem.quantities.size();
  out.point = result.x.head(columns);
  if (ratio) out.point /= result.x[columns];
  out.inner =
      functional.above.dot(out.point) / (ratio ? functional.below.dot(out.point) : 1) + functional.offset;
  out.outer = out.inner - sign * end.unit * (result.value - result.lower);
  out.reached = result.reached;
  if (ratio && !out.reached) sharpen(set, functional, sign, end, out);
  if (!options.points) out.point.resize(0);
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

// An end as numbers, for processes that did not solve for it.
std::vector<double> numbers_of(const IntervalEnd& end) {
  std::vector<double> numbers = {end.inner, end.outer, end.infinite ? 1.0 : 0.0, end.reached ? 1.0 : 0.0};
  numbers.insert(numbers.end(), end.point.begin(), end.point.end());
  return numbers;
}

IntervalEnd end_from(std::span<const double> numbers) {
  const auto count = static_cast<Index>(numbers.size()) - 4;
  return {numbers[0], numbers[1], numbers[2] != 0, numbers[3] != 0,
          Eigen::Map<const Eigen::VectorXd>(numbers.data() + 4, count)};
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
    throw InputError({fmt::format("'{}' is neither linear nor a ratio: it has no proven interval", name),
                      {},
                      "",
                      "request J about the origin"});
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
  share(
      static_cast<Index>(2 * functionals.size()), options.threads,
      [&](Index job) {
        const Functional& functional = functionals[static_cast<std::size_t>(job / 2)];
        return numbers_of(solve_end(set, functional, job % 2 == 0 ? 1 : -1, options));
      },
      [&](Index job, std::span<const double> numbers) {
        ProvenInterval& interval = out[static_cast<std::size_t>(job / 2)];
        (job % 2 == 0 ? interval.lower : interval.upper) = end_from(numbers);
      });
  for (std::size_t k = 0; k < functionals.size(); ++k) {
    out[k].name = functionals[k].name;
    out[k].chosen = is_chosen(set, functionals[k]);
  }
  return out;
}

}  // namespace steelyard
