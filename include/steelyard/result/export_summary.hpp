// Files that were exported beside a result: what read them back, how exactly, and what they could not carry.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/export/model.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct ExportSummary {
  std::vector<std::string> paths;  // file names in the output folder
  std::string format;
  std::vector<std::string> checked_by;  // what read it back
  double max_error = 0;                 // relative, of the worst reader
  std::vector<NotCarried> not_carried;
  std::vector<std::string> notes;
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
