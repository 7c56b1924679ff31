#include "feasible/interval_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// constant + a·x̂ ≥ 0 as a block.
Block limit_row(double constant, const Eigen::VectorXd& a) {
  Block block;
  block.constant = SmallMatrix::Constant(1, 1, constant);
  for (Index k = 0; k < a.size(); ++k) {
    if (a[k] == 0) continue;
    block.columns.push_back(k);
    block.parts.push_back(SmallMatrix::Constant(1, 1, a[k]));
  }
  return block;
}

// Bodies together up to `reach` times the reference; likewise columns without a body that the data do not
// determine.
void add_limits(IntervalSet& set) {
  ConeProgram& program = set.program;
  set.first_limit = program.blocks.size();
  const auto add = [&](double constant, const Eigen::VectorXd& a) {
    program.blocks.push_back(limit_row(constant, a));
    program.weights.push_back(0);
  };
  const VectorXd start = program.columns(set.start);
  if (set.problem.bodies > 0) {
    program.max_size = std::max(program.max_size, set.reach * program.size.dot(start));
    add(1, -program.size / program.max_size);
  }
  const SeenUnseen& at = set.problem.coordinates;
  for (Index k = 0; k < program.soft.size(); ++k) {
    const double open = at.T.row(k).tail(at.T.cols() - at.seen).norm() / at.scale[k];
    if (program.soft[k] == 0 || open < 1e-8) continue;
    const double limit = set.reach * std::max(at.scale[k], std::abs(start[k]));
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(program.soft.size(), k) / limit;
    add(1, unit);
    add(1, -unit);
  }
}

// Bodies with the fit's masses, centres and mean second moments, the same in all directions.
VectorXd rounded_bodies(const FeasibleProblem& problem, const Eigen::VectorXd& x) {
  VectorXd out = problem.reference;
  const Index further = out.size() - problem.quantities.standard_count();
  out.tail(further) = x.tail(further);
  for (int link = 0; link < problem.quantities.links(); ++link) {
    if (!problem.cones.bodies[static_cast<std::size_t>(link)]) continue;
    const Inertia fit = Inertia::from_standard(x.segment<10>(Index{10} * link));
    const Vector3 com = fit.com();
    const double whole = fit.pseudo_inertia().topLeftCorner<3, 3>().trace();
    const double spread = std::max(whole - fit.mass() * com.squaredNorm(), 0.1 * whole);
    const Matrix3 inertia = 2.0 / 3.0 * spread * Matrix3::Identity();
    out.segment<10>(Index{10} * link) =
        Inertia::from_mass_com_inertia(fit.mass(), com, inertia).to_standard();
  }
  return out;
}

// Size of a functional's terms by the bodies at the start: m, √(m tr Σ), tr Σ; natural units of other
// columns.
double natural_size(const IntervalSet& set, const VectorXd& a) {
  VectorXd size = set.problem.scales.columns;
  const VectorXd x = set.program.columns(set.start);
  for (int link = 0; link < set.problem.quantities.links(); ++link) {
    if (!set.problem.cones.bodies[static_cast<std::size_t>(link)]) continue;
    const Vector10 body = x.segment<10>(Index{10} * link);
    const double spread = (body[4] + body[7] + body[9]) / 2;
    size[Index{10} * link] = body[0];
    size.segment<3>(Index{10} * link + 1).setConstant(std::sqrt(body[0] * spread));
    size.segment<6>(Index{10} * link + 4).setConstant(spread);
  }
  return a.cwiseAbs().dot(size);
}

// The width that data alone would give, or the natural size when they do not determine all of it.
double expected_width(const IntervalSet& set, const Eigen::VectorXd& slope, double unit) {
  const Index seen = set.problem.coordinates.seen;
  const double open = slope.tail(slope.size() - seen).norm() / unit;
  const double data = std::sqrt(set.allowance) * slope.head(seen).norm() / unit;
  return open > 1e-8 ? 1 : std::clamp(data, 1e-9, 1.0);
}

}  // namespace

