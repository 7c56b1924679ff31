// `reverse:` of a study: where g(q) and M(q) come from, what is known, what they are tried on
// (docs/reverse.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/reverse/fit.hpp"
#include "steelyard/reverse/source.hpp"
#include "steelyard/reverse/table.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

enum class SourceKind { table, program, library, robot, mujoco };
const char* to_string(SourceKind kind);

struct SourceSpec {
  SourceKind kind = SourceKind::table;
  std::string path;  // of the table, library, robot or model
  std::string path_as_written;
  std::vector<std::string> command;  // of a program
  std::string folder;                // in which it runs
  std::string function = "steelyard_source";
  std::vector<std::string> joints;  // of a MuJoCo model, by name
  SourceLimits limits;
  ReverseColumns columns;                                 // of a table
  std::string position_unit, gravity_unit, inertia_unit;  // as written
  Place place;
};

// q_j = center_j + amplitude_j sin(2π t / period_j), asked every `step`.
struct SinusoidSpec {
  VectorXd amplitude;
  VectorXd period;
  VectorXd center;  // empty: zero
  double duration = 60;
  double step = 0.12;
};

// A set of configurations: asked of a source, or read.
struct ReverseSetSpec {
  std::string label;
  std::optional<SourceSpec> source;  // none: the study's
  Index count = 0;                   // configurations; 0: all of a table
  bool best = false;                 // D-optimal; otherwise random
  std::uint64_t index = 0;           // of the random numbers
  std::optional<SinusoidSpec> sinusoids;
  Place place;
};

// What is done to the answers of a source before they are used, for studies of a source's quality.
struct AnswerSpec {
  int digits = 0;            // significant digits that are kept; 0: all
  double gravity_noise = 0;  // [N·m or N]
  double inertia_noise = 0;
};

struct LeaveOutSpec {
  std::vector<std::string> components;
  std::string where;  // empty: everywhere
  Place place;
};

// Coefficients that others found, set beside ours: a result.json, or `base: {lead: value}` in YAML.
struct ReferenceSpec {
  std::string label;
  std::string path;
  std::string path_as_written;
  Place place;
};

struct ReverseSpec {
  ReverseSetSpec training;  // its source is given
  std::vector<ReverseSetSpec> validation;
  std::optional<ReverseSetSpec> loaded;
  AnswerSpec answers;
  ReverseOptions options;  // left_out is filled from leave_out, which needs the robot
  std::vector<LeaveOutSpec> leave_out;
  bool tilt = false;
  std::optional<ReferenceSpec> reference;
  Place place;
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
