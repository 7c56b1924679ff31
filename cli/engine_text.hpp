// Exported files and physics engines, for people.
#pragma once

#include <string>
#include <vector>

#include "steelyard/result/summaries.hpp"
#include "steelyard/validate/engine_check.hpp"

namespace cli {

std::string exported_text(const steelyard::ExportSummary& summary, const std::string& folder);
std::string engines_text(const std::vector<steelyard::EngineCheck>& engines);

}  // namespace cli
