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
#include "validate/fleet_chance.hpp"
#include "validate/fleet_drift.hpp"
#include "validate/fleet_scatter.hpp"
#include "validate/fleet_start.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr int kMostRounds = 8;
// Robots that are this suspicious already do not shape what the others are measured by: two far robots would
// hide each other. Not more, or healthy fleets lose their ends and what is left looks more alike than it is.
constexpr double kSetAside = 0.05;
constexpr int kMostCauses = 3;           // of one robot
constexpr double kNextShare = 0.1;       // a further cause takes at least this share of what the first took
constexpr double kNearlyAsGood = 10;     // Δ by which a cause must be better than the next
constexpr double kPlausibleShare = 0.5;  // of the Δ of causes that no machine can have
constexpr double kLeastNoise = 0.1;      // of the fleet's

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

std::vector<OwnFit> own_fits(const FleetInput& input, int threads) {
  std::vector<OwnFit> fits(input.robots.size());
  parallel_for(static_cast<Index>(fits.size()), threads, [&](Index r) {
    fits[static_cast<std::size_t>(r)] = own_fit(input, input.robots[static_cast<std::size_t>(r)]);
  });
  return fits;
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
  Robots healthy;
  std::vector<Suspect> suspects;
  std::vector<Reduced> robots;  // of members
  std::vector<double> chances;  // of members: the smallest over all causes, times their number
};

// The smallest chance over all causes, times their number.
double robot_chance(const std::vector<Suspect>& suspects, const std::vector<Reduced>& robots, std::size_t r,
                    const Robots& healthy, Index parameters) {
  double least = leave_one_out_chance(robots, r, healthy, robots[r].nearest, static_cast<int>(parameters));
  for (const Suspect& suspect : suspects)
    least = std::min(least, leave_one_out_chance(robots, r, healthy, try_suspect(suspect, robots[r]).effect,
                                                 suspect.numbers));
  return least * static_cast<double>(suspects.size() + 1);
}

class Examiner {
 public:
  Examiner(const FleetInput& input, const std::vector<OwnFit>& fits, const Robots& members, int threads)
      : input_(input), fits_(fits), members_(members), threads_(threads) {}

  Round examine(const Robots& healthy) {
    Round round;
    round.healthy = healthy;
    round.pool = pool_robots(input_, healthy);
    products_.resize(input_.robots.size());
    parallel_for(static_cast<Index>(members_.size()), threads_, [&](Index at) {
      const std::size_t r = members_[static_cast<std::size_t>(at)];
      products_[r] = robot_products(input_, input_.robots[r], fits_[r], round.pool.values);
    });
    start_ = first_scatter(fits_, healthy, round.pool.values);
    round.scatter = scatter_of(healthy);
    round.suspects = suspects(input_, round.pool.values);
    round.robots = reduced(members_, round.scatter.inverse);
    round.chances.assign(input_.robots.size(), 1);
    for_each(healthy, [&](std::size_t r) {
      round.chances[r] = robot_chance(round.suspects, round.robots, r, healthy, parameters());
    });
    for (const std::size_t r : members_) {
      if (std::binary_search(healthy.begin(), healthy.end(), r)) continue;
      // T is as much of this robot as of the others, or it would fit them better than it fits this one.
      Robots with = healthy;
      with.insert(std::upper_bound(with.begin(), with.end(), r), r);
      round.chances[r] = robot_chance(
          round.suspects, reduced(with, inverse_with(round.scatter, products_[r])), r, healthy, parameters());
    }
    return round;
  }

 private:
  template <typename Work>
  void for_each(const Robots& robots, Work work) {
    parallel_for(static_cast<Index>(robots.size()), threads_,
                 [&](Index at) { work(robots[static_cast<std::size_t>(at)]); });
  }
  Index parameters() const { return static_cast<Index>(input_.columns.size()); }
  Scatter scatter_of(const Robots& robots) const {
    std::vector<const MatrixXd*> chosen;
    for (const std::size_t r : robots) chosen.push_back(&products_[r]);
    return find_scatter(chosen, start_, threads_);
  }
  std::vector<Reduced> reduced(const Robots& robots, const MatrixXd& T_inverse) {
    std::vector<Reduced> out(input_.robots.size());
    for_each(robots, [&](std::size_t r) { out[r] = reduce(products_[r], parameters(), T_inverse); });
    return out;
  }

