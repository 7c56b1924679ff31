// Floating-point peak of one core: independent fused multiply-adds in registers.
#pragma once

#include "steelyard/regressor/plan.hpp"

// Flops per nanosecond of the level, the best of several short runs; 0 when the level is not available.
double fma_peak(steelyard::IsaLevel level);
