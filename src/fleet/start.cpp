#include "fleet/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/statistics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Residuals of healthy robots with similar motions are alike to some per cent; three times the median is not
// chance even in a noisy fleet, and ten times is bad in any fleet.
constexpr double kBadFit = 3, kAlwaysBad = 10;
constexpr double kMinWidth = 0.05;  // of the logarithms
// Friction times 20 in a joint that carries little else is a fault of the robot; these are not.
constexpr double kOtherUnit = 50;
constexpr double kFarAtFirst = 0.1;  // probability that a healthy robot is far
constexpr double kNotSeen = 1e200;   // standard deviation of what a log does not identify

double tail(double t, std::size_t robots) {
  // Medians have about half the efficiency of means.
  return fisher_tail(t * t, 1, std::max(1.0, 0.5 * (static_cast<double>(robots) - 1)));
}

std::vector<double> row_numbers_of(const std::vector<OwnFit>& fits, std::size_t row,
                                   VectorXd OwnFit::*member) {
  std::vector<double> numbers;
  for (const OwnFit& fit : fits) numbers.push_back((fit.*member)[static_cast<Index>(row)]);
  return numbers;
}

// ln of a number over the fleet's median, and whether that is more than the fleet's own spread explains.
double excess(const std::vector<double>& numbers, std::size_t r, double p) {
  const double middle = robust_spread(numbers).middle;
  if (!(middle > 0) || !(numbers[r] > 0)) return 0;
  const double over = std::log(numbers[r] / middle);
  if (over < std::log(kBadFit)) return 0;
  std::vector<double> logs;
  for (const double number : numbers) logs.push_back(std::log(std::max(number, 1e-6 * middle)));
  const double width = std::max(kMinWidth, robust_spread(logs).width);
  return over > std::log(kAlwaysBad) || tail(over / width, numbers.size()) < p ? over : 0;
}

// Efforts that are far from any robot's: of one joint or of all.
std::optional<Cause> other_unit(const FleetInput& input, const std::vector<OwnFit>& fits, std::size_t r) {
  std::vector<std::pair<double, std::size_t>> off;  // times the fleet's, row
  for (std::size_t row = 0; row < input.row_joints.size(); ++row) {
    const std::vector<double> efforts = row_numbers_of(fits, row, &OwnFit::row_effort);
    const double middle = robust_spread(efforts).middle;
    if (!(middle > 0)) continue;
    const double ratio = efforts[r] / middle;
    if (ratio > kOtherUnit || ratio < 1 / kOtherUnit) off.emplace_back(ratio, row);
  }
  if (off.empty()) return std::nullopt;
  const bool are_all = off.size() == input.row_joints.size() && off.size() > 1;
  Cause cause;
  cause.kind = CauseKind::set_up;
  cause.of = are_all ? "all joints" : input.row_joints[off.front().second];
  cause.amount = off.front().first;
  cause.p = 0;
  cause.text = fmt::format("the effort of {} is {:.2g} times the fleet's: check its unit{}",
                           are_all ? cause.of : fmt::format("joint '{}'", cause.of), cause.amount,
                           cause.amount < 1 ? " and channel" : "");
  return cause;
}

}  // namespace

std::vector<std::optional<Cause>> detect_misfits(const FleetInput& input, const std::vector<OwnFit>& fits,
                                                 double level) {
  std::vector<std::optional<Cause>> out(fits.size());
  if (fits.size() < 3) return out;  // no median that one of them could not move
  const double p = level / static_cast<double>(fits.size() * input.row_joints.size());
  std::vector<double> worst(fits.size(), 0);
  for (std::size_t row = 0; row < input.row_joints.size(); ++row) {
    const std::vector<double> efforts = row_numbers_of(fits, row, &OwnFit::row_effort);
    const std::vector<double> residuals = row_numbers_of(fits, row, &OwnFit::row_residual);
    std::vector<double> shares;
    for (std::size_t r = 0; r < fits.size(); ++r)
      shares.push_back(efforts[r] > 0 ? residuals[r] / efforts[r] : 0);
    for (std::size_t r = 0; r < fits.size(); ++r) {
      const double over = std::min(excess(residuals, r, p), excess(shares, r, p));
      if (over <= worst[r]) continue;
      worst[r] = over;
      Cause cause;
      cause.kind = CauseKind::fit;
      cause.of = input.row_joints[row];
      cause.amount = shares[r];
      cause.p = 0;
      cause.text = fmt::format(
          "its log does not fit the model: {:.2g} % of the effort of joint '{}' is unexplained, {:.2g} % in "
          "the "
          "fleet; "
          "check units, signs and rate",
          100 * shares[r], cause.of, 100 * robust_spread(shares).middle);
      out[r] = std::move(cause);
    }
  }
  for (std::size_t r = 0; r < fits.size(); ++r)
    if (std::optional<Cause> cause = other_unit(input, fits, r)) out[r] = std::move(cause);
  return out;
}

std::set<std::size_t> far_robots(const std::vector<OwnFit>& fits, const std::vector<std::size_t>& members) {
  const Index p = fits.front().values.size();
  std::vector<std::pair<double, std::size_t>> order;
  for (const std::size_t r : members) order.emplace_back(1, r);
  for (Index i = 0; i < p; ++i) {
    std::vector<double> values, sigmas;
    for (const std::size_t r : members) {
      values.push_back(fits[r].values[i]);
      sigmas.push_back(std::min(fits[r].sigma[i], kNotSeen));
    }
    const Spread spread = robust_spread(values);
    const double width = std::max(spread.width, robust_spread(sigmas).middle);
    if (!(width > 0 && width < kNotSeen)) continue;
    for (auto& [chance, r] : order)
      chance = std::min(
          chance, static_cast<double>(p) * tail((fits[r].values[i] - spread.middle) / width, members.size()));
  }
  std::sort(order.begin(), order.end());
  std::set<std::size_t> far;
  for (const auto& [chance, r] : order)
    if (chance < kFarAtFirst && far.size() < (members.size() - 1) / 2) far.insert(r);
  return far;
}

}  // namespace steelyard
