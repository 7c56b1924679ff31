// Units, sides and rate: from names where given, otherwise from numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "init/guess_log.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/units.hpp"
#include "steelyard/core/yaml_tree.hpp"
#include "steelyard/log/columns.hpp"

namespace steelyard::inline STEELYARD_ABI {

bool has_joints(const LogFindings& found, JointKind kind) {
  return std::any_of(found.robot_joints.begin(), found.robot_joints.end(),
                     [&](const Joint* joint) { return joint->kind == kind; });
}

Derivative joint_derivative(const LogFindings& found, const SignalColumns& from, const SignalColumns& to,
                            JointKind kind) {
  Signal slopes, correlations;
  for (std::size_t k = 0; k < from.samples.size(); ++k) {
    if (found.robot_joints[k]->kind != kind) continue;
    const Derivative one = derivative_of(found.time, from.samples[k], to.samples[k]);
    if (one.correlation == 0) continue;
    slopes.push_back(one.slope);
    correlations.push_back(one.correlation);
  }
  return {signal_median(slopes), signal_median(correlations)};
}

namespace {

constexpr double kDegree = std::numbers::pi / 180;

struct Extent {
  double low = 0, high = 0;
  double size() const { return std::max(std::abs(low), std::abs(high)); }
};

Extent extent_of(const Signal& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return values.empty() ? Extent{} : Extent{*low, *high};
}

bool is_inside(const Extent& extent, const Limits& limits, double factor) {
  constexpr double kMargin = 0.1;  // rad: encoders and limits are not exact
  return factor * extent.low > limits.lower - kMargin && factor * extent.high < limits.upper + kMargin;
}

// Largest position of the joints of a kind, in the file's unit.
double largest_position(const LogFindings& found, JointKind kind = JointKind::revolute) {
  double largest = 0;
  for (std::size_t k = 0; k < found.position->samples.size(); ++k)
    if (found.robot_joints[k]->kind == kind)
      largest = std::max(largest, extent_of(found.position->samples[k]).size());
  return largest;
}

bool all_inside(const LogFindings& found, double factor, JointKind kind = JointKind::revolute) {
  for (std::size_t k = 0; k < found.position->samples.size(); ++k) {
    const Joint& joint = *found.robot_joints[k];
    if (joint.kind == kind && !is_inside(extent_of(found.position->samples[k]), joint.limits, factor))
      return false;
  }
  return true;
}

bool is_near(double value, double wanted) {
  return value > 0.93 * wanted && value < 1.07 * wanted;
}

// Whether a joint of this kind can have it.
bool is_unit_of(JointKind kind, const std::string& text) {
  namespace d = dimension;
  try {
    const Dimension unit = parse_unit(text).dimension;
    return unit == d::kCurrent ||
           (kind == JointKind::revolute
                ? unit == d::kAngle || unit == d::kAngularVelocity || unit == d::kTorque
                : unit == d::kLength || unit == d::kVelocity || unit == d::kForce);
  } catch (const InputError&) {
    return false;
  }
}

// The unit that a column's name gives its joint, otherwise the one of its kind.
void put_channel(LogFindings& found, const std::string& channel, const SignalColumns& signal,
                 const std::string& turn_unit, const std::string& move_unit) {
  ChannelColumns columns;
  columns.channel = channel;
  std::vector<LogJoint> joints;
  bool turns = false, moves = false;
  for (const Joint* joint : found.robot_joints) {
    joints.push_back({joint->name, joint->kind});
    (joint->kind == JointKind::revolute ? turns : moves) = true;
  }
  columns.columns = to_pattern(signal.columns, joints);
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const std::string& kind_unit = joints[k].kind == JointKind::revolute ? turn_unit : move_unit;
    const std::string named = k < signal.units.size() ? signal.units[k] : "";
    const bool fits =
        !kind_unit.empty() && !named.empty() && (named == kYamlOpen || is_unit_of(joints[k].kind, named));
    columns.units.push_back(fits ? named : kind_unit);
  }
  const bool alike = std::all_of(columns.units.begin(), columns.units.end(),
                                 [&](const std::string& unit) { return unit == columns.units[0]; });
  if (alike && !(turns && moves)) columns.units.resize(columns.units[0].empty() ? 0 : 1);
  found.guess.file.channels.push_back(std::move(columns));
}

// Of joints that slide.
std::string slide_unit(LogFindings& found) {
  constexpr JointKind kSlides = JointKind::prismatic;
  if (!has_joints(found, kSlides)) return "m";
  const auto accept = [&](const std::string& unit, const std::string& why) {
    found.guess.guesses.push_back({"units of prismatic joints", unit, why});
    return unit;
  };
  for (std::size_t k = 0; k < found.position->units.size(); ++k)
    if (found.robot_joints[k]->kind == kSlides && is_unit_of(kSlides, found.position->units[k]))
      return accept(found.position->units[k], "by the columns' names");
  if (!found.position->name.move_unit.empty())
    return accept(found.position->name.move_unit, "by the columns' names");
  constexpr double kLong = 10;  // [m]
  const double largest = largest_position(found, kSlides);
  if (all_inside(found, 1, kSlides) && largest < kLong)
    return accept("m", fmt::format("at most {:.3g}, inside the joints' limits as metres", largest));
  if (all_inside(found, 1e-3, kSlides))
    return accept(
        "mm",
        fmt::format("up to {:.3g}: too large for metres, inside the joints' limits as millimetres", largest));
  found.guess.questions.push_back(
      {"units", fmt::format("the unit of the prismatic joints, m or mm; up to {:.3g}, outside their limits",
                            largest)});
  found.slide_unit_open = true;
  return accept("m", "outside the joints' limits in any unit");
}

std::string position_unit(LogFindings& found) {
  if (!has_joints(found, JointKind::revolute)) return "rad";
  const std::string& named = found.position->name.unit;
  auto& guesses = found.guess.guesses;
  if (!named.empty() && named != "m" && named != "mm") {
    guesses.push_back({"units of position", named, "by the columns' names"});
    return named;
  }
  const double largest = largest_position(found);
  std::string unit = "rad", why;
  if (all_inside(found, 1)) {
    why = fmt::format("at most {:.3g}, inside the joints' limits as radians", largest);
    if (largest > 4 * std::numbers::pi) {
      unit = "deg";
      why = fmt::format("up to {:.3g}: more than two turns if they were radians", largest);
    }
  } else if (all_inside(found, kDegree)) {
    unit = "deg";
    why = fmt::format("up to {:.3g}: outside the limits as radians, inside them as degrees", largest);
  } else {
    unit = largest > 4 * std::numbers::pi ? "deg" : "rad";
    why = fmt::format("up to {:.3g}, outside the joints' limits in any unit", largest);
    found.guess.questions.push_back(
        {"units", fmt::format("the unit of the positions, {} or {}; they exceed the joints' limits in both",
                              unit, unit == "deg" ? "rad" : "deg")});
    found.turn_unit_open = true;
  }
  guesses.push_back({"units of position", unit, why});
  return unit;
}

// Whether positions called after motors are before the gears.
bool is_before_gears(LogFindings& found, const std::string& unit) {
  if (!found.position->name.motor) return false;
  const double factor = unit == "deg" ? kDegree : 1;
  const double turns = factor * largest_position(found) / (2 * std::numbers::pi);
  if (turns <= 1.1 && all_inside(found, factor)) {
    found.guess.guesses.push_back(
        {"side", "joint",
         fmt::format("positions are named after motors, but make at most {:.2g} turns and "
                     "stay inside the joints' limits",
                     turns)});
    return false;
  }
  found.guess.guesses.push_back(
      {"side", "motor", fmt::format("positions are named after motors and make {:.3g} turns", turns)});
  return true;
}

void guess_velocity(LogFindings& found, const std::string& position, const std::string& slide, bool motor) {
  if (!found.velocity) return;
  auto& guesses = found.guess.guesses;
  const bool turns = has_joints(found, JointKind::revolute);
  const Derivative relation = joint_derivative(found, *found.position, *found.velocity,
                                               turns ? JointKind::revolute : JointKind::prismatic);
  const double step = found.guess.rate > 0 ? median_step(found.time) * found.guess.rate : 1;
  const double slope = relation.slope * step;  // with the time in seconds
  const std::string share = fmt::format(
      "velocity and derivative of position: correlation {:.3f}, ratio {:.3g}", relation.correlation, slope);
  if (relation.correlation < 0.8) {
    guesses.push_back(
        {"velocity", "left out", share + ": they do not match; derivatives are computed from the positions"});
    return;
  }
  const std::string& named = found.velocity->name.unit;
  std::string unit = turns ? named : "rad/s";
  if (unit.empty()) {
    if (is_near(slope, 1)) unit = position + "/s";
    if (position == "deg" && is_near(slope, 1 / kDegree)) unit = "rad/s";
    if (position == "rad" && is_near(slope, kDegree)) unit = "deg/s";
    if (unit.empty()) {
      guesses.push_back({"velocity", "left out", share + ": no unit explains it"});
      return;
    }
  }
  guesses.push_back({"velocity", found.velocity->columns.front() + " …", share});
  std::string moves = found.velocity->name.move_unit;
  if (moves.empty()) {
    const double ratio =
        step * joint_derivative(found, *found.position, *found.velocity, JointKind::prismatic).slope;
    moves = slide == "mm" ? (is_near(ratio, 1000) ? "m/s" : "mm/s") : (is_near(ratio, 1e-3) ? "mm/s" : "m/s");
  }
  const bool same = found.turn_unit_open && named.empty();  // a derivative of what is not known
  put_channel(found, motor ? "motor_velocity" : "velocity", *found.velocity, same ? kYamlOpen : unit,
              found.slide_unit_open ? kYamlOpen : moves);
}

void ask_transmission(LogFindings& found, const Robot& robot) {
  if (robot.transmission.is_given()) {
    found.guess.guesses.push_back({"transmission", "of the robot's file", "it has one"});
  } else {
    found.guess.questions.push_back(
        {"transmission",
         "`ratios` of the gears, motor over joint, one per joint, negative where they turn in opposite "
         "directions; "
         "`coupling` where a motor moves two joints, and a line `coupled` after it with their names; "
         "`zero`: the joint angles at which the motors read zero (docs/robot.md)"});
  }
}

// What a name says in the dimension that the joint has: N*m of one that slides is N. Empty: unknown.
std::string effort_unit_of(JointKind kind, const std::string& named) {
  constexpr std::array<std::pair<const char*, const char*>, 3> kPairs = {
      {{"N*m", "N"}, {"mNm", "mN"}, {"kNm", "kN"}}};
  const std::string text = named == "Nm" || named == "N.m" ? "N*m" : named;
  for (const auto& [turns, slides] : kPairs)
    if (text == turns || text == slides) return kind == JointKind::revolute ? turns : slides;
  return "";
}

// Torques of joints that slide, forces of joints that turn: named with a unit that they cannot have.
void mend_effort_units(LogFindings& found, SignalColumns& effort) {
  for (std::size_t k = 0; k < effort.units.size(); ++k) {
    const Joint& joint = *found.robot_joints[k];
    std::string& unit = effort.units[k];
    if (unit.empty() || unit == "%" || is_unit_of(joint.kind, unit)) continue;
    const std::string does = joint.kind == JointKind::revolute ? "turns" : "slides";
    const std::string likely = effort_unit_of(joint.kind, unit);
    if (likely.empty()) {
      found.guess.questions.push_back({"units", fmt::format("the unit of {}: it is named {}, but {} {}",
                                                            effort.columns[k], unit, joint.name, does)});
      unit = kYamlOpen;
      continue;
    }
    if (likely != "N" && likely != "N*m")
      found.guess.guesses.push_back({"unit of " + effort.columns[k], likely,
                                     fmt::format("named {}, but {} {}", unit, joint.name, does)});
    unit = likely;
  }
}

void guess_effort(LogFindings& found, const Robot& robot, bool motor) {
  SignalColumns& effort = *found.effort;
  const ParsedColumn& name = effort.name;
  const bool raw = name.raw || name.unit == "%";  // of unknown unit
  const std::string named_unit = raw ? "" : name.unit;
  LogGuess& guess = found.guess;
  guess.motor_effort = motor || name.motor || name.quantity == ColumnQuantity::current;
  if (name.wanted)
    guess.guesses.push_back({"warning", effort.columns.front(),
                             "not a measurement by its name, but there is no "
                             "other effort"});
  if (name.quantity == ColumnQuantity::current) {
    guess.effort = "current";
    guess.guesses.push_back({"current", effort.columns.front() + " …", "no torque among the columns"});
    const std::string unit = raw || !named_unit.empty() ? named_unit : "A";
    put_channel(found, "current", effort, unit, unit);
    guess.questions.push_back({"gains", "drive gains, N*m (or N) per ampere at the joint, one per joint"});
    return;
  }
  guess.effort = motor ? "motor_torque" : "torque";
  if (!raw) mend_effort_units(found, effort);
  put_channel(found, guess.effort, effort, raw ? "" : "N*m", raw ? "" : "N");
  const char* why = raw                  ? "the names say that there is no unit"
                    : named_unit.empty() ? "N*m assumed: the names give no unit"
                                         : "unit by the columns' names";
  guess.guesses.push_back({guess.effort, effort.columns.front() + " …", why});
  if (raw) {
    guess.questions.push_back({"scale", "N*m (or N) at the joint per unit of the raw effort, one per joint"});
  } else if (name.motor && !motor) {
    guess.questions.push_back({"scale",
                               "gear ratios: the torques are named after motors, the positions are "
                               "those of the joints"});
  }
  if (motor) ask_transmission(found, robot);
}

}  // namespace

