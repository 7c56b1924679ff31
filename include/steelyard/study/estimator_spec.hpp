// What a study says of its estimator beyond the weights by joint: instruments, single rows, essential
// parameters.
#pragma once

#include <optional>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/essential.hpp"
#include "steelyard/estimate/robust.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct InstrumentSpec {
  double cutoff = 0;        // [Hz] of the motion the simulation follows; 0: 0.4 of the study's cut-off
  double bandwidth = 10;    // [Hz] of the simulated control
  int max_iterations = 6;   // simulations; each costs a pass
  double tolerance = 0.05;  // change of all values in σ at which they end
};

struct EstimatorSpec {
  bool instruments = false;  // method: iv
  bool single_rows = false;  // method: huber
  InstrumentSpec instrument;
  RobustOptions robust;
  std::optional<EssentialOptions> essential;
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
