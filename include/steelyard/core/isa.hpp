// Instruction sets of the SIMD kernels.
#pragma once

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// The level is chosen once: the best the processor has, or the environment variable STEELYARD_ISA (baseline,
// avx2, avx512). avx2 and avx512 give the same bytes.
enum class IsaLevel { baseline, avx2, avx512 };
const char* to_string(IsaLevel level);
bool is_available(IsaLevel level);
IsaLevel isa_level();
void set_isa_level(IsaLevel level);  // for tests, benchmarks and --isa; throws InputError when not available

}  // namespace steelyard
