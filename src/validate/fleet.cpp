#include "steelyard/validate/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "steelyard/core/error.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/core/statistics.hpp"
#include "steelyard/estimate/bootstrap.hpp"
#include "validate/fleet_causes.hpp"
#include "validate/fleet_drift.hpp"
#include "validate/fleet_scatter.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr int kMostRounds = 8;
// Robots that are this suspicious already do not shape what the others are measured by: one far robot widens
// the scatter in which it would hide.
constexpr double kSetAside = 0.5;
constexpr int kMostCauses = 3;        // of one robot
constexpr double kNextShare = 0.1;    // a further cause takes at least this share of what the first took
constexpr double kNearlyAsGood = 10;  // Δ by which a cause must be better than the next

using Robots = std::vector<std::size_t>;

struct Pool {
  VectorXd values, sigma;
};

// The merged folds of some robots, robots as blocks of the deviation.
Pool pool_robots(const FleetInput& input, const Robots& members) {
  std::vector<Fold> folds;
  for (const std::size_t r : members)
    for (Fold fold : input.robots[r].folds) {
      fold.set_block(static_cast<Index>(r));
      folds.push_back(std::move(fold));
    }
  EstimateOptions options;
  options.weighting = Weighting::by_row;
  options.conditions = false;
  const Estimate fit = estimate(folds, options);
  MatrixXd influences;
  if (members.size() > 2) influences = block_influences(block_moments(folds, fit));
  const auto p = static_cast<Index>(input.columns.size());
  Pool pool{VectorXd::Zero(p), VectorXd::Constant(p, kInfinity)};
  for (Index i = 0; i < p; ++i) {
    const Index k = fit.find(input.columns[static_cast<std::size_t>(i)]);
    if (k < 0) continue;
    pool.values[i] = fit.values[k];
    pool.sigma[i] = influences.rows() > k ? influences.row(k).norm() : fit.sigma[k];
  }
  return pool;
}

// First guess of the scatter: that of the robots' own estimates.
VectorXd first_scatter(const std::vector<OwnFit>& fits, const Robots& members, const VectorXd& fleet) {
  VectorXd start(fleet.size());
  for (Index i = 0; i < fleet.size(); ++i) {
    std::vector<double> values;
    for (const std::size_t r : members) values.push_back(fits[r].values[i]);
    start[i] = std::max({robust_spread(values).width, 1e-4 * std::abs(fleet[i]), 1e-9});
  }
  return start;
}

// Everything about the robots at one choice of the healthy ones.
struct Round {
  Pool pool;
  Scatter scatter;
  std::vector<Suspect> suspects;
  std::vector<Reduced> robots;
  std::vector<std::vector<Trial>> trials;  // robots × suspects
  std::vector<Spread> spreads;             // of the cube roots of Δ, one per suspect; then of the misfit
  double degrees = 1;
};

// Of the cube root of χ² with k degrees (Wilson and Hilferty).
Spread ideal_spread(double k) {
  const double root = std::cbrt(k);
  return {root * (1 - 2 / (9 * k)), root * std::sqrt(2 / (9 * k))};
}

Spread judged_by_fleet(const std::vector<double>& roots, double k) {
  const Spread found = robust_spread(roots), ideal = ideal_spread(k);
  return {std::max(found.middle, ideal.middle), std::max(found.width, ideal.width)};
}

