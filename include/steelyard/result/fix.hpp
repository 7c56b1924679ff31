// What would undo findings, as values of the study.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// A value of the study by its path ("runs", "0", "sign", "torque"), as YAML on one line.
struct StudyEdit {
  std::vector<std::string> path;
  std::string value;
};

// Of findings whose remedy is a value of the study.
struct StudyFix {
  std::vector<std::string> findings;  // "torque-sign (joint4)"
  std::vector<StudyEdit> edits;
};

// "run 2: `sign: {torque: [1, -1]}`"; a line that can be typed.
std::string edit_text(const StudyEdit& edit);

}  // namespace steelyard
