#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "steelyard/core/sha256.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/fleet/fleet_keys.hpp"
#include "steelyard/study/study_yaml.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

void describe_simulated(Fields& f, FleetSpec& spec) {
  f.count({"robots", "", "simulated ones"}, spec.robots, from_to(0, 10000));
  f.count({"days", "", "simulated ones, a log each"}, spec.days, from_to(1, 1000));
  f.number({"scatter", "", "of masses, centres and friction between healthy robots, as share"}, spec.scatter,
           from_to(0, 0.2, "0.025 is typical"));
  f.sections({"faults", "", "of simulated robots"}, spec.faults);
}

void check_simulated(const Fields& f, const FleetSpec& spec) {
  if (spec.robots < 1)
    f.fail("robots", {"a simulated fleet of 0 robots", {}, "1 to 10000 robots", "give `robots` and `days`"});
  for (const FleetFault& fault : spec.faults)
    if (fault.robot > spec.robots)
      f.fail("faults", {fmt::format("fault of robot {}", fault.robot),
                        {},
                        fmt::format("1 to {}", spec.robots),
                        "name a robot of the fleet"});
}

void check_logs(const Fields& f, FleetSpec& spec) {
  for (const char* key : {"robots", "days", "scatter", "faults"})
    if (f.given(key))
      f.fail(key, {fmt::format("`{}` for a fleet with logs", key), {}, "only with `simulate`", "remove it"});
  if (spec.logs.find("{robot}") == std::string::npos)
    f.fail("logs", {"the pattern of the logs does not contain the robot's name",
                    {},
                    "logs/{robot}-{day}.csv",
                    "put {robot} into it, in quotes"});
  check_log(f, spec.run.file);
}

// What robots cannot share, or what is about one robot only.
void refuse_other_parts(const FleetStudy& fleet) {
  const Study& study = fleet.study;
  const auto refuse = [&](bool found, const char* what) {
    if (found)
      throw InputError({fmt::format("a fleet study with {}", what),
                        {study.path, 0, 0, ""},
                        "robot, seed, drives, columns, known, fleet, prepare, report",
                        "leave it out; `steelyard run` does it for one robot"});
  };
  refuse(has_friction_forms(study.drive_spec), "friction other than viscous, coulomb, offset");
  refuse(study.drive_spec.offset_per_run, "an offset per run");
  refuse(study.effort_delay.any(), "`effort_delay`");
  refuse(study.reverse.has_value(), "`reverse`");
  refuse(study.excite.has_value(), "`excite`");
  refuse(study.elastic.has_value(), "`elastic`");
  refuse(study.feasible.has_value(), "`feasible`");
  refuse(!study.exports.empty(), "`export`");
  refuse(!study.runs.empty(), "`runs` beside `fleet`");
  refuse(study.estimator.instruments || study.estimator.single_rows || study.estimator.essential.has_value(),
         "an estimator other than weighted least squares");
}

}  // namespace

void describe(Fields& f, FleetFault& fault) {
  f.count(required({"robot", "", "from 1"}), fault.robot, from_to(1, 10000));
  f.count({"link", "", "with extra mass, from 1; 0: none"}, fault.link, from_to(0, 1000));
  f.number({"mass", "kg", "of the link, more"}, fault.mass, any_number());
  f.point({"at", "m", "of the mass in the link's frame; zero: at the centre of mass"}, fault.at);
  f.count({"joint", "", "from 1; 0: none"}, fault.joint, from_to(0, 1000));
  f.number({"friction", "", "times that of a healthy robot"}, fault.friction, at_least(0));
  f.number({"gain", "", "logged over true effort"}, fault.gain, any_number());
  f.number({"wear", "", "share by which the friction rises per day"}, fault.wear, any_number());
  f.count({"from", "", "first day of the fault"}, fault.from, from_to(1, 1000));
  if (f.reads() && (fault.link > 0) == (fault.joint > 0))
    f.fail(nullptr, {"a fault affects either one link or one joint",
                     {},
                     "`link` with `mass`, or `joint` with others",
                     "give one of them"});
}

void describe(Fields& f, FleetSpec& spec) {
  std::string as_written = spec.run.path_as_written;
  f.path({"logs", "", "pattern of the logs: \"logs/{robot}-{day}.csv\""}, spec.logs, as_written);
  f.number({"level", "", "probability of a false alarm"}, spec.level, inside(0, 0.5, "0.01 is typical"));
  f.optional_section({"simulate", "", "instead of logs, as for a run"}, spec.run.simulation);
  describe_simulated(f, spec);
  if (f.reads()) {
    spec.run.file.path = spec.logs;
    spec.run.path_as_written = as_written;
    spec.run.file.label.label = "run 1";
    spec.folder = f.folder();
    if (f.given("logs") == f.given("simulate"))
      f.fail(nullptr,
             {"a fleet has logs or is simulated", {}, "one of `logs` and `simulate`", "give one of them"});
  }
  describe_log(f, spec.run.file);
  if (!f.reads()) return;
  spec.run.simulation ? check_simulated(f, spec) : check_logs(f, spec);
  if (spec.run.simulation) spec.run.simulation->options.label = spec.run.file.label;
}

FleetStudy read_fleet_study(const std::string& path) {
  const std::string text = read_text_file(path, "study");
  const YamlContext context{path, "", 1};
  YamlNode root = parse_study(text, path);
  const auto key = std::find_if(root.keys.begin(), root.keys.end(),
                                [](const YamlNode& node) { return node.text == "fleet"; });
  if (key == root.keys.end())
    context.fail(root, "the study has no `fleet`", "fleet: {logs: \"logs/{robot}-{day}.csv\", columns: …}",
                 "add it; `steelyard run` is for one robot");
  const auto at = key - root.keys.begin();
  const YamlNode section = root.items[static_cast<std::size_t>(at)];
  root.keys.erase(key);
  root.items.erase(root.items.begin() + at);
  FleetStudy fleet;
  fleet.study = read_study_tree(root, path, false);
  read_described(context, section, "fleet", std::filesystem::path(path).parent_path().string(),
                 [&](Fields& fields) { describe(fields, fleet.fleet); });
  fleet.text_hash = sha256(text);
  refuse_other_parts(fleet);
  return fleet;
}

}  // namespace steelyard
