// steelyard convert IN OUT: a log in another format. IN is a study (one of its runs, in SI, on the joint
// side), or a log with self-describing column names: a bag's, or those that `simulate` and
// `convert` write.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "output.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/log/columns.hpp"
#include "steelyard/log/contents.hpp"
#include "steelyard/log/write_log.hpp"
#include "steelyard/robot/read.hpp"
#include "steelyard/simulate/simulate.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

using steelyard::InputError;
using steelyard::JointKind;
using steelyard::LogJoint;
using steelyard::RunFile;
using steelyard::SampleSource;

struct ConvertOptions {
  std::string in;
  std::string out;
  std::string run;
  std::string robot;
  std::string topic;
  std::string packing = "none";
  bool replace = false;
};

struct OpenLog {
  std::unique_ptr<SampleSource> source;
  std::vector<LogJoint> joints;
};

const std::vector<std::string> kChannels = {
    "position",       "velocity",       "acceleration",       "torque",      "current",
    "motor_position", "motor_velocity", "motor_acceleration", "motor_torque"};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string ending(const std::string& path) {
  const std::size_t dot = path.find_last_of("./");
  if (dot == std::string::npos || path[dot] != '.') return {};
  std::string text = path.substr(dot);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

OpenLog open_study_log(const ConvertOptions& options) {
  const steelyard::Study study = steelyard::read_study(options.in);
  std::vector<std::string> labels;
  for (const steelyard::StudyRun& run : study.runs) labels.push_back(run.file.label.label);
  if (options.run.empty() && study.runs.size() != 1)
    throw InputError({fmt::format("the study has {} runs", study.runs.size()),
                      {options.in, 0, 0, ""},
                      "its runs: " + fmt::format("{}", fmt::join(labels, ", ")),
                      "name one with --run"});
  const std::string wanted = options.run.empty() ? labels.front() : options.run;
  const auto found = std::find(labels.begin(), labels.end(), wanted);
  if (found == labels.end())
    throw InputError(steelyard::unknown("run", wanted, labels, {options.in, 0, 0, ""}));
  const steelyard::Robot robot = study_robot(study);
  return {open_study_run(study.runs[static_cast<std::size_t>(found - labels.begin())], robot),
          log_joints(robot)};
}

// Joints from the names of the columns, when no robot is given.
std::vector<LogJoint> match_joints(const std::vector<std::string>& names, bool bag) {
  std::vector<LogJoint> joints;
  if (bag) {
    for (const std::string& name : names)
      if (name.starts_with("position["))
        joints.push_back({name.substr(9, name.size() - 10), JointKind::revolute});
    return joints;
  }
  for (std::size_t j = 1;; ++j) {
    const bool turns =
        contains(names, fmt::format("q{}_rad", j)) || contains(names, fmt::format("qm{}_rad", j)) ||
        contains(names, fmt::format("position[{}]", j)) || (j == 1 && contains(names, "position"));
    if (!turns && !contains(names, fmt::format("q{}_m", j))) return joints;
    joints.push_back({fmt::format("joint{}", j), turns ? JointKind::revolute : JointKind::prismatic});
  }
}

// Whether the log has the channel's column of every joint.
bool has_channel(const steelyard::ChannelColumns& channel, const std::vector<std::string>& names,
                 const std::vector<LogJoint>& joints) {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const std::string& pattern = channel.columns[channel.columns.size() == 1 ? 0 : j];
    const std::string name = expand_pattern(pattern, static_cast<int>(j), joints[j]);
    const bool vector =
        joints.size() == 1 && name.ends_with("[1]") && contains(names, name.substr(0, name.size() - 3));
    if (!vector && !contains(names, name)) return false;
  }
  return true;
}

RunFile recognise(const ConvertOptions& options, std::vector<LogJoint>& joints) {
  RunFile file;
  file.path = options.in;
  file.topic = options.topic;
  const std::vector<std::string> names = log_columns(file);
  const bool bag = steelyard::is_bag(options.in);
  if (joints.empty()) joints = match_joints(names, bag);
  std::vector<steelyard::ChannelColumns> candidates;
  if (bag) {
    use_joint_states(file);
    candidates = file.channels;
  } else if (contains(names, "time")) {
    file.time = "time";
    for (const std::string& channel : kChannels)
      candidates.push_back({channel, {channel + "[{j}]"}, {}, {}, {}, {}});
  } else {
    candidates = standard_columns(options.in, kChannels, joints).channels;
  }
  file.channels.clear();
  for (const steelyard::ChannelColumns& channel : candidates)
    if (!joints.empty() && has_channel(channel, names, joints)) file.channels.push_back(channel);
  if (file.channels.empty() || !contains(names, file.time)) {
    const std::size_t shown = std::min<std::size_t>(names.size(), 12);
    throw InputError(
        {fmt::format("the meaning of the columns cannot be determined from their names: {}{}",
                     fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     shown < names.size() ? ", …" : ""),
         {options.in, 0, 0, ""},
         "t_s, q1_rad, tau1_Nm, …; time, position[1], …; or a JointState topic",
         "describe the log in a study, and convert that"});
  }
  return file;
}

