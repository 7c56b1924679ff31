// Simulated annealing on the published cost: one coordinate at a time, step lengths adapted so that about
// half of the moves are accepted (Corana and others, ACM TOMS 13, 1987), temperature lowered after every
// sweep.
#include <algorithm>
#include <cmath>

#include "feasible/penalty_problem.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kAdaptAfter = 10;  // sweeps between changes of the step lengths

// Spread of f over single steps: the temperature at which most uphill moves pass.
double starting_temperature(const PenaltyProblem& problem, const VectorXd& p, const VectorXd& steps,
                            double level) {
  const double here = problem.published(p, level);
  double sum = 0;
  int count = 0;
  for (Index k = 0; k < p.size(); ++k) {
    VectorXd moved = p;
    moved[k] = std::clamp(p[k] + steps[k], problem.lower()[k], problem.upper()[k]);
    const double change = std::abs(problem.published(moved, level) - here);
    if (!std::isfinite(change)) continue;
    sum += change;
    ++count;
  }
  return count > 0 ? sum / count : 1;
}

}  // namespace

VectorXd anneal(const PenaltyProblem& problem, VectorXd p, const PenaltyOptions& options,
                std::uint64_t index) {
  Random random(options.seed, "annealing", index);
  VectorXd steps = 0.1 * problem.scale();
  for (double level : options.levels) {
    double value = problem.published(p, level), best_value = value;
    double temperature = starting_temperature(problem, p, steps, level);
    VectorXd best = p, accepted = VectorXd::Zero(p.size());
    for (int sweep = 1; sweep <= options.annealing.sweeps; ++sweep) {
      for (Index k = 0; k < p.size(); ++k) {
        const double low = problem.lower()[k], high = problem.upper()[k], old = p[k];
        const double draw = random.uniform(-1, 1), chance = random.uniform();
        if (low == high) continue;
        p[k] = std::clamp(old + draw * steps[k], low, high);
        const double trial = problem.published(p, level);
        if (trial <= value || chance < std::exp((value - trial) / temperature)) {
          value = trial;
          accepted[k] += 1;
          if (value < best_value) {
            best_value = value;
            best = p;
          }
        } else {
          p[k] = old;
        }
      }
      if (sweep % kAdaptAfter == 0) {
        for (Index k = 0; k < p.size(); ++k) {
          const double share = accepted[k] / kAdaptAfter;
          steps[k] *= share > 0.6   ? 1 + 2 * (share - 0.6) / 0.4
                      : share < 0.4 ? 1 / (1 + 2 * (0.4 - share) / 0.4)
                                    : 1;
          const double width = problem.upper()[k] - problem.lower()[k];
          steps[k] = std::min(steps[k], std::isfinite(width) ? width : 10 * problem.scale()[k]);
        }
        accepted.setZero();
      }
      temperature *= options.annealing.cooling;
    }
    p = best;
  }
  return p;
}

}  // namespace steelyard
