// `export:` of a study: files beside its result.
#pragma once

#include "steelyard/identify/setup.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Adds files and their summaries. Files that need feasible links where there are none go to `unavailable`.
void export_files(const Setup& setup, StudyOutcome& outcome);

}  // namespace steelyard
