#include "regressor/program.hpp"
#include "steelyard/core/isa.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

const simd::Table* compiled_table(IsaLevel level) {
  switch (level) {
    case IsaLevel::baseline:
      return simd::baseline_table();
    case IsaLevel::avx2:
      return simd::avx2_table();
    case IsaLevel::avx512:
      return simd::avx512_table();
  }
  return nullptr;
}

}  // namespace

const simd::Table& kernel_table(Index count) {
  const IsaLevel level = isa_level();
  const bool narrow = level == IsaLevel::avx512 && count <= simd::avx512_narrow_table()->lanes;
  return narrow ? *simd::avx512_narrow_table() : *compiled_table(level);
}

}  // namespace steelyard
