#include "doctor/pairs.hpp"

#include <algorithm>
#include <utility>

#include "doctor/unexplained.hpp"

namespace steelyard::doctor {
namespace {

constexpr int kFirsts = 12;  // mistakes beside which all others are tried
constexpr int kTried = 3;    // of them, those with the best others
constexpr int kRounds = 3;
constexpr double kBetter = 0.05;  // of the score, another pair than the one that was found

struct Pair {
  Hypothesis a, b;                           // each alone
  TrialFit fit_a, fit_b;                     // likewise
  std::vector<RankedHypothesis> on_a, on_b;  // the others beside it, the best first
};

bool is_same(const Hypothesis& x, const Hypothesis& y) {
  return x.code == y.code && x.joints == y.joints;
}

// A hypothesis on top of `first` without it; nothing where both change the robot.
std::optional<Hypothesis> alone(const Hypothesis& second, const Hypothesis& first) {
  if (first.robot && second.robot) return std::nullopt;
  return second;
}

// A mistake, and what all others beside it leave.
struct First {
  Hypothesis hypothesis;
  std::optional<Scored> beside;  // nothing: not tried yet
};

// Nothing where none is clear, or where what was found before is best beside b.
std::optional<Pair> settle(const Trial& trial, First start, const Hypothesis* before,
                           const SetUpOptions& options) {
  Pair pair;
  pair.b = std::move(start.hypothesis);
  const auto ranked_on = [&](const Hypothesis& first, TrialFit& fit) {
    const Bench bench(trial, first);
    fit = bench.fit();
    const Scored all =
        start.beside ? *std::exchange(start.beside, std::nullopt) : scored(trial, bench, options);
    return rank(trial, bench, fit, all, options);
  };
  for (int round = 0; round < kRounds; ++round) {
    pair.on_b = ranked_on(pair.b, pair.fit_b);
    if (!is_clear(pair.on_b, options)) return std::nullopt;
    const std::optional<Hypothesis> a = alone(pair.on_b[0].hypothesis, pair.b);
    if (!a) return std::nullopt;
    if (before != nullptr && is_same(*a, *before)) return std::nullopt;
    before = nullptr;
    pair.a = *a;
    pair.on_a = ranked_on(pair.a, pair.fit_a);
    if (!is_clear(pair.on_a, options)) return std::nullopt;
    if (is_same(pair.on_a[0].hypothesis, pair.b)) return pair;
    const std::optional<Hypothesis> other = alone(pair.on_a[0].hypothesis, pair.a);
    if (!other) return std::nullopt;
    pair.b = *other;
  }
  return std::nullopt;
}

// That is first without which more is left.
void report(Pair pair, SetUpExamination& examination) {
  if (pair.on_b[0].gain < pair.on_a[0].gain) {
    std::swap(pair.a, pair.b);
    std::swap(pair.fit_a, pair.fit_b);
    std::swap(pair.on_a, pair.on_b);
  }
  examination.beaten = examination.second = true;
  examination.found = on_top(pair.b, pair.on_b[0].hypothesis);
  examination.fit = pair.on_b[0].fit;
  examination.ranked = std::move(pair.on_b);
  examination.further = std::move(pair.on_a);
  examination.without_first = std::move(pair.fit_b);
  examination.without_second = std::move(pair.fit_a);
}

// Firsts beside which the best second explains more than `than`, those with the best ones first.
std::vector<First> promising(const Trial& trial, const Scored& single, double than,
                             const SetUpOptions& options) {
  std::vector<std::pair<double, First>> found;
  for (const std::size_t k : finalists(single.list, single.scores, kFirsts)) {
    Scored beside = scored(trial, Bench(trial, single.list[k]), options);
    const double best = *std::min_element(beside.scores.begin(), beside.scores.end());
    if (best < than) found.emplace_back(best, First{single.list[k], std::move(beside)});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<First> firsts;
  for (auto& [score, first] : found)
    if (static_cast<int>(firsts.size()) < kTried) firsts.push_back(std::move(first));
  return firsts;
}

// What held-out rows leave beyond fitted ones is chance: of joints that lose as much by it as a mistake must gain, two mistakes fit
// whatever is left.
bool is_poor(const Trial& trial, const TrialFit& fit, const SetUpOptions& options) {
  return fit.score - fit.score_fitted > options.term_gain * static_cast<double>(trial.joints());
}

}  // namespace

void examine_pairs(const Trial& trial, const Scored& single, const SetUpOptions& options,
                   SetUpExamination& examination) {
  if (examination.second) {
    const std::optional<Hypothesis> b =
        alone(examination.further[0].hypothesis, examination.ranked[0].hypothesis);
    if (!b) return;
    std::optional<Pair> pair = settle(trial, {*b, {}}, &examination.ranked[0].hypothesis, options);
    if (pair && pair->on_b[0].fit.score < examination.fit.score - kBetter)
      report(std::move(*pair), examination);
  }
  if (worst_unexplained(trial, examination.fit) < 0 || is_poor(trial, examination.fit, options)) return;
  for (First& first : promising(trial, single, examination.fit.score_fitted - options.min_gain, options)) {
    std::optional<Pair> pair = settle(trial, std::move(first), nullptr, options);
    if (!pair || pair->on_b[0].fit.score > examination.fit.score - options.min_gain) continue;
    report(std::move(*pair), examination);
    return;
  }
}

}  // namespace steelyard::doctor
