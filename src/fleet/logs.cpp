// The logs of a fleet: files by their names, or simulated robots.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>

#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/fleet/fleet.hpp"
#include "steelyard/study/simulation.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

namespace fs = std::filesystem;

struct Names {
  std::string robot, day;
};

// One part of a path's pattern as a regular expression, `day` being what days look like.
struct PartPattern {
  std::regex expression;
  std::vector<std::string> holes;  // in order
};

constexpr const char* kDate =
    "([0-9]{4}-?[0-9]{2}-?[0-9]{2}(?:[T_ -][0-9]{2}[:-]?[0-9]{2}(?:[:-]?[0-9]{2})?)?)";

PartPattern compile(const std::string& part, const std::string& day) {
  PartPattern out;
  std::string text;
  for (std::size_t at = 0; at < part.size();) {
    if (part.compare(at, 7, "{robot}") == 0) {
      text += "(.+)";
      out.holes.emplace_back("robot");
      at += 7;
    } else if (part.compare(at, 5, "{day}") == 0) {
      text += day;
      out.holes.emplace_back("day");
      at += 5;
    } else if (part[at] == '*') {
      text += ".*";
      ++at;
    } else {
      if (std::string(".^$|()[]{}+?\\").find(part[at]) != std::string::npos) text += '\\';
      text += part[at++];
    }
  }
  out.expression = std::regex(text);
  return out;
}

// Takes the names of a part; false when it does not fit, or gives another name than an earlier part.
bool match_part(const std::string& name, const std::string& part, Names& names) {
  for (const char* day : {kDate, "([0-9]+)", "(.+)"}) {
    const PartPattern pattern = compile(part, day);
    std::smatch found;
    if (!std::regex_match(name, found, pattern.expression)) continue;
    Names taken = names;
    bool fits = true;
    for (std::size_t k = 0; k < pattern.holes.size(); ++k) {
      std::string& target = pattern.holes[k] == "robot" ? taken.robot : taken.day;
      const std::string value = found[k + 1].str();
      fits &= target.empty() || target == value;
      target = value;
    }
    if (fits) return names = taken, true;
  }
  return false;
}

void walk(const fs::path& folder, std::vector<std::string>::const_iterator part,
          std::vector<std::string>::const_iterator end, const Names& names,
          std::vector<std::pair<Names, fs::path>>& found) {
  const bool is_last = part + 1 == end;
  const bool is_plain = part->find_first_of("{*") == std::string::npos;
  std::error_code ignored;
  std::vector<fs::path> entries;
  if (is_plain) {
    if (fs::exists(folder / *part, ignored)) entries.push_back(folder / *part);
  } else {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
      entries.push_back(entry.path());
    std::sort(entries.begin(), entries.end());
  }
  for (const fs::path& entry : entries) {
    // As in a shell: hidden files match only where the pattern has the dot. Unfinished results are hidden.
    if (entry.filename().string().starts_with('.') && !part->starts_with('.')) continue;
    Names taken = names;
    if (!is_plain && !match_part(entry.filename().string(), *part, taken)) continue;
    if (is_last) {
      found.emplace_back(taken, entry);
    } else if (fs::is_directory(entry, ignored)) {
      walk(entry, part + 1, end, taken, found);
    }
  }
}

// Days since 1970 of 2026-01-31, 20260131, 2026-01-31T14-30; nothing for other texts.
std::optional<double> date_of(const std::string& text) {
  std::string digits;
  for (const char c : text)
    if (c >= '0' && c <= '9') digits += c;
  if (!std::regex_match(text, std::regex(kDate))) return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t length) {
    int value = 0;
    std::from_chars(digits.data() + at, digits.data() + at + length, value);
    return value;
  };
  const std::chrono::year_month_day date{std::chrono::year(number(0, 4)),
                                         std::chrono::month(static_cast<unsigned>(number(4, 2))),
                                         std::chrono::day(static_cast<unsigned>(number(6, 2)))};
  if (!date.ok()) return std::nullopt;
  double days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (digits.size() >= 12) days += (number(8, 2) + number(10, 2) / 60.0) / 24;
  return days;
}

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Dates when all are dates, numbers when all are numbers, otherwise the order of the names.
std::string set_times(std::vector<FleetStudyLog>& logs) {
  for (const auto& read : {date_of, number_of}) {
    const bool all =
        std::all_of(logs.begin(), logs.end(), [&](const FleetStudyLog& log) { return read(log.log); });
    if (!all) continue;
    for (FleetStudyLog& log : logs) log.time = *read(log.log);
    return "day";
  }
  std::map<std::string, int> counts;
  for (FleetStudyLog& log : logs) log.time = counts[log.robot]++;
  return "log";
}

