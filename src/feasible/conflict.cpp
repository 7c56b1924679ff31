#include "steelyard/feasible/conflict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "feasible/problem.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

struct Trial {
  FeasibleProblem problem;
  InteriorPoint interior;
  bool infeasible() const { return interior.kind == InteriorPoint::Kind::none; }
  // Neither when phase one stalled before a decision.
  bool feasible() const {
    return interior.kind == InteriorPoint::Kind::found || (!infeasible() && interior.violation < 1e-8);
  }
};

Trial try_constraints(const std::vector<Constraint>& constraints, const Robot& robot,
                      const std::vector<std::string>& columns) {
  const ConvexOptions options;
  FeasibleProblem problem = make_problem(columns, Eigen::MatrixXd(0, static_cast<Index>(columns.size())),
                                         Eigen::VectorXd(0), 0, constraints, robot, options);
  InteriorPoint interior = compute_interior(problem, options.max_iterations);
  return {std::move(problem), std::move(interior)};
}

// The constraint that makes link j a body.
int body_constraint(const std::vector<Constraint>& constraints, int link) {
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    const auto* body = std::get_if<PseudoInertia>(&constraints[c].form);
    const auto* triangle = std::get_if<Triangle>(&constraints[c].form);
    if ((body != nullptr && body->link == link) ||
        (triangle != nullptr && triangle->about_com && triangle->link == link))
      return static_cast<int>(c);
  }
  return -1;
}

// Multipliers of the equalities: λ with Aᵀλ nearest to h, or the combination that contradicts itself.
Eigen::VectorXd equality_multipliers(const FeasibleProblem& problem, const Eigen::MatrixXd& A,
                                     const Eigen::VectorXd& h) {
  if (!problem.coordinates.consistent) return -problem.coordinates.equality_residual;
  if (A.rows() == 0) return Eigen::VectorXd(0);
  return ShortestSolution(A.transpose()).solve(h);
}

// Fills members and the numbers of the proof: 0 ≤ Σ ⟨F(x), Z⟩ = ⟨F⁰, Z⟩ + λ·b + r·x is impossible when the
// constant part is negative and r vanishes.
Conflict certify(const Trial& trial, const std::vector<Constraint>& constraints) {
  const FeasibleProblem& problem = trial.problem;
  const Eigen::VectorXd& scale = problem.scales.columns;
  Conflict out;
  out.feasible = false;
  out.smallest_eigenvalue = kInfinity;
  std::vector<double> weights(constraints.size(), 0);
  Eigen::VectorXd h = Eigen::VectorXd::Zero(scale.size());
  double constant = 0;
  for (std::size_t b = 0; b < problem.program.blocks.size(); ++b) {
    const Block& block = problem.program.blocks[b];
    const SmallMatrix& Z = trial.interior.Z[b];
    const int owner = block.constraint >= 0
                          ? block.constraint
                          : body_constraint(constraints, static_cast<int>(block.columns[0] / 10));
    if (owner >= 0) weights[static_cast<std::size_t>(owner)] += Z.trace();
    constant += block.constant.cwiseProduct(Z).sum();
    for (std::size_t k = 0; k < block.columns.size(); ++k)
      h[block.columns[k]] += block.parts[k].cwiseProduct(Z).sum() * scale[block.columns[k]];
    out.smallest_eigenvalue = std::min(out.smallest_eigenvalue, small_eigenvalues(Z)[0]);
  }
  const std::vector<EqualityRow>& rows = problem.cones.equalities;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(static_cast<Index>(rows.size()), scale.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < rows[i].columns.size(); ++k)
      A(static_cast<Index>(i), rows[i].columns[k]) += rows[i].coefficients[k] * scale[rows[i].columns[k]];
  const Eigen::VectorXd lambda = equality_multipliers(problem, A, h);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    constant += lambda[static_cast<Index>(i)] * rows[i].value;
    weights[static_cast<std::size_t>(rows[i].constraint)] += std::abs(lambda[static_cast<Index>(i)]);
  }
  if (A.rows() > 0) h -= A.transpose() * lambda;
  double total = 0;
  for (const double weight : weights) total += weight;
  if (!(total > 0)) return out;
  for (std::size_t c = 0; c < constraints.size(); ++c)
    out.members.push_back({constraints[c].name, weights[c] / total});
  out.violation = -constant / total;
  out.residual = h.cwiseAbs().sum() / total;
  out.within = out.residual > 0 ? out.violation / out.residual : kInfinity;
  out.smallest_eigenvalue /= total;
  return out;
}

std::vector<Constraint> without(const std::vector<Constraint>& constraints, std::size_t index) {
  std::vector<Constraint> out = constraints;
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(index));
  return out;
}

// Those that have a share in the proof, when they alone are infeasible too; otherwise all.
std::vector<Constraint> suspects(const std::vector<Constraint>& constraints, const Conflict& proof,
                                 const Robot& robot, const std::vector<std::string>& columns) {
  std::vector<Constraint> out;
  for (std::size_t c = 0; c < proof.members.size(); ++c)
    if (proof.members[c].weight > 1e-6) out.push_back(constraints[c]);
  if (out.empty() || out.size() == constraints.size()) return constraints;
  return try_constraints(out, robot, columns).infeasible() ? out : constraints;
}

// One pass of the filter. True when the rest was feasible in every trial that dropped nothing.
bool drop_needless(std::vector<Constraint>& left, const Robot& robot,
                   const std::vector<std::string>& columns) {
  bool decided = true;
  for (std::size_t k = 0; k < left.size();) {
    std::vector<Constraint> rest = without(left, k);
    const Trial trial = try_constraints(rest, robot, columns);
    if (trial.infeasible()) {
      left = std::move(rest);
      continue;
    }
    decided = decided && trial.feasible();
    ++k;
  }
  return decided;
}

}  // namespace

std::string Conflict::brief() const {
  if (feasible) return "the constraints can be satisfied together";
  std::string names;
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (k > 0) names += k + 1 == members.size() ? " and " : ", ";
    names += quoted(members[k].name);
  }
  return names + (members.size() == 1 ? " contradicts itself" : " contradict each other");
}

Conflict find_conflict(const std::vector<Constraint>& constraints, const Robot& robot,
                       const std::vector<std::string>& further_columns) {
  const Quantities quantities(robot, further_columns);
  const std::vector<std::string>& columns = quantities.columns();
  const Trial all = try_constraints(constraints, robot, columns);
  if (!all.infeasible()) return {};
  std::vector<Constraint> left = suspects(constraints, certify(all, constraints), robot, columns);
  // A pass that drops nothing is the check of what is left. Often it is the second; a third is needed when a
  // proof that escapes the method among many constraints is found among few.
  bool irreducible = false;
  for (std::size_t before = 0; before != left.size();) {
    before = left.size();
    irreducible = drop_needless(left, robot, columns);
  }
  Conflict out = certify(try_constraints(left, robot, columns), left);
  out.irreducible = irreducible;
  return out;
}

}  // namespace steelyard
