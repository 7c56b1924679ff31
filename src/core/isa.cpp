// Which instruction set the kernels use.
#include "steelyard/core/isa.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr IsaLevel kLevels[] = {IsaLevel::baseline, IsaLevel::avx2, IsaLevel::avx512};

bool processor_has(IsaLevel level) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (level == IsaLevel::avx2) return avx2;
  if (level == IsaLevel::avx512) return avx2 && avx512;
#endif
  return level == IsaLevel::baseline;
}

std::string available_levels() {
  std::string list;
  for (const IsaLevel level : kLevels) {
    if (is_available(level)) list += (list.empty() ? "" : ", ") + std::string(to_string(level));
  }
  return list;
}

[[noreturn]] void refuse(const std::string& what) {
  throw InputError(
      {what, {}, "one of " + available_levels(), "unset STEELYARD_ISA to let the program choose"});
}

IsaLevel first_level() {
  const char* requested = std::getenv("STEELYARD_ISA");
  if (requested && *requested) {
    for (const IsaLevel level : kLevels) {
      if (std::string(requested) != to_string(level)) continue;
      if (!is_available(level)) refuse(fmt::format("this processor has no {} (STEELYARD_ISA)", requested));
      return level;
    }
    refuse(fmt::format("STEELYARD_ISA is not an instruction set: '{}'", requested));
  }
  IsaLevel best = IsaLevel::baseline;
  for (const IsaLevel level : kLevels) {
    if (is_available(level)) best = level;
  }
  return best;
}

// −1: not chosen yet. A choice that throws is tried again by the next caller.
std::atomic<int> chosen{-1};

}  // namespace

const char* to_string(IsaLevel level) {
  constexpr const char* kWords[] = {"baseline", "avx2", "avx512"};
  return kWords[static_cast<std::size_t>(level)];
}

bool is_available(IsaLevel level) {
  return processor_has(level);
}

IsaLevel isa_level() {
  int level = chosen.load(std::memory_order_relaxed);
  if (level < 0) {
    const int first = static_cast<int>(first_level());
    level = chosen.compare_exchange_strong(level, first) ? first : level;
  }
  return static_cast<IsaLevel>(level);
}

void set_isa_level(IsaLevel level) {
  if (!is_available(level)) refuse(fmt::format("this processor has no {}", to_string(level)));
  chosen.store(static_cast<int>(level), std::memory_order_relaxed);
}

}  // namespace steelyard
