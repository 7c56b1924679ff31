// A plain file with a motion: time and the position of every joint, as planned or recorded; for forecasts.
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Columns by their names: t_s, q1_rad, position[elbow], or the joint's name itself; a file without names has time
// first, then one position per joint. Units are those that the names give, otherwise SI: nothing is guessed from
// numbers. Velocities, accelerations and efforts are not used. Any format of logs (docs/log.md). The label is the
// file's name. Throws InputError for files that cannot be read and for joints without a column.
StudyRun motion_run(const std::string& path, const Robot& robot);

}  // namespace steelyard
