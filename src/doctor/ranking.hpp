// Hypotheses tested on a trial, the best first.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "doctor/refine.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/doctor/set_up.hpp"

namespace steelyard::doctor {

// Hypotheses are tested on top of a first one, whose positions are folded once: those that only change efforts share them.
class Bench {
 public:
  Bench(const Trial& trial, Hypothesis first);
  const Hypothesis& first() const { return first_; }
  TrialFit fit() const { return trial_.fit(*given_, first_.set_up); }
  // How `fit` (of a fold and a set-up) judges the first and another one: all sections, each held out.
  template <typename Fit>
  TrialFit examined(const Hypothesis& second, const Fit& fit) const {
    const Hypothesis both = on_top(first_, second);
    return fit(changes_positions(second) ? *fold(both) : *given_, both.set_up);
  }
  // The score of some rows. Infinite where a column of the study is not finite: the robot was never there.
  template <typename Fit>
  double score(const Hypothesis& second, Sections of, const Fit& fit) const {
    try {
      const Hypothesis both = on_top(first_, second);
      return fit(changes_positions(second) ? *fold_sum(both, of) : *sums_[static_cast<std::size_t>(of)],
                 both.set_up)
          .score_fitted;
    } catch (const InputError&) {
      return kInfinity;
    }
  }

 private:
  static bool changes_positions(const Hypothesis& hypothesis);
  std::shared_ptr<const Trial::Folded> fold(const Hypothesis& both) const;
  std::shared_ptr<const Trial::Folded> fold_sum(const Hypothesis& both, Sections of) const;

  const Trial& trial_;
  Hypothesis first_;
  std::shared_ptr<const Trial::Folded> given_;
  std::array<std::shared_ptr<const Trial::Folded>, 3> sums_;
};

// By how much `ranked` is better than `before`.
void compare(const TrialFit& before, RankedHypothesis& ranked);
void confirm(const TrialFit& before, const TrialFit& by_even, const TrialFit& by_odd, const TrialFit& of_grid,
             RankedHypothesis& ranked);
// Another explanation of the same joints: at most as certain as what `ranked` explains beyond it. Asked of a second mistake alone: of
// the only one the joint is right, and a hundred times too small an effort makes any joint a light one.
void doubt(const TrialFit& other, const SetUpOptions& options, RankedHypothesis& ranked);
void sort_by_gain(std::vector<RankedHypothesis>& ranked);

// The first of each kind and joint, best first: one finalist per question.
std::vector<std::size_t> finalists(const std::vector<Hypothesis>& list, const std::vector<double>& scores,
                                   int count);

// Of one hypothesis with its number refined, all that is_clear asks for.
template <typename ScoreOf, typename Fit>
RankedHypothesis examined(const Robot& robot, const Hypothesis& hypothesis, const TrialFit& before,
                          const SetUpOptions& options, const ScoreOf& score_of, const Fit& fit) {
  RankedHypothesis ranked;
  const auto refined_on = [&](Sections of) {
    return refined(
        robot, [&](const Hypothesis& other) { return score_of(other, of); }, hypothesis);
  };
  Refined best = refined_on(Sections::all);
  ranked.hypothesis = std::move(best.hypothesis);
  ranked.fit = fit(ranked.hypothesis);
  compare(before, ranked);
  if (!best.has_minimum) ranked.certainty = 0;
  if (ranked.gain <= options.term_gain || ranked.certainty <= options.certainty) return ranked;
  if (ranked.hypothesis.what != hypothesis.what)
    confirm(before, fit(refined_on(Sections::even).hypothesis), fit(refined_on(Sections::odd).hypothesis),
            fit(hypothesis), ranked);
  return ranked;
}

// All hypotheses on top of the first, and their scores on all rows.
struct Scored {
  std::vector<Hypothesis> list;
  std::vector<double> scores;
};
Scored scored(const Trial& trial, const Bench& bench, const SetUpOptions& options);

// The finalists of these, numbers refined, the best one first; `before` is the fit of the first.
std::vector<RankedHypothesis> rank(const Trial& trial, const Bench& bench, const TrialFit& before,
                                   const Scored& all, const SetUpOptions& options);

bool is_clear(const std::vector<RankedHypothesis>& ranked, const SetUpOptions& options);

}  // namespace steelyard::doctor
