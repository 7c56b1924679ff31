#include "steelyard/fold/slots.hpp"

#include <algorithm>

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kBootstrapBlocks = 32;
constexpr Index kEnoughPerSlot = 1024;  // samples: more slots than these make only cost time

}  // namespace

Index filter_memory(const Preparation& preparation) {
  Index memory = 0;
  for (const auto& filter : {preparation.filter, preparation.column_filter})
    if (filter) memory += filter->memory;
  return memory;
}

Index halved_slot(Index chunk, Index samples, Index wanted, Index shortest) {
  Index slot = chunk;
  while (slot % 2 == 0 && slot > samples / wanted && slot / 2 >= shortest) slot /= 2;
  return slot;
}

Index slot_for_blocks(const PreparedRun& run, Index blocks) {
  return halved_slot(run.plan().size, run.plan().samples, std::max(blocks, kBootstrapBlocks),
                     2 * filter_memory(run.preparation()));
}

Index default_slot(const PreparedRun& run) {
  const Index shortest = std::max(kEnoughPerSlot, 5 * filter_memory(run.preparation()));
  return halved_slot(run.plan().size, run.plan().samples, run.plan().samples + 1, shortest);
}

}  // namespace steelyard
