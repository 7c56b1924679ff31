#include "low_pass_kernel.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace kernels {
namespace {

#define STEELYARD_INLINE inline __attribute__((always_inline))

template <int Bytes>
struct Vector {
  typedef double type __attribute__((vector_size(Bytes), may_alias));
  typedef double unaligned __attribute__((vector_size(Bytes), may_alias, aligned(8)));
  typedef long long index __attribute__((vector_size(Bytes)));
};

// Sections of two poles, one behind the other, over Count vectors of lanes beginning at `lane`. The states
// stay in registers (all inner loops unrolled), and while one section waits for its own last sample the other
// computes.
template <int Bytes, int Count, int Sections>
STEELYARD_INLINE void two_poles(const LowPassSection* c, double* state, double* first, Index step,
                                Index samples, int lane) {
  using V = typename Vector<Bytes>::type;
  constexpr int kWidth = Bytes / static_cast<int>(sizeof(double));
  V s1[Sections][Count], s2[Sections][Count];
#pragma GCC unroll 4
  for (int k = 0; k < Sections; ++k) {
#pragma GCC unroll 4
    for (int v = 0; v < Count; ++v) {
      s1[k][v] = *reinterpret_cast<V*>(state + 2 * kLanes * k + lane + v * kWidth);
      s2[k][v] = *reinterpret_cast<V*>(state + 2 * kLanes * k + kLanes + lane + v * kWidth);
    }
  }
  for (Index i = 0; i < samples; ++i) {
    double* row = first + i * step + lane;
#pragma GCC unroll 4
    for (int v = 0; v < Count; ++v) {
      V& value = *reinterpret_cast<V*>(row + v * kWidth);
      V x = value;
#pragma GCC unroll 4
      for (int k = 0; k < Sections; ++k) {
        const V e = x - s2[k][v];
        const V d = c[k].a2 * s1[k][v] + c[k].a3 * e;
        const V half = c[k].a1 * s1[k][v] + c[k].a2 * e;
        x = s2[k][v] + d;
        s2[k][v] = s2[k][v] + (d + d);
        s1[k][v] = (half + half) - s1[k][v];
      }
      value = x;
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < Sections; ++k) {
#pragma GCC unroll 4
    for (int v = 0; v < Count; ++v) {
      *reinterpret_cast<V*>(state + 2 * kLanes * k + lane + v * kWidth) = s1[k][v];
      *reinterpret_cast<V*>(state + 2 * kLanes * k + kLanes + lane + v * kWidth) = s2[k][v];
    }
  }
}

template <int Bytes, int Count>
STEELYARD_INLINE void one_pole(const LowPassSection& c, double* state, double* first, Index step,
                               Index samples, int lane) {
  using V = typename Vector<Bytes>::type;
  constexpr int kWidth = Bytes / static_cast<int>(sizeof(double));
  V s[Count];
  for (int v = 0; v < Count; ++v) s[v] = *reinterpret_cast<V*>(state + kLanes + lane + v * kWidth);
  for (Index i = 0; i < samples; ++i) {
    double* row = first + i * step + lane;
#pragma GCC unroll 4
    for (int v = 0; v < Count; ++v) {
      V& x = *reinterpret_cast<V*>(row + v * kWidth);
      const V d = c.a1 * (x - s[v]);
      x = s[v] + d;
      s[v] = s[v] + (d + d);
    }
  }
  for (int v = 0; v < Count; ++v) *reinterpret_cast<V*>(state + kLanes + lane + v * kWidth) = s[v];
}

#if defined(__clang__) || __GNUC__ >= 12
#define STEELYARD_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define STEELYARD_SHUFFLE(a, b, i, j, k, l) __builtin_shuffle(a, b, Vector<32>::index{i, j, k, l})
#endif

// to[column][row] = from[row][column] for 4 × 4 numbers, or as many rows and columns as there are: for rows
// that are missing the last one is read again, columns that are missing are not written.
STEELYARD_INLINE void transpose4(const double* from, Index from_stride, Index rows, Index columns, double* to,
                                 Index to_stride) {
  using V = Vector<32>::unaligned;
  const auto row = [&](Index r) { return from + (r < rows ? r : rows - 1) * from_stride; };
  const V a = *reinterpret_cast<const V*>(row(0)), b = *reinterpret_cast<const V*>(row(1));
  const V c = *reinterpret_cast<const V*>(row(2)), d = *reinterpret_cast<const V*>(row(3));
  const V ab0 = STEELYARD_SHUFFLE(a, b, 0, 4, 2, 6), ab1 = STEELYARD_SHUFFLE(a, b, 1, 5, 3, 7);
  const V cd0 = STEELYARD_SHUFFLE(c, d, 0, 4, 2, 6), cd1 = STEELYARD_SHUFFLE(c, d, 1, 5, 3, 7);
  *reinterpret_cast<V*>(to) = STEELYARD_SHUFFLE(ab0, cd0, 0, 1, 4, 5);
  if (columns > 1) *reinterpret_cast<V*>(to + to_stride) = STEELYARD_SHUFFLE(ab1, cd1, 0, 1, 4, 5);
  if (columns > 2) *reinterpret_cast<V*>(to + 2 * to_stride) = STEELYARD_SHUFFLE(ab0, cd0, 2, 3, 6, 7);
  if (columns > 3) *reinterpret_cast<V*>(to + 3 * to_stride) = STEELYARD_SHUFFLE(ab1, cd1, 2, 3, 6, 7);
}

// Between columns of the block, `lanes` of them, and rows of the tile; the time beyond a multiple of four,
// and without 32-byte registers all of it, by plain moves, which are faster there.
template <int Bytes>
STEELYARD_INLINE void to_tile(const Block& block, double* tile) {
  const Index whole = Bytes < 32 ? 0 : block.rows - block.rows % 4;
  for (Index l = 0; l < block.lanes && whole > 0; l += 4)
    for (Index i = 0; i < whole; i += 4)
      transpose4(block.data + l * block.stride + i, block.stride, block.lanes - l, 4, tile + i * kLanes + l,
                 kLanes);
  for (Index l = 0; l < block.lanes; ++l)
    for (Index i = whole; i < block.rows; ++i) tile[i * kLanes + l] = block.data[l * block.stride + i];
}

template <int Bytes>
STEELYARD_INLINE void from_tile(const double* tile, const Block& block) {
  const Index whole = Bytes < 32 ? 0 : block.rows - block.rows % 4;
  for (Index l = 0; l < block.lanes && whole > 0; l += 4)
    for (Index i = 0; i < whole; i += 4)
      transpose4(tile + i * kLanes + l, kLanes, 4, block.lanes - l, block.data + l * block.stride + i,
                 block.stride);
  for (Index l = 0; l < block.lanes; ++l)
    for (Index i = whole; i < block.rows; ++i) block.data[l * block.stride + i] = tile[i * kLanes + l];
}

template <int Bytes, int Count>
STEELYARD_INLINE void run(const LowPassSection* sections, int count, double* state, const Block& block) {
  constexpr int kGroup = Count * Bytes / static_cast<int>(sizeof(double));
  alignas(64) double tile[kTileRows * kLanes];
  const int used = (block.lanes + kGroup - 1) / kGroup * kGroup;  // lanes that are computed
  to_tile<Bytes>(block, tile);
  for (int lane = block.lanes; lane < used; ++lane)
    for (Index i = 0; i < block.rows; ++i) tile[i * kLanes + lane] = 0;
  const bool forward = block.direction == Direction::forward;
  double* first = forward ? tile : tile + (block.rows - 1) * kLanes;
  const Index step = forward ? kLanes : -kLanes;
  for (int lane = 0; lane < used; lane += kGroup) {
    for (int k = 0; k < count;) {
      double* own = state + 2 * kLanes * k;
      if (sections[k].a3 == 0) {
        one_pole<Bytes, Count>(sections[k++], own, first, step, block.rows, lane);
      } else if (k + 1 < count) {  // a section with one pole comes first
        two_poles<Bytes, Count, 2>(sections + k, own, first, step, block.rows, lane);
        k += 2;
      } else {
        two_poles<Bytes, Count, 1>(sections + k++, own, first, step, block.rows, lane);
      }
    }
  }
  from_tile<Bytes>(tile, block);
}

void run_baseline(const LowPassSection* sections, int count, double* state, const Block& block) {
  run<16, 2>(sections, count, state, block);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void run_avx2(const LowPassSection* sections, int count, double* state,
                                              const Block& block) {
  run<32, 2>(sections, count, state, block);
}
#endif

}  // namespace

std::vector<BlockFilter> available_block_filters() {
  std::vector<BlockFilter> filters = {run_baseline};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) filters.push_back(run_avx2);
#endif
  return filters;
}

BlockFilter block_filter() {
  static const BlockFilter best = available_block_filters().back();
  return best;
}

}  // namespace kernels
}  // namespace steelyard
