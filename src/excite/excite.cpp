// The search over starts, and the check of its best motion between the grid's samples.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>

#include "excite/minimize.hpp"
#include "excite/problem.hpp"
#include "excite/starts.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/processes.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kBarrier[] = {1, 0.1, 0.01};
constexpr double kSelection =
    1e-6;  // barrier weight at which starts are compared: condition counts, limits do not
constexpr int kRepairs = 12;
constexpr Index kRound = 4;  // starts side by side; later rounds continue from the best so far

struct Attempt {
  VectorXd first, x;
  double value = kInfinity;
  int evaluations = 0;
  bool done = false;
};

// An attempt as numbers, for processes that did not make it.
std::vector<double> numbers_of(const Attempt& one) {
  std::vector<double> numbers = {one.value, static_cast<double>(one.evaluations), one.done ? 1.0 : 0.0,
                                 static_cast<double>(one.first.size())};
  numbers.insert(numbers.end(), one.first.begin(), one.first.end());
  numbers.insert(numbers.end(), one.x.begin(), one.x.end());
  return numbers;
}

Attempt attempt_from(std::span<const double> numbers) {
  const auto first = static_cast<Index>(numbers[3]), both = static_cast<Index>(numbers.size()) - 4;
  const Eigen::Map<const Eigen::VectorXd> values(numbers.data() + 4, both);
  Attempt one;
  one.first = values.head(first);
  one.x = values.tail(both - first);
  one.value = numbers[0];
  one.evaluations = static_cast<int>(numbers[1]);
  one.done = numbers[2] != 0;
  return one;
}

class Search {
 public:
  Search(const Robot& robot, const BaseParameters& base, const ExciteOptions& options)
      : options_(options), problem_(robot, base, options), begin_(std::chrono::steady_clock::now()) {
    check_ends(problem_, options);
  }

  ExcitedMotion at_random(const BaseParameters& base, Index trials) {
    Random random(options_.seed, "random search");
    const auto first = random_start(problem_, options_, 0);
    if (!first) refuse_all_poses(problem_, options_);
    VectorXd best = *first;
    double value = problem_.value(best, kSelection, nullptr);
    ExcitedMotion result;
    for (Index k = 1; k <= trials && !is_late(); ++k) {
      VectorXd x = best;
      if (k % 2 == 0) {
        const double size = std::pow(10, -random.uniform(0, 3));
        for (Index i = 0; i < x.size(); ++i) x[i] += size * random.normal();
      } else if (const auto fresh = random_start(problem_, options_, static_cast<int>(k))) {
        x = *fresh + random.uniform(0, 4) * (*fresh - best);
      }
      const auto inside = pulled_inside(problem_, x);
      if (!inside) continue;
      const double trial = problem_.value(*inside, kSelection, nullptr);
      ++result.evaluations;
      if (trial < value) value = trial, best = *inside;
    }
    result.motion = motion_of(best);
    result.report = examine_motion(problem_, base, result.motion, options_);
    result.time_limit_reached = late_;
    return result;
  }

  ExcitedMotion run(const BaseParameters& base) {
    const Index warm = static_cast<Index>(options_.warm.size()), count = warm + options_.starts;
    attempts_.resize(static_cast<std::size_t>(count));
    const Attempt* best = nullptr;
    for (Index from = 0, to = 0; from < count; from = to) {
      to = std::min(count, from + kRound + (from == 0 ? warm : 0));
      share(
          to - from, options_.threads,
          [&](Index k) {
            attempt(from + k, best);
            return numbers_of(attempts_[static_cast<std::size_t>(from + k)]);
          },
          [&](Index k, std::span<const double> numbers) {
            attempts_[static_cast<std::size_t>(from + k)] = attempt_from(numbers);
          });
      for (Index k = from; k < to; ++k) {
        const Attempt& one = attempts_[static_cast<std::size_t>(k)];
        if (one.x.size() > 0 && (best == nullptr || one.value < best->value)) best = &one;
      }
    }
    if (best == nullptr) refuse_all_poses(problem_, options_);
    ExcitedMotion result;
    result.best_start = static_cast<int>(best - attempts_.data());
    for (const Attempt& one : attempts_) {
      result.starts += one.done;
      result.evaluations += one.evaluations;
    }
    result.before = examine_motion(problem_, base, motion_of(best->first), options_);
    const VectorXd x = repaired(best->x, result.evaluations);
    result.motion = motion_of(x);
    result.report = examine_motion(problem_, base, result.motion, options_);
    result.time_limit_reached = late_;
    add_notes(result);
    return result;
  }

 private:
  DesignedMotion motion_of(const VectorXd& x) const {
    return problem_.basis().motion(problem_.coefficients(x));
  }

  bool is_late() {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin_;
    if (seconds.count() < options_.time_limit) return false;
    late_ = true;
    return true;
  }

  Minimum descend(const VectorXd& from, double mu, int iterations) {
    MinimizeOptions options;
    options.iterations = iterations;
    options.tolerance = 1e-2;
    options.stop = [this] { return is_late(); };
    return minimize([&](const VectorXd& x, VectorXd& g) { return problem_.value(x, mu, &g); }, from, options);
  }

