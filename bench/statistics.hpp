// Median and quartiles of repeated measurements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

struct Spread {
  double median = 0, lower = 0, upper = 0;  // quartiles
};

inline Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n == 0 ? Spread{} : Spread{values[n / 2], values[n / 4], values[3 * n / 4]};
}
