// Section `runs`: logs, their columns and conversions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "steelyard/log/contents.hpp"
#include "study/describe_run.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

const Fields::Words& column_words() {
  static const Fields::Words words = {
      "time",    "position",       "velocity",       "acceleration",       "torque",
      "current", "motor_position", "motor_velocity", "motor_acceleration", "motor_torque",
      "known",   "theta",          "elastic_torque", "temperature"};
  return words;
}

bool has_channel(const RunFile& file, const char* name) {
  return std::any_of(file.channels.begin(), file.channels.end(),
                     [&](const ChannelColumns& channel) { return channel.channel == name; });
}

Complaint no_channel(const char* name) {
  return {
      fmt::format("columns has no {}", name),
      {},
      "position and torque, on the joint or the motor side, or position and current; of `steelyard forecast` "
      "positions alone",
      "name the log's columns, e.g. \"q{j}\""};
}

void describe_columns(Fields& f, RunFile& file) {
  const Key key = {
      "columns", "",
      "channel → column: a pattern with {j} (joint number) or {name}, or a list. motor_…: on the motor "
      "side, converted by the robot's transmission. Left out for bags: a JointState topic by the "
      "joints' names"};
  if (f.given("columns")) file.time.clear();
  Fields::Words names;
  if (!f.reads() && !file.time.empty() && !file.channels.empty()) names.emplace_back("time");
  for (const ChannelColumns& channel : file.channels) names.push_back(channel.channel);
  const std::size_t first = names.size() - file.channels.size();
  f.map(key, names, column_words(), [&](Fields& item, std::size_t k) {
    ChannelColumns channel;
    if (!item.reads() && k < names.size())
      channel = k < first ? ChannelColumns{"time", {file.time}, {}, {}, {}, {}} : file.channels[k - first];
    if (item.reads()) channel.channel = names[k];
    if (item.reads() && names[k] == "time") return item.text({"time", "", key.meaning}, file.time);
    item.texts({item.reads() ? names[k].c_str() : key.name, "", key.meaning}, channel.columns);
    if (item.reads()) file.channels.push_back(channel);
  });
  if (!f.given("columns")) return;
  if (!has_channel(file, "position") && !has_channel(file, "motor_position"))
    f.fail("columns", no_channel("position"));
}

bool has_efforts(const RunFile& file) {
  return has_channel(file, "torque") || has_channel(file, "motor_torque") || has_channel(file, "current");
}

// `units`, `scale`, `sign` and `offset` are maps from channels that `columns` has.
ChannelColumns& channel_of(Fields& item, const char* owner, const std::string& name, RunFile& file) {
  for (ChannelColumns& channel : file.channels)
    if (channel.channel == name) return channel;
  item.fail(nullptr, {fmt::format("{} refers to '{}', but columns has no such channel", owner, name),
                      {},
                      "",
                      fmt::format("remove it or add `columns: {{{}: ...}}`", name)});
  throw InternalError("a complaint that does not throw");
}

void describe_units(Fields& f, RunFile& file) {
  const Key key = {"units", "",
                   "channel → unit: rad, deg, N*m, ms, …; one for all joints or a list. Left out: SI"};
  Fields::Words names;
  if (!f.reads() && file.time_unit != "s") names.emplace_back("time");
  for (const ChannelColumns& channel : file.channels)
    if (!channel.units.empty()) names.push_back(channel.channel);
  f.map(key, names, column_words(), [&](Fields& item, std::size_t k) {
    ChannelColumns none;
    const bool is_time = k < names.size() && names[k] == "time";
    if (is_time) return item.text({"units of time", "", key.meaning}, file.time_unit);
    item.texts({"units", "", key.meaning},
               k < names.size() ? channel_of(item, "units", names[k], file).units : none.units);
  });
}

void describe_factors(Fields& f, const Key& key, std::vector<double> ChannelColumns::*member, RunFile& file) {
  Fields::Words names;
  for (const ChannelColumns& channel : file.channels)
    if (!(channel.*member).empty()) names.push_back(channel.channel);
  f.map(key, names, column_words(), [&](Fields& item, std::size_t k) {
    std::vector<double> none;
    if (item.reads() && names[k] == "time")
      item.fail(nullptr, {fmt::format("{} of time", key.name), {}, "channels only", "use the unit of time"});
    std::vector<double>& values =
        k < names.size() ? channel_of(item, key.name, names[k], file).*member : none;
    const std::string what = item.reads() ? fmt::format("{} of {}", key.name, names[k]) : key.name;
    item.numbers({what.c_str(), "", key.meaning}, values, any_number());
    if (item.reads() && member == &ChannelColumns::scale &&
        std::find(values.begin(), values.end(), 0.0) != values.end())
      item.fail(nullptr, {fmt::format("{} is 0", what),
                          {},
                          "other than zero",
                          "1 leaves the column as it is; omit a channel that is not used"});
  });
}

