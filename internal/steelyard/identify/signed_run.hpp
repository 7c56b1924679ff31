// A run that logs |effort| only, in memory, with the recovered signs.
#pragma once

#include <optional>
#include <vector>

#include "steelyard/signs/segments.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct SignedRun {
  SampleBlock samples;  // prepared, the whole run
  SegmentedRun segmented;
  SignRows rows;
  VectorXd best;   // one per segment
  VectorXd signs;  // the same, 0: not decided
  // Efforts of all samples, where they are fitted instead of the segments; joints without rows are left out.
  std::optional<MatrixXd> completed;
  std::vector<bool> has_rows;
};

}  // namespace steelyard
