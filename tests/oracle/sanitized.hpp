// Whether sanitizers are linked. Tests are compiled without them, so that no macro knows: their runtime does.
#pragma once

extern "C" {
void __asan_init() __attribute__((weak));
void __tsan_init() __attribute__((weak));
}

namespace steelyard::oracle {

// Everything takes about ten times as long then, and mistakes show at few repetitions as at many.
inline bool is_sanitized() {
  return __asan_init != nullptr || __tsan_init != nullptr;
}

}  // namespace steelyard::oracle
