#include "excite/minimize.hpp"

#include <cmath>
#include <deque>
#include <limits>

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::size_t kMemory = 20;
constexpr int kMaxTrials = 40;

struct Correction {
  VectorXd step, change;
  double product;
};

// −H g by the two-loop recursion.
VectorXd quasi_newton(const std::deque<Correction>& memory, const VectorXd& gradient) {
  VectorXd d = -gradient;
  std::vector<double> alpha(memory.size());
  for (std::size_t i = memory.size(); i-- > 0;) {
    alpha[i] = memory[i].step.dot(d) / memory[i].product;
    d -= alpha[i] * memory[i].change;
  }
  if (!memory.empty()) d *= memory.back().product / memory.back().change.squaredNorm();
  for (std::size_t i = 0; i < memory.size(); ++i)
    d += (alpha[i] - memory[i].change.dot(d) / memory[i].product) * memory[i].step;
  return d;
}

struct Trial {
  VectorXd x, gradient;
  double value = std::numeric_limits<double>::infinity();
};

class LineSearch {
 public:
  LineSearch(const SmoothFunction& f, int& evaluations) : f_(f), evaluations_(evaluations) {}

  // The best point found along d; false: nothing lower.
  bool operator()(const Trial& from, const VectorXd& d, double step, Trial& best) {
    const double slope = from.gradient.dot(d);
    double low = 0, high = std::numeric_limits<double>::infinity();
    best.value = from.value;
    bool found = false;
    for (int k = 0; k < kMaxTrials; ++k) {
      Trial trial;
      trial.x = from.x + step * d;
      trial.gradient.resize(trial.x.size());
      trial.value = f_(trial.x, trial.gradient);
      ++evaluations_;
      const bool is_lower = trial.value <= from.value + 1e-4 * step * slope;
      const bool is_flat = is_lower && trial.gradient.dot(d) >= 0.9 * slope;
      if (is_lower && trial.value < best.value) best = trial, found = true;
      if (is_flat) return found;
      (is_lower ? low : high) = step;
      if (!is_lower && found && high - low < 0.1 * low) return true;
      step = std::isfinite(high) ? (low + high) / 2 : 2 * step;
    }
    return found;
  }

 private:
  const SmoothFunction& f_;
  int& evaluations_;
};

}  // namespace

Minimum minimize(const SmoothFunction& f, const VectorXd& start, const MinimizeOptions& options) {
  Minimum result;
  Trial at;
  at.x = start;
  at.gradient.resize(start.size());
  at.value = f(at.x, at.gradient);
  result.evaluations = 1;
  std::deque<Correction> memory;
  LineSearch search(f, result.evaluations);
  double before = at.value;
  for (; result.iterations < options.iterations; ++result.iterations) {
    if (options.stop && options.stop()) {
      result.stopped = true;
      break;
    }
    if (result.iterations % 10 == 9) {
      if (before - at.value < options.tolerance) break;
      before = at.value;
    }
    VectorXd d = quasi_newton(memory, at.gradient);
    double step = memory.empty() ? 0.1 / std::max(1e-12, d.norm()) : 1.0;
    if (!(d.dot(at.gradient) < 0)) d = -at.gradient, step = 0.1 / std::max(1e-12, d.norm());
    Trial next;
    if (!search(at, d, step, next)) {
      if (memory.empty()) break;
      memory.clear();
      continue;
    }
    Correction correction{next.x - at.x, next.gradient - at.gradient, 0};
    correction.product = correction.step.dot(correction.change);
    at = std::move(next);
    if (correction.product > 1e-14 * correction.change.squaredNorm()) {
      memory.push_back(std::move(correction));
      if (memory.size() > kMemory) memory.pop_front();
    }
  }
  result.x = at.x;
  result.value = at.value;
  return result;
}

}  // namespace steelyard
