// Results of a fleet study, and its JSON (docs/fleet.md).
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fleet/compare.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

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

}  // namespace STEELYARD_ABI
}  // namespace steelyard
