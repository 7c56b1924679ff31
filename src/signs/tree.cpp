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
class TreeLevel {
 public:
  TreeLevel(const std::vector<Fold>& folds, const std::vector<SignSegment>& segments, const VectorXd& weights,
            const SignPhysics& physics, double gap, RetrievalCuts& shown)
      : problem_(make_sign_problem(folds, segments, weights)),
        feasible_(problem_, physics, gap),
        gap_(gap),
        shown_(shown) {
    if (shown.columns != problem_.columns) shown = {problem_.columns, {}};
  }

  double cost(const VectorXd& signs, NodeCost kind) {
    if (kind == NodeCost::residual) return problem_.residual(signs);
    if (kind == NodeCost::torque) return feasible_.fit(signs).value;
    const VectorXd values = problem_.values(signs);
    return with_retrieval(signs, values, kind, feasible_.nearest(values, gap_, shown_.cuts).value);
  }

  // A number that the cost is not below, or `limit` when that is smaller; without a fit.
  double bound(const VectorXd& signs, NodeCost kind, double limit) const {
    if (kind == NodeCost::residual || !std::isfinite(limit)) return 0;
    if (kind == NodeCost::torque) return feasible_.quick_bound(signs, limit);
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
  double gap_;
  RetrievalCuts& shown_;
};

// Costs and indices of the `width` best nodes, best first, ties by index. Nodes that a bound shows to be
// worse are not fitted.
std::vector<std::pair<double, std::size_t>> best_nodes(TreeLevel& level, const std::vector<VectorXd>& nodes,
                                                       NodeCost kind, std::size_t width) {
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

std::vector<VectorXd> children(const std::vector<VectorXd>& nodes, int known, bool held) {
  std::vector<VectorXd> out;
  for (const VectorXd& node : nodes)
    for (const int sign : {1, -1}) {
      if ((known != 0 && sign != known) || (known == 0 && held && sign < 0)) continue;
      VectorXd child(node.size() + 1);
      child << node, sign;
      out.push_back(std::move(child));
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
  if (start < 1 || start > kMaxStart) refuse("start", start, "1 to 16 segments");
  if (width < 1) refuse("width", width, "at least 1");
  if (!(max_relative_sigma > 0)) refuse("max_relative_sigma", max_relative_sigma, "positive");
  if (!(fit_gap > 0)) refuse("fit_gap", fit_gap, "positive");
}

TreeSearch search_tree(const std::vector<Fold>& folds, const std::vector<SignSegment>& segments,
                       const VectorXd& weights, const SignPhysics& physics, const TreeOptions& options) {
  options.validate();
  require(physics.robot != nullptr && physics.base != nullptr, "signs need a robot and its base");
  TreeSearch result;
  result.order = order_segments(folds, segments, weights, options.order);
  const bool has_known = std::any_of(segments.begin(), segments.end(),
                                     [](const SignSegment& segment) { return segment.sign != 0; });
  const bool is_mirrored = options.cost == NodeCost::residual && !has_known;
  std::vector<Fold> own_folds;
  std::vector<SignSegment> own_segments;
  std::vector<VectorXd> nodes = {VectorXd(0)};
  RetrievalCuts shown;
  const auto first = std::min<std::size_t>(static_cast<std::size_t>(options.start), segments.size());
  for (std::size_t k = 0; k < segments.size(); ++k) {
    const auto next = static_cast<std::size_t>(result.order[k]);
    own_folds.push_back(folds[next]);
    own_segments.push_back(segments[next]);
    nodes = children(nodes, segments[next].sign, is_mirrored && k == 0);
    if (k + 1 < first) continue;
    TreeLevel level(own_folds, own_segments, weights, physics, options.fit_gap, shown);
    result.nodes += nodes.size();
    const auto costs = best_nodes(level, nodes, options.cost, static_cast<std::size_t>(options.width));
    result.path.push_back(costs[0].first);
    std::vector<VectorXd> kept;
    for (const auto& [cost, c] : costs) kept.push_back(nodes[c]);
    nodes = std::move(kept);
  }

  result.signs.resize(static_cast<Index>(segments.size()));
  for (std::size_t k = 0; k < segments.size(); ++k)
    result.signs[result.order[k]] = nodes[0][static_cast<Index>(k)];
  TreeLevel whole(folds, segments, weights, physics, options.fit_gap, shown);
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
