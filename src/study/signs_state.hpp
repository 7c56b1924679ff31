// A run that logs |effort| only, in memory, with the signs that were found.
#pragma once

#include "steelyard/signs/segments.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct SignedRun {
  SampleBlock samples;  // prepared, the whole run
  SegmentedRun segmented;
  VectorXd signs;  // one per segment, 0: not decided
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
