#include "steelyard/fleet/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fleet/chance.hpp"
#include "fleet/drift.hpp"
#include "fleet/examine.hpp"
#include "fleet/robot_causes.hpp"
#include "fleet/start.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kMaxRounds = 8;
// Robots that are this suspicious do not contribute to the spread of the others: two far robots would hide
// each other. Not more, or healthy fleets lose their ends and what is left looks more alike than it is.
constexpr double kSetAside = 0.05;
constexpr double kMinNoise = 0.1;  // of the fleet's

std::vector<OwnFit> own_fits(const FleetInput& input, int threads) {
  std::vector<OwnFit> fits(input.robots.size());
  parallel_for(static_cast<Index>(fits.size()), threads, [&](Index r) {
    fits[static_cast<std::size_t>(r)] = own_fit(input, input.robots[static_cast<std::size_t>(r)]);
  });
  return fits;
}

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

// Robots that are compared: not those whose own log does not fit. Their causes go to `misfits`.
Robots choose_members(const FleetInput& input, const std::vector<OwnFit>& fits, double level,
                      std::vector<std::optional<Cause>>& misfits) {
  Robots asked, members;
  std::vector<OwnFit> chosen;
  for (std::size_t r = 0; r < fits.size(); ++r)
    if (input.robots[r].is_compared) {
      asked.push_back(r);
      chosen.push_back(fits[r]);
    }
  const std::vector<std::optional<Cause>> found = detect_misfits(input, chosen, level);
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
    const double smallest = kMinNoise * robust_spread(sigmas).middle;
    for (const std::size_t r : members) fits[r].row_sigma[j] = std::max(fits[r].row_sigma[j], smallest);
  }
}

}  // namespace

const char* to_string(CauseKind kind) {
  constexpr const char* kWords[] = {"mass", "friction", "offset", "gain", "zero", "other", "fit", "set-up"};
  return kWords[static_cast<std::size_t>(kind)];
}

void FleetOptions::validate() const {
  if (!(level > 0 && level < 0.5))
    throw InputError(
        {fmt::format("level of the fleet is {}", level), {}, "above 0, below 0.5", "0.01 is typical"});
}

std::vector<std::optional<Cause>> fleet_misfits(const FleetInput& input, const FleetOptions& options) {
  options.validate();
  return detect_misfits(input, own_fits(input, options.threads), options.level);
}

FleetResult compare_fleet(const FleetInput& input, const FleetOptions& options) {
  options.validate();
  if (input.robots.empty()) throw InputError({"the fleet has no robot", {}, "at least one", {}});
  const std::size_t count = input.robots.size();
  std::vector<OwnFit> fits = own_fits(input, options.threads);
  FleetResult out;
  out.columns = input.columns;
  std::vector<std::optional<Cause>> misfits;
  const Robots members = choose_members(input, fits, options.level, misfits);
  if (members.empty()) throw InputError({"no robot of the fleet can be compared", {}, "at least one", {}});
  floor_row_sigmas(fits, members);
  out.compared = static_cast<Index>(members.size());
  if (out.compared < kFewestFleetRobots)
    out.unavailable =
        fmt::format("{} {} too few to determine which one differs: at least {} are needed", members.size(),
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
    if (now == aside || out.rounds == kMaxRounds) break;
    aside = std::move(now);
  }
  if (out.unavailable.empty()) named = name_robots(round, members, options.level);
  out.values = round.pool.values;
  out.sigma = round.pool.sigma;
  out.scatter = round.scatter.deviation;
  out.scatter_inverse = round.scatter.inverse;
  out.healthy = static_cast<Index>(round.healthy.size());
  out.tests = static_cast<Index>(members.size() * (round.suspects.size() + 1));
  if (out.unavailable.empty())
    out.least_deviations = least_deviations(options.level / static_cast<double>(out.tests), 1,
                                            out.healthy - (aside.empty() ? 1 : 0));
  std::vector<std::vector<Drift>> drifts = detect_drifts(input, out.values, out.scatter, options);
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

}  // namespace steelyard
