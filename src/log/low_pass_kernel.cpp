#include "low_pass_kernel.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace kernels {
namespace {

#define STEELYARD_INLINE inline __attribute__((always_inline))

template <int Bytes>
struct Vector {
  typedef double type __attribute__((vector_size(Bytes), may_alias));
};

// One section over Count vectors of lanes beginning at `lane`; the states stay in registers.
template <int Bytes, int Count>
STEELYARD_INLINE void two_poles(const LowPassSection& c, double* state, double* tile, Index samples,
                                int lane) {
  using V = typename Vector<Bytes>::type;
  constexpr int kWidth = Bytes / static_cast<int>(sizeof(double));
  V s1[Count], s2[Count];
  for (int v = 0; v < Count; ++v) {
    s1[v] = *reinterpret_cast<V*>(state + lane + v * kWidth);
    s2[v] = *reinterpret_cast<V*>(state + kLanes + lane + v * kWidth);
  }
  for (Index i = 0; i < samples; ++i) {
    double* row = tile + i * kLanes + lane;
    for (int v = 0; v < Count; ++v) {
      V& x = *reinterpret_cast<V*>(row + v * kWidth);
      const V e = x - s2[v];
      const V d = c.a2 * s1[v] + c.a3 * e;
      const V half = c.a1 * s1[v] + c.a2 * e;
      x = s2[v] + d;
      s2[v] = x + d;
      s1[v] = (half + half) - s1[v];
    }
  }
  for (int v = 0; v < Count; ++v) {
    *reinterpret_cast<V*>(state + lane + v * kWidth) = s1[v];
    *reinterpret_cast<V*>(state + kLanes + lane + v * kWidth) = s2[v];
  }
}

template <int Bytes, int Count>
STEELYARD_INLINE void one_pole(const LowPassSection& c, double* state, double* tile, Index samples,
                               int lane) {
  using V = typename Vector<Bytes>::type;
  constexpr int kWidth = Bytes / static_cast<int>(sizeof(double));
  V s[Count];
  for (int v = 0; v < Count; ++v) s[v] = *reinterpret_cast<V*>(state + kLanes + lane + v * kWidth);
  for (Index i = 0; i < samples; ++i) {
    double* row = tile + i * kLanes + lane;
    for (int v = 0; v < Count; ++v) {
      V& x = *reinterpret_cast<V*>(row + v * kWidth);
      const V d = c.a1 * (x - s[v]);
      x = s[v] + d;
      s[v] = x + d;
    }
  }
  for (int v = 0; v < Count; ++v) *reinterpret_cast<V*>(state + kLanes + lane + v * kWidth) = s[v];
}

template <int Bytes, int Count>
STEELYARD_INLINE void run(const LowPassSection* sections, int count, double* state, double* tile,
                          Index samples) {
  constexpr int kGroup = Count * Bytes / static_cast<int>(sizeof(double));
  for (int k = 0; k < count; ++k) {
    double* own = state + 2 * kLanes * k;
    for (int lane = 0; lane < kLanes; lane += kGroup) {
      if (sections[k].a3 == 0) {
        one_pole<Bytes, Count>(sections[k], own, tile, samples, lane);
      } else {
        two_poles<Bytes, Count>(sections[k], own, tile, samples, lane);
      }
    }
  }
}

void run_baseline(const LowPassSection* sections, int count, double* state, double* tile, Index samples) {
  run<16, 4>(sections, count, state, tile, samples);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void run_avx2(const LowPassSection* sections, int count, double* state,
                                              double* tile, Index samples) {
  run<32, 4>(sections, count, state, tile, samples);
}

__attribute__((target("avx512f"))) void run_avx512(const LowPassSection* sections, int count, double* state,
                                                   double* tile, Index samples) {
  run<64, 2>(sections, count, state, tile, samples);
}
#endif

}  // namespace

std::vector<TileFilter> available_tile_filters() {
  std::vector<TileFilter> filters = {run_baseline};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) filters.push_back(run_avx2);
  if (__builtin_cpu_supports("avx512f")) filters.push_back(run_avx512);
#endif
  return filters;
}

TileFilter tile_filter() {
  static const TileFilter best = available_tile_filters().back();
  return best;
}

}  // namespace kernels
}  // namespace STEELYARD_ABI
}  // namespace steelyard