IntervalSet make_interval_set(const Objective& objective, const std::vector<Constraint>& constraints,
                              const Robot& robot, const ProvenOptions& options) {
  ConvexOptions convex = options.convex;
  convex.reach = options.reach;
  const auto problem_of = [&] {
    return make_problem(objective.columns, objective.R, objective.z, objective.constant, constraints, robot,
                        convex);
  };
  IntervalSet set{problem_of(), 0, 0, {}, {}, 0, options.reach};
  const InteriorPoint interior = compute_interior(set.problem, convex.max_iterations);
  if (interior.kind == InteriorPoint::Kind::none)
    throw InputError({"no parameters satisfy the constraints: there is nothing to bound",
                      {},
                      "",
                      "check the conflicting constraints"});
  const double loosened =
      interior.kind == InteriorPoint::Kind::thin ? std::max(1e-8, 2 * interior.violation) : 0;
  loosen(set.problem.program, loosened);
  ConeOptions how;
  how.relative = convex.gap;
  how.absolute = convex.gap * 1e-6 * objective.effort();
  how.max_iterations = convex.max_iterations;
  how.settle = false;
  const ConeResult best = solve_cone_program(set.problem.program, interior.y, how);
  set.allowance = std::max({options.allowance, best.value - best.lower, how.absolute});
  how.relative = 0;
  how.absolute = set.allowance / 4;
  ConeResult start = solve_cone_program(set.problem.program, interior.y, how);
  if (!(start.value < best.value + set.allowance)) start = best;
  // From here on the fit is the reference: the set lies around it, and the robot's may be far off.
  convex.reference = rounded_bodies(set.problem, start.x);
  set.problem = problem_of();
  loosen(set.problem.program, loosened);
  set.radius = std::sqrt(best.value - set.problem.coordinates.rest + set.allowance);
  set.start = set.problem.coordinates.locate(start.x);

  const Index n = set.start.size(), seen = set.problem.coordinates.seen;
  set.program = set.problem.program;
  set.program.seen = 0;
  set.program.constant = 0;
  set.program.ball = Ball{Eigen::MatrixXd::Zero(seen + 1, n), Eigen::VectorXd::Zero(seen + 1)};
  set.program.ball->G.block(1, 0, seen, seen).setIdentity();
  set.program.ball->g[0] = set.radius;
  set.program.spread.head(seen).setConstant(2 * set.radius);
  add_limits(set);
  return set;
}

EndProblem linear_end(const IntervalSet& set, const Functional& functional, double sign, double tolerance) {
  EndProblem out;
  out.program = set.program;
  out.start = set.start;
  out.unit = natural_size(set, functional.above);
  const Eigen::VectorXd slope = set.program.T.transpose() * functional.above;
  out.program.linear = sign / out.unit * slope;
  out.program.constant = sign / out.unit * functional.above.dot(set.program.origin);
  const double width = expected_width(set, slope, out.unit);
  out.options.absolute = 0.01 * tolerance * width;
  out.options.relative = tolerance;
  out.options.settle = false;
  out.options.stop_below = -set.reach;  // far enough to be called infinite
  return out;
}

double smallest_denominator(const IntervalSet& set, const Functional& functional) {
  const double b = functional.below.dot(set.program.columns(set.start));
  if (!(b > 0))
    throw InputError({fmt::format("the denominator of '{}' is {} at a feasible point", functional.name, b),
                      {},
                      "positive",
                      "add the constraint that makes it positive"});
  return std::min(functional.below.dot(set.problem.reference), b) / set.reach;
}

EndProblem difference_end(const IntervalSet& set, const Functional& functional, double sign, double ratio,
                          double wanted) {
  const Functional difference = {functional.name, functional.above - ratio * functional.below, {}, 0};
  EndProblem out = linear_end(set, difference, sign, 1);
  const double smallest = smallest_denominator(set, functional);
  out.program.blocks.push_back(limit_row(-1, functional.below / smallest));
  out.program.weights.push_back(0);
  out.options.relative = 0;
  out.options.absolute = std::max(wanted * smallest / out.unit, 1e-12);
  out.options.stop_below = -kInfinity;
  return out;
}

namespace {

// One equation h·ŷ = 1 solved for the entry `pivot`: ŷ = E z + o.
struct UnitEquation {
  Index pivot = 0;
  Eigen::MatrixXd E;
  Eigen::VectorXd o;

