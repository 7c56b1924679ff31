#include "steelyard/doctor/set_up.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "steelyard/core/error.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/log/run_file.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

bool changes_positions(const Hypothesis& hypothesis) {
  const Index n = hypothesis.set_up.zero.size();
  return hypothesis.robot || hypothesis.set_up.time != 1 || hypothesis.set_up.zero != VectorXd::Zero(n) ||
         hypothesis.set_up.position != MatrixXd::Identity(n, n);
}

std::shared_ptr<const Trial::Folded> folded(const Trial& trial, const Hypothesis& hypothesis) {
  return hypothesis.robot ? trial.fold(hypothesis.set_up, *hypothesis.robot) : trial.fold(hypothesis.set_up);
}

using Score = std::function<double(const Hypothesis&)>;

// The robot was never at positions where a column of the study is not finite.
double quick_score(const Trial& trial, const Hypothesis& hypothesis) {
  if (!changes_positions(hypothesis)) return trial.quick_fit(trial.given(), hypothesis.set_up).score_fitted;
  try {
    return trial.quick_fit(*folded(trial, hypothesis), hypothesis.set_up).score_fitted;
  } catch (const InputError&) {
    return kInfinity;
  }
}

// Those with a free number, on a grid.
void add_grids(const Robot& robot, std::vector<Hypothesis>& list) {
  const Vector3 given = robot.gravity.normalized();
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z) {
        const Vector3 direction(x, y, z);
        if (direction.norm() > 0 && direction.normalized().dot(given) < 0.999)
          list.push_back(gravity_hypothesis(robot, direction));
      }
  for (int j = 0; j < robot.dof(); ++j)
    for (int quarter = -12; quarter <= 12; ++quarter)
      if (quarter != 0) list.push_back(effort_hypothesis(robot, j, std::pow(10.0, 0.25 * quarter)));
  for (const double factor : {1e-3, 0.1, 0.2, 0.5, 2.0, 5.0, 10.0, 1e3})
    list.push_back(time_hypothesis(robot, factor));
}

// Ever smaller steps in each direction of `count` numbers, as long as the score falls.
template <typename Numbers, typename Make>
Hypothesis descend(const Score& score_of, Numbers numbers, double step, double last, Make make) {
  Hypothesis best = make(numbers);
  double score = score_of(best);
  for (; step > last; step /= 2)
    for (Index k = 0; k < numbers.size(); ++k)
      for (const double sign : {-1.0, 1.0}) {
        Numbers next = numbers;
        next[k] += sign * step;
        Hypothesis hypothesis = make(next);
        const double other = score_of(hypothesis);
        if (other >= score) continue;
        score = other;
        numbers = next;
        best = std::move(hypothesis);
      }
  return best;
}

using Number = Eigen::Matrix<double, 1, 1>;

// The same with its free number refined.
Hypothesis refined(const Robot& robot, const Score& score_of, const Hypothesis& hypothesis) {
  if (hypothesis.code == "effort-scale" && hypothesis.joints.empty())
    return descend(score_of, Number(std::log(hypothesis.set_up.effort(0, 0))), 0.5, 0.02,
                   [&](const Number& x) { return all_efforts_hypothesis(robot, std::exp(x[0])); });
  if (hypothesis.code == "effort-scale") {
    const int j = hypothesis.joints[0];
    return descend(score_of, Number(std::log(hypothesis.set_up.effort(j, j))), 0.5, 0.02,
                   [&](const Number& x) { return effort_hypothesis(robot, j, std::exp(x[0])); });
  }
  if (hypothesis.code == "coupling") {
    const int j = hypothesis.joints[0], next = hypothesis.joints[1];
    const double ratio = hypothesis.set_up.position(next, j);
    // Those of the robot itself and whole ones have no free number.
    const bool is_free =
        next == j + 1 && std::abs(ratio) < 1 && coupling_hypothesis(robot, j, ratio).what == hypothesis.what;
    if (!is_free) return hypothesis;
    return descend(score_of, Number(ratio), 0.1, 0.004,
                   [&](const Number& x) { return coupling_hypothesis(robot, j, x[0]); });
  }
  if (hypothesis.code == "time-scale")
    return descend(score_of, Number(std::log(hypothesis.set_up.time)), 0.4, 0.02,
                   [&](const Number& x) { return time_hypothesis(robot, std::exp(x[0])); });
  if (hypothesis.code == "gravity") {
    const Vector3 start = hypothesis.robot->gravity.normalized();
    const Vector3 side = start.unitOrthogonal(), other = start.cross(side);
    return descend(score_of, Eigen::Vector2d(0, 0), 0.4, 0.02, [&](const Eigen::Vector2d& x) {
      return gravity_hypothesis(robot, start + x[0] * side + x[1] * other);
    });
  }
  return hypothesis;
}

