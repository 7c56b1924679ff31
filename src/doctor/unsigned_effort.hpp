// Whether a log has |effort|.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/finding.hpp"
#include "steelyard/doctor/signals.hpp"
#include "steelyard/log/run_file.hpp"

namespace steelyard::inline STEELYARD_ABI {

bool is_effort(const std::string& channel);

// Exact zeros while the joint moves, to which the effort falls from afar: one that passes zero comes from beside it.
bool drops_out(const ChannelScan& scan, Index samples, bool has_zero_rows);

// Joints that reverse need efforts of both signs, except those always loaded in one direction, which stay away from zero.
std::optional<Finding> unsigned_effort(const SignalScan& scan, const std::vector<LogJoint>& joints,
                                       const std::string& run, bool has_zero_rows);

}  // namespace steelyard
