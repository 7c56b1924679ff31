// Stamps and rate: from names where given, otherwise from numbers.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <regex>

#include "init/guess_log.hpp"
#include "steelyard/core/yaml_tree.hpp"
#include "steelyard/log/resample.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

double rate_of_file_name(const std::string& path) {
  static const std::regex pattern(R"((\d+(?:\.\d+)?)\s*(k?)Hz)", std::regex::icase);
  const std::string name = path.substr(path.find_last_of('/') + 1);
  std::smatch match;
  if (!std::regex_search(name, match, pattern)) return 0;
  return std::stod(match[1]) * (match[2].length() > 0 ? 1000 : 1);
}

// What loggers are set to: 1, 1.25, 2, 2.5, 4, 5 and 8 times a power of ten.
bool is_usual_rate(double rate) {
  constexpr std::array kSteps = {1.0, 1.25, 2.0, 2.5, 4.0, 5.0, 8.0};
  constexpr double kSame = 0.005;  // differences of neighbours shrink a derivative by less
  const double power = std::pow(10, std::floor(std::log10(rate * (1 + kSame))));
  for (const double step : kSteps)
    if (std::abs(rate / power / step - 1) < kSame) return true;
  return false;
}

// Rad per unit of position over rad/s per unit of velocity, where names give both; 0: not known.
double unit_ratio(const LogFindings& found) {
  constexpr double kDeg = std::numbers::pi / 180;
  const std::string& position = found.position->name.unit;
  const std::string& velocity = found.velocity->name.unit;
  if (position.empty() || velocity.empty()) return 0;
  return (position == "deg" ? kDeg : 1) / (velocity == "deg/s" ? kDeg : velocity == "rpm" ? 6 * kDeg : 1);
}

// Of velocities that follow the positions, `slope` units of position over units of velocity and samples. Where
// names do not give the units, only rates that loggers are set to are trusted.
double rate_of_velocities(const LogFindings& found, double slope) {
  constexpr double kDeg = std::numbers::pi / 180;
  if (!has_joints(found, JointKind::revolute)) return 1 / slope;
  if (const double ratio = unit_ratio(found); ratio > 0) return 1 / (slope * ratio);
  for (const double ratio : {1.0, kDeg, 1 / kDeg})
    if (const double rate = 1 / (slope * ratio); is_usual_rate(rate)) return rate;
  return 0;
}

// Files without stamps: from the file's name, from velocities, or asked.
void guess_rate(LogFindings& found) {
  LogGuess& guess = found.guess;
  const double named = rate_of_file_name(guess.file.path);
  std::string hint;
  if (named > 0) {
    guess.rate = named;
    guess.guesses.push_back({"rate", fmt::format("{:g} Hz", named), "by the name of the file"});
  } else if (found.velocity) {
    const Derivative relation =
        joint_derivative(found, *found.position, *found.velocity,
                         has_joints(found, JointKind::revolute) ? JointKind::revolute : JointKind::prismatic);
    if (relation.correlation > 0.8 && relation.slope > 0) {
      guess.rate = std::round(10 * rate_of_velocities(found, relation.slope)) / 10;
      hint =
          fmt::format("; {:.4g} if positions and velocities have the same unit of angle", 1 / relation.slope);
      if (guess.rate > 0)
        guess.guesses.push_back({"rate", fmt::format("{:g} Hz", guess.rate),
                                 "velocities match the derivatives of the positions at this rate"});
    }
  }
  if (guess.rate <= 0)
    guess.questions.push_back({"rate", "samples per second; the log has no time stamps" + hint});
  guess.file.rate = guess.rate;
}

}  // namespace

constexpr double kSlowStep = 0.5;  // [s] between samples: hardly a motion

void guess_time_unit(LogFindings& found) {
  LogGuess& guess = found.guess;
  if (guess.file.time.empty()) {
    guess_rate(found);
    if (guess.rate > 0) guess.duration = static_cast<double>(found.time.size()) / guess.rate;
    return;
  }
  const double step = median_step(found.time);
  std::string why = "by its name", unit = guess.file.time_unit;
  if (guess.file.time_unit.empty()) {
    unit = guess.file.time_unit = step >= 1e5 ? "ns" : step >= 100 ? "us" : step >= 0.5 ? "ms" : "s";
    why = fmt::format("steps of {:.3g}", step);
  } else if (const std::string likely = likely_time_unit(step);
             guess.file.time_unit == "s" && step > kSlowStep && !likely.empty()) {
    guess.questions.push_back(
        {"units", fmt::format("the unit of time: the name says s, but steps of {:.3g} are more likely {}",
                              step, likely)});
    guess.file.time_unit = kYamlOpen;
  }
  const double factor = unit == "s" ? 1 : unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : 1e-9;
  if (step > 0) guess.rate = 1 / (step * factor);
  guess.duration = (found.time.back() - found.time.front()) * factor;
  guess.guesses.push_back({"rate", fmt::format("{:.4g} Hz", guess.rate),
                           fmt::format("median step of the time in {} ({})", unit, why)});
  constexpr double kLargestExact = 9007199254740992;  // doubles do not hold today's nanoseconds
  if (unit == "ns" && found.time.back() > kLargestExact) {
    guess.file.time.clear();
    guess.file.rate = guess.rate;
  }
}

}  // namespace steelyard
