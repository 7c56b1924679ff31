// The study's reader in pieces, for fleets and for documents.
#pragma once

#include "steelyard/core/read_described.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard::inline STEELYARD_ABI {

YamlNode parse_study(const std::string& text, const std::string& path);
Study read_study_tree(const YamlNode& root, const std::string& path, bool needs_runs,
                      bool needs_efforts = true);

// Every key of a study (core/describe.hpp).
void describe(Fields& fields, Study& study);
// Columns and conversions of a log; `check_log` when its path is known.
void describe_log(Fields& fields, RunFile& file);
void check_log(const Fields& fields, const RunFile& file, bool may_lack_efforts = false);
void describe(Fields& fields, SimulationSpec& spec);

}  // namespace steelyard