  std::optional<VectorXd> first_of(Index k, const Attempt* best) const {
    const Index warm = static_cast<Index>(options_.warm.size());
    if (k < warm) return warm_start(problem_, options_.warm[static_cast<std::size_t>(k)]);
    const int start = static_cast<int>(k - warm);
    return best != nullptr ? changed_start(problem_, options_, best->x, start)
                           : random_start(problem_, options_, start);
  }

  // `best`: of the rounds before.
  void attempt(Index k, const Attempt* best) {
    Attempt& one = attempts_[static_cast<std::size_t>(k)];
    if (k > 0 && is_late()) return;
    const auto first = first_of(k, best);
    if (first) {
      one.x = *first;
      one.first = best != nullptr ? best->first : one.x;
      bool stopped = false;
      for (const double mu : kBarrier) {
        const Minimum found = descend(one.x, mu, options_.iterations);
        one.x = found.x;
        one.evaluations += found.evaluations;
        stopped = found.stopped;
        if (stopped) break;
      }
      one.value = problem_.value(one.x, kSelection, nullptr);
      one.done = !stopped;
    }
    report(one.value);
  }

  void report(double value) {
    const std::scoped_lock lock(mutex_);
    ++finished_;
    best_ = std::max(best_, -value);
    if (options_.progress)
      options_.progress(static_cast<double>(finished_) / static_cast<double>(attempts_.size()), best_);
  }

  // Tightens the limits by the violations on a finer grid, until there are none.
  VectorXd repaired(VectorXd x, int& evaluations) {
    for (int t = 0; t < kRepairs; ++t) {
      SearchMargins margins = problem_.margins();
      bool broken = false;
      for (const LimitUse& use : problem_.uses(problem_.coefficients(x), problem_.basis().step() / 10)) {
        if (use.share <= 1) continue;
        broken = true;
        widen(margins, use);
      }
      if (!broken) return x;
      problem_.set_margins(margins);
      const auto inside = pulled_inside(problem_, x);
      if (!inside) break;
      const Minimum found = descend(*inside, kBarrier[2], options_.iterations);
      evaluations += found.evaluations;
      x = found.x;
    }
    throw InputError({"the motion violates limits between the grid points of the search",
                      {},
                      {},
                      "leave more margin to the limits, or use fewer harmonics"});
  }

  static void widen(SearchMargins& margins, const LimitUse& use) {
    const double more = 1.2 * (use.share - 1) + 1e-3;
    if (use.what.rfind("position of", 0) == 0)
      margins.position += more;
    else if (use.what.rfind("velocity of", 0) == 0)
      margins.velocity += more;
    else if (use.what.rfind("acceleration of", 0) == 0)
      margins.acceleration += more;
    else if (use.what.rfind("effort of", 0) == 0)
      margins.effort += more;
    else
      margins.distance += more * kDistanceScale;
  }

  // Names of the joints without a limit of one kind.
  template <typename Has>
  std::string without(Has&& has) const {
    std::string names;
    const Robot& robot = problem_.robot();
    for (std::size_t j = 0; j < robot.joints.size(); ++j) {
      const Limits& own = options_.limits.empty() ? robot.joints[j].limits : options_.limits[j];
      if (!has(own)) names += (names.empty() ? "" : ", ") + robot.joints[j].name;
    }
    return names;
  }

  void add_notes(ExcitedMotion& result) const {
    const auto note = [&](const std::string& joints, const std::string& what, const std::string& then) {
      if (!joints.empty())
        result.notes.push_back(fmt::format("no {} limits are known for {}: {}", what, joints, then));
    };
    note(without([](const Limits& l) { return std::isfinite(l.lower) && std::isfinite(l.upper); }),
         "position", fmt::format("they stay within {:.4g}", options_.free_range));
    note(without([](const Limits& l) { return std::isfinite(l.velocity); }), "velocity", "it is free");
    note(without([](const Limits& l) { return std::isfinite(l.acceleration); }), "acceleration",
         "it is free");
    if (!problem_.limits_effort())
      result.notes.emplace_back("no prior masses are known: efforts are not limited");
    for (const std::string& pair : problem_.distances().left_out())
      result.notes.push_back("capsules that touch in every pose are not checked: " + pair);
  }

  const ExciteOptions& options_;
  DesignProblem problem_;
  std::vector<Attempt> attempts_;
  std::chrono::steady_clock::time_point begin_;
  std::atomic<bool> late_{false};
  std::mutex mutex_;
  int finished_ = 0;
  double best_ = -kInfinity;
};

}  // namespace

ExcitedMotion excite_motion(const Robot& robot, const BaseParameters& base, const ExciteOptions& options) {
  options.validate(robot);
  const Index count = static_cast<Index>(base.base.size());
  require(!options.prior || options.prior->size() == count, "one prior value per base parameter");
  require(options.information.size() == 0 ||
              (options.information.rows() == count && options.information.cols() == count),
          "information is over the base parameters");
  return Search(robot, base, options).run(base);
}

ExcitedMotion search_at_random(const Robot& robot, const BaseParameters& base, const ExciteOptions& options,
                               Index trials) {
  options.validate(robot);
  return Search(robot, base, options).at_random(base, trials);
}

}  // namespace steelyard