void check_windows(const Fields& f, const StudyRun& run) {
  if (f.given("windows") && (f.given("from") || f.given("to")))
    f.fail("windows", {"`windows` beside `from` or `to`", {}, "one of them", "leave `from` and `to` out"});
  if (f.given("windows") && f.given("split"))
    f.fail("split", {"`split` beside `windows`", {}, "one of them", "split a run with `from` and `to`"});
  if (f.given("split") && f.given("role"))
    f.fail("role",
           {"`role` beside `split`", {}, "one of them", "the first part is fitted, the rest validates"});
  if (run.window.to <= run.window.from)
    f.fail(f.given("to") ? "to" : "from",
           {fmt::format("the run goes from {:g} s to {:g} s", run.window.from, run.window.to),
            {},
            "`from` below `to`",
            ""});
  double end = -std::numeric_limits<double>::infinity();
  for (const TimeWindow& window : run.windows) {
    if (!(window.from < window.to) || window.from < end)
      f.fail("windows", {fmt::format("a window goes from {:g} s to {:g} s", window.from, window.to),
                         {},
                         "[from, to] with from below to, one after the other",
                         ""});
    end = window.to;
  }
}

void describe_windows(Fields& f, StudyRun& run) {
  const auto bound = [&](const Key& key, double& value) {
    std::optional<double> given;
    if (!f.reads() && std::isfinite(value)) given = value;
    f.number(key, given, any_number());
    if (f.reads() && given) value = *given;
  };
  bound({"from", "s", "earlier samples are left out, by the time stamps of the log"}, run.window.from);
  bound({"to", "s", "samples from then on are left out"}, run.window.to);
  const Key windows = {"windows", "s",
                       "[[from, to], …], instead of `from` and `to`: each becomes a run of its own, \"label "
                       "part 1\", …; null: "
                       "open"};
  f.list(windows, run.windows.size(), [&](Fields& item, std::size_t k) {
    TimeWindow fresh;
    if (item.reads() && k >= run.windows.size()) run.windows.push_back(fresh);
    TimeWindow& window = k < run.windows.size() ? run.windows[k] : fresh;
    item.interval({"window", "s", windows.meaning}, window.from, window.to);
  });
  bool is_split = run.fit_share.has_value();
  double share = run.fit_share.value_or(0.5);
  f.section(
      {"split", "", "the run as two: its first part is fitted, the rest validates"}, is_split,
      [&](Fields& inner) {
        inner.number({"fit", "", "share of the time that is fitted"}, share, inside(0, 1, "0.5 is a half"));
      });
  if (f.reads() && is_split) run.fit_share = share;
  if (f.reads()) check_windows(f, run);
}

void check_run(Fields& f, StudyRun& run) {
  run.place = f.place();
  run.file.path = run.simulation || run.folds.empty() ? run.file.path : run.folds;
  const std::string& label = run.file.label.label;
  if (label.size() > kLongestLabel)
    f.fail("label", {fmt::format("a label of {} bytes", label.size()),
                     {},
                     fmt::format("at most {}", kLongestLabel),
                     "shorten it"});
  const int kinds = f.given("file") + f.given("simulate") + f.given("folds");
  if (f.given("file") && f.given("simulate"))
    f.fail(nullptr, {"run has both 'file' and 'simulate'", {}, "one of them", "remove one"});
  if (kinds > 1) f.fail("folds", {"run has 'folds' beside another kind", {}, "one of them", "remove one"});
  if (kinds == 0) f.fail(nullptr, {"run has no 'file'", {}, "", "add `file: ...`"});
}

}  // namespace

