#include "signs/decide.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kTied = 0.05;  // |Q_ij| / √(Q_ii Q_jj) above: one component
constexpr double kGroupShare = 1.0 / 3;
constexpr Index kMaxJoints = 7;       // all sets of joints are tried up to this many
constexpr Index kManySegments = 500;  // and up to this many segments

std::vector<Index> joints_of(const SignProblem& problem) {
  std::set<Index> joints;
  for (const SignSegment& segment : problem.segments) joints.insert(segment.joint);
  return {joints.begin(), joints.end()};
}

std::vector<Index> segments_of(const SignProblem& problem, const std::set<Index>& joints) {
  std::vector<Index> members;
  for (Index k = 0; k < problem.size(); ++k)
    if (joints.count(problem.segments[static_cast<std::size_t>(k)].joint) > 0) members.push_back(k);
  return members;
}

// Components of RᵀR under the threshold.
std::vector<std::vector<Index>> components(const Eigen::MatrixXd& gram) {
  const Index size = gram.cols();
  std::vector<Index> root(static_cast<std::size_t>(size));
  for (Index k = 0; k < size; ++k) root[static_cast<std::size_t>(k)] = k;
  const auto find = [&](Index k) {
    while (root[static_cast<std::size_t>(k)] != k) k = root[static_cast<std::size_t>(k)];
    return k;
  };
  for (Index i = 0; i < size; ++i)
    for (Index j = i + 1; j < size; ++j)
      if (std::abs(gram(i, j)) > kTied * std::sqrt(gram(i, i) * gram(j, j)))
        root[static_cast<std::size_t>(find(j))] = find(i);
  std::map<Index, std::vector<Index>> by_root;
  for (Index k = 0; k < size; ++k) by_root[find(k)].push_back(k);
  std::vector<std::vector<Index>> out;
  for (auto& [first, members] : by_root) out.push_back(std::move(members));
  return out;
}

// Sets of joints: all of them for few joints and segments; single ones and ends of the chain otherwise.
std::vector<std::set<Index>> joint_sets(const std::vector<Index>& joints, Index segments) {
  std::vector<std::set<Index>> sets;
  const auto count = static_cast<Index>(joints.size());
  if (count <= kMaxJoints && segments <= kManySegments) {
    for (Index bits = 1; bits < (Index{1} << count); ++bits) {
      std::set<Index> chosen;
      for (Index j = 0; j < count; ++j)
        if ((bits >> j & 1) != 0) chosen.insert(joints[static_cast<std::size_t>(j)]);
      sets.push_back(std::move(chosen));
    }
    return sets;
  }
  for (Index j = 0; j < count; ++j) {
    sets.push_back({joints[static_cast<std::size_t>(j)]});
    sets.emplace_back(joints.begin() + j, joints.end());
  }
  return sets;
}

// The segments of a joint in one direction of its motion: |fo + fc sign(q̇)| distinguishes fo and fc only
// through the joint's other efforts.
std::vector<std::vector<Index>> directions(const SignProblem& problem) {
  std::map<std::pair<Index, int>, std::vector<Index>> by_direction;
  for (Index k = 0; k < problem.size(); ++k) {
    const SignSegment& segment = problem.segments[static_cast<std::size_t>(k)];
    if (segment.direction != 0) by_direction[{segment.joint, segment.direction}].push_back(k);
  }
  std::vector<std::vector<Index>> out;
  for (auto& [key, members] : by_direction) out.push_back(std::move(members));
  return out;
}

VectorXd flipped(const VectorXd& signs, const std::vector<Index>& group, const std::vector<int>& known) {
  VectorXd out = signs;
  for (const Index k : group)
    if (known[static_cast<std::size_t>(k)] == 0) out[k] = -out[k];
  return out;
}

// A pattern with RᵀR s and its residual, so that a flip costs a column instead of a product.
struct Walk {
  VectorXd signs;
  Eigen::VectorXd gradient;
  double residual = 0;

