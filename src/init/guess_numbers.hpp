// Guesses from the numbers of a log's columns when names do not help.
//
//   derivative   Σ v ẋ / Σ v²   with ẋ by central differences: 1 when v is the derivative of x in the same
//   units, 180/π when x is in degrees and v in rad/s; the correlation shows whether it is a derivative at all
//
// Columns are compared sample by sample; a channel that hardly moves counts as uncorrelated (0).
#pragma once

#include <optional>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

using Signal = std::vector<double>;

struct Derivative {
  double slope = 0;
  double correlation = 0;
};
Derivative derivative_of(const Signal& time, const Signal& position, const Signal& velocity);

double signal_median(Signal values);     // 0 without values
double median_step(const Signal& time);  // of the differences between neighbours
bool increases(const Signal& time);      // strictly

// Columns without names as blocks of one column per joint, [first + j] or, interleaved, [first + j · blocks].
struct BlockGuess {
  std::vector<int> position, velocity, torque;  // columns by joint; velocity may be empty
  double correlation = 0;                       // of velocity and derivative; 0 when there is none
  int blocks = 0;
};
// Nothing when the number of columns is no multiple of the joints, or there are fewer than two blocks.
std::optional<BlockGuess> guess_blocks(const std::vector<Signal>& columns, int joints);

}  // namespace steelyard
