#include "doctor/ranking.hpp"

#include <algorithm>
#include <cmath>

#include "steelyard/core/pool.hpp"

namespace steelyard::doctor {

Bench::Bench(const Trial& trial, Hypothesis first) : trial_(trial), first_(std::move(first)) {
  given_ = changes_positions(first_) ? fold(first_) : trial.given();
  for (const Sections of : {Sections::all, Sections::even, Sections::odd})
    sums_[static_cast<std::size_t>(of)] = Trial::sum(*given_, of);
}

bool Bench::changes_positions(const Hypothesis& hypothesis) {
  const Index n = hypothesis.set_up.zero.size();
  return hypothesis.robot || hypothesis.set_up.time != 1 || hypothesis.set_up.zero != VectorXd::Zero(n) ||
         hypothesis.set_up.position != MatrixXd::Identity(n, n) || !hypothesis.set_up.terms.empty();
}

std::shared_ptr<const Trial::Folded> Bench::fold(const Hypothesis& both) const {
  return trial_.fold(both.set_up, both.robot ? &*both.robot : nullptr);
}

std::shared_ptr<const Trial::Folded> Bench::fold_sum(const Hypothesis& both, Sections of) const {
  return trial_.fold_sum(both.set_up, of, both.robot ? &*both.robot : nullptr);
}

namespace {

// Of two that explain a log equally well the simpler mistake is reported first.
double rarity(const Hypothesis& hypothesis) {
  const FindingCode code = hypothesis.code;
  if (code == "torque-sign") return 0;
  if (code == "position-sign" || code == "axis-sign" || code == "joint-zero") return 0.02;
  if (code == "gravity" || (code == "position-unit" && hypothesis.joints.empty())) return 0.05;
  if (is_length(hypothesis)) return 0.2;
  return code == "coupling" || code == "time-scale" ? 0.15 : 0.1;
}

}  // namespace

std::vector<std::size_t> finalists(const std::vector<Hypothesis>& list, const std::vector<double>& scores,
                                   int count) {
  std::vector<std::size_t> order(list.size()), chosen;
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  for (const std::size_t k : order) {
    if (!(scores[k] < kInfinity)) break;
    const bool known = std::any_of(chosen.begin(), chosen.end(), [&](std::size_t c) {
      return list[c].code == list[k].code && list[c].joints == list[k].joints;
    });
    if (!known && static_cast<int>(chosen.size()) < count) chosen.push_back(k);
  }
  return chosen;
}

namespace {

// Mean of the sections' gains over its standard error.
double certainty_of(const TrialFit& before, const TrialFit& after) {
  const auto n = static_cast<double>(after.by_block.size());
  if (n < 2) return 0;
  double mean = 0, squares = 0;
  for (std::size_t b = 0; b < after.by_block.size(); ++b)
    mean += (before.by_block[b] - after.by_block[b]) / n;
  for (std::size_t b = 0; b < after.by_block.size(); ++b)
    squares += std::pow(before.by_block[b] - after.by_block[b] - mean, 2);
  return mean / std::max(std::sqrt(squares / (n - 1) / n), 1e-9);
}

}  // namespace

void compare(const TrialFit& before, RankedHypothesis& ranked) {
  ranked.gain = before.score - ranked.fit.score;
  ranked.gain_fitted = before.score_fitted - ranked.fit.score_fitted;
  ranked.certainty = certainty_of(before, ranked.fit);
  for (std::size_t b = 0; b < ranked.fit.by_block.size(); ++b)
    ranked.stretches += ranked.fit.by_block[b] < before.by_block[b];
}

namespace {

// As certain as the blocks of another fit say, whatever the own ones.
RankedHypothesis judged_by(const TrialFit& before, TrialFit fit, RankedHypothesis ranked) {
  ranked.fit = std::move(fit);
  ranked.stretches = 0;
  compare(before, ranked);
  return ranked;
}

}  // namespace

// A number is refined on rows: whether its hypothesis is certain is judged in the even blocks as the odd ones have it, and the
// reverse, or by the number of the grid, which no row refined. Its gain stays what it is compared by: one that is better but
// uncertain hides the others.
void confirm(const TrialFit& before, const TrialFit& by_even, const TrialFit& by_odd, const TrialFit& of_grid,
             RankedHypothesis& ranked) {
  const std::size_t n = ranked.fit.by_block.size();
  if (by_even.by_block.size() != n || by_odd.by_block.size() != n) return;
  TrialFit crossed = ranked.fit;
  for (std::size_t b = 0; b < n; ++b) crossed.by_block[b] = (b % 2 == 0 ? by_odd : by_even).by_block[b];
  const RankedHypothesis halves = judged_by(before, std::move(crossed), ranked),
                         grid = judged_by(before, of_grid, ranked);
  const RankedHypothesis& judge = halves.certainty >= grid.certainty ? halves : grid;
  ranked.certainty = std::min(ranked.certainty, judge.certainty);
  ranked.stretches = std::min(ranked.stretches, judge.stretches);
}

void doubt(const TrialFit& other, const SetUpOptions& options, RankedHypothesis& ranked) {
  ranked.certainty = other.score - ranked.fit.score < options.term_gain
                         ? 0
                         : std::min(ranked.certainty, certainty_of(other, ranked.fit));
}

void sort_by_gain(std::vector<RankedHypothesis>& ranked) {
  std::stable_sort(ranked.begin(), ranked.end(), [](const RankedHypothesis& a, const RankedHypothesis& b) {
    return a.gain - rarity(a.hypothesis) > b.gain - rarity(b.hypothesis);
  });
}

Scored scored(const Trial& trial, const Bench& bench, const SetUpOptions& options) {
  const Robot robot = bench.first().robot.value_or(trial.robot());
  Scored out{fixed_hypotheses(robot), {}};
  add_grids(robot, out.list);
  add_terms(trial, bench.first().set_up, out.list);
  out.scores.resize(out.list.size());
  parallel_for(static_cast<Index>(out.list.size()), options.threads, [&](Index k) {
    const auto at = static_cast<std::size_t>(k);
    out.scores[at] =
        bench.score(out.list[at], Sections::all,
                    [&](const Trial::Folded& rows, const SetUp& set_up) { return trial.fit(rows, set_up); });
  });
  return out;
}

std::vector<RankedHypothesis> rank(const Trial& trial, const Bench& bench, const TrialFit& before,
                                   const Scored& all, const SetUpOptions& options) {
  const Robot robot = bench.first().robot.value_or(trial.robot());
  const auto fit_of = [&](const Trial::Folded& rows, const SetUp& set_up) { return trial.fit(rows, set_up); };
  const auto score_of = [&](const Hypothesis& hypothesis, Sections of) {
    return bench.score(hypothesis, of, fit_of);
  };
  const auto fit = [&](const Hypothesis& hypothesis) { return bench.examined(hypothesis, fit_of); };
  const std::vector<std::size_t> chosen = finalists(all.list, all.scores, options.finalists);
  std::vector<RankedHypothesis> out(chosen.size());
  parallel_for(static_cast<Index>(chosen.size()), options.threads, [&](Index k) {
    RankedHypothesis& ranked = out[static_cast<std::size_t>(k)];
    const std::size_t c = chosen[static_cast<std::size_t>(k)];
    // Hypotheses that are no better than the given set-up are not refined.
    if (all.scores[c] < before.score_fitted - 0.05) {
      ranked = examined(robot, all.list[c], before, options, score_of, fit);
      const bool is_second = !bench.first().what.empty();
      if (const auto without = without_number(trial, robot, ranked.hypothesis); without && is_second)
        doubt(fit(*without), options, ranked);
      return;
    }
    ranked.hypothesis = all.list[c];
    ranked.fit = fit(all.list[c]);
    compare(before, ranked);
  });
  sort_by_gain(out);
  return out;
}

bool is_clear(const std::vector<RankedHypothesis>& ranked, const SetUpOptions& options) {
  if (ranked.empty() || ranked[0].certainty < options.certainty) return false;
  const RankedHypothesis& best = ranked[0];
  const int blocks = static_cast<int>(best.fit.by_block.size());
  const bool alone = std::none_of(ranked.begin() + 1, ranked.end(),
                                  [&](const RankedHypothesis& other) { return 2 * other.gain > best.gain; });
  const bool is_small = best.stretches == blocks && (alone || !best.hypothesis.set_up.terms.empty());
  // Where the set-up as given predicts far worse than it fits, held-out rows tell little of what a change explains.
  const double shown = (best.certainty > options.very_certain ? 0.2 : 0.4) * best.gain;
  return best.gain > (is_small ? options.term_gain : options.min_gain) &&
         best.gain_fitted > std::max(std::min(options.clear_gain, shown), 0.5 * options.term_gain) &&
         4 * best.stretches >= 3 * blocks;
}

}  // namespace steelyard::doctor
