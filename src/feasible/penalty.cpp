#include "steelyard/feasible/penalty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "feasible/penalty_problem.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/processes.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

struct StartPoint {
  std::string kind;
  VectorXd x;
};

std::vector<StartPoint> start_points(const PenaltyProblem& problem, const PenaltyOptions& options) {
  std::vector<StartPoint> points;
  int number = 0;
  for (const VectorXd& x : options.starts) points.push_back({fmt::format("given {}", ++number), x});
  if (options.from_reference)
    points.push_back({"reference", from_barycentric(problem.quantities(), problem.reference())});
  for (int k = 1; k <= options.random_starts; ++k) {
    const auto index = static_cast<std::uint64_t>(k);
    const VectorXd p = options.search == PenaltySearch::annealing
                           ? random_point(problem, options.seed, index)
                           : random_bodies(problem, options.seed, index);
    points.push_back({fmt::format("random {}", k), from_barycentric(problem.quantities(), p)});
  }
  return points;
}

// Level by level, then the last one again with growing margins until nothing is violated.
PenaltyStart descend_levels(const PenaltyProblem& problem, const VectorXd& x, const PenaltyOptions& options) {
  Descent found{problem.locate(x), 0, 0};
  // A pull has no value where a link is no body: nearer to the reference all are.
  const VectorXd centre = problem.locate(from_barycentric(problem.quantities(), problem.reference()));
  for (int k = 0; k < 50 && !std::isfinite(problem.smooth(found.xi, 1, 0, nullptr)); ++k)
    found.xi = 0.5 * (found.xi + centre);
  const auto improve = [&](double level, double margin) {
    DescentOptions descent;
    descent.max_iterations = options.max_iterations;
    const Descent next = descend(
        [&](const VectorXd& at, LocalModel* model) { return problem.smooth(at, level, margin, model); },
        found.xi, descent);
    found = {next.xi, next.value, found.iterations + next.iterations};
  };
  for (double level : options.levels) improve(level, 0);
  constexpr double kMaxMargin = 1e-3;
  for (double margin = options.margin; margin <= kMaxMargin; margin *= 10) {
    // Satisfied with a margin above rounding.
    if (problem.violation(problem.parameters(found.xi)) <= -1e-3 * options.margin) break;
    improve(options.levels.back(), margin);
  }
  PenaltyStart end;
  end.x = problem.parameters(found.xi);
  end.iterations = found.iterations;
  return end;
}

PenaltyStart search_from(const PenaltyProblem& problem, const StartPoint& start,
                         const PenaltyOptions& options, std::uint64_t index) {
  PenaltyStart end;
  end.x = start.x;
  if (options.search == PenaltySearch::annealing) {
    VectorXd p = to_barycentric(problem.quantities(), start.x);
    for (Index k = 0; k < p.size(); ++k)
      if (!std::isfinite(p[k])) p[k] = problem.reference()[k];
    p = p.cwiseMax(problem.lower()).cwiseMin(problem.upper());
    end.x = from_barycentric(problem.quantities(), anneal(problem, p, options, index));
  }
  if (options.search == PenaltySearch::descent || options.annealing.descend_at_end)
    end = descend_levels(problem, end.x, options);
  end.kind = start.kind;
  end.value = problem.objective(end.x);
  end.violation = problem.violation(end.x);
  return end;
}

// Feasible before infeasible, then by value; equal ones (to the accuracy of a search) keep their order.
bool is_better(const PenaltyStart& a, const PenaltyStart& b, double effort) {
  if ((a.violation <= 0) != (b.violation <= 0)) return a.violation <= 0;
  if (a.violation > 0) return a.violation < b.violation;
  return a.value < b.value - 1e-6 * (std::abs(b.value) + 1e-6 * effort);
}

// The end of a start as numbers, for processes that did not search from there.
std::vector<double> numbers_of(const PenaltyStart& start) {
  std::vector<double> numbers = {start.value, start.violation, static_cast<double>(start.iterations)};
  numbers.insert(numbers.end(), start.x.begin(), start.x.end());
  return numbers;
}

PenaltyStart start_from(const std::string& kind, std::span<const double> numbers) {
  const auto count = static_cast<Index>(numbers.size()) - 3;
  return {kind, numbers[0], numbers[1], static_cast<int>(numbers[2]),
          Eigen::Map<const Eigen::VectorXd>(numbers.data() + 3, count)};
}

}  // namespace

void PenaltyOptions::validate() const {
  const auto fail = [](const std::string& what, const std::string& limit) {
    throw InputError({what, {}, limit, "change the option of the penalty search"});
  };
  if (random_starts < 0 || random_starts > 100000)
    fail(fmt::format("{} random starts", random_starts), "0 to 100000");
  if (starts.empty() && !from_reference && random_starts == 0) fail("no start", "at least one");
  if (levels.empty() || !std::is_sorted(levels.begin(), levels.end()) || !(levels.front() > 0) ||
      !std::isfinite(levels.back()))
    fail("penalty levels must increase", "positive and ascending");
  if (max_iterations < 1) fail(fmt::format("{} iterations", max_iterations), "at least 1");
  if (!(margin > 0) || margin > 1e-3) fail(fmt::format("margin {}", margin), "above 0, at most 1e-3");
  if (annealing.sweeps < 1 || !(annealing.cooling > 0) || annealing.cooling >= 1)
    fail(fmt::format("annealing with {} sweeps and cooling {}", annealing.sweeps, annealing.cooling),
         "at least one sweep, cooling between 0 and 1");
}

PenaltySolution solve_penalty(const Objective& objective, const std::vector<Constraint>& constraints,
                              const Robot& robot, const PenaltyOptions& options) {
  options.validate();
  const PenaltyProblem problem(objective, constraints, robot, options.reference);
  for (const VectorXd& start : options.starts)
    require(start.size() == problem.quantities().size(), "a start of the penalty search has the wrong size");
  const std::vector<StartPoint> points = start_points(problem, options);
  const auto has_value = [&](const StartPoint& point) {
    return std::isfinite(problem.smooth(problem.locate(point.x), 1, 0, nullptr));
  };
  if (std::none_of(points.begin(), points.end(), has_value)) problem.require_values(points.front().x);

  PenaltySolution solution;
  solution.columns = problem.quantities().columns();
  solution.starts.resize(points.size());
  share(
      static_cast<Index>(points.size()), options.threads,
      [&](Index k) {
        return numbers_of(search_from(problem, points[static_cast<std::size_t>(k)], options,
                                      static_cast<std::uint64_t>(k)));
      },
      [&](Index k, std::span<const double> numbers) {
        const auto i = static_cast<std::size_t>(k);
        solution.starts[i] = start_from(points[i].kind, numbers);
      });
  std::size_t best = 0;
  for (std::size_t k = 1; k < points.size(); ++k)
    if (is_better(solution.starts[k], solution.starts[best], problem.effort())) best = k;
  solution.best = static_cast<int>(best);
  solution.x = solution.starts[best].x;
  solution.p = to_barycentric(problem.quantities(), solution.x);
  solution.value = solution.starts[best].value;
  solution.violation = solution.starts[best].violation;
  solution.feasible = solution.violation <= 0;
  solution.constraints = problem.states(solution.x);
  solution.violated = problem.violated(solution.x);
  return solution;
}

}  // namespace steelyard