FleetLogs list_logs(const FleetSpec& spec) {
  std::vector<std::string> parts;
  const fs::path pattern(spec.logs);
  for (const fs::path& part : pattern.relative_path()) parts.push_back(part.string());
  std::vector<std::pair<Names, fs::path>> found;
  const fs::path start = pattern.is_absolute() ? pattern.root_path() : fs::path(".");
  walk(start, parts.begin(), parts.end(), {}, found);
  if (found.empty())
    throw InputError({fmt::format("no file matches the pattern '{}'", spec.run.path_as_written),
                      {spec.logs, 0, 0, ""},
                      "",
                      "{robot} and {day} stand for any text in the name of a file or folder"});
  FleetLogs out;
  for (const auto& [names, path] : found) {
    FleetStudyLog log{names.robot, names.day.empty() ? path.stem().string() : names.day, 0, spec.run};
    log.run.file.path = path.string();
    log.run.path_as_written =
        path.lexically_proximate(spec.folder.empty() ? "." : spec.folder).generic_string();
    log.run.file.label.label = log.robot + " " + log.log;
    out.logs.push_back(std::move(log));
  }
  std::stable_sort(out.logs.begin(), out.logs.end(), [](const FleetStudyLog& a, const FleetStudyLog& b) {
    return std::tie(a.robot, a.log) < std::tie(b.robot, b.log);
  });
  out.time_unit = set_times(out.logs);
  std::stable_sort(out.logs.begin(), out.logs.end(), [](const FleetStudyLog& a, const FleetStudyLog& b) {
    return std::tie(a.robot, a.time) < std::tie(b.robot, b.time);
  });
  return out;
}

// A link's mass times `mass`, its extent times `size`: a body stays a body.
void scale_link(VectorXd& standard, int link, double mass, double size) {
  const double powers[] = {1, size, size * size};
  for (int k = 0; k < 10; ++k) standard[10 * link + k] *= mass * powers[k == 0 ? 0 : k < 4 ? 1 : 2];
}

void add_point_mass(VectorXd& standard, const FleetFault& fault) {
  auto ten = standard.segment(10 * (fault.link - 1), 10);
  Vector3 c = fault.at;
  if (c.isZero() && ten[0] > 0) c = ten.segment(1, 3) / ten[0];
  const double x = c[0], y = c[1], z = c[2];
  VectorXd point(10);
  point << 1, x, y, z, y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y;
  ten += fault.mass * point;
}

// Clipped at 2.5 standard deviations: a robot that far off would not leave the factory.
double scattered(Random& random, double scatter) {
  return 1 + scatter * std::clamp(random.normal(), -2.5, 2.5);
}

StudyRun simulated_run(const FleetStudy& study, const Robot& robot, int number, int day) {
  const FleetSpec& spec = study.fleet;
  StudyRun run = spec.run;
  SimulationSpec& simulation = *run.simulation;
  TrueParameters parameters = simulated_parameters(simulation, robot);
  Random random(study.study.seed, "fleet robot", static_cast<std::uint64_t>(number));
  for (int link = 0; link < robot.size(); ++link) {
    const double mass = scattered(random, spec.scatter);
    scale_link(parameters.standard, link, mass, scattered(random, spec.scatter));
  }
  for (Drive& drive : parameters.drives) {
    drive.friction.viscous *= scattered(random, spec.scatter);
    drive.friction.coulomb *= scattered(random, spec.scatter);
  }
  VectorXd scale = VectorXd::Ones(static_cast<Index>(parameters.drives.size()));
  for (const FleetFault& fault : spec.faults) {
    if (fault.robot != number) continue;
    if (fault.link > robot.size() || fault.joint > robot.size())
      throw InputError({"a fault names a link or joint that the robot does not have",
                        {study.study.path, 0, 0, ""},
                        fmt::format("1 to {}", robot.size()),
                        {}});
    const int since = day + 1 - fault.from;  // days with it so far
    if (since < 0) continue;
    if (fault.link > 0) add_point_mass(parameters.standard, fault);
    if (fault.joint == 0) continue;
    Friction& friction = parameters.drives[static_cast<std::size_t>(fault.joint - 1)].friction;
    const double factor = fault.friction * (1 + fault.wear * since);
    friction.viscous *= factor;
    friction.coulomb *= factor;
    scale[fault.joint - 1] = fault.gain;
  }
  simulation.drives = parameters.drives;
  const std::vector<std::string> names = standard_parameter_names(robot);
  for (std::size_t k = 0; k < names.size(); ++k)
    simulation.parameters[names[k]] = parameters.standard[static_cast<Index>(k)];
  simulation.options.effort_scale = scale;
  simulation.options.seed =
      Random(study.study.seed, "fleet noise", static_cast<std::uint64_t>(1000 * number + day)).bits() >> 11;
  return run;
}

FleetLogs simulate_logs(const FleetStudy& study, const Robot& robot) {
  FleetLogs out;
  const std::size_t width = std::to_string(study.fleet.robots).size();
  for (int r = 1; r <= study.fleet.robots; ++r)
    for (int day = 0; day < study.fleet.days; ++day) {
      FleetStudyLog log{fmt::format("robot-{:0{}}", r, width), fmt::format("{}", day + 1),
                        static_cast<double>(day + 1), simulated_run(study, robot, r, day)};
      log.run.file.label.label = log.robot + " " + log.log;
      out.logs.push_back(std::move(log));
    }
  out.time_unit = "day";
  return out;
}

}  // namespace

FleetLogs fleet_logs(const FleetStudy& study, const Robot& robot) {
  if (study.fleet.run.samples)
    throw InputError({"the logs of a fleet are in memory",
                      {study.study.path, 0, 0, ""},
                      "files by a pattern, or a simulation",
                      "write them as files; compare_fleet() takes folds in memory"});
  return study.fleet.run.simulation ? simulate_logs(study, robot) : list_logs(study.fleet);
}

}  // namespace steelyard
