// A prepared run in one piece, for searches that go over all its samples many times. Its memory grows with
// the run: passes that need samples once read chunks (prepare.hpp).
#pragma once

#include "steelyard/core/abi.hpp"
#include "steelyard/log/prepare.hpp"

namespace steelyard::inline STEELYARD_ABI {

// The cores of all chunks, from the first on.
SampleBlock whole_run(PreparedRun& run);

}  // namespace steelyard
