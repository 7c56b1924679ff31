// |τ|: logs without the signs of efforts (docs/signs.md).
//
// Efforts of joints that go to and fro change their signs, at the latest by gravity, inertia or friction. In a log of
// |τ| none is negative, and most touch zero where the sign changes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "init/guess_log.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

bool goes_to_and_fro(const Signal& position) {
  constexpr double kOneWay = 0.95;  // of its range
  const auto [low, high] = std::minmax_element(position.begin(), position.end());
  return std::abs(position.back() - position.front()) < kOneWay * (*high - *low);
}

constexpr double kTouches = 0.05;  // of the root mean square: noise and filters reach a little below zero

double root_mean_square(const Signal& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

struct EffortSigns {
  bool negative = false;             // of any joint
  std::size_t moving = 0, zero = 0;  // joints that go to and fro; of these, with efforts that touch zero
};

EffortSigns effort_signs(const LogFindings& found) {
  EffortSigns signs;
  for (std::size_t k = 0; k < found.effort->samples.size(); ++k) {
    const Signal& effort = found.effort->samples[k];
    const double rms = root_mean_square(effort);
    const double low = *std::min_element(effort.begin(), effort.end());
    signs.negative |= low < -kTouches * rms;
    if (!(rms > 0) || !goes_to_and_fro(found.position->samples[k])) continue;
    ++signs.moving;
    if (low < kTouches * rms) ++signs.zero;
  }
  return signs;
}

}  // namespace

void guess_signs(LogFindings& found) {
  const EffortSigns signs = effort_signs(found);
  if (signs.negative || signs.moving == 0) return;
  LogGuess& guess = found.guess;
  const std::string none = fmt::format("no effort is negative, of {} joint{} that go to and fro",
                                       signs.moving, signs.moving == 1 ? "" : "s");
  guess.unsigned_effort =
      found.effort->name.absolute || 2 * signs.zero >= signs.moving + (signs.moving == 1 ? 1 : 0);
  if (guess.unsigned_effort)
    guess.guesses.push_back({"unsigned", "true", none + "; the log has |effort| only"});
  else if (signs.moving > 1)
    guess.questions.push_back({"unsigned", "true where the log has |effort| only, otherwise false: " + none});
}

}  // namespace steelyard
