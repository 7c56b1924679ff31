#include "init/guess_names.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "steelyard/core/error.hpp"
#include "steelyard/core/units.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using Words = std::vector<std::string>;

bool is_small(char c) {
  return std::islower(static_cast<unsigned char>(c)) != 0;
}
bool is_capital(char c) {
  return std::isupper(static_cast<unsigned char>(c)) != 0;
}
bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

Words words_of_name(const std::string& name) {
  Words words;
  char last = ' ';
  for (char c : name) {
    if (is_letter(c) || is_digit(c)) {
      // mN and kNm are one word: a prefix and a unit.
      const bool prefix = c == 'N' && (words.empty() ? "" : words.back()) == std::string(1, last) &&
                          (last == 'm' || last == 'k');
      const bool together =
          (is_letter(c) && is_letter(last) && (prefix || !(is_small(last) && is_capital(c)))) ||
          (is_digit(c) && is_digit(last));
      if (!together) words.emplace_back();
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    last = c;
  }
  return words;
}

struct QuantityWord {
  ColumnQuantity quantity;
  bool motor;
};

const std::map<std::string, QuantityWord>& quantity_words() {
  static const std::map<std::string, QuantityWord> words = [] {
    std::map<std::string, QuantityWord> all;
    const auto add = [&](ColumnQuantity quantity, bool motor, std::initializer_list<const char*> list) {
      for (const char* word : list) all[word] = {quantity, motor};
    };
    add(ColumnQuantity::time, false, {"t", "time", "timestamp", "stamp", "clock"});
    add(ColumnQuantity::position, false,
        {"q", "pos", "position", "positions", "angle", "angles", "theta", "qpos", "phi"});
    add(ColumnQuantity::position, true, {"qm", "qmot", "thetam"});
    add(ColumnQuantity::velocity, false,
        {"dq", "qd", "qdot", "vel", "velocity", "velocities", "speed", "omega", "qvel"});
    add(ColumnQuantity::velocity, true, {"dqm", "qdm"});
    add(ColumnQuantity::acceleration, false, {"ddq", "qdd", "qddot", "acc", "accel", "acceleration"});
    add(ColumnQuantity::acceleration, true, {"ddqm", "qddm"});
    add(ColumnQuantity::torque, false,
        {"tau", "torque", "torques", "trq", "moment", "effort", "efforts", "eff", "force", "forces"});
    add(ColumnQuantity::torque, true, {"taum"});
    add(ColumnQuantity::temperature, false, {"temp", "temperature", "temperatures"});
    add(ColumnQuantity::current, false, {"cur", "curr", "current", "currents", "i", "iq", "amps"});
    return all;
  }();
  return words;
}

const std::set<std::string> kMotorWords = {"mot", "motor", "mtr"};
const std::set<std::string> kWantedWords = {"ref", "reference", "des",         "desired", "target",
                                            "cmd", "command",   "commanded",   "set",     "setpoint",
                                            "ff",  "model",     "feedforward", "est",     "estimated"};
const std::set<std::string> kSecondWords = {"se", "secondary", "second"};
const std::set<std::string> kSourceWords = {"meas",     "measured", "act",   "actual", "fbk",
                                            "feedback", "sensor",   "state", "field",  "data"};
const std::set<std::string> kOtherWords = {"voltage", "volt", "status", "error", "err"};
const std::set<std::string> kJointWords = {"joint", "jnt", "axis", "link", "j"};
const std::set<std::string> kAbsoluteWords = {"abs", "absolute", "magnitude", "mag"};
const std::set<std::string> kRawWords = {"raw", "counts", "ticks", "increments"};

const std::map<std::string, std::string> kUnitWords = {
    {"rad", "rad"}, {"deg", "deg"},     {"degrees", "deg"}, {"degree", "deg"},   {"m", "m"},
    {"mm", "mm"},   {"radps", "rad/s"}, {"rads", "rad/s"},  {"degps", "deg/s"},  {"degs", "deg/s"},
    {"mps", "m/s"}, {"mmps", "mm/s"},   {"rpm", "rpm"},     {"nm", "N*m"},       {"mnm", "mNm"},
    {"knm", "kNm"}, {"mn", "mN"},       {"kn", "kN"},       {"n", "N"},          {"a", "A"},
    {"ma", "mA"},   {"s", "s"},         {"sec", "s"},       {"secs", "s"},       {"seconds", "s"},
    {"ms", "ms"},   {"msec", "ms"},     {"us", "us"},       {"ns", "ns"},        {"percent", "%"},
    {"pct", "%"},   {"c", "degC"},      {"degc", "degC"},   {"celsius", "degC"}, {"k", "K"},
    {"kelvin", "K"}};

bool is_number_text(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// "Torque 3 [N*m]": takes the unit at the end out of the name.
std::string take_bracket_unit(std::string& name) {
  if (name.empty() || (name.back() != ']' && name.back() != ')')) return "";
  const std::size_t open = name.find_last_of("[(");
  if (open == std::string::npos || open == 0) return "";
  std::string inside = name.substr(open + 1, name.size() - open - 2);
  if (inside.empty() || is_number_text(inside)) return "";
  try {
    parse_unit(inside);
  } catch (const InputError&) {
    return "";
  }
  name.erase(open);
  return inside;
}

bool takes_unit(ColumnQuantity quantity, const std::string& unit) {
  static const std::map<ColumnQuantity, std::set<std::string>> fits = {
      {ColumnQuantity::time, {"s", "ms", "us", "ns"}},
      {ColumnQuantity::position, {"rad", "deg", "m", "mm"}},
      {ColumnQuantity::velocity, {"rad/s", "deg/s", "m/s", "mm/s", "rpm"}},
      {ColumnQuantity::acceleration, {"rad/s", "deg/s", "m/s"}},
      {ColumnQuantity::torque, {"N*m", "mNm", "kNm", "N", "mN", "kN", "%"}},
      {ColumnQuantity::current, {"A", "mA", "%"}},
      {ColumnQuantity::temperature, {"degC", "K"}}};
  const auto found = fits.find(quantity);
  return found != fits.end() && found->second.contains(unit);
}

// Unit words after the quantity, with their qualifiers; the rest stays in `words`.
void take_units(Words& words, std::size_t begin, ParsedColumn& column) {
  for (std::size_t k = begin; k < words.size();) {
    if (kRawWords.contains(words[k])) {
      column.raw = true;
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(k));
      continue;
    }
    const auto found = kUnitWords.find(words[k]);
    if (found == kUnitWords.end()) {
      ++k;
      continue;
    }
    std::string unit = found->second;
    std::size_t end = k + 1;
    if ((unit == "rad" || unit == "deg") && end < words.size() && words[end] == "s") unit += "/s", ++end;
    if (!takes_unit(column.quantity, unit)) {
      ++k;
      continue;
    }
    if (column.quantity == ColumnQuantity::acceleration && end < words.size() && words[end] == "2")
      unit += "^2", ++end;
    (column.unit.empty() ? column.unit : column.move_unit) = unit;
    if (end < words.size() && words[end] == "or") ++end;
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(k),
                words.begin() + static_cast<std::ptrdiff_t>(end));
  }
}