Round examine_fleet(const FleetInput& input, const std::vector<OwnFit>& fits, const Robots& healthy,
                    int threads) {
  Round round;
  round.pool = pool_robots(input, healthy);
  const auto count = static_cast<Index>(input.robots.size());
  const auto p = static_cast<Index>(input.columns.size());
  std::vector<MatrixXd> products(input.robots.size());
  parallel_for(count, threads, [&](Index at) {
    const auto r = static_cast<std::size_t>(at);
    products[r] = robot_products(input, input.robots[r], fits[r], round.pool.values);
  });
  std::vector<const MatrixXd*> chosen;
  for (const std::size_t r : healthy) chosen.push_back(&products[r]);
  round.scatter = find_scatter(chosen, first_scatter(fits, healthy, round.pool.values), threads);
  round.suspects = suspects(input, round.pool.values);
  round.robots.resize(input.robots.size());
  round.trials.resize(input.robots.size());
  parallel_for(count, threads, [&](Index at) {
    const auto r = static_cast<std::size_t>(at);
    round.robots[r] = reduce(products[r], p, round.scatter.inverse);
    for (const Suspect& suspect : round.suspects)
      round.trials[r].push_back(try_suspect(suspect, round.robots[r]));
  });
  for (std::size_t s = 0; s <= round.suspects.size(); ++s) {
    const bool is_misfit = s == round.suspects.size();
    std::vector<double> roots;
    for (const std::size_t r : healthy)
      roots.push_back(std::cbrt(is_misfit ? round.robots[r].misfit : round.trials[r][s].gain));
    round.spreads.push_back(
        judged_by_fleet(roots, is_misfit ? static_cast<double>(p) : round.suspects[s].numbers));
  }
  // A median and a spread by medians know about half of what means know.
  round.degrees = std::max(1.0, 0.5 * (static_cast<double>(healthy.size()) - 1));
  return round;
}

double chance(const Round& round, std::size_t suspect, double gain) {
  const Spread& spread = round.spreads[suspect];
  const double t = (std::cbrt(gain) - spread.middle) / spread.width;
  return t <= 0 ? 1 : 0.5 * fisher_tail(t * t, 1, round.degrees);
}

// The smallest chance over all causes, times their number.
double robot_chance(const Round& round, std::size_t r) {
  double least = chance(round, round.suspects.size(), round.robots[r].misfit);
  for (std::size_t s = 0; s < round.suspects.size(); ++s)
    least = std::min(least, chance(round, s, round.trials[r][s].gain));
  return least * static_cast<double>(round.suspects.size() + 1);
}

// Holm: the smallest chance counts for all robots, the next for all but one, and so on.
std::set<std::size_t> name_robots(const Round& round, double level) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t r = 0; r < round.robots.size(); ++r) order.emplace_back(robot_chance(round, r), r);
  std::sort(order.begin(), order.end());
  std::set<std::size_t> named;
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (order[k].first * static_cast<double>(order.size() - k) > level) break;
    named.insert(order[k].second);
  }
  return named;
}

// Δ less what its numbers cost.
double worth(const Suspect& suspect, const Trial& trial, double rows) {
  return trial.gain - suspect.numbers * std::log(std::max(2.0, rows));
}

Cause other_cause(const FleetInput& input, const FleetRobotResult& robot, double p) {
  Cause cause;
  Index most = 0;
  robot.deviation.cwiseAbs().maxCoeff(&most);
  cause.of = input.columns[static_cast<std::size_t>(most)];
  cause.amount = robot.deviation[most];
  cause.sigma = 1;
  cause.p = p;
  cause.text = fmt::format(
      "differs from the fleet, and no single cause explains it; most of all parameter {}", cause.of);
  return cause;
}

std::vector<Cause> causes_of(const FleetInput& input, const Round& round, std::size_t r, double rows,
                             double level, const FleetRobotResult& result) {
  std::vector<Cause> causes;
  const double tests = static_cast<double>(input.robots.size() * (round.suspects.size() + 1));
  Reduced rest = round.robots[r];
  for (int k = 0; k < kMostCauses; ++k) {
    std::vector<std::pair<double, std::size_t>> order;
    std::vector<Trial> trials;
    for (std::size_t s = 0; s < round.suspects.size(); ++s) {
      trials.push_back(try_suspect(round.suspects[s], rest));
      order.emplace_back(-worth(round.suspects[s], trials[s], rows), s);
    }
    std::sort(order.begin(), order.end());
    const std::size_t best = order.front().second;
    const Trial& trial = trials[best];
    const double p = std::min(1.0, tests * chance(round, best, trial.gain));
    if (p > level || (k > 0 && trial.gain < kNextShare * causes.front().gain)) break;
    const Fold& fold = input.robots[r].folds.front();
    Cause cause{round.suspects[best].kind,
                round.suspects[best].of,
                trial.amount,
                trial.sigma,
                trial.at,
                trial.gain,
                p,
                describe(round.suspects[best], trial, fold.layout().unit),
                ""};
    if (order.size() > 1 && order[1].first - order[0].first < kNearlyAsGood) {
      const std::size_t next = order[1].second;
      cause.instead = describe(round.suspects[next], trials[next], fold.layout().unit);
    }
    causes.push_back(std::move(cause));
    rest = without(rest, trial.directions);
  }
  if (causes.empty())
    causes.push_back(
        other_cause(input, result, std::min(1.0, tests * chance(round, round.suspects.size(), rest.misfit))));
  return causes;
}

