// One log of a fleet: folded, or taken from the state folder.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fleet/fleet.hpp"
#include "steelyard/identify/folded.hpp"

namespace steelyard::inline STEELYARD_ABI {

// What all logs share: the robot, its columns, the preparation. `study` has no runs.
struct FleetShared {
  const FleetStudy& fleet;
  Study study;  // with the cut-off that was chosen
  Robot robot;
  std::string robot_hash;
  BaseParameters base;
  Plan plan;
};

// The study of one log.
Study study_of_log(const FleetShared& shared, const FleetStudyLog& log);

// What turns the samples of a log into rows.
Setup setup_of_log(const FleetShared& shared, const Job& job);

// The stored part of a log.
struct LogDigest {
  std::vector<Fold> folds;  // one per row
  double noise_factor = 1;
  Index samples = 0;
  std::string sha256;  // of the file; empty: simulated
  std::string file;    // in the state folder; empty: none
};

// Whether a file of this name is one that digest_log() keeps.
bool is_state_name(const std::string& name);

// Throws InputError for logs that cannot be used.
LogDigest digest_log(const FleetShared& shared, const FleetStudyLog& log, const std::string& state_folder,
                     int threads);

}  // namespace steelyard
