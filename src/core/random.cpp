#include "steelyard/core/random.hpp"

#include <cmath>
#include <numbers>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

std::uint32_t low_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}
std::uint32_t high_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}
std::uint64_t join(std::uint32_t low, std::uint32_t high) {
  return (static_cast<std::uint64_t>(high) << 32) | low;
}

// FNV-1a; its weak mixing does not matter because Philox mixes the result.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xCBF29CE484222325u;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return value;
}

// High and low half of a 64-bit product, by 32-bit halves: standard C++ has no 128-bit integer.
struct WideProduct {
  std::uint64_t high;
  std::uint64_t low;
};
WideProduct multiply(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t a0 = low_word(a), a1 = high_word(a), b0 = low_word(b), b1 = high_word(b);
  const std::uint64_t middle = a1 * b0 + high_word(a0 * b0);
  const std::uint64_t other = a0 * b1 + low_word(middle);
  return {a1 * b1 + high_word(middle) + high_word(other), a * b};
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {high_word(second) ^ counter[1] ^ key[0], low_word(second),
               high_word(first) ^ counter[3] ^ key[1], low_word(first)};
    key[0] += 0x9E3779B9u;  // golden ratio
    key[1] += 0xBB67AE85u;  // √3 - 1
  }
  return counter;
}

Random::Random(std::uint64_t seed, std::string_view purpose, std::uint64_t index) : index_(index) {
  const std::uint64_t name = hash(purpose);
  // The two constant words keep the derivation of keys apart from the drawing of numbers.
  const auto mixed = philox4x32({low_word(name), high_word(name), 0x6B657921u, 0x7374656Cu},
                                {low_word(seed), high_word(seed)});
  key_ = {mixed[0], mixed[1]};
}

std::uint64_t Random::bits() {
  if (unused_ == 0) {
    const auto words =
        philox4x32({low_word(block_), high_word(block_), low_word(index_), high_word(index_)}, key_);
    words_ = {join(words[0], words[1]), join(words[2], words[3])};
    ++block_;
    unused_ = 2;
  }
  return words_[static_cast<std::size_t>(2 - unused_--)];
}

double Random::uniform() {
  return static_cast<double>(bits() >> 11) * 0x1p-53;
}

double Random::uniform(double low, double high) {
  require(std::isfinite(low) && std::isfinite(high) && low <= high,
          "Random::uniform needs finite low <= high");
  const double share = uniform();
  return (1 - share) * low + share * high;  // no overflow of high - low
}

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));  // 1 - u lies in (0, 1]
  const double angle = 2 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

double Random::normal(double mean, double deviation) {
  return mean + deviation * normal();
}

std::uint64_t Random::below(std::uint64_t count) {
  require(count >= 1, "Random::below needs count >= 1");
  // The high half of bits·count is biased unless the lowest 2^64 mod count values of the low half are
  // refused.
  const std::uint64_t refused = (0 - count) % count;
  WideProduct product = multiply(bits(), count);
  while (product.low < refused) product = multiply(bits(), count);
  return product.high;
}

}  // namespace steelyard
