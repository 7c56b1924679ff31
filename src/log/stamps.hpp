// A source that can give its time stamps alone, much faster than all its samples.
#pragma once

#include "steelyard/log/resample.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

class StampSource {
 public:
  virtual ~StampSource() = default;
  // All stamps [s], strictly increasing; the same whatever the number of threads. Afterwards the source must
  // be rewound.
  virtual TimeScanner scan_stamps(int threads) = 0;
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
