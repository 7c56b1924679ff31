#include "steelyard/init/init_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "init/roles.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/yaml_tree.hpp"
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

std::string open_list(std::size_t count) {
  return fmt::format("[{}]", fmt::join(std::vector<std::string>(count, kYamlOpen), ", "));
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

// What only the user knows is open in the study: `EDIT` instead of a value. What was guessed and needs a look is
// marked.
bool is_open(const Question& question) {
  return question.name != "columns" && question.name != "joints";
}

// Comments of the questions with this name; empty: there are none.
std::string asked(const LogGuess& guess, const std::string& name, const std::string& indent) {
  std::string text;
  for (const Question& question : guess.questions)
    if (question.name == name)
      text += comment(indent, fmt::format("{}{}: {}", is_open(question) ? "" : "EDIT ", name, question.text));
  return text;
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
  if (log.validates) text += "    role: validate   # not fitted: one of several logs is predicted\n";
  for (const Guess& guess : log.guess.guesses)
    text += comment("    ", fmt::format("{}: {} ({})", guess.what, guess.value, guess.why));
  if (!log.guess.unused.empty())
    text += comment("    ", fmt::format("not used: {}", fmt::join(log.guess.unused, ", ")));
  if (!file.topic.empty()) text += fmt::format("    topic: {}\n", scalar(file.topic));
  text += asked(log.guess, "columns", "    ") + fmt::format("    columns: {}\n", columns_of(file));
  text += asked(log.guess, "units", "    ") + fmt::format("    units: {}\n", units_text(file));
  if (log.guess.unsigned_effort) text += "    unsigned: true\n";
  if (const std::string why = asked(log.guess, "unsigned", "    "); !why.empty())
    text += why + fmt::format("    unsigned: {}\n", kYamlOpen);
  if (const std::string why = asked(log.guess, "scale", "    "); !why.empty())
    text += why + fmt::format("    scale: {{{}: {}}}\n", log.guess.effort, open_list(joints));
  if (file.time.empty())
    text += asked(log.guess, "rate", "    ") +
            fmt::format("    rate: {}\n", file.rate > 0 ? fmt::format("{:g}", file.rate) : kYamlOpen);
  return text;
}

// In every log, and of efforts that friction with a temperature can be fitted to.
bool has_temperature(const InitStudy& init) {
  return std::all_of(init.logs.begin(), init.logs.end(), [](const InitLog& log) {
    const std::vector<ChannelColumns>& channels = log.guess.file.channels;
    return !log.guess.unsigned_effort && asked(log.guess, "gains", "").empty() &&
           std::any_of(channels.begin(), channels.end(),
                       [](const ChannelColumns& channel) { return channel.channel == "temperature"; });
  });
}

std::string drives_text(const Robot& robot, bool motor_side, bool temperature) {
  const bool declared = std::any_of(robot.joints.begin(), robot.joints.end(), [](const Joint& joint) {
    return joint.drive.viscous || joint.drive.coulomb || joint.drive.offset || joint.drive.rotor_inertia;
  });
  constexpr const char* kRotors =
      "# Rotor inertia: the efforts are those of motors, which also accelerate their rotors.\n";
  const bool rotors = std::any_of(robot.joints.begin(), robot.joints.end(),
                                  [](const Joint& joint) { return joint.drive.rotor_inertia; });
  if (declared)
    return std::string("# drives: what the robot's file declares\n") +
           (motor_side && !rotors ? std::string(kRotors) + "drives: {rotor_inertia: true}\n" : "");
  return std::string(
             "# Friction: viscous, Coulomb and offset. `friction: auto` also tries a sigmoid and a "
             "Stribeck curve.\n") +
         (motor_side ? kRotors : "") +
         (temperature
              ? "# Friction changes with the temperature of the drives, where held-out rows show it.\n"
              : "") +
         fmt::format("drives: {{friction: [viscous, coulomb, offset]{}{}}}\n",
                     temperature ? ", temperature: auto" : "", motor_side ? ", rotor_inertia: true" : "");
}

std::string derived_robot(const InitOptions& options, const std::string& path, const Robot& held,
                          const InitStudy& init) {
  const LogGuess& first = init.logs.front().guess;
  std::string text = comment("", fmt::format("What the logs need and {} does not contain; docs/robot.md.",
                                             fs::path(options.robot).filename().string()));
  text += fmt::format("from: {}\n", scalar(path_in_study(options.robot, path)));
  if (!first.moving.empty()) {
    text += asked(first, "joints", "");
    text += fmt::format(
        "# All other joints are held at zero; `held: {{NAME: position}}` sets other positions.\n"
        "moving: {}\n",
        list_of(first.moving).starts_with("[") ? list_of(first.moving) : "[" + list_of(first.moving) + "]");
  }
  if (const std::string why = asked(first, "transmission", ""); !why.empty())
    text += why + fmt::format("transmission: {{ratios: {}}}\n", open_list(log_joints(held).size()));
  return text;
}

void require_same_kind(const InitLog& log, const InitLog& first) {
  const auto refuse = [&](const std::string& what, const std::string& limit) {
    throw InputError({what, {log.guess.file.path, 0, 0, ""}, limit, "create a study for each"});
  };
  if (log.guess.moving != first.guess.moving)
    refuse("this log has different joints from the first", "logs of the same joints");
  if (log.guess.effort != first.guess.effort)
    refuse(fmt::format("this log has the effort '{}', the first '{}'", log.guess.effort, first.guess.effort),
           "efforts of one kind");
}

void read_logs(const InitOptions& options, const Robot& robot, Robot& held, InitStudy& init) {
  std::set<std::string> labels;
  std::set<fs::path> files;
  for (const std::string& path : options.logs) {
    InitLog log;
    if (!files.insert(fs::absolute(path).lexically_normal()).second)
      throw InputError({"the log is given twice", {path, 0, 0, ""}, "different logs", "leave it out once"});
    log.label = fs::path(path).stem().string();
    for (int k = 2; !labels.insert(log.label).second; ++k)
      log.label = fmt::format("{} {}", fs::path(path).stem().string(), k);
    log.guess = guess_log(path, robot, is_bag(path) ? options.topic : "");
    if (!init.logs.empty())
      require_same_kind(log, init.logs.front());
    else if (!log.guess.moving.empty())
      held = hold_joints(robot, log.guess.moving);
    init.logs.push_back(std::move(log));
  }
  assign_roles(held, init.logs);
  std::set<std::string> names;
  for (const InitLog& log : init.logs)
    for (const Question& question : log.guess.questions)
      if (names.insert(question.name + question.text).second) init.questions.push_back(question);
}

// |effort| needs a cut-off in Hz; gains of |current| are identified with its signs (docs/signs.md).
std::string prepare_text(const InitStudy& init, std::size_t joints) {
  constexpr double kUsual = 5, kOfRate = 0.2;
  const LogGuess& first = init.logs.front().guess;
  const std::string gains = asked(first, "gains", "");
  const auto without = std::find_if(init.logs.begin(), init.logs.end(),
                                    [](const InitLog& log) { return log.guess.unsigned_effort; });
  if (without == init.logs.end())
    return (gains.empty() ? "" : gains + fmt::format("gains: {{known: {}}}\n", open_list(joints))) +
           "# Zero-phase filters; the cut-off is chosen on held-out efforts. A number in Hz is faster.\n"
           "# Efforts that are certainly later or earlier than the positions are put at their time.\n"
           "prepare: {filter: {order: 4, cutoff: auto}, columns: filtered, decimate: auto, effort_delay: "
           "auto}\n";
  const double rate = without->guess.rate;
  const double cutoff = rate > 0 ? std::min(kUsual, kOfRate * rate) : kUsual;
  return fmt::format(
      "# Zero-phase filters. |effort| cannot choose its cut-off [Hz]: a few times the motion's highest "
      "frequency.\n"
      "prepare: {{filter: {{order: 4, cutoff: {0:.3g}}}, columns: filtered, decimate: auto}}\n{1}"
      "signs: {{filter: {{order: 4, cutoff: {0:.3g}}}{2}}}\n",
      cutoff, gains, gains.empty() ? "" : fmt::format(", gains: {{a_priori: {}}}", open_list(joints)));
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
  text += drives_text(held, first.motor_effort, has_temperature(init));
  text += "runs:\n";
  for (const InitLog& log : init.logs) text += run_text(log, options, joints);
  text += prepare_text(init, joints);
  text +=
      "estimate: {method: irls}   # each joint weighted by its own noise\n"
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
  if (!first.moving.empty() || !asked(first, "transmission", "").empty()) {
    const fs::path study(options.study);
    init.robot_path = (study.parent_path() / (study.stem().string() + "-robot.yaml")).string();
    init.robot = derived_robot(options, init.robot_path, held, init);
  }
  init.study = study_text(options, held, init);
  return init;
}

}  // namespace steelyard