  // `v` without the entry that the others decide.
  Eigen::VectorXd without_pivot(const Eigen::VectorXd& v) const {
    Eigen::VectorXd rest(v.size() - 1);
    rest << v.head(pivot), v.tail(v.size() - 1 - pivot);
    return rest;
  }
};

// Solved for an entry behind the first `seen`, unless these have all of h.
UnitEquation solve_unit_equation(const Eigen::VectorXd& h, Index seen) {
  const Index n = h.size() - 1;
  UnitEquation out{n, Eigen::MatrixXd::Zero(n + 1, n), Eigen::VectorXd::Zero(n + 1)};
  double largest = 0;
  for (Index i = seen; i < n; ++i)
    if (std::abs(h[i]) > largest) largest = std::abs(h[out.pivot = i]);
  if (largest < 1e-3 * h.norm() / std::sqrt(static_cast<double>(n))) h.cwiseAbs().maxCoeff(&out.pivot);
  out.o[out.pivot] = 1 / h[out.pivot];
  for (Index i = 0, j = 0; i <= n; ++i) {
    if (i == out.pivot) continue;
    out.E(i, j) = 1;
    out.E(out.pivot, j) = -h[i] / h[out.pivot];
    ++j;
  }
  return out;
}

}  // namespace

EndProblem ratio_end(const IntervalSet& set, const Functional& functional, double sign, double tolerance) {
  const ConeProgram& from = set.program;
  const Index n = from.T.cols(), rows = from.T.rows(), seen = set.problem.coordinates.seen;
  const double b = functional.below.dot(from.columns(set.start));
  const double reference = smallest_denominator(set, functional) * set.reach;
  // ŷ = (y, 1)/b and x̂ = M ŷ = (x, 1)/b; b = 1 is one equation h·ŷ = 1, solved for one entry.
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(rows + 1, n + 1);
  M.topLeftCorner(rows, n) = from.T;
  M.topRightCorner(rows, 1) = from.origin;
  M(rows, n) = 1;
  const Eigen::VectorXd h = M.topRows(rows).transpose() * functional.below;
  const UnitEquation unit = solve_unit_equation(h, seen);
  EndProblem out;
  out.homogeneous = true;
  ConeProgram& program = out.program;
  program = from;
  program.origin = M * unit.o;
  program.T = M * unit.E;
  for (Block& block : program.blocks) {
    block.columns.push_back(rows);
    block.parts.push_back(block.constant);
    block.constant.setZero();
  }
  Eigen::VectorXd last = Eigen::VectorXd::Zero(rows + 1);
  last[rows] = -reference / set.reach;
  program.blocks.push_back(limit_row(1, last));
  program.weights.push_back(0);
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(seen + 1, n + 1);
  G(0, n) = set.radius;
  G.block(1, 0, seen, seen).setIdentity();
  program.ball = Ball{G * unit.E, G * unit.o};
  const auto longer = [&](const Eigen::VectorXd& v) {
    Eigen::VectorXd out_vector(rows + 1);
    out_vector << v, 0;
    return out_vector;
  };
  program.size = longer(from.size * reference);
  program.max_size = from.max_size * set.reach;
  program.soft = longer(from.soft * reference * reference);
  program.soft_centre = longer(from.soft_centre / reference);
  // 1/b up to reach/b(x⁰), and all others as far as they go times that.
  Eigen::VectorXd spread(n + 1);
  spread << from.spread, 1;
  program.spread = unit.without_pivot(spread * set.reach / reference);
  Eigen::VectorXd start(n + 1);
  start << set.start, 1;
  out.start = unit.without_pivot(start / b);
  out.unit = natural_size(set, functional.above) / reference;
  const Eigen::VectorXd above = longer(functional.above);
  program.linear = sign / out.unit * (program.T.transpose() * above);
  program.constant = sign / out.unit * above.dot(program.origin);
  out.options.absolute = 0.01 * tolerance;
  out.options.relative = tolerance;
  out.options.settle = false;
  out.options.stop_below = -set.reach;  // far enough to be called infinite
  return out;
}

}  // namespace steelyard
