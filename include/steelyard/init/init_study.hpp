// A first study from a robot and its logs: text with a reason for every guess, and lines marked EDIT for what
// only the user can know.
//
// The last of several logs validates; friction is viscous, Coulomb and offset unless the robot's file
// declares its drives; the cut-off of the filters is left to held-out data (`cutoff: auto`). Where the
// robot's file cannot express what the logs need (joints that do not move, gears before a URDF's joints) a
// second file is proposed, a robot derived from the first (robot/derived.hpp).
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/init/guess_log.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct InitOptions {
  std::string robot;                 // file
  std::vector<std::string> logs;     // files, at least one
  std::string topic;                 // of bags; empty: the only one that can be read
  std::string study = "study.yaml";  // where the text will be: paths in it are relative to its folder
};

struct InitLog {
  std::string label;
  bool validates = false;
  LogGuess guess;
};

struct InitStudy {
  std::string study;       // text of the study
  std::string robot_path;  // of the derived robot; empty: none is needed
  std::string robot;       // its text
  std::vector<InitLog> logs;
  std::vector<Question> questions;  // of all logs, each once; every one is a line of the text marked EDIT
};

// Nothing is written. Throws InputError when a file cannot be read or a log is not recognised.
InitStudy init_study(const InitOptions& options);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
