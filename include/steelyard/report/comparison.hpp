// Several results on one page: verdicts, key figures, residuals by joint, parameters and how far they agree.
//
// One offline file, as the report. Drawn by the page of web/ alone: throws MachineError in programs built
// without it.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct NamedResult {
  std::string name;  // as the columns are headed
  Result result;
};

std::string render_comparison(const std::vector<NamedResult>& results);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