std::string joined_label(const Words& words) {
  std::string label;
  for (const std::string& word : words)
    if (!kJointWords.contains(word)) label += word;
  return label;
}

// Index of the word that is the quantity: "current_position" is a position, "torque_sensor_temp_1" a temperature.
std::optional<std::size_t> quantity_word(const Words& words) {
  for (std::size_t k = 0; k < words.size(); ++k) {
    const auto found = quantity_words().find(words[k]);
    if (found != quantity_words().end() && found->second.quantity == ColumnQuantity::temperature) return k;
  }
  std::optional<std::size_t> current;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (kOtherWords.contains(words[k])) return {};
    const auto found = quantity_words().find(words[k]);
    if (found == quantity_words().end()) continue;
    if (found->second.quantity != ColumnQuantity::current) {
      for (std::size_t later = k + 1; later < words.size(); ++later)
        if (kOtherWords.contains(words[later])) return {};
      return k;
    }
    if (!current) current = k;
  }
  return current;
}

// Digits at the end of a label, and the text before them.
std::pair<std::string, std::string> split_number(const std::string& label) {
  std::size_t at = label.size();
  while (at > 0 && is_digit(label[at - 1])) --at;
  return {label.substr(0, at), label.substr(at)};
}

bool match_numbers(const std::vector<std::string>& labels, LabelMatch& match) {
  std::vector<std::pair<int, int>> numbers;  // number, column
  const std::string stem = labels.empty() ? "" : split_number(labels[0]).first;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const auto [before, digits] = split_number(labels[k]);
    if (digits.empty() || digits.size() > 4 || before != stem) return false;
    numbers.emplace_back(std::stoi(digits), static_cast<int>(k));
  }
  std::sort(numbers.begin(), numbers.end());
  if (numbers.empty() || numbers[0].first > 1) return false;
  for (std::size_t k = 1; k < numbers.size(); ++k)
    if (numbers[k].first != numbers[0].first + static_cast<int>(k)) return false;
  for (std::size_t j = 0; j < match.column.size() && j < numbers.size(); ++j)
    match.column[j] = numbers[j].second;
  return true;
}

