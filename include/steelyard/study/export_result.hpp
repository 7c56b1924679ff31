// Files for controllers and simulators from a result; each is read back and compared before it counts as
// written.
//
//   c      the base parameters in the places of their lead columns, with friction: what the log has shown,
//   nothing chosen urdf   feasible links; an error when the result has none
#pragma once

#include <string>
#include <vector>

#include "steelyard/export/model.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

enum class ExportFormat { c, urdf };
const char* to_string(ExportFormat format);

struct ExportWish {
  ExportFormat format = ExportFormat::c;
  std::string name;  // file name without folder; c: stem of the two files and prefix of all names
  std::string from;  // urdf: path of the file that is edited
};

struct ExportedFile {
  std::string name;
  std::string text;
};

struct ExportOutcome {
  std::vector<ExportedFile> files;
  ExportFormat format = ExportFormat::c;
  std::string checked_by;  // what read it back
  double max_error = 0;    // relative
  std::vector<NotCarried> not_carried;
  std::vector<std::string> notes;
};

// The robot with the base parameters in the places of their lead columns.
ExportModel base_model(const Robot& robot, const Result& result);
// The robot with the feasible links. Throws InputError when the result has none.
ExportModel feasible_model(const Robot& robot, const Result& result);

// Throws InputError when the result is not of this robot, MachineError when nothing can read the file back.
ExportOutcome export_result(const Robot& robot, const Result& result, const ExportWish& wish);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
