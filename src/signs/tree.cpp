#include "steelyard/signs/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "signs/feasible_cost.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kMaxStart = 16;  // 65536 nodes

// Cuts from fits of φ1, for all levels with the same columns.
struct RetrievalCuts {
  std::vector<std::string> columns;
  std::vector<FeasibleCut> cuts;
};

// The problem of the first segments in the tree's order, and what a node costs in it.
class LevelProblem {
 public:
  LevelProblem(const std::vector<Fold>& folds, const std::vector<SignSegment>& segments,
               const VectorXd& weights, const SignPhysics& physics, const TreeOptions& options,
               RetrievalCuts& shown)
      : problem_(make_sign_problem(folds, segments, weights)),
        feasible_(problem_, physics, options.fit_gap),
        options_(options),
        shown_(shown) {
    if (shown.columns != problem_.columns) shown = {problem_.columns, {}};
  }

  double cost(const VectorXd& signs, NodeCost kind) {
    if (kind == NodeCost::residual) return problem_.residual(signs);
    if (kind == NodeCost::torque) return feasible_.fit(signs).value;
    const VectorXd values = problem_.values(signs);
    const double retrieval =
        options_.penalty ? feasible_.nearest_by_penalty(values, options_.penalty_starts, options_.seed)
                         : feasible_.nearest(values, options_.fit_gap, shown_.cuts).value;
    return with_retrieval(signs, values, kind, retrieval);
  }

  // A number that the cost is not below, or `limit` when that is smaller; without a fit.
  double bound(const VectorXd& signs, NodeCost kind, double limit) const {
    if (kind == NodeCost::residual || !std::isfinite(limit)) return 0;
    if (kind == NodeCost::torque) return feasible_.quick_bound(signs, limit);
    if (options_.penalty) return 0;
    const VectorXd values = problem_.values(signs);
    const double squares = kind == NodeCost::retrieval ? limit : limit * values.squaredNorm();
    return with_retrieval(signs, values, kind, bound_by_cuts(shown_.cuts, values, squares));
  }

  const SignProblem& problem() const { return problem_; }
  FeasibleCost& feasible() { return feasible_; }

 private:
  double with_retrieval(const VectorXd& signs, const VectorXd& values, NodeCost kind,
                        double retrieval) const {
    if (kind == NodeCost::retrieval) return retrieval;
    return problem_.residual(signs) / std::max(problem_.effort, std::numeric_limits<double>::min()) +
           retrieval / std::max(values.squaredNorm(), std::numeric_limits<double>::min());
  }

  SignProblem problem_;
  FeasibleCost feasible_;
  const TreeOptions& options_;
  RetrievalCuts& shown_;
};

// Costs and indices of the `width` best nodes, best first, ties by index. Nodes that a bound shows to be
// worse are not fitted.
std::vector<std::pair<double, std::size_t>> best_nodes(LevelProblem& level,
                                                       const std::vector<VectorXd>& nodes, NodeCost kind,
                                                       std::size_t width) {
  // Those that look best first, so that the others need not be fitted.
  std::vector<std::pair<double, std::size_t>> order, costs;
  for (std::size_t c = 0; c < nodes.size(); ++c) order.emplace_back(level.bound(nodes[c], kind, 0), c);
  std::sort(order.begin(), order.end());
  for (const auto& [first_bound, c] : order) {
    const double limit =
        costs.size() < width ? std::numeric_limits<double>::infinity() : costs[width - 1].first;
    if (level.bound(nodes[c], kind, limit) > limit) continue;
    costs.emplace_back(level.cost(nodes[c], kind), c);
    std::sort(costs.begin(), costs.end());
  }
  costs.resize(std::min(costs.size(), width));
  return costs;
}

// Children of all nodes, and of each the index of its parent.
std::vector<VectorXd> children(const std::vector<VectorXd>& nodes, int known, bool held,
                               std::vector<int>& parents) {
  std::vector<VectorXd> out;
  parents.clear();
  for (std::size_t k = 0; k < nodes.size(); ++k)
    for (const int sign : {1, -1}) {
      if ((known != 0 && sign != known) || (known == 0 && held && sign < 0)) continue;
      VectorXd child(nodes[k].size() + 1);
      child << nodes[k], sign;
      out.push_back(std::move(child));
      parents.push_back(static_cast<int>(k));
    }
  return out;
}

// σ of the coefficients over their values, from the rows' own residual.
void list_deviations(const SignProblem& problem, const VectorXd& signs, double limit, TreeSearch& result) {
  const Index columns = static_cast<Index>(problem.columns.size());
  result.values = problem.values(signs);
  result.relative_sigma = VectorXd::Constant(columns, std::numeric_limits<double>::infinity());
  if (problem.R_YY.rows() < columns) return;
  const Eigen::MatrixXd inverse = inverse_of(problem.R_YY);
  const double sigma = std::sqrt(problem.variance(signs));
  for (Index k = 0; k < columns; ++k) {
    result.relative_sigma[k] = sigma * inverse.row(k).norm() / std::abs(result.values[k]);
    if (result.relative_sigma[k] < limit)
      result.significant.push_back(problem.columns[static_cast<std::size_t>(k)]);
  }
}

}  // namespace