// Of two that explain a log equally well the simpler mistake is reported first.
double rarity(FindingCode code) {
  if (code == "torque-sign") return 0;
  if (code == "position-sign" || code == "axis-sign" || code == "joint-zero") return 0.02;
  if (code == "position-unit" || code == "gravity") return 0.05;
  return code == "coupling" ? 0.15 : 0.1;
}

// The first of each kind and joint, best first: one finalist per question.
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

}  // namespace

SetUpExamination examine_set_up(const Trial& trial, const SetUpOptions& options) {
  SetUpExamination examination;
  const SetUp as_given = SetUp::as_given(trial.joints());
  examination.given = trial.fit(trial.given(), as_given);
  const double excess = examination.given.score - examination.given.score_fitted;
  examination.too_poor = excess > options.max_excess * static_cast<double>(trial.joints());
  if (examination.too_poor) return examination;
  std::vector<Hypothesis> list = fixed_hypotheses(trial.robot());
  add_grids(trial.robot(), list);
  std::vector<double> scores(list.size());
  parallel_for(static_cast<Index>(list.size()), options.threads, [&](Index k) {
    scores[static_cast<std::size_t>(k)] = quick_score(trial, list[static_cast<std::size_t>(k)]);
  });
  const std::vector<std::size_t> chosen = finalists(list, scores, options.finalists);
  examination.ranked.resize(chosen.size());
  parallel_for(static_cast<Index>(chosen.size()), options.threads, [&](Index k) {
    RankedHypothesis& ranked = examination.ranked[static_cast<std::size_t>(k)];
    const std::size_t c = chosen[static_cast<std::size_t>(k)];
    // Hypotheses that are no better than the given set-up are not refined.
    const auto score_of = [&](const Hypothesis& hypothesis) { return quick_score(trial, hypothesis); };
    ranked.hypothesis = scores[c] < examination.given.score_fitted - 0.1
                            ? refined(trial.robot(), score_of, list[c])
                            : std::move(list[c]);
    ranked.fit = trial.fit(*folded(trial, ranked.hypothesis), ranked.hypothesis.set_up);
    ranked.gain = examination.given.score - ranked.fit.score;
    ranked.gain_fitted = examination.given.score_fitted - ranked.fit.score_fitted;
    for (std::size_t b = 0; b < ranked.fit.by_block.size(); ++b)
      ranked.stretches += ranked.fit.by_block[b] < examination.given.by_block[b];
  });
  std::stable_sort(examination.ranked.begin(), examination.ranked.end(),
                   [](const RankedHypothesis& a, const RankedHypothesis& b) {
                     return a.gain - rarity(a.hypothesis.code) > b.gain - rarity(b.hypothesis.code);
                   });
  if (!examination.ranked.empty()) {
    const RankedHypothesis& best = examination.ranked[0];
    const int blocks = static_cast<int>(best.fit.by_block.size());
    const auto gains = [&](double limit) { return best.gain > limit && 2 * best.gain_fitted > limit; };
    const bool alone = std::none_of(examination.ranked.begin() + 1, examination.ranked.end(),
                                    [&](const RankedHypothesis& r) { return 2 * r.gain > best.gain; });
    examination.beaten = (gains(options.clear_gain) && 4 * best.stretches >= 3 * blocks) ||
                         (gains(options.min_gain) && best.stretches == blocks && alone);
  }
  return examination;
}

