#include "steelyard/doctor/set_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "doctor/pairs.hpp"
#include "doctor/ranking.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/log/run_file.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

// On top of the first.
void examine_further(const Trial& trial, const SetUpOptions& options, SetUpExamination& examination) {
  examination.found = examination.ranked[0].hypothesis;
  examination.fit = examination.ranked[0].fit;
  const doctor::Bench bench(trial, examination.found);
  examination.further =
      doctor::rank(trial, bench, examination.fit, doctor::scored(trial, bench, options), options);
  examination.second = doctor::is_clear(examination.further, options);
  if (!examination.second) return;
  examination.found = on_top(examination.found, examination.further[0].hypothesis);
  examination.fit = examination.further[0].fit;
}

}  // namespace

SetUpExamination examine_set_up(const Trial& trial, const SetUpOptions& options) {
  SetUpExamination examination;
  const SetUp as_given = SetUp::as_given(trial.joints());
  examination.given = trial.fit(*trial.given(), as_given);
  const double excess = examination.given.score - examination.given.score_fitted;
  examination.too_poor = excess > options.max_excess * static_cast<double>(trial.joints());
  if (examination.too_poor) return examination;
  examination.found.set_up = as_given;
  examination.fit = examination.given;
  const doctor::Bench bench(trial, examination.found);
  const doctor::Scored single = doctor::scored(trial, bench, options);
  examination.ranked = doctor::rank(trial, bench, examination.fit, single, options);
  examination.beaten = doctor::is_clear(examination.ranked, options);
  if (examination.beaten) examine_further(trial, options, examination);
  doctor::examine_pairs(trial, single, options, examination);
  return examination;
}

namespace {

bool holds_elsewhere(const Trial& model, const Trial& run) {
  constexpr double kApart = 0.01;  // [rad, m]
  for (Index j = 0; j < run.joints(); ++j) {
    double low = kInfinity, high = -kInfinity;
    for (const CoarseRun& fitted : model.runs()) {
      low = std::min(low, fitted.q.col(j).minCoeff());
      high = std::max(high, fitted.q.col(j).maxCoeff());
    }
    const auto& q = run.runs()[0].q.col(j);
    if (high - low < kApart && (q.minCoeff() < low - kApart || q.maxCoeff() > high + kApart)) return true;
  }
  return false;
}

}  // namespace

SetUpExamination examine_against(const Trial& model, const SetUpExamination& found, const Trial& run,
                                 const SetUpOptions& options) {
  SetUpExamination examination;
  const TrialFit& fit = found.fit;
  const VectorXd floors = model.floors(model.options().noise_factor).cwiseProduct(model.efforts());
  const doctor::Bench bench(run, found.found);
  const auto prediction = [&](const Trial::Folded& rows, const SetUp& set_up) {
    return run.predict(rows, set_up, fit.values, floors);
  };
  const auto predict = [&](const Hypothesis& hypothesis) { return bench.examined(hypothesis, prediction); };
  const auto score_of = [&](const Hypothesis& hypothesis, Sections of) {
    return bench.score(hypothesis, of, prediction);
  };
  Hypothesis as_given;
  as_given.set_up = SetUp::as_given(run.joints());
  examination.given = predict(as_given);
  // A joint that the model knows in one position only, held in another, is another robot.
  if (holds_elsewhere(model, run)) return examination;
  const double lost = examination.given.score - fit.score_fitted;
  if (lost < options.term_gain) return examination;
  std::vector<Hypothesis> list = fixed_hypotheses(run.robot());
  doctor::add_grids(run.robot(), list);
  // The robot is that of the fitted runs.
  std::erase_if(list, [](const Hypothesis& hypothesis) { return hypothesis.robot.has_value(); });
  // A common unit is visible against a model; a fit would absorb it.
  for (const double factor : {1e-3, 1e3}) list.push_back(all_efforts_hypothesis(run.robot(), factor));
  doctor::add_terms(run, SetUp::as_given(run.joints()), list);
  for (Hypothesis& load : load_hypotheses(run.robot())) list.push_back(std::move(load));
  std::vector<double> scores(list.size());
  parallel_for(static_cast<Index>(list.size()), options.threads, [&](Index k) {
    scores[static_cast<std::size_t>(k)] = score_of(list[static_cast<std::size_t>(k)], Sections::all);
  });
  for (const std::size_t c : doctor::finalists(list, scores, options.finalists))
    examination.ranked.push_back(
        doctor::examined(run.robot(), list[c], examination.given, options, score_of, predict));
  doctor::sort_by_gain(examination.ranked);
  if (!doctor::is_clear(examination.ranked, options)) return examination;
  const RankedHypothesis& best = examination.ranked[0];
  // A mistake of the set-up explains most of what is lost.
  examination.beaten = !best.hypothesis.set_up.terms.empty() ||
                       (best.gain > options.clear_gain && best.gain > options.min_share * lost);
  return examination;
}