std::vector<std::string> to_pattern(const std::vector<std::string>& columns,
                                    const std::vector<LogJoint>& joints) {
  if (columns.size() < 2) return columns;
  std::vector<std::pair<std::string, std::string>> tries = {{joints[0].name, "{name}"}};
  for (int from : {1, 0}) tries.emplace_back(std::to_string(from), from == 1 ? "{j}" : "{j-1}");
  for (const auto& [text, mark] : tries) {
    const std::string& first = columns[0];
    for (std::size_t at = first.find(text); at != std::string::npos; at = first.find(text, at + 1)) {
      if (first.find_first_of("{}") != std::string::npos || first == text) break;
      const std::string pattern = first.substr(0, at) + mark + first.substr(at + text.size());
      bool fits = true;
      for (std::size_t j = 0; j < columns.size() && fits; ++j)
        fits = expand_pattern(pattern, static_cast<int>(j), joints[j]) == columns[j];
      if (fits) return {pattern};
    }
  }
  return columns;
}

void guess_units(LogFindings& found, const Robot& robot) {
  const std::string unit = position_unit(found);
  const bool motor = is_before_gears(found, unit);
  const std::string slide = slide_unit(found);
  put_channel(found, motor ? "motor_position" : "position", *found.position,
              found.turn_unit_open ? kYamlOpen : unit, found.slide_unit_open ? kYamlOpen : slide);
  guess_velocity(found, unit, slide, motor);
  guess_effort(found, robot, motor);
}

}  // namespace steelyard