  void flip(const Eigen::MatrixXd& gram, Index i) {
    residual += 4 * (gram(i, i) - signs[i] * gradient[i]);
    gradient -= 2 * signs[i] * gram.col(i);
    signs[i] = -signs[i];
  }
};

Walk walk_from(const Eigen::MatrixXd& gram, const VectorXd& signs) {
  Walk walk{signs, gram * signs, 0};
  walk.residual = signs.dot(walk.gradient);
  return walk;
}

// Single flips that lower the residual, outside `held`.
Walk settle(const Eigen::MatrixXd& gram, Walk walk, const std::vector<int>& known,
            const std::vector<char>& held) {
  const double smallest = -1e-12 * gram.trace();
  for (bool better = true; better;) {
    better = false;
    for (Index i = 0; i < walk.signs.size(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (held[k] || known[k] != 0 || 4 * (gram(i, i) - walk.signs[i] * walk.gradient[i]) >= smallest)
        continue;
      walk.flip(gram, i);
      better = true;
    }
  }
  return walk;
}

// Costs of patterns other than the best one.
class Alternatives {
 public:
  Alternatives(const SignProblem& problem, FeasibleCost& cost, const SignOptions& options,
               const SignSearch& best)
      : problem_(problem), cost_(cost), options_(options), best_(best) {}

  // φ2 of a pattern as far as it matters: exact where it decides, a bound where that is large anyway.
  double cost(const VectorXd& signs, double residual, double enough) const {
    if (residual - problem_.rounding >= enough) return residual - problem_.rounding;
    const double quick = cost_.quick_bound(signs, enough);
    if (quick >= enough || cost_.fits() >= options_.max_fits) return quick;
    return std::max(quick, cost_.fit(signs).lower);
  }

  // For joints that change in a good part of their samples the whole cost counts, for others its rise.
  void note(const VectorXd& signs, double cost) {
    std::map<Index, std::pair<double, double>> rows;  // changed, all
    for (Index k = 0; k < signs.size(); ++k) {
      const auto count = static_cast<double>(problem_.rows_of[static_cast<std::size_t>(k)]);
      auto& [changed, all] = rows[problem_.segments[static_cast<std::size_t>(k)].joint];
      all += count;
      if (signs[k] != best_.signs[k]) changed += count;
    }
    for (Index k = 0; k < signs.size(); ++k) {
      if (signs[k] == best_.signs[k]) continue;
      const auto& [changed, all] = rows[problem_.segments[static_cast<std::size_t>(k)].joint];
      any_[k] = std::min(any_[k], cost);
      if (changed >= kGroupShare * all) group_[k] = std::min(group_[k], cost);
    }
  }

  VectorXd any_, group_;

 private:
  const SignProblem& problem_;
  FeasibleCost& cost_;
  const SignOptions& options_;
  const SignSearch& best_;
};

}  // namespace

std::vector<std::vector<Index>> sign_groups(const SignProblem& problem, const Eigen::MatrixXd& gram) {
  std::set<std::vector<Index>> groups;
  const std::vector<Index> joints = joints_of(problem);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    groups.insert(segments_of(problem, {joints[j]}));
    groups.insert(segments_of(problem, {joints.begin() + static_cast<Index>(j), joints.end()}));
  }
  for (std::vector<Index>& group : components(gram)) groups.insert(std::move(group));
  for (std::vector<Index>& group : directions(problem)) groups.insert(std::move(group));
  std::vector<std::vector<Index>> out;
  for (const std::vector<Index>& group : groups)
    if (static_cast<Index>(group.size()) < problem.size()) out.push_back(group);
  return out;
}

