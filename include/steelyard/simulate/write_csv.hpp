// Runs to text tables, so that open_run() with the same RunFile reads the same numbers, bit by bit (negative
// zeros as zeros).
//
// One header line, one line per sample: the time, then each channel's joints. Numbers are the shortest text
// that reads back as the same double, SI only. The file appears complete or not at all (atomic_file.hpp);
// memory does not depend on the length of the run.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/log/run_file.hpp"
#include "steelyard/log/source.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// t_s, q{j}_rad, dq{j}_radps, ddq{j}_radps2, tau{j}_Nm, i{j}_A; motor side qm{j}_rad, dqm…, ddqm…,
// taum{j}_Nm; m, mps, mps2, N for prismatic joints; other channels <channel>{j}.
RunFile standard_columns(const std::string& path, const std::vector<std::string>& channels,
                         const std::vector<LogJoint>& joints);

// Writes file.channels of the source from its beginning to file.path. Separator `detect` is a comma. Throws
// InputError for channels the source does not have, names that occur twice, units or scales other than SI,
// files without header, and values that are not finite; MachineError when writing fails.
void write_csv(SampleSource& source, const RunFile& file, const std::vector<LogJoint>& joints);
void write_csv(const Run& run, const RunFile& file, const std::vector<LogJoint>& joints);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
