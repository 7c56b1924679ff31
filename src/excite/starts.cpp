#include "excite/starts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kPoseTries = 400;
constexpr int kHalvings = 30;
constexpr double kInnerShare = 0.8;  // of the ranges, for random poses
constexpr double kChange = 0.2;      // of the spread of a motion's coefficients

VectorXd random_pose(const DesignProblem& problem, Random& random) {
  VectorXd pose(static_cast<Index>(problem.ranges().size()));
  for (Index j = 0; j < pose.size(); ++j) {
    const JointRange& range = problem.ranges()[static_cast<std::size_t>(j)];
    const double mid = (range.low + range.high) / 2, half = kInnerShare * (range.high - range.low) / 2;
    pose[j] = random.uniform(mid - half, mid + half);
  }
  return pose;
}

VectorXd middle_pose(const DesignProblem& problem) {
  VectorXd pose(static_cast<Index>(problem.ranges().size()));
  for (Index j = 0; j < pose.size(); ++j) {
    const JointRange& range = problem.ranges()[static_cast<std::size_t>(j)];
    pose[j] = (range.low + range.high) / 2;
  }
  return pose;
}

bool is_pose_inside(const DesignProblem& problem, const VectorXd& pose) {
  const std::vector<LimitUse> uses = problem.uses_at_rest(pose);
  return uses.empty() || uses.front().share < 1;
}

// A pose at which the motion can rest between its ends.
std::optional<VectorXd> resting_pose(const DesignProblem& problem, const ExciteOptions& options, int k,
                                     Random& random) {
  const auto works = [&](const VectorXd& pose) {
    return is_pose_inside(problem, pose) && problem.is_inside(problem.scaled(problem.basis().still(pose)));
  };
  std::vector<VectorXd> first;
  if (options.start) first.push_back(*options.start);
  if (options.finish) first.push_back(*options.finish);
  if (first.size() == 2) first.emplace_back((first[0] + first[1]) / 2);
  if (first.empty() && k == 0) first.push_back(middle_pose(problem));
  for (const VectorXd& pose : first)
    if (works(pose)) return pose;
  for (int t = 0; t < kPoseTries; ++t) {
    const VectorXd pose = random_pose(problem, random);
    if (works(pose)) return pose;
  }
  return std::nullopt;
}

std::optional<VectorXd> shrunk(const DesignProblem& problem, const VectorXd& still, const VectorXd& move) {
  double share = 1;
  for (int t = 0; t < kHalvings; ++t, share /= 2) {
    const VectorXd x = still + share * move;
    if (problem.is_inside(x)) return x;
  }
  return std::nullopt;
}

// The motion that rests in the middle of x.
VectorXd still_in_the_middle(const DesignProblem& problem, const VectorXd& x) {
  const MatrixXd coefficients = problem.coefficients(x);
  const Index last = coefficients.rows() - 1;
  const bool is_series = problem.basis().omega() > 0;
  const VectorXd pose = is_series ? VectorXd(coefficients.row(last).transpose())
                                  : VectorXd(coefficients.colwise().mean().transpose());
  return problem.scaled(problem.basis().still(pose));
}

}  // namespace

std::optional<VectorXd> random_start(const DesignProblem& problem, const ExciteOptions& options, int k) {
  Random random(options.seed, "excitation starts", static_cast<std::uint64_t>(k));
  const std::optional<VectorXd> pose = resting_pose(problem, options, k, random);
  if (!pose) return std::nullopt;
  const VectorXd still = problem.scaled(problem.basis().still(*pose));
  VectorXd move(still.size());
  for (Index i = 0; i < move.size(); ++i) move[i] = 0.7 * random.normal();
  return shrunk(problem, still, move);
}

std::optional<VectorXd> pulled_inside(const DesignProblem& problem, const VectorXd& x) {
  const VectorXd still = still_in_the_middle(problem, x);
  if (!problem.is_inside(still)) return std::nullopt;
  double low = 0, high = 1;  // shares that are inside, and not
  if (problem.is_inside(x)) return x;
  for (int t = 0; t < 12; ++t) {
    const double mid = (low + high) / 2;
    (problem.is_inside(still + mid * (x - still)) ? low : high) = mid;
  }
  return VectorXd(still + low * (x - still));
}

std::optional<VectorXd> changed_start(const DesignProblem& problem, const ExciteOptions& options,
                                      const VectorXd& from, int k) {
  Random random(options.seed, "excitation changes", static_cast<std::uint64_t>(k));
  const double spread =
      (from - still_in_the_middle(problem, from)).norm() / std::sqrt(static_cast<double>(from.size()));
  VectorXd x = from;
  for (Index i = 0; i < x.size(); ++i) x[i] += kChange * spread * random.normal();
  return pulled_inside(problem, x);
}

std::optional<VectorXd> warm_start(const DesignProblem& problem, const DesignedMotion& motion) {
  return pulled_inside(problem, problem.scaled(problem.basis().coefficients(motion)));
}

void check_ends(const DesignProblem& problem, const ExciteOptions& options) {
  for (const auto* end : {&options.start, &options.finish}) {
    if (!*end) continue;
    const std::vector<LimitUse> uses = problem.uses_at_rest(**end);
    if (uses.empty() || uses.front().share < 1) continue;
    const LimitUse& use = uses.front();
    throw InputError({fmt::format("the {} pose is outside the limits: {} is {:.6g}",
                                  end == &options.start ? "start" : "finish", use.what, use.worst),
                      {},
                      fmt::format("beyond {:.6g} is not allowed", use.limit),
                      "choose another pose, or correct the limit"});
  }
}

void refuse_all_poses(const DesignProblem& problem, const ExciteOptions& options) {
  Random random(options.seed, "poses outside");
  std::map<std::string, int> broken;
  std::map<std::string, LimitUse> least;
  int inside = 0;
  for (int t = 0; t < kPoseTries; ++t) {
    const std::vector<LimitUse> uses = problem.uses_at_rest(random_pose(problem, random));
    if (uses.empty() || uses.front().share < 1) {
      ++inside;
      continue;
    }
    for (const LimitUse& use : uses) {
      if (use.share < 1) continue;
      ++broken[use.what];
      const auto [at, is_new] = least.emplace(use.what, use);
      if (!is_new && use.share < at->second.share) at->second = use;
    }
  }
  if (inside > 0)
    throw InputError({"no motion within the limits connects the given poses",
                      {},
                      {},
                      "allow more time for lead-in and lead-out, or leave the start or finish pose open"});
  std::string worst;
  for (const auto& [what, count] : broken)
    if (worst.empty() || count > broken[worst]) worst = what;
  const LimitUse& use = least.at(worst);
  throw InputError(
      {fmt::format("no pose is within all limits: '{}' is violated at {} of {} random poses, by the "
                   "best of them with {:.6g}",
                   worst, broken[worst], kPoseTries, use.worst),
       {},
       fmt::format("limit {:.6g}", use.limit),
       "check that limit, the table, boxes and capsules, or the prior masses"});
}

}  // namespace steelyard
