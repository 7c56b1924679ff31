#include "init/guess_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "steelyard/core/error.hpp"
#include "steelyard/log/contents.hpp"
#include "steelyard/log/csv.hpp"
#include "steelyard/log/source.hpp"

namespace steelyard::inline STEELYARD_ABI {

std::vector<Signal> read_columns_of(const RunFile& file, const std::vector<std::string>& names) {
  constexpr Index kLongest = 200000;
  RunFile probe = file;
  probe.time.clear();
  probe.rate = 1;
  probe.channels.clear();
  for (const std::string& name : names) {
    ChannelColumns channel;
    channel.channel = "column " + std::to_string(probe.channels.size() + 1);
    std::string escaped;
    for (char c : name) escaped += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
    channel.columns = {escaped};
    probe.channels.push_back(std::move(channel));
  }
  const auto source = open_run(probe, {LogJoint{"one", JointKind::revolute}});
  std::vector<Signal> signals(names.size());
  SampleBlock block;
  for (Index read = 0; read < kLongest; read += block.size()) {
    source->read(4096, block);
    if (block.size() == 0) break;
    for (std::size_t k = 0; k < names.size(); ++k) {
      const double* row = block.row(static_cast<Index>(k));
      signals[k].insert(signals[k].end(), row, row + block.size());
    }
  }
  return signals;
}

namespace {

struct NamedColumn {
  std::string text;
  ParsedColumn name;
  std::size_t place = 0;  // in the file
};

std::vector<NamedColumn> name_columns(const RunFile& file) {
  std::vector<std::string> names = log_columns(file);
  if (names.empty())
    for (int k = 1; k <= CsvReader(file.path, file.csv).columns(); ++k) names.push_back(std::to_string(k));
  std::vector<NamedColumn> columns;
  for (const std::string& name : names) {
    columns.push_back({name, read_column_name(name), columns.size()});
    if (name.empty()) columns.back().text = std::to_string(columns.size());
  }
  return columns;
}

std::string listed(const std::vector<NamedColumn>& columns) {
  std::vector<std::string> names;
  for (const NamedColumn& column : columns) names.push_back(column.text);
  const bool many = names.size() > 12;
  if (many) names.resize(12);
  return fmt::format("{}{}", fmt::join(names, ", "), many ? ", …" : "");
}

bool has_label(const std::vector<NamedColumn>& group, const std::string& label) {
  return std::any_of(group.begin(), group.end(),
                     [&](const NamedColumn& column) { return column.name.label == label; });
}

// One signal in several units, each joint once: q1_m, q2_rad.
bool complete_each_other(const std::vector<NamedColumn>& a, const std::vector<NamedColumn>& b) {
  const ParsedColumn &first = a.front().name, &second = b.front().name;
  return first.group == second.group && first.raw == second.raw && !first.unit.empty() &&
         !second.unit.empty() && std::none_of(b.begin(), b.end(), [&](const NamedColumn& column) {
           return has_label(a, column.name.label);
         });
}

// Groups of columns with the same quantity, in the order of the file.
std::vector<std::vector<NamedColumn>> quantity_groups(const std::vector<NamedColumn>& columns,
                                                      ColumnQuantity quantity) {
  std::vector<std::vector<NamedColumn>> groups;
  for (const NamedColumn& column : columns) {
    if (column.name.quantity != quantity) continue;
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      const ParsedColumn& name = group.front().name;
      return name.group == column.name.group && name.unit == column.name.unit &&
             name.move_unit == column.name.move_unit;
    });
    if (same == groups.end())
      groups.push_back({column});
    else
      same->push_back(column);
  }
  for (std::size_t a = 0; a < groups.size(); ++a)
    for (std::size_t b = a + 1; b < groups.size();) {
      if (!complete_each_other(groups[a], groups[b])) {
        ++b;
        continue;
      }
      groups[a].insert(groups[a].end(), groups[b].begin(), groups[b].end());
      std::sort(groups[a].begin(), groups[a].end(),
                [](const NamedColumn& x, const NamedColumn& y) { return x.place < y.place; });
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(b));
    }
  return groups;
}