// Every label must find a joint of its own.
bool match_names(const std::vector<std::string>& labels, const std::vector<std::string>& joints,
                 LabelMatch& match) {
  std::vector<std::string> wanted;
  for (const std::string& joint : joints) wanted.push_back(joint_label(joint));
  std::vector<int> column(joints.size(), -1);
  for (const bool whole : {true, false})
    for (std::size_t k = 0; k < labels.size(); ++k) {
      if (std::find(column.begin(), column.end(), static_cast<int>(k)) != column.end()) continue;
      std::vector<std::size_t> fits;
      for (std::size_t j = 0; j < joints.size(); ++j)
        if (column[j] < 0 &&
            (whole ? labels[k] == wanted[j] : labels[k].size() > 1 && wanted[j].starts_with(labels[k])))
          fits.push_back(j);
      if (fits.size() == 1)
        column[fits[0]] = static_cast<int>(k);
      else if (!whole || fits.size() > 1)
        return false;
    }
  match.column = column;
  match.by_name = true;
  return true;
}

}  // namespace

ParsedColumn read_column_name(const std::string& name) {
  ParsedColumn column;
  std::string rest = name;
  const std::string bracket = take_bracket_unit(rest);
  Words words = words_of_name(rest);
  const auto at = quantity_word(words);
  if (!at) return column;
  const QuantityWord& found = quantity_words().at(words[*at]);
  column.quantity = found.quantity;
  column.motor = found.motor;
  // Of one signal, as joints turn or slide.
  column.group = words[*at].starts_with("force") ? "torque" : words[*at];
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(*at));
  take_units(words, *at, column);
  if (!bracket.empty()) column.unit = bracket;
  Words left;
  for (const std::string& word : words) {
    const bool motor = kMotorWords.contains(word), wanted = kWantedWords.contains(word);
    const bool second = kSecondWords.contains(word);
    const bool absolute = kAbsoluteWords.contains(word) && column.quantity != ColumnQuantity::position;
    column.motor |= motor, column.wanted |= wanted, column.second |= second, column.absolute |= absolute;
    if (motor || wanted || second || absolute || kSourceWords.contains(word))
      column.group += " " + word;
    else if (!(word == "current" && column.quantity != ColumnQuantity::current))
      left.push_back(word);
  }
  column.label = joined_label(left);
  if (column.quantity == ColumnQuantity::time && !column.label.empty()) return {};
  return column;
}

std::string joint_label(const std::string& name) {
  return joined_label(words_of_name(name));
}

LabelMatch match_labels(const std::vector<std::string>& labels, const std::vector<std::string>& joints) {
  LabelMatch match;
  match.column.assign(joints.size(), -1);
  if (match_names(labels, joints, match) || match_numbers(labels, match)) return match;
  match.by_order = true;
  for (std::size_t j = 0; j < joints.size() && j < labels.size(); ++j) match.column[j] = static_cast<int>(j);
  return match;
}

}  // namespace steelyard