FleetRobotResult describe_robot(const FleetInput& input, const Round& round, const OwnFit& fit,
                                std::size_t r) {
  FleetRobotResult out;
  out.name = input.robots[r].name;
  out.values = fit.values;
  out.sigma = fit.sigma;
  out.deviation = VectorXd::Zero(fit.values.size());
  for (Index i = 0; i < fit.values.size(); ++i)
    if (std::isfinite(fit.sigma[i]))
      out.deviation[i] =
          (fit.values[i] - round.pool.values[i]) / std::hypot(fit.sigma[i], round.scatter.deviation[i]);
  out.residual = residuals(input.robots[r].folds, input.columns, fit.values).totals.front().relative;
  out.fleet_residual =
      residuals(input.robots[r].folds, input.columns, round.pool.values).totals.front().relative;
  return out;
}

Robots others(std::size_t count, const std::set<std::size_t>& named) {
  Robots list;
  for (std::size_t r = 0; r < count; ++r)
    if (!named.contains(r)) list.push_back(r);
  return list;
}

}  // namespace

const char* to_string(CauseKind kind) {
  switch (kind) {
    case CauseKind::mass:
      return "mass";
    case CauseKind::friction:
      return "friction";
    case CauseKind::offset:
      return "offset";
    case CauseKind::gain:
      return "gain";
    case CauseKind::other:
      break;
  }
  return "other";
}

void FleetOptions::validate() const {
  if (!(level > 0 && level < 0.5))
    throw InputError(
        {fmt::format("level of the fleet is {}", level), {}, "above 0, below 0.5", "0.01 is usual"});
}

FleetResult compare_fleet(const FleetInput& input, const FleetOptions& options) {
  options.validate();
  if (input.robots.empty()) throw InputError({"the fleet has no robot", {}, "at least one", {}});
  const std::size_t count = input.robots.size();
  std::vector<OwnFit> fits(count);
  parallel_for(static_cast<Index>(count), options.threads, [&](Index r) {
    fits[static_cast<std::size_t>(r)] = own_fit(input, input.robots[static_cast<std::size_t>(r)]);
  });
  FleetResult out;
  out.columns = input.columns;
  if (static_cast<Index>(count) < kFewestFleetRobots)
    out.unavailable = fmt::format("{} robots are too few to say which of them differs: it takes {}", count,
                                  kFewestFleetRobots);
  std::set<std::size_t> aside, named;
  Round round;
  for (out.rounds = 1;; ++out.rounds) {
    round = examine_fleet(input, fits, others(count, aside), options.threads);
    if (!out.unavailable.empty()) break;
    std::set<std::size_t> now = name_robots(round, std::max(options.level, kSetAside));
    if (2 * now.size() > count) {
      out.unavailable = fmt::format(
          "{} of {} robots differ from the others: there is no fleet to compare with", now.size(), count);
      break;
    }
    if (now == aside || out.rounds == kMostRounds) break;
    aside = std::move(now);
  }
  if (out.unavailable.empty()) named = name_robots(round, options.level);
  out.values = round.pool.values;
  out.sigma = round.pool.sigma;
  out.scatter = round.scatter.deviation;
  out.healthy = static_cast<Index>(count - aside.size());
  out.tests = static_cast<Index>(count * (round.suspects.size() + 1));
  std::vector<std::vector<Drift>> drifts = find_drifts(input, out.values, options);
  for (std::size_t r = 0; r < count; ++r) {
    FleetRobotResult robot = describe_robot(input, round, fits[r], r);
    if (named.contains(r)) robot.causes = causes_of(input, round, r, fits[r].rows, options.level, robot);
    robot.drifts = std::move(drifts[r]);
    out.robots.push_back(std::move(robot));
  }
  return out;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