const char* to_string(NodeCost cost) {
  constexpr const char* kWords[] = {"phi1", "phi2", "residual", "residual + phi1"};
  return kWords[static_cast<std::size_t>(cost)];
}

void TreeOptions::validate() const {
  const auto refuse = [](const char* name, double value, const char* limit) {
    throw InputError({fmt::format("option {} of the sign tree is {}", name, value), {}, limit, ""});
  };
  if (start < 0 || start > kMaxStart) refuse("start", start, "1 to 16 segments, or 0: automatic");
  if (penalty_starts < 0) refuse("penalty_starts", penalty_starts, "zero or positive");
  if (width < 1) refuse("width", width, "at least 1");
  if (!(max_relative_sigma > 0)) refuse("max_relative_sigma", max_relative_sigma, "positive");
  if (!(fit_gap > 0)) refuse("fit_gap", fit_gap, "positive");
}

int smallest_start(const std::vector<Fold>& folds, const std::vector<SignSegment>& segments,
                   const VectorXd& weights, const std::vector<Index>& order) {
  const SignProblem all = make_sign_problem(folds, segments, weights);
  std::vector<Fold> own_folds;
  std::vector<SignSegment> own_segments;
  const int most = std::min(kMostStart, static_cast<int>(segments.size()));
  for (int k = 0; k < most; ++k) {
    own_folds.push_back(folds[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])]);
    own_segments.push_back(segments[static_cast<std::size_t>(order[static_cast<std::size_t>(k)])]);
    const SignProblem problem = make_sign_problem(own_folds, own_segments, weights);
    if (problem.columns.size() < all.columns.size() || problem.R_YY.rows() < all.R_YY.rows()) continue;
    Eigen::MatrixXd R = problem.R_YY;
    for (Index c = 0; c < R.cols(); ++c) R.col(c) /= std::max(R.col(c).norm(), 1e-300);
    const Eigen::VectorXd squares = symmetric_eigen(R.transpose() * R).values;
    // Columns that even all rows do not determine leave zeros.
    const double least = squares[R.cols() - all.R_YY.rows()], largest = squares[R.cols() - 1];
    if (least * kWellConditioned * kWellConditioned > largest) return k + 1;
  }
  return most;
}

TreeSearch search_tree(const std::vector<Fold>& folds, const std::vector<SignSegment>& segments,
                       const VectorXd& weights, const SignPhysics& physics, const TreeOptions& options) {
  options.validate();
  require(physics.robot != nullptr && physics.base != nullptr, "signs need a robot and its base");
  TreeSearch result;
  result.order = order_segments(folds, segments, weights, options.order, options.seed);
  result.start = options.start > 0 ? options.start : smallest_start(folds, segments, weights, result.order);
  const bool has_known = std::any_of(segments.begin(), segments.end(),
                                     [](const SignSegment& segment) { return segment.sign != 0; });
  const bool is_mirrored = options.cost == NodeCost::residual && !has_known;
  std::vector<Fold> own_folds;
  std::vector<SignSegment> own_segments;
  std::vector<VectorXd> nodes = {VectorXd(0)};
  RetrievalCuts shown;
  const auto first = std::min<std::size_t>(static_cast<std::size_t>(result.start), segments.size());
  result.start = static_cast<int>(first);
  std::vector<int> parents;
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const auto next = static_cast<std::size_t>(result.order[k]);
    own_folds.push_back(folds[next]);
    own_segments.push_back(segments[next]);
    nodes = children(nodes, segments[next].sign, is_mirrored && k == 0, parents);
    if (k + 1 < first) continue;
    LevelProblem level(own_folds, own_segments, weights, physics, options, shown);
    result.nodes += nodes.size();
    const auto costs = best_nodes(level, nodes, options.cost, static_cast<std::size_t>(options.width));
    TreeLevel& shown_level = result.levels.emplace_back();
    shown_level.segments = static_cast<Index>(k) + 1;
    std::vector<VectorXd> kept;
    for (const auto& [cost, c] : costs) {
      shown_level.nodes.push_back(
          {cost, k + 1 == first ? -1 : parents[c], nodes[c][nodes[c].size() - 1] < 0 ? -1 : 1});
      kept.push_back(nodes[c]);
    }
    nodes = std::move(kept);
  }

  result.signs.resize(static_cast<Index>(segments.size()));
  for (std::size_t k = 0; k < segments.size(); ++k)
    result.signs[result.order[k]] = nodes[0][static_cast<Index>(k)];
  LevelProblem whole(folds, segments, weights, physics, options, shown);
  if (is_mirrored && whole.cost(-result.signs, NodeCost::torque) < whole.cost(result.signs, NodeCost::torque))
    result.signs = -result.signs;
  const ConvexSolution solution = whole.feasible().solve(result.signs, ConvexOptions{}.gap);
  result.cost = solution.value;
  result.x = solution.x;
  result.columns = whole.feasible().columns();
  list_deviations(whole.problem(), result.signs, options.max_relative_sigma, result);
  return result;
}

}  // namespace steelyard
