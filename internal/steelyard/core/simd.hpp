// What all SIMD kernels share.
//
// Headers of kernels are read by files compiled for different instruction sets, so they include nothing of a
// library. Any inline function of a library that is instantiated in an AVX file becomes a weak symbol which the
// linker may keep for the whole program, and an older processor would then stop at an illegal instruction.
#pragma once

namespace steelyard::simd {

using Size = long long;

inline constexpr int kLanes = 8;  // the widest kernel; workspaces and padding are made for it

}  // namespace steelyard::simd
