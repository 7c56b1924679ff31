#include "steelyard/fold/slots.hpp"

#include <algorithm>

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr Index kWantedBlocks = 32;

}  // namespace

Index slot_for_blocks(const PreparedRun& run, Index blocks) {
  const ChunkPlan& plan = run.plan();
  Index memory = 0;
  for (const auto& filter : {run.preparation().filter, run.preparation().column_filter})
    if (filter) memory += filter->memory;
  const Index wanted = std::max(blocks, kWantedBlocks);
  Index size = plan.size;
  while (size % 2 == 0 && size * wanted > plan.samples && size / 2 >= 2 * memory) size /= 2;
  return size;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
