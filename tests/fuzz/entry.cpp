// libFuzzer's entry, compiled once a target with -DFUZZ_FEED=feed_csv and so on.
#include <cstddef>
#include <cstdint>

#include "feed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::FUZZ_FEED({reinterpret_cast<const char*>(data), size});
  return 0;
}