// Lower is better: measured, of the first encoder, enough columns.
int preference(const std::vector<NamedColumn>& group, std::size_t joints) {
  const ParsedColumn& name = group.front().name;
  return (group.size() < joints ? 8 : 0) + (name.wanted ? 4 : 0) + (name.second ? 2 : 0) + (name.raw ? 1 : 0);
}

std::optional<std::vector<NamedColumn>> best_group(const std::vector<NamedColumn>& columns,
                                                   ColumnQuantity quantity, std::size_t joints) {
  const auto groups = quantity_groups(columns, quantity);
  if (groups.empty()) return {};
  return *std::min_element(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    return preference(a, joints) < preference(b, joints);
  });
}

std::vector<std::string> labels_of(const std::vector<NamedColumn>& group) {
  std::vector<std::string> labels;
  for (const NamedColumn& column : group) labels.push_back(column.name.label);
  return labels;
}

void ask_order(LogFindings& found) {
  const auto asked = [](const Question& question) { return question.name == "columns"; };
  if (std::none_of(found.guess.questions.begin(), found.guess.questions.end(), asked))
    found.guess.questions.push_back(
        {"columns", "whether the columns are in the joint order of the robot; their names do not say"});
}

// Which joints the positions belong to.
void choose_joints(const std::vector<NamedColumn>& group, const Robot& robot, LogFindings& found) {
  std::vector<std::string> names;
  const std::vector<LogJoint> joints = log_joints(robot);
  for (const LogJoint& joint : joints) names.push_back(joint.name);
  const JointColumns match = match_joints(labels_of(group), robot);
  std::vector<std::string> held;
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (match.column[j] >= 0) {
      found.joints.push_back(static_cast<int>(j));
      found.guess.moving.push_back(names[j]);
    } else {
      held.push_back(names[j]);
    }
  }
  if (held.empty()) {
    found.guess.moving.clear();
  } else {
    found.guess.guesses.push_back({"joints", fmt::format("{} of {} move", found.joints.size(), names.size()),
                                   fmt::format("the log has no position of {}", fmt::join(held, ", "))});
    if (!match.by_name)
      found.guess.questions.push_back(
          {"joints", "which joints the log contains; assumed: the robot's first"});
  }
  if (match.by_order && group.size() > 1) ask_order(found);
}

std::optional<SignalColumns> pick(const std::optional<std::vector<NamedColumn>>& group, const Robot& robot,
                                  LogFindings& found) {
  if (!group) return {};
  const std::vector<LogJoint> joints = log_joints(robot);
  const JointColumns match = match_joints(labels_of(*group), robot);
  SignalColumns signal;
  for (const int k : match.mimics) signal.mimics.push_back((*group)[static_cast<std::size_t>(k)].text);
  signal.name = group->front().name;
  bool turns = false;
  for (int j : found.joints) {
    const int column = match.column[static_cast<std::size_t>(j)];
    if (column < 0) return {};
    const NamedColumn& taken = (*group)[static_cast<std::size_t>(column)];
    signal.columns.push_back(taken.text);
    signal.units.push_back(taken.name.unit);
    if (turns || joints[static_cast<std::size_t>(j)].kind != JointKind::revolute) continue;
    signal.name = taken.name;
    turns = true;
  }
  if (match.by_order && group->size() > 1) ask_order(found);
  return signal;
}

[[noreturn]] void give_up(const char* what, const std::string& path,
                          const std::vector<NamedColumn>& columns) {
  throw InputError({fmt::format("no column looks like a joint's {}: {}", what, listed(columns)),
                    {path, 0, 0, ""},
                    "names such as q1_rad, position[elbow], tau1_Nm, current_1; or one block of columns per "
                    "quantity",
                    "describe the columns in a study by hand (docs/study.md), or rename them"});
}

// One column a joint, or one for all. In °C: no unit is known for them.
void match_temperature(const std::vector<NamedColumn>& columns, const Robot& robot, LogFindings& found) {
  const auto group = best_group(columns, ColumnQuantity::temperature, static_cast<std::size_t>(robot.dof()));
  if (!group || group->front().name.unit == "K") return;  // °C is what a study has
  std::vector<std::string> names;
  if (group->size() == 1)
    names = {group->front().text};
  else if (const auto picked = pick(group, robot, found))
    names = picked->columns;
  if (names.empty()) return;
  found.temperature = std::move(names);
  found.guess.guesses.push_back({"temperature", found.temperature.front() + (group->size() > 1 ? " …" : ""),
                                 "by the columns' names, taken to be in °C"});
}

