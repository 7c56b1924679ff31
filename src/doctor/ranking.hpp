// Hypotheses tested on a trial, the best first.
#pragma once

#include <memory>
#include <vector>

#include "doctor/refine.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/doctor/set_up.hpp"

namespace steelyard::doctor {

bool changes_positions(const Hypothesis& hypothesis);
std::shared_ptr<const Trial::Folded> folded(const Trial& trial, const Hypothesis& hypothesis);

// Rows that a score is of.
enum class Part { all, even, odd };

// The score of a folded set-up on these rows. The robot was never at positions where a column of the study is not finite.
template <typename Fit>
double part_score(const Trial& trial, const Hypothesis& hypothesis, Part part, const Fit& fit) {
  try {
    std::shared_ptr<const Trial::Folded> own;
    if (changes_positions(hypothesis)) own = folded(trial, hypothesis);
    const Trial::Folded& all = own ? *own : trial.given();
    return part == Part::all ? fit(all, hypothesis.set_up).score_fitted
                             : fit(*Trial::half(all, part == Part::odd), hypothesis.set_up).score_fitted;
  } catch (const InputError&) {
    return kInfinity;
  }
}

// By how much `ranked` is better than `before`.
void compare(const TrialFit& before, RankedHypothesis& ranked);
void confirm(const TrialFit& before, const TrialFit& by_even, const TrialFit& by_odd, const TrialFit& of_grid,
             RankedHypothesis& ranked);
void sort_by_gain(std::vector<RankedHypothesis>& ranked);

// The first of each kind and joint, best first: one finalist per question.
std::vector<std::size_t> finalists(const std::vector<Hypothesis>& list, const std::vector<double>& scores,
                                   int count);

// Of one hypothesis with its number refined, all that is_clear asks for.
template <typename ScoreOf, typename Fit>
RankedHypothesis examined(const Robot& robot, const Hypothesis& hypothesis, const TrialFit& before,
                          const SetUpOptions& options, const ScoreOf& score_of, const Fit& fit) {
  RankedHypothesis ranked;
  const auto refined_on = [&](Part part) {
    return refined(
        robot, [&](const Hypothesis& other) { return score_of(other, part); }, hypothesis);
  };
  ranked.hypothesis = refined_on(Part::all);
  ranked.fit = fit(ranked.hypothesis);
  compare(before, ranked);
  if (ranked.gain > options.term_gain && ranked.certainty > options.certainty &&
      ranked.hypothesis.what != hypothesis.what)
    confirm(before, fit(refined_on(Part::even)), fit(refined_on(Part::odd)), fit(hypothesis), ranked);
  return ranked;
}

// All hypotheses on top of `first`, and their scores on all rows.
struct Scored {
  std::vector<Hypothesis> list;
  std::vector<double> scores;
};
Scored scored(const Trial& trial, const Hypothesis& first, const SetUpOptions& options);

// The finalists of these, numbers refined, the best one first; `before` is the fit of `first`.
std::vector<RankedHypothesis> rank(const Trial& trial, const Hypothesis& first, const TrialFit& before,
                                   const Scored& all, const SetUpOptions& options);

bool is_clear(const std::vector<RankedHypothesis>& ranked, const SetUpOptions& options);

}  // namespace steelyard::doctor
