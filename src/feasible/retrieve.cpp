#include "steelyard/feasible/retrieve.hpp"

#include <fmt/format.h>

#include <cmath>

#include "feasible/small_matrix.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

Retrieval from_relaxation(const ConvexSolution& relaxation) {
  Retrieval result;
  result.method = FeasibleMethod::convex;
  result.relaxation = relaxation;
  result.columns = relaxation.columns;
  result.constraints = relaxation.constraints;
  result.chosen = relaxation.chosen;
  if (!relaxation.usable()) return result;
  result.x = relaxation.x;
  result.value = relaxation.value;
  result.lower_bound = relaxation.lower_bound;
  result.gap = relaxation.gap;
  result.violated = relaxation.relaxed;
  result.feasible = relaxation.relaxed.empty();
  return result;
}

void search_on(const Objective& objective, const std::vector<Constraint>& constraints, const Robot& robot,
               const RetrieveOptions& options, Retrieval& result) {
  PenaltyOptions penalty = options.penalty;
  if (penalty.reference.size() == 0) penalty.reference = options.convex.reference;
  const bool anneals = options.method == FeasibleMethod::annealing;
  penalty.search = anneals ? PenaltySearch::annealing : PenaltySearch::descent;
  if (anneals && penalty.random_starts > 0) penalty.from_reference = false;
  if (!anneals && result.x.size() > 0) penalty.starts.insert(penalty.starts.begin(), result.x);
  PenaltySolution search = solve_penalty(objective, constraints, robot, penalty);
  result.method = anneals ? FeasibleMethod::annealing : FeasibleMethod::penalty;
  result.feasible = search.feasible;
  result.columns = search.columns;
  result.x = search.x;
  result.value = search.value;
  result.constraints = search.constraints;
  result.violated = search.violated;
  if (result.lower_bound)
    result.gap = (result.value - *result.lower_bound) / (result.value + 1e-6 * objective.effort());
  result.search = std::move(search);
}

std::vector<std::string> columns_behind_links(const Objective& objective, const Robot& robot) {
  return {objective.columns.begin() + kParametersPerLink * robot.size(), objective.columns.end()};
}

}  // namespace

const char* to_string(FeasibleMethod method) {
  constexpr const char* kWords[] = {"auto", "convex", "penalty", "annealing"};
  return kWords[static_cast<std::size_t>(method)];
}

Retrieval retrieve(const Objective& objective, const std::vector<Constraint>& constraints, const Robot& robot,
                   const RetrieveOptions& options) {
  Retrieval result = from_relaxation(solve_convex(objective, constraints, robot, options.convex));
  if (!result.relaxation.usable()) {
    if (options.conflicts)
      result.conflict = find_conflict(constraints, robot, columns_behind_links(objective, robot));
    return result;
  }
  const bool wants_search = options.method == FeasibleMethod::penalty ||
                            options.method == FeasibleMethod::annealing ||
                            (options.method == FeasibleMethod::automatic && !result.feasible);
  if (wants_search) search_on(objective, constraints, robot, options, result);
  return result;
}

std::string Retrieval::brief() const {
  if (conflict && !conflict->feasible) return "infeasible: " + conflict->brief();
  std::string text = fmt::format("{}: φ = {:.6g}", to_string(method), value);
  if (gap) text += fmt::format(", at most {:.2g} above the optimum", *gap);
  if (!feasible) text += fmt::format("; violated: {}", fmt::join(violated, ", "));
  return text;
}

double body_margin(const Inertia& inertia, double length) {
  Eigen::Vector4d scale(1 / length, 1 / length, 1 / length, 1);
  const Eigen::Matrix4d scaled =
      scale.asDiagonal() * Eigen::Matrix4d(inertia.pseudo_inertia()) * scale.asDiagonal();
  const double smallest = small_eigenvalues(scaled)[0];
  if (inertia.mass() == 0) return smallest < 0 ? -1 : 0;
  return smallest / std::abs(inertia.mass());
}

}  // namespace steelyard
