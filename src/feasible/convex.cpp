#include "steelyard/feasible/convex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "feasible/problem.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// w D(P ‖ P⁰) of the objective: a block whose log det is part of the value, and a linear term.
void add_pulls(const Objective& objective, FeasibleProblem& problem) {
  for (const BodyPull& pull : objective.pulls) {
    const double mass = problem.scales.mass[pull.link], size = problem.scales.size[pull.link];
    Block block = body_block(pull.link, 0, 1, size, mass);
    VectorXd reference = problem.reference;
    reference.segment<10>(Index{10} * pull.link) = pull.reference.to_standard();
    const SmallMatrix P = block.at(reference);
    const SmallMatrix inverse = small_inverse(P);
    SmallMatrix L;
    lower_root(P, L);
    Eigen::VectorXd slope = Eigen::VectorXd::Zero(problem.quantities.size());
    for (std::size_t k = 0; k < block.columns.size(); ++k)
      slope[block.columns[k]] = pull.weight * inverse.cwiseProduct(block.parts[k]).sum();
    problem.program.linear += problem.program.T.transpose() * slope;
    problem.program.constant +=
        slope.dot(problem.program.origin) + pull.weight * (2 * L.diagonal().array().log().sum() - 4);
    problem.program.blocks.push_back(std::move(block));
    problem.program.weights.push_back(pull.weight);
  }
}

std::vector<bool> chosen_columns(const FeasibleProblem& problem) {
  const SeenUnseen& at = problem.coordinates;
  std::vector<bool> out;
  for (Index k = 0; k < at.T.rows(); ++k) {
    const double open = at.T.row(k).tail(at.T.cols() - at.seen).norm() / at.scale[k];
    out.push_back(open > 1e-8);
  }
  return out;
}

void fill_constraints(const std::vector<Constraint>& constraints, const FeasibleProblem& problem,
                      const ConeResult& result, double active, ConvexSolution& out) {
  std::vector<double> slack(constraints.size(), kInfinity), multiplier(constraints.size(), 0);
  for (std::size_t b = 0; b < problem.cones.blocks.size(); ++b) {
    const Block& block = problem.cones.blocks[b];
    const auto c = static_cast<std::size_t>(block.constraint);
    slack[c] = std::min(slack[c], small_eigenvalues(block.at(out.x))[0]);
    multiplier[c] += result.Z[b].trace();
  }
  for (const EqualityRow& row : problem.cones.equalities) slack[static_cast<std::size_t>(row.constraint)] = 0;
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    ConstraintState state;
    state.name = constraints[c].name;
    state.margin = evaluate(constraints[c], problem.quantities, out.x).margin();
    state.multiplier = multiplier[c];
    state.active = slack[c] < active;
    state.convex = is_convex(constraints[c], problem.quantities);
    if (!state.convex && !(state.margin >= 0)) out.relaxed.push_back(state.name);
    out.constraints.push_back(state);
  }
}

bool obeys(const VectorXd& x, const std::vector<Constraint>& constraints, const FeasibleProblem& problem) {
  std::vector<bool> asked(constraints.size(), true);
  for (const EqualityRow& row : problem.cones.equalities)
    asked[static_cast<std::size_t>(row.constraint)] = false;
  for (std::size_t c = 0; c < constraints.size(); ++c)
    if (asked[c] && is_convex(constraints[c], problem.quantities) &&
        !(evaluate(constraints[c], problem.quantities, x).margin() >= 0))
      return false;
  return true;
}

// Slacks are positive at x, but those of single constraints, evaluated in their own units, may be rounded to
// the other side: then slightly towards the inside.
VectorXd clear_of_rounding(const VectorXd& x, const VectorXd& inside,
                           const std::vector<Constraint>& constraints, const FeasibleProblem& problem) {
  VectorXd out = x;
  for (double share = 1e-14; share < 1e-8 && !obeys(out, constraints, problem); share *= 10)
    out = x + share * (inside - x);
  return out;
}

}  // namespace

const char* to_string(ConvexStatus status) {
  constexpr const char* kWords[] = {"solved", "thin", "infeasible", "stalled"};
  return kWords[static_cast<std::size_t>(status)];
}

void ConvexOptions::validate() const {
  const auto positive = [](double value, const char* what) {
    if (!(value > 0) || std::isinf(value))
      throw InputError({fmt::format("{} {}", what, value), {}, "positive and finite", ""});
  };
  positive(gap, "gap");
  positive(reach, "reach");
  positive(active, "active");
  positive(rank_tolerance, "rank tolerance");
  if (max_iterations < 1)
    throw InputError({fmt::format("{} iterations", max_iterations), {}, "at least 1", ""});
}

ConvexSolution solve_convex(const Objective& objective, const std::vector<Constraint>& constraints,
                            const Robot& robot, const ConvexOptions& options) {
  FeasibleProblem problem = make_problem(objective.columns, objective.R, objective.z, objective.constant,
                                         constraints, robot, options);
  ConvexSolution out;
  out.columns = objective.columns;
  out.seen = problem.coordinates.seen;
  const InteriorPoint interior = compute_interior(problem, options.max_iterations);
  out.phase1_iterations = interior.iterations;
  out.iterations = interior.iterations;
  if (interior.kind == InteriorPoint::Kind::none) {
    out.status = ConvexStatus::infeasible;
    return out;
  }
  // From here on all bodies with P ⪯ reach ‖P⁰‖ 1 count, however flat P⁰ is.
  problem.program.max_size = options.reach * std::max(1.0, problem.round_size);
  add_pulls(objective, problem);
  if (interior.kind == InteriorPoint::Kind::thin) {
    out.status = ConvexStatus::thin;
    out.loosened = std::max(1e-8, 2 * interior.violation);
    loosen(problem.program, out.loosened);
  }
  ConeOptions how;
  how.relative = options.gap;
  how.absolute = options.gap * 1e-6 * objective.effort();
  how.max_iterations = options.max_iterations;
  const ConeResult result = solve_cone_program(problem.program, interior.y, how);
  if (!result.reached && out.status == ConvexStatus::solved) out.status = ConvexStatus::stalled;
  out.iterations += result.iterations;
  out.x = result.x;
  if (out.loosened == 0)
    out.x = clear_of_rounding(result.x, problem.program.columns(interior.y), constraints, problem);
  out.value = objective.value(out.x);
  out.lower_bound = result.lower;
  out.gap = (out.value - out.lower_bound) / (out.value + 1e-6 * objective.effort());
  out.weight = result.weight;
  out.chosen = chosen_columns(problem);
  fill_constraints(constraints, problem, result, options.active, out);
  return out;
}

}  // namespace steelyard