void match_by_names(const std::vector<NamedColumn>& columns, const Robot& robot, LogFindings& found) {
  const auto n = static_cast<std::size_t>(robot.dof());
  const auto positions = best_group(columns, ColumnQuantity::position, n);
  if (!positions) give_up("position", found.guess.file.path, columns);
  choose_joints(*positions, robot, found);
  found.position = pick(positions, robot, found);
  found.guess.guesses.push_back({"position", positions->front().text + " …", "by the columns' names"});
  found.velocity = pick(best_group(columns, ColumnQuantity::velocity, n), robot, found);
  const auto torques = best_group(columns, ColumnQuantity::torque, n);
  const auto currents = best_group(columns, ColumnQuantity::current, n);
  found.effort = pick(torques, robot, found);
  const bool wanted = found.effort && found.effort->name.wanted;
  if (!found.effort || (wanted && currents && !currents->front().name.wanted)) {
    const auto measured = pick(currents, robot, found);
    if (measured) found.effort = measured;
  }
  if (!found.effort) give_up("torque or current", found.guess.file.path, columns);
  match_temperature(columns, robot, found);
  std::vector<std::string> mimics;
  for (const auto* signal : {&found.position, &found.velocity, &found.effort})
    if (*signal) mimics.insert(mimics.end(), (*signal)->mimics.begin(), (*signal)->mimics.end());
  tell_mimics(robot, mimics, found);
}

// 0, 1, 2, …: numbers of samples, not stamps.
bool counts_samples(const Signal& values) {
  if (values.size() < 3 || (values[0] != 0 && values[0] != 1)) return false;
  for (std::size_t k = 1; k < values.size(); ++k)
    if (values[k] != values[k - 1] + 1) return false;
  return true;
}

// The first column of a table without names: stamps, or numbers of the samples, which are left out.
void take_first_column(std::vector<std::string>& names, std::vector<Signal>& signals, LogFindings& found) {
  if (found.guess.file.time.empty() && counts_samples(signals[0])) {
    found.guess.guesses.push_back({"column " + names[0], "not used", "it counts the samples"});
    names.erase(names.begin());
    signals.erase(signals.begin());
  }
  if (signals.empty() || !found.guess.file.time.empty() || !increases(signals[0])) return;
  found.guess.file.time = names[0];
  found.guess.guesses.push_back({"time", names[0], "the first column always increases"});
  names.erase(names.begin());
  signals.erase(signals.begin());
}

void match_by_numbers(const std::vector<NamedColumn>& columns, const Robot& robot, LogFindings& found) {
  std::vector<std::string> names;
  for (const NamedColumn& column : columns)
    if (column.name.quantity != ColumnQuantity::time) names.push_back(column.text);
  std::vector<Signal> signals = read_columns_of(found.guess.file, names);
  take_first_column(names, signals, found);
  const auto blocks = guess_joint_blocks(signals, robot);
  if (!blocks) give_up("position", found.guess.file.path, columns);
  for (int j = 0; j < robot.dof(); ++j) found.joints.push_back(j);
  const auto take = [&](const std::vector<int>& block) -> std::optional<SignalColumns> {
    if (block.empty()) return {};
    SignalColumns signal;
    for (int column : block) signal.columns.push_back(names[static_cast<std::size_t>(column)]);
    return signal;
  };
  found.position = take(blocks->position);
  found.velocity = take(blocks->velocity);
  found.effort = take(blocks->torque);
  found.effort->name.quantity = ColumnQuantity::torque;
  found.guess.questions.push_back(
      {"columns",
       fmt::format("whether these are the columns: their names say nothing, and of {} blocks of {} "
                   "columns {}",
                   blocks->blocks, robot.dof(),
                   blocks->velocity.empty() ? "the smoother one was taken as position"
                                            : "one is the derivative of another")});
}

