// Which of several logs is fitted, and which one validates.
#pragma once

#include "steelyard/init/init_study.hpp"

namespace steelyard::inline STEELYARD_ABI {

// The last log validates, unless the others are not enough for a fit: a joint moves in this log only, it is longer
// than twice the others together, or it has |effort| only; then the one before it, or none. `robot`: with the joints
// that move.
void assign_roles(const Robot& robot, std::vector<InitLog>& logs);

}  // namespace steelyard
