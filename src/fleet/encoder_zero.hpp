// A log of a fleet as if the zero of a joint were another one.
#pragma once

#include <vector>

#include "fleet/digest.hpp"
#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// The folds of a log whose positions of a joint are `zero` more; joints count from 0. Throws InputError as
// digest_log() does.
std::vector<Fold> folds_with_zero(const FleetShared& shared, const FleetStudyLog& log, int joint,
                                  double zero);

}  // namespace steelyard
