// A first study from a robot and its logs: text with a reason for every guess, and lines marked EDIT for what
// only the user can know.
//
// The last of several logs validates where the others are enough for a fit; friction is viscous, Coulomb and
// offset unless the robot's file declares its drives, with rotor inertias for efforts of motors; the cut-off of
// the filters is left to held-out data (`cutoff: auto`). What only the user knows is written as `EDIT`, which is
// refused by name until it is filled in. Where the
// robot's file cannot say what the logs need (joints that stand still, gears before a URDF's joints) a second
// file is proposed, a robot derived from the first (robot/read.hpp).
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/run_file.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

// The probable meaning of a log's columns: by their names, and where names do not help, by their numbers (a
// velocity is the derivative of its position, limits distinguish degrees from radians).
//
// Every guess comes with its reason; what cannot be known from a log (drive gains, gear ratios, the unit of
// raw efforts) is a question with a name. Guesses are proposals for a study that a person reads: they are
// never used silently.

struct Guess {
  std::string what;   // "position", "time", "units of velocity", …
  std::string value;  // as the study has it
  std::string why;
};

// Something the user must provide, under a key of the study.
struct Question {
  std::string name;  // "scale", "transmission", "gains", "rate", "units", "unsigned", "columns", "joints"
  std::string text;
};

struct LogGuess {
  RunFile file;                     // without label
  std::vector<std::string> moving;  // joints that the log has, when it does not have all; empty: all
  std::string effort;               // channel: torque, motor_torque or current
  bool motor_effort = false;        // what a motor gives, before its rotor and gears
  bool unsigned_effort = false;     // |effort| only
  double rate = 0;                  // [Hz]; 0: not known
  double duration = 0;              // [s] of what was looked at
  std::vector<double> ranges;       // of the positions of the joints that move, in the file's unit
  std::vector<Guess> guesses;
  std::vector<Question> questions;
  std::vector<std::string> unused;  // unused columns
};

// Looks at the first 200 000 samples. `topic` of a bag, or empty. Throws InputError for logs that cannot
// be read, and when positions or efforts cannot be found, with the log's columns.
LogGuess guess_log(const std::string& path, const Robot& robot, const std::string& topic = "");

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

}  // namespace steelyard
