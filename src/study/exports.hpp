// `export:` of a study: files beside its result.
#pragma once

#include "study/state.hpp"
#include "study/study_yaml.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

std::vector<ExportWish> read_exports(const YamlContext& context, const YamlNode& node,
                                     const std::string& folder);

// Adds files and their summaries. Files that need feasible links where there are none go to `unavailable`.
void export_files(const StudyState& state, StudyOutcome& outcome);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
