// A fleet study: many robots of one type, one or several logs each (docs/fleet.md).
//
//   robot: arm.yml
//   fleet:
//     logs: logs/{robot}-{day}.csv      # robots and days by the names of files; * stands for anything
//     columns: {time: t, position: "q{j}", torque: "tau{j}"}
//   prepare: {filter: {order: 4, cutoff: 10}, columns: filtered}
//
// Every log is prepared and folded by itself, as a run of a study is; what is left of it is one fold per
// joint, kept in a state folder under the hash of the log and of everything that was done to it. A program
// that is killed and started again reuses the existing folds and does the rest; the same for logs that
// are added later. A log that cannot be used is reported with the reason; the others are still used.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fleet/compare.hpp"
#include "steelyard/report/report.hpp"
#include "steelyard/result/result.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard::inline STEELYARD_ABI {

// What is wrong with one robot of a simulated fleet.
struct FleetFault {
  int robot = 0;  // from 1
  int link = 0;   // with extra mass; from 1, 0: none
  double mass = 0;
  Vector3 at = Vector3::Zero();  // of the mass, in the link's frame; zero: at the link's centre of mass
  int joint = 0;                 // from 1, 0: none
  double friction = 1;           // times
  double gain = 1;               // logged over true effort
  double wear = 0;               // share by which the friction rises per day
  int from = 1;                  // first day of the fault
};

struct FleetSpec {
  std::string logs;  // pattern of paths; empty: simulated
  std::string folder;
  StudyRun run;  // how each log is read, or simulated
  double level = 0.01;
  int robots = 0;  // simulated
  int days = 1;
  double scatter = 0.025;  // σ of masses, centres and friction between healthy robots, as shares
  std::vector<FleetFault> faults;
};

struct FleetStudy {
  Study study;  // without runs
  FleetSpec fleet;
  std::string text_hash;  // of the study's file
};

FleetStudy read_fleet_study(const std::string& path);

struct FleetStudyLog {
  std::string robot, log;
  double time = 0;
  StudyRun run;
};

struct FleetLogs {
  std::vector<FleetStudyLog> logs;  // by robot, then by time
  std::string time_unit = "log";
};

// Files that fit the pattern, or simulated runs. Throws InputError when there is none.
FleetLogs fleet_logs(const FleetStudy& study, const Robot& robot);

struct FleetRunOptions {
  int threads = 1;
  std::string state_folder;  // empty: nothing is kept
  std::function<void(Index done, Index logs)>
      progress;  // may be empty; called from any thread, one at a time
};

// Removes what run_fleet() keeps there; other files stay.
void forget_fleet_state(const std::string& state_folder);

// Results of a fleet study, and its JSON (docs/fleet.md).

struct FleetLogSummary {
  std::string robot, log;
  std::string path;    // relative to the study where possible; empty: simulated
  std::string sha256;  // of the file; empty: simulated
  double time = 0;
  Index samples = 0;
  double noise_factor = 1;
};

// A log that could not be used, or was left out; the others are used.
struct FleetProblem {
  std::string robot, log, path;
  std::string finding;  // of the doctor: "position-unit"; "fit": does not fit the model; empty: not read
  std::string message;
};

struct FleetSummary {
  std::string robot_name, robot_hash;
  std::string time_unit;  // "day" or "log"
  double level = 0;
  FleetResult result;
  std::vector<FleetLogSummary> logs;
  std::vector<FleetProblem> problems;
  std::vector<std::string> lost;  // robots without any usable log
  Provenance provenance;
};

// Numbers that are not known are null.
std::string to_json(const FleetSummary& summary);

// Throws InputError when no log at all can be used.
FleetSummary run_fleet(const FleetStudy& study, const FleetRunOptions& options = {});

// The page of a fleet: which robots differ and in what, drifts, the fleet's parameters, a map of all standard
// deviations.
//
// One offline file of tables and one drawing, without the page of web/. The same summary gives the same
// bytes.

std::string render_fleet(const FleetSummary& summary, const ReportOptions& options = {});

}  // namespace steelyard
