#include "steelyard/signs/recover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "signs/decide.hpp"
#include "signs/feasible_cost.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/signs/search.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Costs within this of each other count as equal.
constexpr double kSame = 1e-9;
constexpr int kGroupRounds = 4;
constexpr std::uint64_t kTreeWork = 400'000'000;  // nodes × segments: a node costs its depth

class SignSearcher {
 public:
  SignSearcher(const SignProblem& problem, const SignPhysics& physics, const SignOptions& options)
      : problem_(problem), options_(options), cost_(problem, physics, options.fit_gap) {
    for (const SignSegment& segment : problem.segments) {
      known_.push_back(segment.sign);
      has_known_ |= segment.sign != 0;
    }
    gram_.setZero(problem.size(), problem.size());
    gram_.selfadjointView<Eigen::Lower>().rankUpdate(problem.R_EE.transpose());
    gram_.triangularView<Eigen::StrictlyUpper>() = gram_.transpose();
    groups_ = sign_groups(problem, gram_);
  }

  SignSearch run() {
    start();
    const auto size = static_cast<std::uint64_t>(problem_.size());
    OrderedPatterns patterns(problem_.R_EE, known_, problem_.rounding,
                             std::min(options_.max_nodes, kTreeWork / size + 2));
    bool is_complete = true;
    while (const auto next = patterns.next(best_.value)) {
      if (!first_)
        first_ = next->residual;
      else if (second_ <= 0)
        second_ = next->residual;
      is_complete = consider_both(next->signs) && is_complete;
      if (is_over()) break;
    }
    SignSearch result;
    result.nodes = patterns.nodes();
    const double bound = std::min(patterns.bound(), unsettled_);
    finish(result, bound, is_complete && bound > best_.value * (1 - kSame), patterns.bound());
    return result;
  }

  SignSearch assess(const VectorXd& signs) {
    best_ = {signs, cost_.fit(signs).value};
    SignSearch result;
    finish(result, 0, false, 0);
    result.proof = SignProof::not_searched;
    return result;
  }

 private:
  struct Best {
    VectorXd signs;
    double value = std::numeric_limits<double>::infinity();
  };

  bool is_over() const {
    if (cost_.fits() >= options_.max_fits) return true;
    if (options_.max_seconds <= 0) return false;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    return spent.count() > options_.max_seconds;
  }

  // An initial pattern, by the spectrum, by flips and by a beam; then flips of whole groups.
  void start() {
    const VectorXd energy = (problem_.R_YE.colwise().squaredNorm() + problem_.R_EE.colwise().squaredNorm());
    SignPattern pattern =
        descend(problem_.R_EE, spectral_signs(problem_.R_EE, energy, known_), known_, groups_);
    if (problem_.size() > kReflectedSegments / 2) {
      const SignPattern other =
          descend(problem_.R_EE, widest_beam(problem_.R_EE, known_, options_.beam), known_, groups_);
      if (other.residual < pattern.residual) pattern = other;
    }
    consider_both(pattern.signs);
    for (int round = 0; round < kGroupRounds && !is_over(); ++round) {
      const VectorXd before = best_.signs;
      if (before.size() == 0 || !try_groups(before) || best_.signs == before) break;
    }
  }

  // Flips of groups, the most promising first. False when there was none.
  bool try_groups(const VectorXd& signs) {
    std::vector<std::pair<double, VectorXd>> tries;
    for (GroupFlip& flip : group_flips(problem_, gram_, signs, known_, groups_, best_.value)) {
      const double bound = cost_.quick_bound(flip.signs, best_.value);
      if (bound < best_.value) tries.emplace_back(bound, std::move(flip.signs));
    }
    std::stable_sort(tries.begin(), tries.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [bound, flipped] : tries) {
      if (is_over()) break;
      if (has_known_ || flipped != -signs) consider(flipped);
    }
    return !tries.empty();
  }

  bool consider_both(const VectorXd& signs) {
    const bool first = consider(signs);
    return has_known_ ? first : consider(-signs) && first;
  }

  // False when it could not be settled whether the pattern is better than the best.
  bool consider(const VectorXd& signs) {
    if (cost_.quick_bound(signs, best_.value) > best_.value) return true;
    if (is_over()) {
      unsettled_ = std::min(unsettled_, cost_.quick_bound(signs, best_.value));
      return false;
    }
    const PatternCost& cost = cost_.fit(signs);
    const bool is_best = best_.signs.size() == signs.size() && best_.signs == signs;
    if (cost.value < best_.value && !is_best) {
      best_ = {signs, cost.value};
    } else if (!is_best && cost.lower < best_.value * (1 - kSame)) {
      unsettled_ = std::min(unsettled_, cost.lower);  // within the gap of the fits: as good, not worse
    }
    return true;
  }

