// A source that can give its time stamps alone, much faster than all its samples.
#pragma once

#include <functional>
#include <span>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

class StampSource {
 public:
  virtual ~StampSource() = default;
  // All stamps from the beginning [s], strictly increasing, in pieces. Afterwards the source must be rewound.
  virtual void scan_stamps(const std::function<void(std::span<const double>)>& take) = 0;
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