OpenLog open_log(const ConvertOptions& options) {
  if (ending(options.in) == ".yaml" || ending(options.in) == ".yml") return open_study_log(options);
  OpenLog log;
  if (!options.robot.empty()) log.joints = log_joints(steelyard::read_robot(options.robot).robot);
  const RunFile file = recognise(options, log.joints);
  log.source = open_run(file, log.joints);
  return log;
}

steelyard::WrittenLog write_log(const ConvertOptions& options, OpenLog& log) {
  const std::string format = ending(options.out);
  if (format == ".npz") return write_npz(*log.source, options.out, log.joints);
  if (format == ".mcap")
    return write_mcap(*log.source, options.out, log.joints, steelyard::parse_mcap_packing(options.packing));
  if (format == ".csv") {
    steelyard::WrittenLog written{standard_columns(options.out, log.source->channels(), log.joints), {}};
    write_csv(*log.source, written.file, log.joints);
    return written;
  }
  throw InputError(
      {fmt::format("{} cannot be written", format.empty() ? "a file without extension" : format + " files"),
       {options.out, 0, 0, ""},
       ".csv, .npz or .mcap",
       "MATLAB, HDF5 and SQLite logs are read only"});
}

// The line of a study that reads what was written.
std::string columns_text(const RunFile& file) {
  std::string text = fmt::format("columns: {{time: {}", file.time);
  for (const steelyard::ChannelColumns& channel : file.channels) {
    text += fmt::format(", {}: ", channel.channel);
    if (channel.columns.size() == 1) {
      text += fmt::format("\"{}\"", channel.columns.front());
    } else {
      text += fmt::format("[{}]", fmt::join(channel.columns, ", "));
    }
  }
  return text + "}";
}

int run_convert(const ConvertOptions& options, const CommonOptions& common) {
  refuse_existing(options.out, options.replace);
  OpenLog log = open_log(options);
  const steelyard::WrittenLog written = write_log(options, log);
  if (common.json) {
    nlohmann::ordered_json json = {{"written", options.out}, {"topic", written.file.topic}};
    if (written.file.topic.empty()) json.erase("topic");
    json["joints"] = nlohmann::ordered_json::array();
    for (const LogJoint& joint : log.joints) json["joints"].push_back(joint.name);
    json["columns"]["time"] = written.file.time;
    for (const steelyard::ChannelColumns& channel : written.file.channels)
      json["columns"][channel.channel] = channel.columns;
    json["not_carried"] = written.not_carried;
    print(json.dump(2) + "\n");
    return kDone;
  }
  if (common.quiet) return kDone;
  print(fmt::format("{}\n{}\n", options.out, columns_text(written.file)));
  if (!written.not_carried.empty())
    print_problem(fmt::format("not carried: {}", fmt::join(written.not_carried, ", ")));
  return kDone;
}

}  // namespace

Run add_convert(Arguments& verb) {
  const auto options = std::make_shared<ConvertOptions>();
  verb.add("IN", options->in, "Log (.csv, .mat, .h5, .npy, .npz, .db3, .mcap), or a study (.yaml)")
      .required();
  verb.add("OUT", options->out, "File to write: .csv, .npz or .mcap").required();
  verb.add("--run", options->run, "Label of the study's run");
  verb.add("--robot", options->robot, "Robot whose joints the log has (default: by the log's own names)");
  verb.add("--topic", options->topic, "Topic of a bag");
  verb.add("--packing", options->packing, "Of .mcap: none, lz4 or zstd").with_default();
  verb.add_flag("--replace", options->replace, "Overwrite an existing file");
  verb.footer(
      "Examples:\n  steelyard convert run.db3 run.mcap --packing zstd\n"
      "  steelyard convert study.yaml run.npz --run excitation\n");
  return [options](const CommonOptions& common) { return run_convert(*options, common); };
}

}  // namespace cli