  const FleetInput& input_;
  const std::vector<OwnFit>& fits_;
  const Robots& members_;
  int threads_;
  std::vector<MatrixXd> products_;
  VectorXd start_;
};

// Holm: the smallest chance counts for all robots, the next for all but one, and so on.
std::set<std::size_t> name_robots(const Round& round, const Robots& members, double level) {
  std::vector<std::pair<double, std::size_t>> order;
  for (const std::size_t r : members) order.emplace_back(round.chances[r], r);
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

// The best cause of all is one that no machine can have, and none that it can have comes near.
bool is_beyond_causes(const std::vector<Suspect>& suspects, const std::vector<Trial>& trials) {
  double best = 0, plausible = 0;
  for (std::size_t s = 0; s < suspects.size(); ++s) {
    best = std::max(best, trials[s].gain);
    if (is_plausible(suspects[s], trials[s])) plausible = std::max(plausible, trials[s].gain);
  }
  return plausible < kPlausibleShare * best;
}

Cause set_up_cause(const Suspect& suspect, const Trial& trial, double p) {
  Cause cause;
  cause.kind = CauseKind::set_up;
  cause.of = suspect.of;
  cause.gain = trial.gain;
  cause.p = p;
  if (suspect.kind == CauseKind::gain) {
    cause.amount = 1 + trial.amount;
    cause.sigma = trial.sigma;
    cause.text = describe(suspect, trial, "");
  } else {
    cause.text =
        "differs from the fleet by more than a mass, friction or a gain could do: check units, signs and "
        "rate";
  }
  return cause;
}

std::vector<Cause> causes_of(const FleetInput& input, const Round& round, std::size_t r, double rows,
                             double level, double robots, const FleetRobotResult& result) {
  std::vector<Cause> causes;
  const double tests = robots * static_cast<double>(round.suspects.size() + 1);
  std::vector<Reduced> rest = round.robots;
  const std::string& unit = input.robots[r].folds.front().layout().unit;
  const auto chance = [&](const VectorXd& direction, int numbers) {
    return std::min(1.0, tests * leave_one_out_chance(rest, r, round.healthy, direction, numbers));
  };
  for (int k = 0; k < kMostCauses; ++k) {
    std::vector<std::pair<double, std::size_t>> order;
    std::vector<Trial> trials;
    for (const Suspect& suspect : round.suspects) trials.push_back(try_suspect(suspect, rest[r]));
    const bool is_beyond = is_beyond_causes(round.suspects, trials);
    if (is_beyond && k > 0) break;
    for (std::size_t s = 0; s < round.suspects.size(); ++s)
      if (is_beyond || is_plausible(round.suspects[s], trials[s]))
        order.emplace_back(-worth(round.suspects[s], trials[s], rows), s);
    if (order.empty()) break;
    std::sort(order.begin(), order.end());
    const std::size_t best = order.front().second;
    const Trial& trial = trials[best];
    const double p = chance(trial.effect, round.suspects[best].numbers);
    if (is_beyond && p <= level) return {set_up_cause(round.suspects[best], trial, p)};
    if (p > level || (k > 0 && trial.gain < kNextShare * causes.front().gain)) break;
    Cause cause{round.suspects[best].kind,
                round.suspects[best].of,
                trial.amount,
                trial.sigma,
                trial.at,
                trial.gain,
                p,
                describe(round.suspects[best], trial, unit),
                ""};
    if (order.size() > 1 && order[1].first - order[0].first < kNearlyAsGood) {
      const std::size_t next = order[1].second;
      cause.instead = describe(round.suspects[next], trials[next], unit);
    }
    causes.push_back(std::move(cause));
    for (const std::size_t s : round.healthy)
      if (s != r) rest[s] = without(rest[s], trial.directions);
    rest[r] = without(rest[r], trial.directions);
  }
  if (causes.empty()) causes.push_back(other_cause(input, result, std::min(1.0, robots * round.chances[r])));
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

Robots others(const Robots& members, const std::set<std::size_t>& named) {
  Robots list;
  for (const std::size_t r : members)
    if (!named.contains(r)) list.push_back(r);
  return list;
}

// Robots that are compared: not those whose own log does not fit. What is said of these goes to `misfits`.
Robots find_members(const FleetInput& input, const std::vector<OwnFit>& fits, double level,
                    std::vector<std::optional<Cause>>& misfits) {
  Robots asked, members;
  std::vector<OwnFit> chosen;
  for (std::size_t r = 0; r < fits.size(); ++r)
    if (input.robots[r].is_compared) {
      asked.push_back(r);
      chosen.push_back(fits[r]);
    }
  const std::vector<std::optional<Cause>> found = find_misfits(input, chosen, level);
  misfits.assign(fits.size(), std::nullopt);
  for (std::size_t k = 0; k < asked.size(); ++k) {
    misfits[asked[k]] = found[k];
    if (!found[k]) members.push_back(asked[k]);
  }
  return members;
}

// A row without noise would count for more than all others.
void floor_row_sigmas(std::vector<OwnFit>& fits, const Robots& members) {
  for (Index j = 0; j < fits[members.front()].row_sigma.size(); ++j) {
    std::vector<double> sigmas;
    for (const std::size_t r : members) sigmas.push_back(fits[r].row_sigma[j]);
    const double least = kLeastNoise * robust_spread(sigmas).middle;
    for (const std::size_t r : members) fits[r].row_sigma[j] = std::max(fits[r].row_sigma[j], least);
  }
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
    case CauseKind::fit:
      return "fit";
    case CauseKind::set_up:
      return "set-up";
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

std::vector<std::optional<Cause>> fleet_misfits(const FleetInput& input, const FleetOptions& options) {
  options.validate();
  return find_misfits(input, own_fits(input, options.threads), options.level);
}

FleetResult compare_fleet(const FleetInput& input, const FleetOptions& options) {
  options.validate();
  if (input.robots.empty()) throw InputError({"the fleet has no robot", {}, "at least one", {}});
  const std::size_t count = input.robots.size();
  std::vector<OwnFit> fits = own_fits(input, options.threads);
  FleetResult out;
  out.columns = input.columns;
  std::vector<std::optional<Cause>> misfits;
  const Robots members = find_members(input, fits, options.level, misfits);
  if (members.empty()) throw InputError({"no robot of the fleet can be compared", {}, "at least one", {}});
  floor_row_sigmas(fits, members);
  out.compared = static_cast<Index>(members.size());
  if (out.compared < kFewestFleetRobots)
    out.unavailable = fmt::format("{} {} too few to say which of them differs: it takes {}", members.size(),
                                  members.size() == 1 ? "robot is" : "robots are", kFewestFleetRobots);
  std::set<std::size_t> aside, named;
  if (out.unavailable.empty()) aside = far_robots(fits, members);
  Round round;
  Examiner examiner(input, fits, members, options.threads);
  for (out.rounds = 1;; ++out.rounds) {
    round = examiner.examine(others(members, aside));
    if (!out.unavailable.empty()) break;
    std::set<std::size_t> now = name_robots(round, members, std::max(options.level, kSetAside));
    if (2 * now.size() > members.size()) {
      out.unavailable =
          fmt::format("{} of {} robots differ from the others: there is no fleet to compare with", now.size(),
                      members.size());
      break;
    }
    if (now == aside || out.rounds == kMostRounds) break;
    aside = std::move(now);
  }
  if (out.unavailable.empty()) named = name_robots(round, members, options.level);
  out.values = round.pool.values;
  out.sigma = round.pool.sigma;
  out.scatter = round.scatter.deviation;
  out.healthy = static_cast<Index>(round.healthy.size());
  out.tests = static_cast<Index>(members.size() * (round.suspects.size() + 1));
  if (out.unavailable.empty())
    out.least_deviations = least_deviations(options.level / static_cast<double>(out.tests), 1,
                                            out.healthy - (aside.empty() ? 1 : 0));
  std::vector<std::vector<Drift>> drifts = find_drifts(input, out.values, options);
  for (std::size_t r = 0; r < count; ++r) {
    FleetRobotResult robot = describe_robot(input, round, fits[r], r);
    robot.causes = input.robots[r].known;
    if (misfits[r]) robot.causes.push_back(*misfits[r]);
    if (named.contains(r))
      for (Cause& cause : causes_of(input, round, r, fits[r].rows, options.level,
                                    static_cast<double>(members.size()), robot))
        robot.causes.push_back(std::move(cause));
    if (input.robots[r].is_compared && !misfits[r]) robot.drifts = std::move(drifts[r]);
    out.robots.push_back(std::move(robot));
  }
  return out;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