namespace {

std::string joint_text(const std::vector<int>& joints, const std::vector<LogJoint>& names) {
  std::string text;
  for (const int j : joints) text += (text.empty() ? "" : ", ") + names[static_cast<std::size_t>(j)].name;
  return text;
}

// "residuals of joint4 12 → 2 %": the joints that change most.
std::string residual_text(const TrialFit& given, const TrialFit& better, const std::vector<LogJoint>& names) {
  constexpr double kUnchanged = 1e-3;
  std::vector<Index> order(static_cast<std::size_t>(given.relative.size()));
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<Index>(k);
  const auto change = [&](Index j) {
    return std::log(std::max(given.relative[j], 1e-9) / std::max(better.relative[j], 1e-9));
  };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return change(a) > change(b); });
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(3, order.size()); ++k) {
    if (k > 0 && change(order[k]) < kUnchanged) break;
    text +=
        fmt::format("{}{} {:.1f} → {:.1f} %", k ? ", " : "", names[static_cast<std::size_t>(order[k])].name,
                    100 * given.relative[order[k]], 100 * better.relative[order[k]]);
  }
  return text;
}

}  // namespace

bool SetUpExamination::is_wrong() const {
  const auto accuses = [](const RankedHypothesis& of) { return of.hypothesis.set_up.terms.empty(); };
  return (beaten && accuses(ranked[0])) || (second && accuses(further[0]));
}

namespace {

std::vector<const RankedHypothesis*> as_good_as_first(const std::vector<RankedHypothesis>& list,
                                                      const SetUpOptions& options) {
  std::vector<const RankedHypothesis*> ties;
  for (const RankedHypothesis& ranked : list)
    if (ranked.gain > list[0].gain - std::min(options.tie, options.tie_share * list[0].gain))
      ties.push_back(&ranked);
  return ties;
}

}  // namespace

std::vector<const RankedHypothesis*> tied(const SetUpExamination& examination, const SetUpOptions& options) {
  if (!examination.beaten) return {};
  return as_good_as_first(examination.ranked, options);
}

std::vector<const RankedHypothesis*> tied_second(const SetUpExamination& examination,
                                                 const SetUpOptions& options) {
  if (!examination.second) return {};
  return as_good_as_first(examination.further, options);
}

namespace {

Finding finding_of(const TrialFit& before, const std::vector<const RankedHypothesis*>& ties,
                   const Robot& robot) {
  const std::vector<LogJoint> names = log_joints(robot);
  const RankedHypothesis& best = *ties[0];
  std::string evidence = fmt::format("{}; unexplained effort on held-out rows: {}", best.hypothesis.what,
                                     residual_text(before, best.fit, names));
  for (std::size_t k = 1; k < ties.size(); ++k)
    evidence += fmt::format("{} {}", k == 1 ? "; equally good:" : ",", ties[k]->hypothesis.what);
  return make_finding(best.hypothesis.code, joint_text(best.hypothesis.joints, names), evidence);
}

}  // namespace

std::vector<Finding> set_up_findings(const SetUpExamination& examination, const Robot& robot,
                                     const SetUpOptions& options) {
  if (!examination.beaten) return {};
  std::vector<Finding> findings = {
      finding_of(examination.without_first.value_or(examination.given), tied(examination, options), robot)};
  if (examination.second)
    findings.push_back(finding_of(examination.without_second.value_or(examination.ranked[0].fit),
                                  tied_second(examination, options), robot));
  return findings;
}

}  // namespace steelyard
