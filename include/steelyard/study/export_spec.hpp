// Which files a study writes beside its result: `export:`.
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

enum class ExportFormat { c, urdf, sdf, mjcf, yaml, json };
inline constexpr ExportFormat kExportFormats[] = {ExportFormat::c,    ExportFormat::urdf, ExportFormat::sdf,
                                                  ExportFormat::mjcf, ExportFormat::yaml, ExportFormat::json};
const char* to_string(ExportFormat format);

struct ExportRequest {
  ExportFormat format = ExportFormat::c;
  std::string name;  // file name without folder; c: stem of the two files and prefix of all names
  std::string from;  // urdf: path of the file that is edited
  std::string from_as_written = {};
};

struct ExportedFile {
  std::string name;
  std::string text;
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