void match_time(const std::vector<NamedColumn>& columns, LogFindings& found) {
  RunFile& file = found.guess.file;
  file.time.clear();
  file.time_unit.clear();
  for (const NamedColumn& column : columns)
    if (column.name.quantity == ColumnQuantity::time && file.time.empty()) {
      file.time = column.text;
      file.time_unit = column.name.unit;
      found.guess.guesses.push_back({"time", column.text, "by its name"});
    }
}

// The index that a table was written with, without a name of its own.
void match_index(const std::vector<NamedColumn>& columns, LogFindings& found) {
  const std::string& name = columns.front().text;
  if (!found.guess.file.time.empty() || (name != "1" && !name.starts_with("Unnamed"))) return;
  const Signal values = read_columns_of(found.guess.file, {name}).front();
  if (counts_samples(values) || !increases(values)) return;
  found.guess.file.time = name;
  found.guess.guesses.push_back({"time", name, "the first column has no name and always increases"});
}

void read_signals(LogFindings& found) {
  std::vector<std::string> names;
  if (!found.guess.file.time.empty()) names.push_back(found.guess.file.time);
  const auto each = [&](auto use) {
    for (auto* signal : {&found.position, &found.velocity, &found.effort})
      if (*signal) use(**signal);
  };
  each([&](const SignalColumns& signal) {
    names.insert(names.end(), signal.columns.begin(), signal.columns.end());
  });
  std::vector<Signal> signals = read_columns_of(found.guess.file, names);
  auto next = signals.begin();
  if (!found.guess.file.time.empty()) found.time = std::move(*next++);
  each([&](SignalColumns& signal) {
    for (std::size_t k = 0; k < signal.columns.size(); ++k) signal.samples.push_back(std::move(*next++));
  });
  if (found.time.empty())
    for (std::size_t k = 0; k < found.position->samples[0].size(); ++k)
      found.time.push_back(static_cast<double>(k));
}

void list_unused(const std::vector<NamedColumn>& columns, LogFindings& found) {
  std::vector<std::string> used = found.temperature;
  used.push_back(found.guess.file.time);
  for (const auto* signal : {&found.position, &found.velocity, &found.effort})
    if (*signal) used.insert(used.end(), (*signal)->columns.begin(), (*signal)->columns.end());
  for (const NamedColumn& column : columns)
    if (std::find(used.begin(), used.end(), column.text) == used.end())
      found.guess.unused.push_back(column.text);
}

// Behind the channels whose units were guessed.
void put_temperature(LogFindings& found) {
  if (found.temperature.empty()) return;
  std::vector<LogJoint> joints;
  for (const Joint* joint : found.robot_joints) joints.push_back({joint->name, joint->kind});
  ChannelColumns channel;
  channel.channel = "temperature";
  channel.columns = found.temperature.size() == 1 ? found.temperature : to_pattern(found.temperature, joints);
  found.guess.file.channels.push_back(std::move(channel));
}

}  // namespace

LogGuess guess_log(const std::string& path, const Robot& robot, const std::string& topic) {
  LogFindings found;
  found.guess.file.path = path;
  found.guess.file.topic = topic;
  const std::vector<NamedColumn> columns = name_columns(found.guess.file);
  match_time(columns, found);
  const bool named = std::any_of(columns.begin(), columns.end(), [](const NamedColumn& column) {
    return column.name.quantity != ColumnQuantity::none && column.name.quantity != ColumnQuantity::time;
  });
  if (named) {
    match_index(columns, found);
    match_by_names(columns, robot, found);
  } else {
    match_by_numbers(columns, robot, found);
  }
  const Coordinates independent = coordinates(robot);
  for (int j : found.joints)
    found.robot_joints.push_back(
        &robot.joints[static_cast<std::size_t>(independent.joints[static_cast<std::size_t>(j)])]);
  read_signals(found);
  list_unused(columns, found);
  guess_time_unit(found);
  guess_units(found, robot);
  guess_signs(found);
  put_temperature(found);
  for (const Signal& position : found.position->samples) {
    const auto [low, high] = std::minmax_element(position.begin(), position.end());
    found.guess.ranges.push_back(*high - *low);
  }
  return std::move(found.guess);
}

}  // namespace steelyard
