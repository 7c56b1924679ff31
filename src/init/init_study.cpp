#include "steelyard/init/init_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "steelyard/core/error.hpp"
#include "steelyard/log/contents.hpp"
#include "steelyard/robot/read.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

namespace fs = std::filesystem;

// A YAML scalar: plain where that is safe, otherwise in double quotes.
std::string scalar(const std::string& text) {
  constexpr const char* kSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-*^";
  const bool word = text.find_first_not_of(kSafe) == std::string::npos &&
                    text.find_first_not_of("0123456789.") != std::string::npos;
  const bool begins = text.find_first_of("-*^.") != 0 || text.starts_with("../");
  if (word && begins) return text;
  std::string quoted_text = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted_text += '\\';
    quoted_text += c;
  }
  return quoted_text + "\"";
}

std::string list_of(const std::vector<std::string>& texts) {
  if (texts.size() == 1) return scalar(texts[0]);
  std::vector<std::string> items;
  for (const std::string& text : texts) items.push_back(scalar(text));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

std::string ones(std::size_t count) {
  return fmt::format("[{}]", fmt::join(std::vector<int>(count, 1), ", "));
}

// Relative to the study's folder when it is near, otherwise absolute.
std::string path_in_study(const std::string& path, const std::string& study) {
  const fs::path folder = fs::absolute(study).parent_path();
  const fs::path relative =
      fs::absolute(path).lexically_normal().lexically_relative(folder.lexically_normal());
  const auto up = std::count(relative.begin(), relative.end(), fs::path(".."));
  return relative.empty() || up > 3 ? fs::absolute(path).lexically_normal().string() : relative.string();
}

// Words over several comment lines.
std::string comment(const std::string& indent, const std::string& text) {
  constexpr std::size_t kWidth = 100;
  std::string result, line = indent + "#";
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (line.size() + word.size() + 1 > kWidth) {
      result += line + "\n";
      line = indent + "#  ";
    }
    line += " " + word;
    begin = end + 1;
  }
  return result + line + "\n";
}

const Question* asked(const LogGuess& guess, const std::string& name) {
  for (const Question& question : guess.questions)
    if (question.name == name) return &question;
  return nullptr;
}

std::string edit_mark(const std::string& indent, const Question& question) {
  return comment(indent, fmt::format("EDIT {}: {}", question.name, question.text));
}

std::string units_text(const RunFile& file) {
  std::vector<std::string> units;
  if (file.time_unit != "s" && !file.time.empty()) units.push_back("time: " + scalar(file.time_unit));
  for (const ChannelColumns& channel : file.channels)
    if (!channel.units.empty() && !channel.units[0].empty())
      units.push_back(fmt::format("{}: {}", channel.channel, list_of(channel.units)));
  return fmt::format("{{{}}}", fmt::join(units, ", "));
}

std::string columns_of(const RunFile& file) {
  std::vector<std::string> columns;
  if (!file.time.empty()) columns.push_back("time: " + scalar(file.time));
  for (const ChannelColumns& channel : file.channels)
    columns.push_back(fmt::format("{}: {}", channel.channel, list_of(channel.columns)));
  return fmt::format("{{{}}}", fmt::join(columns, ",\n              "));
}

std::string run_text(const InitLog& log, const InitOptions& options, std::size_t joints) {
  const RunFile& file = log.guess.file;
  std::string text = fmt::format("  - file: {}\n    label: {}\n",
                                 scalar(path_in_study(file.path, options.study)), scalar(log.label));
  if (log.validates) text += "    role: validate   # not fitted: the last of several logs is predicted\n";
  for (const Guess& guess : log.guess.guesses)
    text += comment("    ", fmt::format("{}: {} ({})", guess.what, guess.value, guess.why));
  if (!log.guess.unused.empty())
    text += comment("    ", fmt::format("not used: {}", fmt::join(log.guess.unused, ", ")));
  if (!file.topic.empty()) text += fmt::format("    topic: {}\n", scalar(file.topic));
  if (const Question* question = asked(log.guess, "columns")) text += edit_mark("    ", *question);
  text += fmt::format("    columns: {}\n", columns_of(file));
  if (const Question* question = asked(log.guess, "units")) text += edit_mark("    ", *question);
  text += fmt::format("    units: {}\n", units_text(file));
  if (const Question* question = asked(log.guess, "scale"))
    text +=
        edit_mark("    ", *question) + fmt::format("    scale: {{{}: {}}}\n", log.guess.effort, ones(joints));
  if (file.time.empty()) {
    if (const Question* question = asked(log.guess, "rate")) text += edit_mark("    ", *question);
    text += fmt::format("    rate: {:g}\n", file.rate);
  }
  return text;
}

