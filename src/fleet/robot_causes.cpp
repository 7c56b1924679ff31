#include "fleet/robot_causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fleet/chance.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kMaxCauses = 3;            // of one robot
constexpr double kNextShare = 0.1;       // a further cause explains at least this share of what the first did
constexpr double kPlausibleShare = 0.5;  // of the Δ of impossible causes

Cause other_cause(const FleetInput& input, const FleetRobotResult& robot, double p) {
  Cause cause;
  Index farthest = 0;
  robot.deviation.cwiseAbs().maxCoeff(&farthest);
  cause.of = input.columns[static_cast<std::size_t>(farthest)];
  cause.amount = robot.deviation[farthest];
  cause.sigma = 1;
  cause.p = p;
  cause.text = fmt::format(
      "differs from the fleet, and no single cause explains it; parameter {} differs most", cause.of);
  return cause;
}

// The best cause of all is impossible, and no possible one comes near.
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
        "differs from the fleet by more than a mass, friction or a gain could explain: check units, signs "
        "and "
        "rate";
  }
  return cause;
}

}  // namespace

std::vector<Cause> causes_of(const FleetInput& input, const Round& round, std::size_t r, double rows,
                             double level, double robots, const FleetRobotResult& result) {
  std::vector<Cause> causes;
  const double tests = robots * static_cast<double>(round.suspects.size() + 1);
  std::vector<Reduced> rest = round.robots;
  const std::string& unit = input.robots[r].folds.front().layout().unit;
  const auto chance = [&](const VectorXd& direction, int numbers) {
    return std::min(1.0, tests * leave_one_out_chance(rest, r, round.healthy, direction, numbers));
  };
  for (int k = 0; k < kMaxCauses; ++k) {
    std::vector<std::pair<double, std::size_t>> order;
    std::vector<Trial> trials;
    for (const Suspect& suspect : round.suspects) trials.push_back(try_suspect(suspect, rest[r]));
    const bool is_beyond = is_beyond_causes(round.suspects, trials);
    if (is_beyond && k > 0) break;
    for (std::size_t s = 0; s < round.suspects.size(); ++s)
      if (is_beyond || is_plausible(round.suspects[s], trials[s]))
        order.emplace_back(-worth(trials[s].gain, round.suspects[s].numbers, rows), s);
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

}  // namespace steelyard
