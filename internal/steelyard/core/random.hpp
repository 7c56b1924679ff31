// Random numbers without state: number k of stream (seed, purpose, index) is a function of these four.
//
//   key     = first 64 bits of Philox_seed(hash(purpose))
//   block b = Philox_key(b, index), four 32-bit words
//
// Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1,
// 2, 3", SC 2011. A stream is a small value: copy it, make it in any thread, in any order. Two purposes share
// a key with probability 2^-64. Not for secrets. Normals use log, sin and cos of the C library: the same
// program on the same machine type gives the same bytes, another C library may differ in the last bit.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// The bare generator: 10 rounds.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

class Random {
 public:
  // `purpose` names the use ("bootstrap", "noise of joint 3"), `index` counts replicates, chunks, samples.
  Random(std::uint64_t seed, std::string_view purpose, std::uint64_t index = 0);

  std::uint64_t bits();                     // 64 random bits
  double uniform();                         // [0, 1), multiples of 2^-53
  double uniform(double low, double high);  // [low, high], finite bounds
  double normal();                          // mean 0, standard deviation 1
  double normal(double mean, double deviation);
  std::uint64_t below(std::uint64_t count);  // 0 … count-1, each equally likely; count ≥ 1

 private:
  std::array<std::uint32_t, 2> key_;
  std::uint64_t index_;
  std::uint64_t block_ = 0;
  std::array<std::uint64_t, 2> words_{};
  int unused_ = 0;    // of words_
  double spare_ = 0;  // second normal of a pair
  bool has_spare_ = false;
};

}  // namespace steelyard