std::string drives_text(const Robot& robot, bool motor_side) {
  const bool declared = std::any_of(robot.joints.begin(), robot.joints.end(), [](const Joint& joint) {
    return joint.drive.viscous || joint.drive.coulomb || joint.drive.offset || joint.drive.rotor_inertia;
  });
  if (declared) return "# drives: what the robot's file declares\n";
  return std::string(
             "# Friction: viscous, Coulomb and offset. `friction: auto` also tries a sigmoid and a "
             "Stribeck curve.\n") +
         (motor_side ? "# Rotor inertia: the torques are motor torques, before the gears.\n" : "") +
         fmt::format("drives: {{friction: [viscous, coulomb, offset]{}}}\n",
                     motor_side ? ", rotor_inertia: true" : "");
}

std::string derived_robot(const InitOptions& options, const std::string& path, const Robot& held,
                          const InitStudy& init) {
  const LogGuess& first = init.logs.front().guess;
  std::string text = comment("", fmt::format("What the logs need and {} does not contain; docs/robot.md.",
                                             fs::path(options.robot).filename().string()));
  text += fmt::format("from: {}\n", scalar(path_in_study(options.robot, path)));
  if (!first.moving.empty()) {
    if (const Question* question = asked(first, "joints")) text += edit_mark("", *question);
    text += fmt::format(
        "# All other joints are held at zero; `held: {{NAME: position}}` sets other positions.\n"
        "moving: {}\n",
        list_of(first.moving).starts_with("[") ? list_of(first.moving) : "[" + list_of(first.moving) + "]");
  }
  if (const Question* question = asked(first, "transmission"))
    text += edit_mark("", *question) +
            fmt::format("transmission: {{ratios: {}}}\n", ones(log_joints(held).size()));
  return text;
}

void read_logs(const InitOptions& options, const Robot& robot, Robot& held, InitStudy& init) {
  std::set<std::string> labels;
  for (const std::string& path : options.logs) {
    InitLog log;
    log.label = fs::path(path).stem().string();
    for (int k = 2; !labels.insert(log.label).second; ++k)
      log.label = fmt::format("{} {}", fs::path(path).stem().string(), k);
    log.guess = guess_log(path, robot, is_bag(path) ? options.topic : "");
    if (init.logs.empty()) {
      if (!log.guess.moving.empty()) held = hold_joints(robot, log.guess.moving);
    } else if (log.guess.moving != init.logs.front().guess.moving) {
      throw InputError({"this log has different joints from the first",
                        {path, 0, 0, ""},
                        "logs of the same joints",
                        "create a study for each"});
    }
    init.logs.push_back(std::move(log));
  }
  if (init.logs.size() > 1) init.logs.back().validates = true;
  std::set<std::string> names;
  for (const InitLog& log : init.logs)
    for (const Question& question : log.guess.questions)
      if (names.insert(question.name).second) init.questions.push_back(question);
}

std::string study_text(const InitOptions& options, const Robot& held, const InitStudy& init) {
  const std::size_t joints = log_joints(held).size();
  const LogGuess& first = init.logs.front().guess;
  const std::string& robot_path = init.robot_path.empty() ? options.robot : init.robot_path;
  std::string text = "# Written by `steelyard init`: guesses with their reasons; check and correct them.\n";
  text += init.questions.empty()
              ? "# Nothing is left to fill in.\n"
              : fmt::format("# To edit: {} (the lines marked EDIT{}).\n", init.questions.size(),
                            init.robot_path.empty() ? "" : ", here and in the robot's file");
  text += fmt::format("robot: {}\n", scalar(path_in_study(robot_path, options.study)));
  text += drives_text(held, first.effort == "motor_torque");
  text += "runs:\n";
  for (const InitLog& log : init.logs) text += run_text(log, options, joints);
  if (const Question* question = asked(first, "gains"))
    text += edit_mark("", *question) + fmt::format("gains: {{known: {}}}\n", ones(joints));
  text +=
      "# Zero-phase filters; the cut-off is chosen on held-out efforts. A number in Hz is faster.\n"
      "# Efforts that are certainly later or earlier than the positions are put at their time.\n"
      "prepare: {filter: {order: 4, cutoff: auto}, columns: filtered, decimate: auto, effort_delay: auto}\n"
      "estimate: {method: wls}   # each joint weighted by its own noise\n"
      "validate: {cross: {blocks: 10, by: phase}}\n"
      "# Physically feasible parameters, in addition to least squares:\n"
      "# feasible: {method: auto, objective: torque}\n";
  return text;
}

}  // namespace

InitStudy init_study(const InitOptions& options) {
  if (options.logs.empty())
    throw InputError({"no log is given", {}, "at least one", "give the log file after the robot file"});
  const Robot robot = read_robot(options.robot).robot;
  Robot held = robot;
  InitStudy init;
  read_logs(options, robot, held, init);
  const LogGuess& first = init.logs.front().guess;
  if (!first.moving.empty() || asked(first, "transmission") != nullptr) {
    const fs::path study(options.study);
    init.robot_path = (study.parent_path() / (study.stem().string() + "-robot.yaml")).string();
    init.robot = derived_robot(options, init.robot_path, held, init);
  }
  init.study = study_text(options, held, init);
  return init;
}

}  // namespace steelyard
