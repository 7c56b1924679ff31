#include "signs/decide.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "signs/evidence.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kTied = 0.05;         // |Q_ij| / √(Q_ii Q_jj) above: one component
constexpr Index kMaxJoints = 7;        // all sets of joints are tried up to this many
constexpr Index kManySegments = 500;   // and up to this many segments
constexpr double kFarCost = 24;        // of the best cost: patterns above are as good as impossible
constexpr double kSureDeviations = 6;  // of the noise: the same for single segments

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

struct Alternative {
  VectorXd signs;
  double residual = 0;
  double cost = 0;      // φ2, or a bound on it where that is large anyway
  double log_odds = 0;  // of the best pattern against it
};

// Patterns other than the best one.
class Alternatives {
 public:
  Alternatives(const SignProblem& problem, FeasibleCost& cost, const SignOptions& options)
      : problem_(problem), cost_(cost), options_(options) {}

  void add(const VectorXd& signs, double residual, double enough) {
    if (std::any_of(found.begin(), found.end(), [&](const Alternative& one) { return one.signs == signs; }))
      return;
    found.push_back({signs, residual, cost(signs, residual, enough), 0});
  }

  std::vector<Alternative> found;

 private:
  // Exact where it decides.
  double cost(const VectorXd& signs, double residual, double enough) const {
    if (residual - problem_.rounding >= enough) return residual - problem_.rounding;
    const double quick = cost_.quick_bound(signs, enough);
    if (quick >= enough || cost_.fits() >= options_.max_fits) return quick;
    return std::max(quick, cost_.fit(signs).lower);
  }

  const SignProblem& problem_;
  FeasibleCost& cost_;
  const SignOptions& options_;
};

// Of every sign, against the strongest other pattern: those that differ in further segments are the same doubt.
// `before`: the same as far as it is known; empty: not yet.
VectorXd probabilities(const SignEvidence& evidence, const SignSearch& best, const VectorXd& before,
                       std::vector<Alternative>& alternatives) {
  VectorXd log_odds = VectorXd::Constant(best.signs.size(), std::numeric_limits<double>::infinity());
  for (Alternative& one : alternatives) {
    one.log_odds = evidence.log_odds(one.signs, one.residual, one.cost, before);
    for (Index k = 0; k < log_odds.size(); ++k)
      if (one.signs[k] != best.signs[k]) log_odds[k] = std::min(log_odds[k], one.log_odds);
  }
  return 1 / (1 + (-log_odds.array()).exp());
}

// Undecided segments that one pattern flips together, the least certain pattern first.
void group_undecided(const std::vector<Alternative>& alternatives, const SignEvidence& evidence,
                     const SignProblem& problem, const SignOptions& options, SignSearch& result) {
  std::vector<const Alternative*> order;
  for (const Alternative& one : alternatives) order.push_back(&one);
  std::stable_sort(order.begin(), order.end(),
                   [](const Alternative* a, const Alternative* b) { return a->log_odds < b->log_odds; });
  const double open = std::log(options.min_probability / (1 - options.min_probability));
  for (const Alternative* one : order) {
    if (one->log_odds >= open) break;
    SignGroupFlip group;
    for (Index k = 0; k < problem.size(); ++k) {
      SegmentSign& segment = result.segments[static_cast<std::size_t>(k)];
      if (one->signs[k] == result.signs[k] || segment.decided || segment.group >= 0) continue;
      group.segments.push_back(k);
    }
    if (group.segments.size() < 2) continue;
    group.probability = 1 / (1 + std::exp(-one->log_odds));
    group.deviations = std::sqrt(2 * std::max(0.0, one->log_odds));
    for (const Index k : group.segments) {
      group.misfit =
          std::max(group.misfit, evidence.misfit(problem.segments[static_cast<std::size_t>(k)].joint));
      result.segments[static_cast<std::size_t>(k)].group = static_cast<Index>(result.groups.size());
    }
    result.groups.push_back(std::move(group));
  }
}

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
  Alternatives alternatives(problem, cost, options);

  // Groups, all segments among them: what only feasibility distinguishes.
  const double enough = kFarCost * result.cost;
  for (const GroupFlip& flip : group_flips(problem, gram, result.signs, known, groups, enough))
    alternatives.add(flip.signs, flip.residual, enough);

  // Single segments, and the effect of fixing them to the opposite sign.
  const Walk best = walk_from(gram, result.signs);
  const double sure = result.cost + kSureDeviations * kSureDeviations * noise;
  for (Index k = 0; k < size; ++k) {
    if (known[static_cast<std::size_t>(k)] != 0) continue;
    Walk single = best;
    single.flip(gram, k);
    alternatives.add(single.signs, single.residual, sure);
    std::vector<char> held(static_cast<std::size_t>(size), 0);
    held[static_cast<std::size_t>(k)] = 1;
    const Walk other = settle(gram, single, known, held);
    // The search may return to the mirrored pattern, which says nothing about this segment.
    const Index changed = (other.signs.array() != result.signs.array()).count();
    if (2 * changed < size) alternatives.add(other.signs, other.residual, sure);
  }

  const SignEvidence evidence(problem, gram, result, noise);
  VectorXd smallest = VectorXd::Constant(size, std::numeric_limits<double>::infinity());
  for (const Alternative& one : alternatives.found)
    for (Index k = 0; k < size; ++k)
      if (one.signs[k] != result.signs[k]) smallest[k] = std::min(smallest[k], one.cost);
  // Once with the other signs taken as right, once with what that says of them.
  VectorXd probability;
  for (int pass = 0; pass < 2; ++pass)
    probability = probabilities(evidence, result, probability, alternatives.found);
  for (Index k = 0; k < size; ++k) {
    SegmentSign& segment = result.segments.emplace_back();
    segment.sign = static_cast<int>(result.signs[k]);
    const bool is_known = known[static_cast<std::size_t>(k)] != 0;
    segment.share = is_known ? 1 : evidence.share(k);
    segment.confidence = is_known ? std::numeric_limits<double>::infinity()
                                  : std::sqrt(std::max(0.0, smallest[k] - result.cost) / noise);
    segment.probability = is_known ? 1 : probability[k];
    segment.decided = is_known || segment.probability >= options.min_probability;
  }
  group_undecided(alternatives.found, evidence, problem, options, result);
}

}  // namespace steelyard