std::vector<GroupFlip> group_flips(const SignProblem& problem, const Eigen::MatrixXd& gram,
                                   const VectorXd& signs, const std::vector<int>& known,
                                   const std::vector<std::vector<Index>>& groups, double limit) {
  std::vector<std::vector<Index>> sets = groups;
  for (const std::set<Index>& joints : joint_sets(joints_of(problem), problem.size()))
    sets.push_back(segments_of(problem, joints));
  std::vector<GroupFlip> found;
  const std::vector<char> nothing(static_cast<std::size_t>(problem.size()), 0);
  const double allowed = limit + problem.rounding;
  for (const std::vector<Index>& group : sets) {
    const Walk start = walk_from(gram, flipped(signs, group, known));
    std::vector<char> held = nothing;
    for (const Index k : group) held[static_cast<std::size_t>(k)] = 1;
    // First around the group, then everywhere.
    const Walk settled = settle(gram, settle(gram, start, known, held), known, nothing);
    for (const Walk* walk : {&start, &settled})
      if (walk->residual <= allowed && walk->signs != signs &&
          std::none_of(found.begin(), found.end(),
                       [&](const GroupFlip& flip) { return flip.signs == walk->signs; }))
        found.push_back({walk->signs, walk->residual});
  }
  return found;
}

void decide_segments(const SignProblem& problem, const Eigen::MatrixXd& gram, FeasibleCost& cost,
                     const std::vector<int>& known, const std::vector<std::vector<Index>>& groups,
                     const SignOptions& options, SignSearch& result) {
  const Index size = problem.size();
  const double degrees = static_cast<double>(std::max<Index>(1, problem.rows - problem.R_YY.rows()));
  const double noise = std::max(result.cost, problem.rounding) * options.correlation / degrees;
  Alternatives alternatives(problem, cost, options, result);
  alternatives.any_ = VectorXd::Constant(size, std::numeric_limits<double>::infinity());
  alternatives.group_ = alternatives.any_;

  // Groups, all segments among them: what only feasibility distinguishes.
  const double enough = 20 * options.min_ratio * result.cost;
  for (const GroupFlip& flip : group_flips(problem, gram, result.signs, known, groups, enough))
    alternatives.note(flip.signs, alternatives.cost(flip.signs, flip.residual, enough));

  // Single segments, and the effect of fixing them to the opposite sign.
  const Walk best = walk_from(gram, result.signs);
  const double sure = result.cost + std::pow(options.min_confidence, 2) * noise;
  for (Index k = 0; k < size; ++k) {
    SegmentSign& segment = result.segments.emplace_back();
    segment.sign = static_cast<int>(result.signs[k]);
    if (known[static_cast<std::size_t>(k)] != 0) {
      segment.decided = true;
      segment.share = 1;
      segment.ratio = std::numeric_limits<double>::infinity();
      segment.confidence = std::numeric_limits<double>::infinity();
      continue;
    }
    Walk single = best;
    single.flip(gram, k);
    alternatives.note(single.signs, alternatives.cost(single.signs, single.residual, sure));
    std::vector<char> held(static_cast<std::size_t>(size), 0);
    held[static_cast<std::size_t>(k)] = 1;
    const Walk other = settle(gram, single, known, held);
    // The search may return to the mirrored pattern, which says nothing about this segment.
    const Index changed = (other.signs.array() != result.signs.array()).count();
    if (2 * changed < size && other.signs != single.signs)
      alternatives.note(other.signs, alternatives.cost(other.signs, other.residual, sure));
    // Its effort as predicted by the others: −s_k Σ_{j≠k} Q_kj s_j / Q_kk.
    segment.share = gram(k, k) > 0 ? 1 - result.signs[k] * best.gradient[k] / gram(k, k) : 0;
  }
  for (Index k = 0; k < size; ++k) {
    if (known[static_cast<std::size_t>(k)] != 0) continue;
    SegmentSign& segment = result.segments[static_cast<std::size_t>(k)];
    const double smallest = alternatives.any_[k];
    segment.confidence = std::sqrt(std::max(0.0, smallest - result.cost) / noise);
    segment.ratio = alternatives.group_[k] / std::max(result.cost, std::numeric_limits<double>::min());
    segment.decided = segment.confidence >= options.min_confidence && segment.ratio >= options.min_ratio &&
                      segment.share >= options.min_share;
  }
}

}  // namespace steelyard