void describe_log(Fields& f, RunFile& file) {
  describe_columns(f, file);
  if (f.reads() && !f.given("columns") && is_bag(file.path)) use_joint_states(file);
  describe_units(f, file);
  describe_factors(
      f, {"scale", "", "channel → factor, or one per joint: value = sign · scale · unit · field + offset"},
      &ChannelColumns::scale, file);
  describe_factors(f, {"sign", "", "channel → 1 or -1, or one per joint"}, &ChannelColumns::sign, file);
  describe_factors(f, {"offset", "", "channel → number, or one per joint"}, &ChannelColumns::offset, file);
  f.number({"rate", "Hz", "of files without time stamps; 0: they have them"}, file.rate, from_to(0, 1e9));
  f.choice({"separator", "", "between the columns of a text file"}, file.csv.separator,
           {{"auto", Separator::detect},
            {"comma", Separator::comma},
            {"semicolon", Separator::semicolon},
            {"tab", Separator::tab},
            {"spaces", Separator::spaces}});
  f.text({"topic", "", "of a bag; none: the only one that can be read"}, file.topic);
}

void check_log(const Fields& f, const RunFile& file, bool may_lack_efforts) {
  const bool bag = is_bag(file.path);
  if (f.given("topic") && !bag)
    f.fail("topic", {"'topic' is given for a file that is not a bag", {}, ".db3 or .mcap", "remove it"});
  if (!bag && !f.given("columns")) f.fail(nullptr, {"run has no 'columns'", {}, "", "add `columns: ...`"});
  if (f.given("columns") && !has_efforts(file) && !may_lack_efforts) f.fail("columns", no_channel("torque"));
  if (file.time.empty() && file.rate <= 0)
    f.fail(nullptr, {"run has neither a time column nor a rate",
                     {},
                     "",
                     "add `columns: {time: ...}` or `rate: 1000` [Hz]"});
}

void require_efforts(const Study& study) {
  for (const StudyRun& run : study.runs)
    if (run.no_efforts) {
      Complaint complaint = no_channel("torque");
      complaint.place = *run.no_efforts;
      throw InputError(complaint);
    }
}

void describe_run(Fields& f, StudyRun& run, std::size_t number) {
  RunLabel& label = run.file.label;
  if (f.reads()) label.label = fmt::format("run {}", number);
  std::string none, log = run.folded || run.simulation ? "" : run.path_as_written;
  std::string folds = run.folded ? run.path_as_written : "";
  f.path({"file", "", "log: CSV, MATLAB, HDF5, NumPy, ROS 2 bag ([log](log.md))"}, run.file.path, log);
  f.path({"folds", "",
          "instead of `file`: a fold file, every run in it; only `label` (of a single run) and `role` beside "
          "it"},
         f.reads() ? run.folds : none, folds);
  f.optional_section({"simulate", "", "instead of `file`: a simulated run"}, run.simulation);
  f.text({"label", "", "name in results and of files, at most 200 bytes; left out: run 1, run 2, …"},
         label.label);
  f.choice({"role", "", "fitted, or predicted only"}, label.role,
           {{"fit", RunRole::fit}, {"validate", RunRole::validate}});
  f.text({"payload", "", "name of the load carried in the run, from `payloads`"}, label.payload);
  f.flag({"unsigned", "", "the log has |effort| only"}, run.unsigned_effort);
  describe_windows(f, run);
  if (f.reads()) {
    run.path_as_written = folds.empty() ? log : folds;
    run.label_given = f.given("label");
  }
  describe_log(f, run.file);
  if (!f.reads()) return;
  check_run(f, run);
  if (run.simulation) {
    const RunFile fresh;
    for (const auto& [key, is_given] : {std::pair{"rate", run.file.rate != fresh.rate},
                                        {"separator", run.file.csv.separator != fresh.csv.separator},
                                        {"topic", !run.file.topic.empty()}})
      if (is_given)
        f.fail(key, {fmt::format("'{}' beside 'simulate'", key), {}, "a log in a file", "leave it out"});
    run.simulation->options.label = label;
    run.simulation->options.unsigned_effort = run.unsigned_effort;
  } else if (run.folds.empty()) {
    check_log(f, run.file, true);
    if (f.given("columns") && !has_efforts(run.file)) run.no_efforts = f.place("columns");
  }
  if (!run.folds.empty())
    for (const char* key : {"payload", "unsigned", "from", "to", "windows", "split", "columns", "units",
                            "scale", "sign", "offset", "rate", "separator", "topic"})
      if (f.given(key))
        f.fail(key, {fmt::format("'{}' beside folds", key), {}, "folds, label, role", "leave it out"});
}

}  // namespace steelyard