  void finish(SignSearch& result, double bound, bool proven, double tree_bound) {
    if (!std::isfinite(best_.value))
      throw InputError({"no choice of signs gives a physically possible model",
                        {},
                        "constraints that some model satisfies",
                        "remove constraints, or check the robot's geometry"});
    result.signs = best_.signs;
    result.residual = problem_.residual(best_.signs);
    const ConvexSolution* fitted = cost_.best_fit(best_.signs);
    const ConvexSolution solution = fitted != nullptr ? *fitted : cost_.solve(best_.signs, options_.fit_gap);
    result.cost = solution.usable() ? std::min(solution.value, best_.value) : best_.value;
    result.x = solution.x;
    result.columns = cost_.columns();
    result.lower_bound = std::min(bound, result.cost);
    result.second = second_;
    const bool residual_proven = first_ && result.residual <= *first_ + problem_.rounding;
    result.proof = proven                                             ? SignProof::feasible_optimal
                   : residual_proven || tree_bound >= result.residual ? SignProof::residual_optimal
                                                                      : SignProof::bound_only;
    decide_segments(problem_, gram_, cost_, known_, groups_, options_, result);
    result.fits = cost_.fits();
  }

  const SignProblem& problem_;
  const SignOptions& options_;
  FeasibleCost cost_;
  std::vector<int> known_;
  bool has_known_ = false;
  Eigen::MatrixXd gram_;  // RᵀR
  std::vector<std::vector<Index>> groups_;
  Best best_;
  double unsettled_ = std::numeric_limits<double>::infinity();  // smallest bound of what could not be settled
  std::optional<double> first_;
  double second_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

const char* to_string(SignProof proof) {
  constexpr const char* kWords[] = {"feasible-optimal", "residual-optimal", "bound-only", "not-searched"};
  return kWords[static_cast<std::size_t>(proof)];
}

void SignOptions::validate() const {
  const auto refuse = [](const char* name, double value, const char* limit) {
    throw InputError({fmt::format("option {} of the sign search is {}", name, value), {}, limit, ""});
  };
  if (max_nodes < 2) refuse("max_nodes", static_cast<double>(max_nodes), "at least 2");
  if (max_fits < 2) refuse("max_fits", max_fits, "at least 2");
  if (!(max_seconds >= 0)) refuse("max_seconds", max_seconds, "zero or positive");
  if (!(correlation >= 1)) refuse("correlation", correlation, "at least 1");
  if (!(min_probability > 0.5 && min_probability < 1))
    refuse("min_probability", min_probability, "between 0.5 and 1");
  if (beam < 1) refuse("beam", static_cast<double>(beam), "at least 1");
  if (!(fit_gap > 0)) refuse("fit_gap", fit_gap, "positive");
}

VectorXd SignSearch::decided() const {
  VectorXd kept = signs;
  for (std::size_t k = 0; k < segments.size(); ++k)
    if (!segments[k].decided) kept[static_cast<Index>(k)] = 0;
  return kept;
}

SignSearch recover_signs(const SignProblem& problem, const SignPhysics& physics, const SignOptions& options) {
  options.validate();
  require(physics.robot != nullptr && physics.base != nullptr, "signs need a robot and its base");
  return SignSearcher(problem, physics, options).run();
}

SignSearch assess_signs(const SignProblem& problem, const SignPhysics& physics, const VectorXd& signs,
                        const SignOptions& options) {
  options.validate();
  require(signs.size() == problem.size(), "one sign per segment");
  return SignSearcher(problem, physics, options).assess(signs);
}

WeighedSearch recover_signs_reweighed(const std::vector<Fold>& folds,
                                      const std::vector<SignSegment>& segments, const VectorXd& weights,
                                      const SignPhysics& physics, const SignOptions& options, int rounds) {
  WeighedSearch result;
  result.problem = make_sign_problem(folds, segments, weights);
  result.search = recover_signs(result.problem, physics, options);
  for (int round = 0; round < rounds; ++round) {
    const VectorXd next = residual_weights(folds, result.problem, result.search.signs);
    const VectorXd before = result.search.signs;
    result.problem = make_sign_problem(folds, segments, next);
    result.search = recover_signs(result.problem, physics, options);
    if (result.search.signs == before) break;
  }
  return result;
}

}  // namespace steelyard