SetUpExamination examine_against(const Trial& model, const TrialFit& fit, const Trial& run,
                                 const SetUpOptions& options) {
  SetUpExamination examination;
  const VectorXd floors = model.floors(model.options().noise_factor).cwiseProduct(model.efforts());
  const auto predict = [&](const Hypothesis& hypothesis) {
    return run.predict(changes_positions(hypothesis) ? *run.fold(hypothesis.set_up) : run.given(),
                       hypothesis.set_up, fit.values, floors);
  };
  const Score score_of = [&](const Hypothesis& hypothesis) {
    try {
      return predict(hypothesis).score;
    } catch (const InputError&) {
      return kInfinity;
    }
  };
  examination.given = run.predict(run.given(), SetUp::as_given(run.joints()), fit.values, floors);
  const double lost = examination.given.score - fit.score_fitted;
  if (lost < options.clear_gain) return examination;
  std::vector<Hypothesis> list = fixed_hypotheses(run.robot());
  add_grids(run.robot(), list);
  // The robot is that of the fitted runs.
  std::erase_if(list, [](const Hypothesis& hypothesis) { return hypothesis.robot.has_value(); });
  // A common unit is visible against a model; a fit would absorb it.
  for (const double factor : {1e-3, 1e3}) list.push_back(all_efforts_hypothesis(run.robot(), factor));
  std::vector<double> scores(list.size());
  parallel_for(static_cast<Index>(list.size()), options.threads, [&](Index k) {
    scores[static_cast<std::size_t>(k)] = score_of(list[static_cast<std::size_t>(k)]);
  });
  for (const std::size_t c : finalists(list, scores, options.finalists)) {
    RankedHypothesis& ranked = examination.ranked.emplace_back();
    ranked.hypothesis = refined(run.robot(), score_of, list[c]);
    ranked.fit = predict(ranked.hypothesis);
    ranked.gain = ranked.gain_fitted = examination.given.score - ranked.fit.score;
  }
  std::stable_sort(examination.ranked.begin(), examination.ranked.end(),
                   [](const RankedHypothesis& a, const RankedHypothesis& b) {
                     return a.gain - rarity(a.hypothesis.code) > b.gain - rarity(b.hypothesis.code);
                   });
  examination.beaten = !examination.ranked.empty() && examination.ranked[0].gain > options.clear_gain &&
                       examination.ranked[0].gain > options.min_share * lost;
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
  std::vector<Index> order(static_cast<std::size_t>(given.relative.size()));
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<Index>(k);
  const auto change = [&](Index j) {
    return std::log(std::max(given.relative[j], 1e-9) / std::max(better.relative[j], 1e-9));
  };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return change(a) > change(b); });
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(3, order.size()); ++k)
    text +=
        fmt::format("{}{} {:.1f} → {:.1f} %", k ? ", " : "", names[static_cast<std::size_t>(order[k])].name,
                    100 * given.relative[order[k]], 100 * better.relative[order[k]]);
  return text;
}

}  // namespace

std::vector<const RankedHypothesis*> tied(const SetUpExamination& examination, const SetUpOptions& options) {
  std::vector<const RankedHypothesis*> ties;
  if (!examination.beaten) return ties;
  for (const RankedHypothesis& ranked : examination.ranked)
    if (ranked.gain > examination.ranked[0].gain - options.tie) ties.push_back(&ranked);
  return ties;
}

std::vector<Finding> set_up_findings(const SetUpExamination& examination, const Robot& robot,
                                     const SetUpOptions& options) {
  const std::vector<const RankedHypothesis*> ties = tied(examination, options);
  if (ties.empty()) return {};
  const std::vector<LogJoint> names = log_joints(robot);
  const RankedHypothesis& best = *ties[0];
  std::string evidence = fmt::format("{}; unexplained effort{}: {}", best.hypothesis.what,
                                     best.fit.by_block.empty() ? "" : " on held-out rows",
                                     residual_text(examination.given, best.fit, names));
  for (std::size_t k = 1; k < ties.size(); ++k)
    evidence += fmt::format("{} {}", k == 1 ? "; equally good:" : ",", ties[k]->hypothesis.what);
  return {make_finding(best.hypothesis.code, joint_text(best.hypothesis.joints, names), evidence)};
}

}  // namespace steelyard
